"""When interpreter-not-usable speaks, and when it keeps silent."""

import msgspec
import pytest

from checks.causes.environment.environment_variable_invalid import environment_variable_invalid
from checks.causes.environment.interpreter_not_usable import interpreter_not_usable
from checks.facts import EnvironmentVariables, InterpreterFacts, ProbeRun, ProbeRuns, StageRun
from checks.facts.finding import Finding, NotInTable, Severity, Unread
from checks.knowledge.phrases import in_language, phrases

PATH = "/home/user/venv/bin/python"
STAGE = (StageRun(name="variables", ended=True),)


def findings(*runs: ProbeRun, problem: str | None = None) -> list[Finding]:
    interpreter = InterpreterFacts(path=PATH, problem=problem)
    return list(interpreter_not_usable(interpreter, ProbeRuns(runs=runs)))


@pytest.mark.parametrize(
    "problem", ["missing", "not-python", "unreadable", "not-executable", "base-missing", "installer-alias"]
)
def test_speaks_without_starting_it(problem: str) -> None:
    (finding,) = findings(problem=problem)
    assert finding.severity is Severity.BLOCKING
    assert finding.placeholders()["interpreter"] == PATH
    assert in_language(finding.placeholders()["problem"], "en") == phrases()[f"interpreter-{problem}"].en
    assert in_language(finding.placeholders()["problem"], "ja") == phrases()[f"interpreter-{problem}"].ja


@pytest.mark.parametrize(
    ("run", "words"),
    [
        pytest.param(ProbeRun(probe="environment", status="not-python", exit_code=1), "not a Python", id="not-python"),
        pytest.param(
            ProbeRun(probe="environment", status="not-started", detail="FileNotFoundError: [Errno 2] No such file"),
            "FileNotFoundError",
            id="deleted",
        ),
        pytest.param(
            ProbeRun(probe="environment", status="no-answer", exit_code=0), "without doing", id="exits-with-0"
        ),
        pytest.param(
            ProbeRun(probe="environment", status="crashed", exit_code=-11, signal="SIGSEGV"), "SIGSEGV", id="crashes"
        ),
        pytest.param(ProbeRun(probe="environment", status="timed-out", seconds=30.2), "30 seconds", id="hangs"),
        pytest.param(
            ProbeRun(probe="environment", status="ok", stages=STAGE, output_bytes=104_857_600), "105 MB", id="floods"
        ),
    ],
)
def test_speaks_after_starting_it(run: ProbeRun, words: str) -> None:
    (finding,) = findings(run)
    assert words in in_language(finding.placeholders()["problem"], "en")


@pytest.mark.parametrize(
    "runs",
    [
        pytest.param((ProbeRun(probe="environment", stages=STAGE, output_bytes=0),), id="answers"),
        pytest.param((ProbeRun(probe="environment", stages=STAGE, output_bytes=4_999_999),), id="talkative"),
        pytest.param(
            (
                ProbeRun(probe="environment", stages=STAGE),
                ProbeRun(probe="torch", status="crashed", signal="SIGSEGV", stages=(StageRun(name="imported"),)),
            ),
            id="a-framework-crashes-in-it",
        ),
        pytest.param(
            (ProbeRun(probe="torch", status="timed-out", stages=(StageRun(name="imported"),)),), id="a-framework-hangs"
        ),
    ],
)
def test_silent(runs: tuple[ProbeRun, ...]) -> None:
    assert findings(*runs) == []


def test_a_python_older_than_the_probes_is_not_blamed() -> None:
    # recorded: Python 3.6.15, whose text streams have no reconfigure()
    run = ProbeRun(probe="environment", status="crashed", exit_code=1, stderr_tail="AttributeError: reconfigure")
    with pytest.raises(Unread):
        list(interpreter_not_usable(InterpreterFacts(path=PATH, version="3.6.15"), ProbeRuns(runs=(run,))))


@pytest.mark.parametrize(
    "runs",
    [
        pytest.param((), id="no-probe"),
        pytest.param((ProbeRun(probe="machine"),), id="only-our-own-interpreter"),
        pytest.param((ProbeRun(probe="environment", status="cancelled"),), id="cancelled"),
    ],
)
def test_open(runs: tuple[ProbeRun, ...]) -> None:
    with pytest.raises(Unread):
        findings(*runs)


# As CPython 3.11 ended on 2026-11-23.
REFUSED = {
    "PYTHONIOENCODING": """\
Fatal Python error: init_stdio_encoding: failed to get the Python codec name of the stdio encoding
Python runtime state: core initialized
LookupError: unknown encoding: utf-99
""",
    "PYTHONMALLOC": """Fatal Python error: preconfig_init_allocator: PYTHONMALLOC: unknown allocator
Python runtime state: preinitialized
""",
}


@pytest.mark.parametrize("variable", REFUSED)
def test_a_variable_that_python_refuses_at_its_start_is_one_fault_and_not_two(variable: str) -> None:
    crashed = ProbeRun(probe="environment", status="crashed", exit_code=1, stderr_tail=REFUSED[variable])
    interpreter, probes = InterpreterFacts(path=PATH), ProbeRuns(runs=(crashed,))
    refused = EnvironmentVariables(values={variable: "utf-99"})
    with pytest.raises(Unread):
        list(interpreter_not_usable(interpreter, probes, environment=refused))
    (found,) = environment_variable_invalid(refused, interpreter, None, probes, None)
    assert found.severity is Severity.BLOCKING
    other = EnvironmentVariables(values={"PATH": "/usr/bin"})  # then it is something else that nobody names
    assert list(interpreter_not_usable(interpreter, probes, environment=other))
    assert not list(environment_variable_invalid(other, interpreter, None, probes, None))


def test_a_problem_of_a_newer_version_stays_open() -> None:
    with pytest.raises(NotInTable):
        list(interpreter_not_usable(InterpreterFacts(path=PATH, problem="quarantined"), None))


def test_a_path_file_that_is_no_text_is_named() -> None:
    pth = "/env/lib/python3.11/site-packages/my.pth"
    interpreter = InterpreterFacts(path="/env/bin/python", version="3.11.7", unreadable_pth=(pth,))
    words = (
        "  File \"<frozen site>\", line 179, in addpackage\nUnicodeDecodeError: 'utf-8' codec can't decode byte 0xff"
    )
    crash = ProbeRun(probe="environment", status="crashed", exit_code=1, stderr_tail=words)
    (finding,) = interpreter_not_usable(interpreter, ProbeRuns(runs=(crash,)))
    assert (finding.named("pth_file"), finding.remedies[0]) == (pth, "move-path-file-aside")
    (other,) = interpreter_not_usable(interpreter, ProbeRuns(runs=(msgspec.structs.replace(crash, stderr_tail="?"),)))
    assert "pth_file" not in other.values
