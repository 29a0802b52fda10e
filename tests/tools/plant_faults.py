"""Plant faults into a copy of a checkout, one at a time, and see whether its tests notice.

    python tests/tools/plant_faults.py [--checkout FOLDER] [--only WORD ...] [--whole] [--list]

A fault is a text in one file of the product and what stands there instead. The file is found by the text, so that it
may be moved and renamed; where the text is not found exactly once, the table says "stale", and the fault wants a new
text here. The tests that concern a fault are named by their files, of any folder; ``--whole`` takes all tests instead.
What fails must pass without the fault, else the table says "broken": the tests fail anyhow.

Exit status: 0 all caught, 1 a fault was not caught, 2 a fault is stale or its tests are broken.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", ".hypothesis", "node_modules")
LIMIT = 600  # seconds of one run of tests; a fault after which they hang counts as caught


@dataclass(frozen=True)
class Fault:
    """What breaks, by which text, and which tests concern it: names of files without "test_" and ".py".

    Names of the tree before 2026-11-22 stand behind those of today.
    """

    breaks: str
    old: str
    new: str
    tests: str
    before: tuple[str, str] | None = None  # the same fault in the tree before 2026-11-22, where it read otherwise


FAULTS = (
    # facts and knowledge
    Fault("12.0 is no longer 12", "while len(numbers) > 1 and numbers[-1] == 0:", "while False:", "versions"),
    Fault(
        "a row of a table is wrong: Blackwell's compute capability",
        'compute_capability = "12.0"\narchitecture = "Blackwell"',
        'compute_capability = "12.1"\narchitecture = "Blackwell"',
        "gpu_architectures driver_fits_gpu gpu_arch_unsupported gpu_names",
    ),
    Fault(
        "a translation is lost",
        'ja = "AI実行環境の診断レポート"',
        'ja = ""',
        "catalogue",
    ),
    Fault(
        "a placeholder of one language is misspelt",
        'title = "NVIDIAドライバーが{framework}には古すぎます"',
        'title = "NVIDIAドライバーが{frame}には古すぎます"',
        "catalogue",
    ),
    Fault(
        "a cause offers a remedy that is not there",
        '"bring-nvidia-driver-up-to-date", "install-fitting-torch-build", "choose-torch-build"]',
        '"bring-nvidia-driver-up-to-date", "install-fitting-torch-builds", "choose-torch-build"]',
        "catalogue",
    ),
    # causes
    Fault(
        "a driver that is just new enough counts as too old",
        "if release(driver) < release(minimum):",
        "if release(driver) <= release(minimum):",
        "driver_too_old_for_cuda",
    ),
    Fault(
        "the minimum of Windows is taken on Linux",
        "row.windows if is_windows else row.linux",
        "row.linux if is_windows else row.windows",
        "driver_too_old_for_cuda",
    ),
    Fault(
        "memory is short only where both limits are passed",
        "min(gpu.memory_total * _FREE_SHARE, _FREE_BYTES)",
        "max(gpu.memory_total * _FREE_SHARE, _FREE_BYTES)",
        "gpu_out_of_memory",
    ),
    Fault(
        "a card of a quarter of its lanes is not named",
        "link.width * _SMALL_SHARE <= link.width_max",
        "link.width * _SMALL_SHARE < link.width_max",
        "gpu_link_degraded",
    ),
    Fault(
        "the first index behind the last card is taken for a card",
        "if int(entry) >= present:",
        "if int(entry) > present:",
        "gpu_hidden_by_environment",
    ),
    Fault(
        "a lowered power limit is not seen",
        "gpu.power_limit < _LOWERED * gpu.power_limit_default",
        "gpu.power_limit > _LOWERED * gpu.power_limit_default",
        "gpu_throttled",
    ),
    Fault(
        "MiB of shared memory are millions of bytes",
        "{memory.shm_total / MIB:.0f} MiB",
        "{memory.shm_total / 1e6:.0f} MiB",
        "shared_memory_too_small",
    ),
    # analysis
    Fault(
        "TF32 is recognised where few elements differ, not many",
        "is_everywhere = difference.differing > _FEW * difference.elements",
        "is_everywhere = difference.differing < _FEW * difference.elements",
        "magnitude",
    ),
    Fault(
        "repetitions that show nothing prove everything",
        "return math.exp(repetitions * math.log1p(-rate)) + rate**repetitions",
        "return math.exp(repetitions * math.log1p(rate)) + rate**repetitions",
        "power detection",
    ),
    Fault(
        "the order of sums is half a unit too coarse",
        "return apart is not None and apart >= _HALF_A_UNIT",
        "return apart is not None and apart < _HALF_A_UNIT",
        "repeats nondeterministic_op rounding_order recorded_experiments",
    ),
    # judgement
    Fault(
        "the least sure finding comes first",
        "            finding.cause in explained,\n            -finding.confidence,\n",
        "            finding.cause in explained,\n            finding.confidence,\n",
        "judge",
    ),
    Fault(
        "a consequence goes before its cause",
        "            finding.cause in explained,\n            -finding",
        "            finding.cause not in explained,\n            -finding",
        "judge",
    ),
    Fault(
        '"unknown" stays beside a blocking cause',
        "if any(finding.severity is Severity.BLOCKING and finding.cause != UNKNOWN for finding in findings):",
        "if False:",
        "judge",
    ),
    Fault(
        "what a ticket does not hold is judged as if a machine had been read",
        "and check.from_whole:",
        "and False:",
        "only_reported odds only_told weigh",
    ),
    Fault(
        "a consequence of another signature keeps its odds",
        "CONSEQUENCE = 0.12",
        "CONSEQUENCE = 1.0",
        "odds weigh",
    ),
    Fault("what this machine rules out keeps its odds", "CONTRADICTED = 0.25", "CONTRADICTED = 1.0", "odds weigh"),
    Fault(
        "no ticket holds a second trouble any more",
        "_SURE = 0.85  # of the text",
        "_SURE = 1.85  # of the text",
        "second_cause another_trouble",
    ),
    Fault(
        "a clear check proves no mending",
        "status in (Status.CLEAR, Status.FOUND)",
        "status in (Status.FOUND,)",
        "changes",
    ),
    Fault(
        "a shorter load test proves that a fault is mended",
        "(now.length or 0) >= (before.length or 0)",
        "(now.length or 0) <= (before.length or 0)",
        "reexamined mended changes",
    ),
    Fault("a doubtful cause is stated", "SURE = 0.8  # from here on", "SURE = 0.2  # from here on", "headline"),
    # remedies
    Fault(
        "a value is pasted into sh without quotes",
        "if is_in_home and value[2:] else shlex.quote(value)",
        "if is_in_home and value[2:] else value",
        "shell",
    ),
    Fault(
        "a quotation mark ends a string of PowerShell",
        "if _EXPANDED_WINDOWS.intersection(value):",
        "if False:",
        "shell",
    ),
    Fault(
        "a value may be an option",
        "return self is not Shell.PYTHON and written[-1:].isspace()",
        "return False and written[-1:].isspace()",
        "shell plan remedy",
    ),
    Fault(
        "in a container the steps of the host are offered",
        '("container", bool(os.container)),',
        '("container", False),',
        "plan remedy",
    ),
    Fault(
        "a remedy and its stand-in are both offered",
        "if remedy_of(plan.id).instead_of not in offered]",
        "if plan.id]",
        "plan remedy",
    ),
    # sharing
    Fault(
        "a token of Hugging Face is not hidden",
        'starts = ["hf_", "api_org_"]',
        'starts = ["api_org_"]',
        "redact redaction_rules planted_secrets",
    ),
    Fault(
        "IPv4 addresses are not hidden",
        "    return not _is_version(found)",
        "    return False",
        "redact redaction_rules",
    ),
    Fault("a secret is hidden only where something tells it", '("secret", self.secrets),', "", "redact"),
    # engine
    Fault(
        "one process more than allowed goes on",
        "self._resumed < MOST:",
        "self._resumed <= MOST:",
        "resume compute_plan compute remaining computations",
    ),
    Fault(
        "a resumed kind has all of its time again",
        "left = self.seconds[last] - spent.get(last, 0.0)",
        "left = self.seconds[last]",
        "resume remaining",
    ),
    Fault(
        "what a lost device refused counts as done",
        "and key not in lost]",
        "and key]",
        "resume lost_device remaining compute_lost",
    ),
    Fault(
        "a model of any size is loaded",
        'return "too-large" if (model.size or 0) > LARGEST[effort] else ""',
        'return ""',
        "load_plan load model_trials",
    ),
    Fault(
        "kinds are begun that have no time",
        "while len(parts) > 1 and seconds * min(",
        "while False and seconds * min(",
        "compute",
    ),
    Fault("an answer without end is read on", "return self._size > LIMIT", "return False", "transcript runner"),
    # probes
    Fault(
        "a stage of the probe of torch is lost",
        "settings, cpu_kernel, numpy_bridge, cuda,",
        "settings, cpu_kernel, cuda,",
        "real_probes torch_versions",
    ),
    Fault(
        "weights of the fingerprint may be even",
        "_signed((high << 32 | low) | 1) for",
        "_signed((high << 32 | low) & ~1) for",
        "fingerprint compute_fingerprint",
    ),
    # readers
    Fault("a pickle may fill all memory", "self.room = _ROOM", "self.room = 1 << 60", "pickles"),
    Fault("a tensor may end before it begins", "if end < start:", "if False:", "safetensors"),
    Fault(
        "a message that protobuf refuses is called whole",
        " if source.size > _LIMIT else ",
        " if False else ",
        "onnx",
    ),
    Fault(
        "a Lambda layer of Keras is harmless",
        'NamedClass(name="keras.layers.Lambda", risk="dangerous")',
        'NamedClass(name="keras.layers.Lambda", risk="known")',
        "keras_files keras savedmodel",
    ),
    Fault("MiB of nvidia-smi are KiB", "MIB = 2**20", "MIB = 2**10", "nvidia_smi"),
    # machine and interpreters
    Fault(
        "kB of /proc/meminfo are bytes",
        "return int(number) * 1024 if number.isdigit() else None",
        "return int(number) if number.isdigit() else None",
        "machine",
    ),
    Fault("the name of a vendor lacks its first letter", "_text(block[6:line_end])", "_text(block[7:line_end])", "pci"),
    Fault(
        "Naosu's own Python goes before the user's",
        "        not own,\n        is_active(interpreter),",
        "        own,\n        is_active(interpreter),",
        "likely_first",
    ),
    # wizard
    Fault(
        "a ticket without a text can be diagnosed",
        "return has_text or answers.symptom != TICKET",
        "return True",
        "flow",
    ),
    Fault(
        "a ticket has no page for its text",
        "_TICKET_STEPS = (Step.SYMPTOM, Step.EVIDENCE, Step.REPORT)",
        "_TICKET_STEPS = (Step.SYMPTOM, Step.REPORT)",
        "flow ticket_walk",
    ),
    Fault(
        "GiB are thousands of thousands",
        "amount = value / 1024**power",
        "amount = value / 1000**power",
        "fact_sheet report report_model",
    ),
    Fault(
        "Markdown drops the risk of a remedy",
        'yield f"**{escaped(label)}:** {prose(text)}\\n"',
        "pass",
        "markdown every_report",
        ("yield f\"{words('report.heading-risk', language)}: {prose(remedy.risk)}\\n\"", "pass"),
    ),
    Fault("a terminal drops the risk of a remedy", 'yield f"{label}: {text}"', "pass", "reading_order"),
    Fault(
        "the PDF has no title",
        "    yield Paragraph([Run(visible(document.title), style)], device, "
        "after=2, anchor=(0, visible(document.title)))\n",
        "",
        "document pdf order pdf_order",
        ("        yield from self._title()\n", ""),
    ),
    Fault("a plot has other signs for minus", '_MINUS = "\\u2212"', '_MINUS = "-"', "scale chart plots"),
    # what runs in a process of its own, or of which the usual run tries less
    Fault(
        "a list of a report has no end", "shown = entries[: max(0, min(most, self._left))]", "shown = entries", "bounds"
    ),
    Fault(
        "the current folder stays on our search path",
        "sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder) not in given - own]",
        "",
        "isolated_start",
    ),
    Fault(
        "nobody owns the file that an environment is made from",
        'yield from (prefix, prefix / "pyvenv.cfg")',
        "yield prefix",
        "named_target",
    ),
    Fault(
        "a PDF without letters is no error",
        "except NoFontError as error:",
        "except ZeroDivisionError as error:",
        "document",
    ),
    Fault(
        "a report is written into the old file",
        "            file.flush()\n            os.fsync(file.fileno())\n            if sys.platform",
        "            file.flush()\n            path.write_bytes(data)\n"
        "            os.fsync(file.fileno())\n            if sys.platform",
        "saving",
    ),
    Fault("what a case holds is not counted", "_values(file.facts) > _MOST_VALUES", "False", "case"),
    Fault("a sign in a text counts as a value", 'count -= sum(map((text[1] or b"").count, signs))', "break", "case"),
    Fault(
        "a terminal obeys what was sent",
        "self.unguarded.write(visible_text(text))",
        "self.unguarded.write(text)",
        "on_a_terminal",
    ),
    Fault(
        "the interpreter of a command is not looked at",
        'return {"python": python, **({"same_release"',
        'return {**({"same_release"',
        "hostile_values",
    ),
)


def place(fault: Fault, checkout: Path) -> tuple[Path, str, str] | None:
    """The one file that holds the text of a fault once, that text, and what is to stand there; None: no such file."""
    sources = {
        path: path.read_text(encoding="utf-8")
        for package in ("checks", "wizard", "resources")
        for path in sorted((checkout / package).rglob("*"))
        if path.suffix in (".py", ".toml")
    }
    for old, new in filter(None, ((fault.old, fault.new), fault.before)):
        found = [path for path, text in sources.items() if old in text]
        if len(found) == 1 and sources[found[0]].count(old) == 1:
            return found[0], old, new
    return None


def tests_of(fault: Fault, checkout: Path, *, whole: bool) -> list[str]:
    """The test files that concern a fault, as they lie in this checkout."""
    names = {f"test_{name}.py" for name in fault.tests.split()}
    found = [path for path in sorted((checkout / "tests").rglob("test_*.py")) if path.name in names]
    return ["tests"] if whole else [str(path.relative_to(checkout)) for path in found]


def failed(checkout: Path, tests: Sequence[str], *more: str) -> list[str]:
    """The ids of the tests that fail; the whole call where nothing could be run."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=no", "-rfE", *more, *tests]
    environment = {**os.environ, "PYTHONPATH": str(checkout), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        run = subprocess.run(
            command,
            cwd=checkout,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LIMIT,
        )
    except subprocess.TimeoutExpired:
        return ["(it hangs)"]
    ids = re.findall(r"^(?:FAILED|ERROR|SUBFAILED\S*) (\S+?\.py(?:::.*?)?)(?: - .*)?$", run.stdout, re.MULTILINE)
    return ids or ([] if run.returncode == 0 else [f"(exit status {run.returncode})"])


def planted(fault: Fault, copy: Path, *, whole: bool) -> tuple[str, str]:
    """What becomes of a fault: "caught", "NOT CAUGHT" or "stale", and by which test."""
    found = place(fault, copy)
    tests = tests_of(fault, copy, whole=whole)
    if found is None or not tests:
        return "stale", "its text is not found in exactly one file" if found is None else "its tests are not found"
    path, old, new = found
    text = path.read_text(encoding="utf-8")
    try:
        path.write_text(text.replace(old, new), encoding="utf-8")
        noticed = failed(copy, tests, "-x")
    finally:
        path.write_text(text, encoding="utf-8")
    return ("caught", noticed[0]) if noticed else ("NOT CAUGHT", " ".join(tests))


def main() -> int:
    """Plant and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkout", type=Path, default=ROOT)
    parser.add_argument("--only", nargs="*", default=[], help="faults in whose description one of these words stands")
    parser.add_argument("--whole", action="store_true", help="run all tests, not only those that concern a fault")
    parser.add_argument("--list", action="store_true", help="say where the faults would be planted, and run nothing")
    chosen = parser.parse_args()
    faults = [fault for fault in FAULTS if not chosen.only or any(word in fault.breaks for word in chosen.only)]
    if chosen.list:
        for fault in faults:
            found = place(fault, chosen.checkout)
            tests = tests_of(fault, chosen.checkout, whole=False)
            where = found[0].relative_to(chosen.checkout) if found else "STALE"
            print(f"{where}  {fault.breaks}  {' '.join(tests) or 'NO TESTS'}")
        return 0
    ends, by_what = [], []
    with tempfile.TemporaryDirectory(prefix="planted-") as folder:
        copy = Path(folder) / "checkout"
        shutil.copytree(chosen.checkout, copy, ignore=LEFT_OUT, symlinks=True)
        for fault in faults:
            end, by = planted(fault, copy, whole=chosen.whole)
            ends.append(end)
            by_what.append(by)
            print(f"{end:10}  {fault.breaks}  [{by}]", flush=True)
        noticed = {by for end, by in zip(ends, by_what, strict=True) if end == "caught" and not by.startswith("(")}
        for test in failed(copy, sorted(noticed)) if noticed else ():
            ends.append("broken")
            print(f"broken      {test} fails without a fault, too", flush=True)
    print(", ".join(f"{ends.count(end)} {end}" for end in dict.fromkeys(ends)), flush=True)
    return 2 if {"stale", "broken"} & set(ends) else int("NOT CAUGHT" in ends)


if __name__ == "__main__":
    sys.exit(main())
