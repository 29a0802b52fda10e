"""The program asks for what there is not: a GPU's number, a block that no GPU takes, a module by a wrong name.

Detects:      a failed run whose exception says so, where the GPUs were counted and no variable hides any, or where the
              kernel that was launched is the program's own; an import that names a package ("scikit_learn") or has a
              slip in it ("sklern") where the module that is meant is installed, or in a text that was sent; one of a
              file of the program's own ("utils") that does not lie where Python looks; a name that is nearly one
              which its module has ("from torch import nm").
Why it bites: GPUs are counted from 0, and a block has at most 1024 threads; no driver and no installation changes that.
Blind spots:  all other slips of a program, which its words alone tell. A number or size that is computed while it runs.
Knowledge:    resources/knowledge/errors/gpu_requests.toml, resources/knowledge/packages/import_packages.toml
"""

import ast
import re
from collections.abc import Iterator
from typing import Any

import msgspec

from checks.analysis.failures.absent import (
    INSTALL_MEANT,
    WRITE_RIGHT,
    Absent,
    Kind,
    absences,
    absent_in_text,
    own_module_of,
)
from checks.analysis.failures.of_runs import Failure, failures
from checks.analysis.failures.owners import module_of_file
from checks.causes.environment.environment_variable_invalid import keeps_own_modules
from checks.causes.registry import check
from checks.facts import EnvironmentVariables, Facts, NvidiaFacts, ProgramRuns, Raised
from checks.facts.finding import CLUE, FAILED_RUN, MISSPELT, Evidence, Finding, NotCollected, NotHere, Severity
from checks.facts.phrase import Phrase
from checks.facts.quotation import quotation
from checks.knowledge.errors.gpu_requests import GpuRequest, GpuRequests, RequestKind, request_in
from checks.knowledge.packages.import_packages import is_own_code
from checks.knowledge.phrases import phrase

_ASKED = re.compile(
    r"""\bcuda:(\d{1,3})\b|\bGPU[:=](\d{1,3})\b|'device=(\d{1,3})|requested gpu: \[(?:\d, ?)*(\d{1,3})\]"""
    r"""|\b(?:set_device|Device|select_device|get_device_\w+|cuda)\(\s*(\d{1,3})\b"""
    r"""|\bdevice\(\s*(?:["'](?:cuda|gpu)["'],\s*)?(\d{1,3})\b""",
    re.IGNORECASE,
)
_SEES_NONE = re.compile(r"is_available\(\): False|only has: \[\]")  # then it is no matter of the number
_OWN_FILE, _SEEN_FILE = 0.75, 0.9
_UNPROVEN = 0.9  # of the certainty, where the size or number is not seen itself


@check("user-code-error")
def user_code_error(
    runs: ProgramRuns | None,
    nvidia: NvidiaFacts | None,
    environment: EnvironmentVariables | None,
    facts: Facts | None = None,
) -> Iterator[Finding]:
    """One finding per failed run; of a ticket one per text whose import is misspelt."""
    found = [finding for failure in failures(runs) if (finding := _finding(failure, nvidia, environment)) is not None]
    missing = tuple(absences(None, runs=runs))
    misspelt = [absent for absent in missing if (absent.meant and absent.owner) or absent.near]
    found += [_misspelt(absent) for absent in misspelt]
    found += [finding for absent in missing if (finding := _own(absent, environment, facts)) is not None]
    if facts is not None and not misspelt:
        found += _in_texts(facts)
    if not found and runs is None:
        raise NotCollected("runs")
    if not found:  # that no such slip was seen says nothing of all the others
        raise NotHere("gpu_request", "none-given")
    yield from found


def _in_texts(facts: Facts) -> Iterator[Finding]:
    """Of a ticket nobody knows what is installed, unless it says so itself; of a machine the imports are tried."""
    for log in facts.logs:
        text = log.text or ""
        absent = absent_in_text(text, log.name, facts.target_interpreter) if "import" in text else None
        if absent is not None and (absent.near or (absent.meant and facts.reported)):
            said = absent.line.partition(": ")[2].removesuffix("…")
            lines = (number for number, line in enumerate(text.splitlines(), start=1) if said and said in line)
            yield _misspelt(absent, tuple(lines)[-1:])


def _finding(failure: Failure, nvidia: NvidiaFacts | None, environment: EnvironmentVariables | None) -> Finding | None:
    raised = failure.raised[-1] if failure.raised else None
    if raised is None:
        return None
    words = f"{raised.type}: {raised.message}"
    request = request_in(words, "\n".join(f"{frame.function} {frame.code}" for frame in raised.frames))
    if request is None:
        return None
    if request.kind is RequestKind.DEVICE:
        says_itself = any("CUDA_VISIBLE_DEVICES" in python.variables for python in failure.run.pythons)
        return None if says_itself else _device(failure, raised, request, _counted(nvidia, environment))
    return _launch(failure, raised, request) if _is_own_kernel(raised) else None


def _misspelt(absent: Absent, lines: tuple[int, ...] = ()) -> Finding:
    """``lines``: of a text that was sent, which show it."""
    owner = absent.owner
    meant = Evidence("package", f"{owner.name} {owner.version}", "metadata") if owner else None
    shown = Evidence(CLUE, absent.line, absent.trouble.origin, lines=lines)
    return Finding(
        severity=Severity.WARNING if absent.trouble.run and absent.trouble.run.is_unasked else Severity.BLOCKING,
        subject=absent.trouble.program,
        evidence=(shown, meant) if meant else (shown,),
        **(_of_name(absent) if absent.near else _of_module(absent)),
    )


def _of_module(absent: Absent) -> dict[str, Any]:
    package = absent.owner.name if absent.owner else absent.distributions[0]
    meant = absent.statement.partition(" ")[2]
    key = "import-misspelt" if absent.owner else "import-misspelt-sent"
    return {
        "confidence": 0.93 if absent.meant is not None and absent.meant.is_sure else 0.85,
        "values": {
            "complaint": phrase(key, written=absent.module, package=package, meant=meant),
            "import_statement": absent.statement,
            "written_module": absent.module,
            MISSPELT: absent.module,
            **({} if absent.owner else {"requirement": package}),
            **absent.trouble.failed_run,
        },
        "remedies": (WRITE_RIGHT, *(() if absent.owner else (INSTALL_MEANT,)), "read-the-traceback"),
    }


def _own(absent: Absent, environment: EnvironmentVariables | None, facts: Facts | None) -> Finding | None:
    """Of a file of the user's own that was seen near the program, or whose name says that it is one."""
    own = own_module_of(absent, facts)
    if own is not None and own.is_beside_program and keeps_own_modules(environment):
        return None  # environment-variable-invalid
    if own is not None:
        finding = _own_file(absent)
        told = phrase("own-module-elsewhere", written=absent.module, folder=own.folder)
        values = {**finding.values, "complaint": told, "own_folder": own.folder}
        remedies = ("let-own-folder-be-searched", "read-the-traceback")
        return msgspec.structs.replace(finding, confidence=_SEEN_FILE, values=values, remedies=remedies)
    return _own_file(absent) if _is_own_file(absent) else None


def _is_own_file(absent: Absent) -> bool:
    """Whether the program lacks a module of a name that programs give to files of their own: "utils"."""
    return absent.kind is Kind.MODULE and is_own_code(absent.module) and not (absent.owner or absent.asker_module)


def _own_file(absent: Absent) -> Finding:
    return Finding(
        severity=Severity.BLOCKING,
        confidence=_OWN_FILE,
        subject=absent.trouble.program,
        evidence=(Evidence(CLUE, absent.line, absent.trouble.origin),),
        values={
            "complaint": phrase("own-module-not-found", written=absent.module),
            "import_statement": absent.statement,
            **absent.trouble.failed_run,
        },
        remedies=("find-package-of-module", "read-the-traceback"),
    )


def _of_name(absent: Absent) -> dict[str, Any]:
    first, *others = absent.near
    by_case = 0.93 if first.lower() == absent.name.lower() else 0.85
    return {
        "confidence": 0.75 if others else by_case,
        "values": {
            "complaint": phrase("name-misspelt", written=absent.name, module=absent.module, meant=first),
            "import_statement": f"from {absent.module} import {first}",
            "module": absent.module,
            MISSPELT: absent.name,
            **absent.trouble.failed_run,
        },
        "remedies": ("write-the-right-name", "read-the-traceback"),
    }


def _counted(nvidia: NvidiaFacts | None, environment: EnvironmentVariables | None) -> int | None:
    """How many GPUs a program can see; None where nobody knows, or where a variable or MIG says which."""
    if nvidia is None or not nvidia.devices or any(gpu.mig_enabled for gpu in nvidia.devices):
        return None
    visible = environment.values.get("CUDA_VISIBLE_DEVICES") if environment else None
    if environment is None or (visible is not None and len(set(visible.split(","))) < len(nvidia.devices)):
        return None
    return len(nvidia.devices)


def _device(failure: Failure, raised: Raised, request: GpuRequest, present: int | None) -> Finding | None:
    if (
        present is None
        or _SEES_NONE.search(raised.message)
        or any(frame.file.endswith("serialization.py") for frame in raised.frames)
    ):
        return None
    own = [frame.code for frame in raised.frames if not module_of_file(frame.file)]
    asked_in = (raised.message.partition("vailable devices")[0], *own)
    numbers = {int(number) for words in asked_in for found in _ASKED.findall(words) for number in found if number}
    if numbers and max(numbers) < present:
        return None
    asked = f"cuda:{max(numbers)}" if numbers else ""
    key = "asked-device" if asked else "asked-some-device"
    return _made(
        failure,
        request,
        raised,
        phrase(key, device=asked, present=str(present)),
        *((Evidence("device_asked", asked, failure.origin),) if asked else ()),
        Evidence("gpus_present", str(present), "NVML"),
        share=1.0 if asked else _UNPROVEN,
        remedies=("name-a-present-gpu", "read-the-traceback"),
    )


def _launch(failure: Failure, raised: Raised, request: GpuRequest) -> Finding:
    threads = max((_threads(frame.code) for frame in raised.frames), default=0)
    most = GpuRequests.read().limits.threads
    words, asked = request.found_in(f"{raised.type}: {raised.message}")
    if asked.get("limit"):
        complaint = phrase("asked-too-much", **asked)
    elif request.kind is RequestKind.RESOURCES:
        complaint = phrase("asked-resources")
    elif threads > most:
        complaint = phrase("asked-threads", threads=str(threads), most=str(most))
    else:
        complaint = phrase("asked-launch", most=str(most))
    return _made(
        failure,
        request,
        raised,
        complaint,
        *((Evidence("threads_asked", str(threads), failure.origin),) if threads > most else ()),
        share=1.0 if threads > most or asked.get("limit") else _UNPROVEN,
        remedies=("launch-smaller-blocks", "read-the-traceback"),
        values={"launch_error": words.partition(",")[0]},
    )


def _is_own_kernel(raised: Raised) -> bool:
    """Whether the kernel is the program's own: launched by it through a library for that, or by its code to the end."""
    modules = [module_of_file(frame.file) for frame in raised.frames]
    launched = next((at for at, module in enumerate(modules) if module in GpuRequests.read().launch.modules), None)
    if launched is not None:
        return launched == 0 or not modules[launched - 1]
    of_torch = "TORCH_USE_CUDA_DSA" in raised.message or raised.type.startswith("torch.")
    innermost = raised.frames[-1] if raised.frames else None
    return innermost is not None and not module_of_file(innermost.file) and not of_torch


def _threads(code: str) -> int:
    """The threads of one block in a line that launches a kernel: CuPy, Numba and PyCUDA; 0 where it does not tell."""
    try:
        tree = ast.parse(code.strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return 0
    sizes = [0]
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            block = next((word.value for word in node.keywords if word.arg == "block"), None)
            sizes.append(_product(block or (node.args[1] if len(node.args) > 1 else None)))
            if isinstance(node.func, ast.Subscript) and isinstance(node.func.slice, ast.Tuple):
                launch = node.func.slice.elts
                sizes.append(_product(launch[1]) if len(launch) > 1 else 0)
    return max(sizes)


def _product(node: ast.expr | None) -> int:
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    product = 1
    for part in parts:
        if not isinstance(part, ast.Constant) or type(part.value) is not int:
            return 0
        product *= part.value
    return product if parts else 0


def _made(
    failure: Failure,
    request: GpuRequest,
    raised: Raised,
    complaint: Phrase,
    *evidence: Evidence,
    share: float,
    remedies: tuple[str, ...],
    values: dict[str, str] | None = None,
) -> Finding:
    line = next((line for line in raised.message.splitlines() if line.strip()), "")
    return Finding(
        severity=Severity.WARNING if failure.run.is_unasked else Severity.BLOCKING,
        confidence=round(request.certainty * share, 3),
        subject=failure.program,
        evidence=(*evidence, Evidence(CLUE, quotation(f"{raised.type}: {line.strip()}"), failure.origin)),
        values={"complaint": complaint, FAILED_RUN: failure.run.label, **(values or {})},
        remedies=remedies,
    )
