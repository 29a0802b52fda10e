"""The user's own program in the report: how it ended, where, and what it used."""

import json

import pytest

from checks.facts import DeviceUse, Facts, Frame, ProgramRun, PythonProcess, Raised
from checks.facts.case import Answers, Case
from checks.judgement.judge import judged
from checks.sharing.case import decode, to_builtins
from checks.sharing.redact import Own, redact
from wizard.report.content.program_runs import ended
from wizard.report.content.report import build
from wizard.report.export import render
from wizard.report.prints.terminal import to_terminal

RAISED = Raised(
    type="ModuleNotFoundError",
    message="No module named 'scipy'\nsecond line",
    frames=(
        Frame(file="/home/alice/train.py", line=3, function="<module>", code="import tool"),
        Frame(file="/e/lib/python3.11/site-packages/tool.py", line=9, function="<module>", code="import scipy"),
    ),
)
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


def test_it_is_saved_opened_and_hidden() -> None:
    assert decode(json.dumps(to_builtins(case(RUN))).encode()).facts.runs == (RUN,)
    hidden = redact(case(RUN), Own()).case.facts.runs[0]
    assert "geheimnis77" not in str(hidden)
    assert "alice" not in str(hidden)
    assert hidden.command[:3] == ("python", "train.py", "--token")
    assert hidden.raised is not None
    assert hidden.raised.frames[1].code == "import scipy"
