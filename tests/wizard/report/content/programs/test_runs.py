"""The user's own program in the report: how it ended, where, and what it used."""

import json
import re
import subprocess
from dataclasses import replace

import msgspec
import pytest

from checks.facts import DeviceUse, Facts, Frame, GpuMoment, GpuUse, ProgramRun, PythonProcess, Raised
from checks.facts.case import Answers, Case
from checks.judgement.judge import judged
from checks.readers.private.hiding import Own
from checks.sharing.case import decode, to_builtins
from checks.sharing.redact import redact
from wizard.report.content.blocks import Items, Paragraph, Place, Section
from wizard.report.content.document import document_of
from wizard.report.content.programs.runs import ended, statement_sections
from wizard.report.content.report import build
from wizard.report.export import render
from wizard.report.prints.terminal import to_terminal
from wizard.words import words

RAISED = Raised(
    type="ModuleNotFoundError",
    message="No module named 'scipy'\nsecond line",
    frames=(
        Frame(file="/home/alice/train.py", line=3, function="<module>", code="import tool"),
        Frame(file="/e/lib/python3.11/site-packages/tool.py", line=9, function="<module>", code="import scipy"),
    ),
)
NO_SCIPY = Raised(type="ModuleNotFoundError", message="No module named 'scipy'", name="scipy")
RUN = ProgramRun(
    command=("python", "train.py", "--token", "geheimnis77"),
    folder="/home/alice",
    exit_code=1,
    seconds=2.0,
    interpreter="/e/bin/python",
    errors="\n".join(f"line {number}" for number in range(100)) + "\nModuleNotFoundError: No module named 'scipy'\n",
    pythons=(
        PythonProcess(
            pid=1,
            executable="/e/bin/python",
            version="3.11.7",
            arguments=("python", "train.py", "--token", "geheimnis77"),
            raised=RAISED,
            devices=(DeviceUse(framework="torch", device="cuda:0", peak_memory=3 << 30),),
        ),
    ),
)


def case(*runs: ProgramRun) -> Case:
    return judged(Facts(runs=runs), Answers(symptom="does-not-start"))


def test_the_line_of_the_users_own_code_with_its_arrays() -> None:
    frames = (
        Frame(file="/home/alice/run.py", line=3, code="kernel((1,), (2,), (x,))", arrays={"x": "float32"}),
        Frame(file="cupy/_core/raw.pyx", line=101, function="cupy._core.raw.RawKernel.__call__"),
    )
    raised = Raised(type="ValueError", message="no", frames=frames)
    failed = ProgramRun(command=("python", "run.py"), exit_code=1, pythons=(PythonProcess(pid=1, raised=raised),))
    text = render(case(failed), "markdown", "en", hide=None).decode()
    assert "In your own code: /home/alice/run.py, line 3" in text.replace("\\", "").replace("`", "")
    assert "x: float32" in text


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("kind", ["markdown", "terminal"])
def test_it_is_told_in_every_form(kind: str, language: str) -> None:
    text = (
        to_terminal(build(case(RUN), language))
        if kind == "terminal"
        else render(case(RUN), kind, language, hide=None).decode()
    )
    assert "No module named 'scipy'" in text
    assert "/home/alice/train.py" in text
    assert "import tool" in text
    if kind == "markdown":
        assert text.index("import scipy") < text.rindex("import tool")  # the innermost first
        assert "torch cuda:0" in text
        assert "3 GiB" in text
        assert "line 99" in text
        assert "line 3\n" not in text
    else:
        assert "site-packages/tool.py" not in text


@pytest.mark.parametrize(
    ("run", "says"),
    [
        (ProgramRun(exit_code=0, seconds=1.0), "It worked: it came to its end after 1.0 s"),
        (ProgramRun(exit_code=3, seconds=1.0), "with exit code 3."),
        (ProgramRun(signal="SIGILL", seconds=1.0), "an instruction that this processor does not have (SIGILL)"),
        (ProgramRun(signal="SIGUSR1", seconds=1.0), "ended by SIGUSR1 after 1.0 s"),
        (ProgramRun(signal="STATUS_DLL_NOT_FOUND", seconds=1.0), "STATUS_DLL_NOT_FOUND"),
        (ProgramRun(end="watched", seconds=60.0), "still ran after 60.0 s"),
        (ProgramRun(end="cancelled", seconds=60.0), "You stopped it"),
        (ProgramRun(end="not-started", detail="{no} such {thing}"), "refused to start it: {no} such {thing}"),
        (ProgramRun(end="of-a-newer-version"), "of-a-newer-version"),
        (RUN, "exit code 1. ModuleNotFoundError: No module named 'scipy'"),
    ],
)
def test_how_it_ended(run: ProgramRun, says: str) -> None:
    assert says in ended(run, "en")
    assert ended(run, "ja")


def test_a_statement_is_no_program() -> None:
    tried = ProgramRun(statement="import scipy", exit_code=1, pythons=RUN.pythons)
    text = render(case(tried), "markdown", "en", hide=None).decode()
    assert "Statements that were tried alone" in text
    assert "Started here" not in text


def _tried(name: str, raised: Raised | None = None, **more: object) -> ProgramRun:
    run = ProgramRun(
        statement=f"import {name}",
        package=name,
        exit_code=int(raised is not None),
        seconds=0.1,
        pythons=(PythonProcess(pid=1, raised=raised),),
    )
    return msgspec.structs.replace(run, **more)


WORKED = (*(_tried(f"package{number}") for number in range(39)), _tried("lightning", seconds=12.5))
BROKEN = Raised(type="ImportError", message="libGL.so.1: cannot open shared object file")
ONE_SENTENCE = {
    "en": "40 packages were imported or used once, one by one, and each worked; the slowest: lightning, 12.5 s.",
    "ja": "40個のパッケージを1つずつインポートまたは試用し、すべて成功しました(最も遅いもの: lightning、12.5秒)。",
}


@pytest.mark.parametrize("language", ["en", "ja"])
def test_imports_that_worked_are_one_sentence_behind_what_was_found(language: str) -> None:
    report = build(case(*WORKED), language)
    found = replace(build(case(RUN), language), statements=report.statements)
    titles = [section.id for section in document_of(found).sections if section.id]
    assert titles.index("findings") < titles.index("statements") < titles.index("rest")
    (section,) = report.statements
    assert section.note == ONE_SENTENCE[language]
    (names,) = section.blocks
    assert isinstance(names, Section)
    assert names.place is Place.APPENDIX
    text = render(case(*WORKED), "markdown", language, hide=None).decode()
    assert text.count("package17") == 1
    assert text.index(words("runs.heading-worked", language)) < text.index("package17")


@pytest.mark.parametrize("language", ["en", "ja"])
def test_what_failed_stays_in_full_and_first(language: str) -> None:
    broken = _tried("cv2", BROKEN)
    crashed = _tried("faiss", None, exit_code=1, signal="SIGSEGV")
    endless = _tried("slow", None, exit_code=None, end="cancelled")
    (section,) = statement_sections(case(*WORKED, broken, crashed, endless), language)
    failed, others = section.blocks[:2]
    assert isinstance(failed, Items)
    assert [item.text for item in failed.items] == ["import cv2", "import faiss", "import slow"]
    assert [item.detail for item in failed.items] == [ended(run, language) for run in (broken, crashed, endless)]
    assert isinstance(others, Paragraph)
    assert "40" in others.text
    assert section.card is not None
    assert section.card.is_open
    order = [part.id for part in document_of(build(case(broken), language)).sections if part.id]
    assert "findings" not in order or order.index("statements") < order.index("findings")


def test_imports_that_fail_for_one_reason_stand_together() -> None:
    (section,) = statement_sections(case(_tried("a", BROKEN), _tried("b", BROKEN), _tried("c", NO_SCIPY)), "en")
    (failed,) = section.blocks
    assert isinstance(failed, Items)
    assert [item.text for item in failed.items] == ["import a, import b", "import c"]
    assert failed.items[0].detail == "ImportError: libGL.so.1: cannot open shared object file"


def test_what_the_user_named_fails_graver_than_what_is_only_installed() -> None:
    (section,) = statement_sections(case(_tried("cv2", BROKEN), _tried("scipy", NO_SCIPY, package="")), "en")
    assert [(block.mark, block.state) for block in section.blocks if isinstance(block, Items)] == [
        ("×", "blocking"),
        ("!", "warning"),
    ]


def test_few_that_worked_are_named() -> None:
    (section,) = statement_sections(case(_tried("cv2"), _tried("scipy", package="")), "en")
    assert section.note == "Tried alone, this worked: import cv2, import scipy."
    assert section.blocks == ()


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("kind", ["markdown", "terminal"])
def test_the_answer_stands_before_the_story_of_the_run(kind: str, language: str) -> None:
    report = build(case(RUN), language)
    remedy = report.findings[0].remedies[0].title
    shown = to_terminal(report) if kind == "terminal" else render(case(RUN), kind, language, hide=None).decode()
    story = shown.index(words("runs.heading", language))
    assert 0 <= shown.index(report.findings[0].title) < shown.index(squeezed_start(remedy)) < story


def squeezed_start(text: str) -> str:
    """What Markdown leaves as it is."""
    return re.split(r"[`_*<>-]", text)[0].strip()


def test_where_nothing_is_wrong_the_program_itself_is_the_answer() -> None:
    worked = ProgramRun(command=("python", "train.py"), exit_code=0, seconds=2.0)
    note = build(case(RUN), "en").findings[0]
    report = replace(build(case(worked), "en"), findings=(replace(note, severity="note"),))
    order = [section.id for section in document_of(report).sections if section.id]
    assert order.index("run/0") < order.index("findings")


def test_the_answer_to_a_failed_program_is_on_the_first_page_of_paper() -> None:
    data = render(case(RUN), "pdf", "en", "a4", hide=None)
    first = subprocess.run(["pdftotext", "-l", "1", "-raw", "-", "-"], input=data, capture_output=True, check=True)
    text = " ".join(first.stdout.decode().split())
    finding = build(case(RUN), "en").findings[0]
    assert finding.title in text
    assert finding.remedies[0].title in text


def test_it_is_saved_opened_and_hidden() -> None:
    assert decode(json.dumps(to_builtins(case(RUN))).encode()).facts.runs == (RUN,)
    hidden = redact(case(RUN), Own()).case.facts.runs[0]
    assert "geheimnis77" not in str(hidden)
    assert "alice" not in str(hidden)
    assert hidden.command[:3] == ("python", "train.py", "--token")
    assert hidden.raised is not None
    assert hidden.raised.frames[1].code == "import scipy"


def test_the_calls_are_told_once_where_the_program_printed_them_itself() -> None:
    printed = "Traceback (most recent call last):\n" + "".join(
        f'  File "{frame.file}", line {frame.line}, in {frame.function}\n    {frame.code}\n' for frame in RAISED.frames
    )
    told = msgspec.structs.replace(RUN, errors=f"{printed}ModuleNotFoundError: No module named 'scipy'\n")
    assert "innermost call" not in render(case(told), "markdown", "en", hide=None).decode()
    assert "innermost call" in render(case(RUN), "markdown", "en", hide=None).decode()
    long = msgspec.structs.replace(told, errors=f"{told.errors}{'more' * 5}\n" + "line\n" * 40)
    assert "innermost call" in render(case(long), "markdown", "en", hide=None).decode()  # only its end is printed


def test_an_error_that_is_cut_ends_with_a_whole_word_and_says_so() -> None:
    raised = Raised(type="torch.OutOfMemoryError", message="CUDA out of memory. " * 40)
    python = msgspec.structs.replace(RUN.pythons[0], raised=raised)
    assert ended(msgspec.structs.replace(RUN, pythons=(python,)), "en").endswith(" CUDA out of memory. ...")


def test_the_interrupt_with_which_we_ended_it_is_not_its_own_error() -> None:
    frames = (Frame(file="/home/user/wait.py", line=5, function="wait", code="lock.acquire()"),)
    raised = Raised(type="KeyboardInterrupt", frames=frames)
    watched = ProgramRun(end="watched", seconds=60.0, pythons=(PythonProcess(pid=1, raised=raised),))
    told = ended(watched, "en")
    assert "KeyboardInterrupt" not in told
    assert "wait.py, line 5" in told


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize(
    ("kinds", "key"), [(("lock",), "waits-lock"), ((), "waits-unknown"), (("of a newer version",), "waits-unknown")]
)
def test_what_only_waited_is_said(kinds: tuple[str, ...], key: str, language: str) -> None:
    idle = ProgramRun(command=("a",), end="running", seconds=15.0, processor=0.0, waits_for=kinds)
    shown = render(case(idle), "markdown", language, hide=None).decode()
    assert words(f"runs.{key}", language) in shown
    busy = render(case(msgspec.structs.replace(idle, processor=1.0)), "markdown", language, hide=None).decode()
    assert words(f"runs.{key}", language) not in busy


USED = GpuUse(
    gpu=0,
    name="NVIDIA H100 80GB HBM3",
    uuid="GPU-5f3a7c1e-1b2d-4c3e-9f80-a1b2c3d4e5f6",
    memory_total=80 << 30,
    looks=8,
    idle=0.25,
    is_own=True,
    moments=tuple(GpuMoment(begin=at, end=at + 1.0, busy=at / 10, memory=3 << 30) for at in map(float, range(8))),
)


@pytest.mark.parametrize(
    ("language", "held"),
    [("en", "The program held at most 3 GiB of 80 GiB."), ("ja", "最大で3 GiB(全80 GiB)でした")],
)
def test_how_the_gpu_was_used_is_told_and_drawn(language: str, held: str) -> None:
    used = judged(Facts(runs=(replace_use(USED),)), Answers(symptom="not-on-gpu"))
    text = render(used, "markdown", language).decode().replace("\\", "")
    assert held in text
    assert "35" in text  # percent, on average
    assert words("runs.gpu-summary", language, least=0, most=70) in text
    assert b"%PDF" in render(used, "pdf", language)


@pytest.mark.parametrize(("is_own", "key"), [(False, "gpu-not-its-own"), (None, "gpu-whose")])
def test_whose_memory_it_is_is_said_as_far_as_it_is_known(is_own: bool | None, key: str) -> None:
    few = msgspec.structs.replace(USED, is_own=is_own, moments=USED.moments[:2])
    used = judged(Facts(runs=(replace_use(few),)), Answers(symptom="not-on-gpu"))
    text = render(used, "markdown", "en").decode().replace("\\", "")
    assert words(f"runs.{key}", "en") in text
    assert words("runs.gpu-plot", "en") not in text  # two moments are no curve


def test_the_number_of_a_card_is_hidden() -> None:
    hidden = redact(judged(Facts(runs=(replace_use(USED),)), Answers()), Own()).case
    assert hidden.facts.runs[0].gpu_use[0].uuid == "GPU-<uuid-1>"
    assert decode(json.dumps(to_builtins(hidden)).encode()).facts.runs == hidden.facts.runs


def replace_use(use: GpuUse) -> ProgramRun:
    return ProgramRun(command=("python", "train.py"), exit_code=0, seconds=8.0, gpu_use=(use,))
