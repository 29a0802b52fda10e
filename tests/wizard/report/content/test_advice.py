"""The settings in words and as a program, which is really run."""

import ast
import subprocess
from collections.abc import Callable

import msgspec
import pytest

from checks.facts import (
    ErrorText,
    Facts,
    FrameworkDevice,
    Frameworks,
    InterpreterFacts,
    KernelLaunch,
    ModelMeasured,
    Package,
    Repeat,
    TorchFacts,
)
from checks.facts.case import Case
from checks.knowledge.frameworks.settings_advice import SettingsAdviceTable
from checks.remedies.settings import SEED, AdvisedLine, Cost
from wizard.report.content.advice import AdviceView, advice_view, program
from wizard.report.content.report import build
from wizard.report.pdf.document import to_pdf
from wizard.report.prints.markdown import to_markdown
from wizard.report.prints.terminal import to_terminal
from wizard.report.text_columns import width

pytestmark = pytest.mark.usefixtures("qapp")

PYTHON = "/home/a/venv/bin/python"
CARD = FrameworkDevice(device="cuda:0", compute_capability="8.6", kernel=KernelLaunch(ran=True))
ERROR = ErrorText(type="RuntimeError", message="histc does not have a deterministic implementation")
MEASURED = (
    Repeat(
        framework="torch",
        operation="index-add",
        device="cuda:0",
        repetitions=20,
        distinct=3,
        counts=(8, 7, 5),
        seconds=0.01,
    ),
    Repeat(
        framework="torch",
        operation="index-add",
        device="cuda:0",
        setting="deterministic",
        repetitions=20,
        distinct=1,
        seconds=0.042,
    ),
    Repeat(framework="torch", operation="matmul", device="cuda:0", repetitions=20, distinct=1, seconds=0.01),
    Repeat(
        framework="torch",
        operation="matmul",
        device="cuda:0",
        setting="deterministic",
        repetitions=20,
        distinct=1,
        seconds=0.01,
    ),
    Repeat(framework="torch", operation="scatter", device="cuda:0", repetitions=20, distinct=2),
    Repeat(
        framework="torch", operation="histc", device="cuda:0", setting="deterministic", reason="failed", error=ERROR
    ),
)
FACTS = Facts(
    interpreters=(InterpreterFacts(path=PYTHON, packages=(Package(name="numpy", version="2.1.0"),)),),
    target=PYTHON,
    frameworks=Frameworks(torch=TorchFacts(version="2.13.0", build="cuda", devices=(CARD,), threads=1)),
    measurements=MEASURED,
)


@pytest.fixture
def measured(make_case: Callable[..., Case]) -> Case:
    return make_case(only=FACTS, symptom="results-differ", exactness="bits")


def view_of(case: Case, language: str = "en") -> AdviceView:
    view = advice_view(case, language)
    assert view is not None
    return view


@pytest.fixture
def run(torch_python: str) -> Callable[[str, str], str]:
    return lambda code, then: _run(torch_python, code, then)


def _run(python: str, code: str, then: str) -> str:
    """What a program prints that begins with this code."""
    done = subprocess.run([python, "-W", "error", "-c", f"{code}\n{then}"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def flowing(code: str) -> str:
    """The code as if its comments had no line ends."""
    return " ".join(line.removeprefix("# ") for line in code.splitlines())


def test_the_program_runs_and_sets_what_it_says(measured: Case, run: Callable[[str, str], str]) -> None:
    """And the workers of a loader draw the same numbers, where both are handed over as the comment says."""
    (block,) = view_of(measured).blocks
    told = run(
        block.code,
        "from torch.backends import cuda, cudnn\n"
        "print(torch.are_deterministic_algorithms_enabled(), cudnn.benchmark, torch.initial_seed())\n"
        "print(cuda.matmul.allow_tf32, cudnn.allow_tf32, cuda.matmul.fp32_precision)\n"
        "with cudnn.flags(enabled=True): pass  # as libraries do, which read the older flags\n"
        "first = (torch.rand(2).tolist(), random.random(), numpy.random.rand())\n"
        f"torch.manual_seed({SEED}); random.seed({SEED}); numpy.random.seed({SEED})\n"
        "print(first == (torch.rand(2).tolist(), random.random(), numpy.random.rand()))\n"
        "class Drawn(torch.utils.data.Dataset):\n"
        "    def __len__(self): return 6\n"
        "    def __getitem__(self, index): return torch.tensor([random.random(), numpy.random.rand()])\n"
        "both = [[batch.tolist() for batch in torch.utils.data.DataLoader(Drawn(), num_workers=2,\n"
        "    worker_init_fn=seed_worker, generator=generator.manual_seed(1), multiprocessing_context='fork')]\n"
        "    for _ in range(2)]\n"
        "print(both[0] == both[1], len({str(batch) for batch in both[0]}))\n",
    )
    # No two numbers of the loader are alike, though its workers begin at the same moment.
    assert told.split() == ["True", "False", str(SEED), "False", "False", "ieee", "True", "True", "6"]


def test_in_japanese_it_is_the_same_program(measured: Case) -> None:
    codes = [view_of(measured, language).blocks[0].code for language in ("en", "ja")]
    plain = [[line for line in code.splitlines() if not line.startswith("#") or "DataLoader" in line] for code in codes]
    assert [line for line in plain[0] if "DataLoader, where" not in line] == [
        line for line in plain[1] if "ワーカー" not in line
    ]
    assert "毎回同じビット" in codes[1]


def test_older_lines_run_as_well(run: Callable[[str, str], str]) -> None:
    lines = [line for line in SettingsAdviceTable.read().line if line.id in ("cublas-workspace", "torch-tf32")]
    code = program([AdvisedLine(line, line.code) for line in lines], "en")
    told = run(code, "print(os.environ['CUBLAS_WORKSPACE_CONFIG'], torch.backends.cuda.matmul.allow_tf32)")
    assert told.split() == [":4096:8", "False"]
    assert code.index("CUBLAS_WORKSPACE_CONFIG") < code.index("import torch")


def test_what_is_said(measured: Case) -> None:
    view = view_of(measured)
    (block,) = view.blocks
    assert view.sentences[0].startswith("You need the same bits.")
    assert block.title == "To paste at the start of a program with PyTorch"
    cost = "measured here on cuda:0, 2 operations, 20 calls each: in the middle 2.60 times as long; at most 4.2 times "
    cost += "(Adding rows at indices (index_add)) torch.use_deterministic_algorithms(True)"
    assert cost in flowing(block.code)
    refused = "These raise an error with these lines, because no deterministic form exists: Histogram (histc)."
    assert block.notes[2].startswith(refused)
    assert block.notes[:2] == (
        "Operations that changed from run to run here: 2.",
        "With these lines, same bits each time: 1; not tried: 1 (Writing at indices, some twice (scatter)).",
    )


@pytest.mark.parametrize(
    ("times", "worst", "expected"),
    [
        (1.0, 1.02, "no measurable cost"),
        (1.0, 6.6, "most take no longer; at most 6.6 times as long (Histogram (histc))"),
        (0.8, 0.9, "faster, in the middle 0.80 times as long; at most 0.90 times (Histogram (histc))"),
        (1.2, 1.5, "in the middle 1.20 times as long; at most 1.5 times"),
    ],
)
def test_a_cost_in_words(times: float, worst: float, expected: str) -> None:
    (line,) = (each for each in SettingsAdviceTable.read().line if each.id == "torch-deterministic")
    advised = AdvisedLine(line, line.code, Cost(times, worst, "histc", ("cpu",), 3, 20, 300))
    said = f" measured here on cpu, 3 operations, 20–300 calls each: {expected} "
    assert said in flowing(program([advised], "en"))


def test_a_cost_of_operations_that_do_not_change_says_so() -> None:
    (line,) = (each for each in SettingsAdviceTable.read().line if each.id == "torch-deterministic")
    advised = AdvisedLine(line, line.code, Cost(1.0, 1.0, "histc", ("cpu",), 3, 20, 300, is_of_others=True))
    said = "no measurable cost; not measured for the operations that change here "
    assert said in flowing(program([advised], "en"))


def test_no_setting_where_the_decisions_are_the_same(make_case: Callable[..., Case]) -> None:
    model = ModelMeasured(framework="torch", operation="output", device="cpu", decisions=1.0)
    known = msgspec.structs.replace(FACTS, measurements=(*MEASURED, model))
    view = view_of(make_case(only=known, symptom="results-change", exactness="decisions"))
    assert view.sentences[0].startswith("No setting is needed")
    assert view.blocks == ()


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_print_has_it_behind_the_findings_and_before_the_figures(measured: Case, language: str) -> None:
    report = build(measured, language)
    assert report.advice is not None
    (block,) = report.advice.blocks
    terminal, markdown = to_terminal(report), to_markdown(report)
    assert f"```python\n{block.code}```" in markdown
    assert all(line in terminal for line in block.code.splitlines())
    for text in (terminal, markdown):
        assert text.index(report.verdict.sentence) < text.index(report.advice.title)
    done = subprocess.run(
        ["pdftotext", "-layout", "-", "-"], input=to_pdf(report, b"{}"), capture_output=True, check=True
    )
    flat = "".join(done.stdout.decode().split())
    assert "torch.use_deterministic_algorithms(True)" in flat
    printed = {line.strip() for line in done.stdout.decode().replace("\N{NO-BREAK SPACE}", " ").splitlines()}
    broken = [line for line in map(str.strip, block.code.splitlines()) if line and line not in printed]
    assert not broken  # a comment that goes on in the next line would be no comment there
    ast.parse(block.code)
    assert "".join(report.advice.title.split()) in flat


def test_a_case_without_measurements_has_no_advice(case: Case) -> None:
    assert build(case, "en").advice is None


@pytest.mark.parametrize("language", ["en", "ja"])
def test_no_line_of_any_block_is_too_long_for_a_page(language: str) -> None:
    cost = Cost(1.2, 1.5, "index-add", ("cuda:0", "cpu"), 31, 20, 300)
    code = program([AdvisedLine(line, line.code, cost) for line in SettingsAdviceTable.read().line], language)
    assert max(width(line) for line in code.splitlines()) <= 76
    ast.parse(code)


def test_a_cost_that_was_not_measured_well_is_not_given(make_case: Callable[..., Case]) -> None:
    few = tuple(
        msgspec.structs.replace(measurement, repetitions=3)
        for measurement in MEASURED
        if isinstance(measurement, Repeat)
    )
    known = msgspec.structs.replace(FACTS, measurements=few)
    (block,) = view_of(make_case(only=known, symptom="results-change", exactness="bits")).blocks
    assert "times as long" not in block.code
    assert any("not measured well enough" in note for note in block.notes)
