"""The user's own program is the witness: what it shows comes first, and what it disproves is no accusation."""

import msgspec

from checks.facts import (
    EnvironmentVariables,
    Facts,
    Frame,
    InterpreterFacts,
    OsFacts,
    ProbeRun,
    ProbeRuns,
    ProgramRun,
    PythonProcess,
    Raised,
    Symptom,
)
from checks.facts.case import Answers
from checks.facts.finding import FAILED_RUN, Finding, Outcome, Severity, Status
from checks.facts.machine import MachineFacts
from checks.judgement.judge import judged
from checks.judgement.programs.runs import text_of, with_programs

PYTHON = "/venv/bin/python"
# As "import cv2" of opencv-python 4.11 raised it in a container without libGL, on 2026-11-22.
NO_LIBGL = Raised(
    type="ImportError",
    message="libGL.so.1: cannot open shared object file: No such file or directory",
    frames=(
        Frame(file="/venv/lib/python3.11/site-packages/cv2/__init__.py", line=181, function="<module>"),
        Frame(
            file="/venv/lib/python3.11/site-packages/cv2/__init__.py",
            line=153,
            function="bootstrap",
            code='native_module = importlib.import_module("cv2")',
        ),
    ),
)
NOBODY_KNOWS = Raised(type="zlib.error", message="Error -3 while doing it", frames=(Frame(file="/p/main.py", line=3),))


def _facts(*runs: ProgramRun, symptom: str = "does-not-start") -> Facts:
    return Facts(
        machine=MachineFacts(os=OsFacts(system="Linux", distribution="Ubuntu 24.04", architecture="x86_64")),
        interpreters=(InterpreterFacts(path=PYTHON, version="3.11.7", packages=()),),
        target=PYTHON,
        symptom=Symptom(name=symptom),
        runs=runs,
    )


def _run(raised: Raised | None, **more: object) -> ProgramRun:
    run = ProgramRun(
        command=("python", "main.py"),
        exit_code=int(raised is not None),
        interpreter=PYTHON,
        pythons=(PythonProcess(pid=1, raised=raised),),
    )
    return msgspec.structs.replace(run, **more)


def _findings(facts: Facts) -> tuple[Finding, ...]:
    return judged(facts, Answers(symptom="does-not-start")).findings


def test_the_words_of_a_failed_run_name_the_cause_and_it_comes_first() -> None:
    first = _findings(_facts(_run(NO_LIBGL)))[0]
    assert first.cause == "system-library-missing"
    assert first.severity is Severity.BLOCKING
    assert first.named(FAILED_RUN) == "python main.py"


def test_a_package_that_nobody_named_is_a_warning() -> None:
    findings = _findings(_facts(_run(NO_LIBGL, statement="import cv2", package="opencv-python")))
    found = next(finding for finding in findings if finding.cause == "system-library-missing")
    assert found.severity is Severity.WARNING
    assert found.named(FAILED_RUN) == "import cv2"


def test_what_no_cause_explains_is_told_with_its_place() -> None:
    outcomes = with_programs(_facts(_run(NOBODY_KNOWS)), ())
    (finding,) = (finding for outcome in outcomes for finding in outcome.findings)
    assert finding.cause == "unknown"
    assert finding.severity is Severity.BLOCKING
    values = finding.placeholders()
    assert values["framework"] == "python main.py"
    assert values["failed_at"] == "/p/main.py:3"
    assert values["error_text"] == "zlib.error: Error -3 while doing it"


def test_a_package_outside_the_field_that_fails_without_a_known_cause_is_not_told() -> None:
    assert with_programs(_facts(_run(NOBODY_KNOWS, statement="import six", package="six")), ()) == ()


def test_what_a_check_has_explained_is_not_told_twice() -> None:
    finding = Finding(
        cause="numpy-abi-mismatch",
        severity=Severity.BLOCKING,
        confidence=0.9,
        values={FAILED_RUN: "python main.py"},
    )
    known = (Outcome(cause="numpy-abi-mismatch", status=Status.FOUND, findings=(finding,)),)
    assert with_programs(_facts(_run(NO_LIBGL)), known) == known


def _accusations() -> tuple[Outcome, ...]:
    plain = Finding(cause="driver-not-loaded", severity=Severity.BLOCKING, confidence=0.9)
    harmful = Finding(cause="pickle-runs-code", severity=Severity.BLOCKING, confidence=0.9)
    return tuple(Outcome(cause=finding.cause, status=Status.FOUND, findings=(finding,)) for finding in (plain, harmful))


def _severities(facts: Facts) -> dict[str, Severity]:
    return {
        finding.cause: finding.severity
        for outcome in with_programs(facts, _accusations())
        for finding in outcome.findings
    }


def test_a_program_that_works_leaves_only_what_may_do_harm() -> None:
    severities = _severities(_facts(_run(None)))
    assert severities == {"driver-not-loaded": Severity.NOTE, "pickle-runs-code": Severity.BLOCKING}


def test_a_statement_that_works_proves_nothing_of_the_program() -> None:
    assert _severities(_facts(_run(None, statement="import torch")))["driver-not-loaded"] is Severity.BLOCKING


def test_that_a_program_ends_in_order_does_not_say_that_its_results_are_right() -> None:
    severities = _severities(_facts(_run(None), symptom="results-change"))
    assert severities["driver-not-loaded"] is Severity.BLOCKING


def test_a_program_that_still_ran_when_the_time_was_over_proves_nothing() -> None:
    facts = _facts(_run(None, end="watched", exit_code=None))
    assert _severities(facts)["driver-not-loaded"] is Severity.BLOCKING


def test_the_text_of_a_failure_is_what_was_printed_or_the_exception_as_it_would_have_been() -> None:
    printed = "Traceback (most recent call last):\nzlib.error: Error -3 while doing it\n"
    assert text_of(_run(NOBODY_KNOWS, errors=printed)) == printed
    told = text_of(_run(NOBODY_KNOWS, errors="Loading ...\n"))
    assert told.startswith("Loading ...")
    assert '  File "/p/main.py", line 3, in <module>' in told
    assert told.endswith("zlib.error: Error -3 while doing it")


def test_a_variable_that_python_refuses_at_its_start_is_the_one_cause() -> None:
    """As CPython 3.11 ended with PYTHONHOME=/nowhere."""
    words = """Python path configuration:
  PYTHONHOME = '/nowhere'
Fatal Python error: init_fs_encoding: failed to get the Python codec of the filesystem encoding
Python runtime state: core initialized
ModuleNotFoundError: No module named 'encodings'
"""
    run = ProgramRun(command=("python", "main.py"), exit_code=1, errors=words)
    probe = ProbeRun(probe="environment", status="crashed", exit_code=1, stderr_tail=words)
    facts = msgspec.structs.replace(
        _facts(run),
        environment=EnvironmentVariables(values={"PYTHONHOME": "/nowhere"}),
        probes=ProbeRuns(runs=(probe,)),
    )
    assert [(found.cause, found.named(FAILED_RUN)) for found in _findings(facts)] == [
        ("environment-variable-invalid", "python main.py")
    ]


def test_what_a_child_in_another_python_lacks_is_not_installed_into_the_one_that_started_it() -> None:
    errors = (
        "Traceback (most recent call last):\n"
        '  File "/p/child.py", line 1, in <module>\n'
        "    import torch\n"
        "ModuleNotFoundError: No module named 'torch'\n"
    )

    def remedies(started: str) -> tuple[str, ...]:
        raised = Raised(
            type="subprocess.CalledProcessError",
            message=f"Command '{started}' returned non-zero exit status 1.",
            frames=(Frame(file="/p/main.py", line=2, code="subprocess.run(command, check=True)"),),
        )
        (finding,) = judged(_facts(_run(raised, errors=f"{errors}{raised.type}: {raised.message}")), Answers()).findings
        assert finding.cause == "framework-not-installed"
        return finding.remedies

    assert remedies("['/other/bin/python', 'child.py']") == ("choose-another-interpreter",)
    assert remedies("/other/bin/python child.py") == ("choose-another-interpreter",)
    assert remedies(f"['{PYTHON}', 'child.py']") != ("choose-another-interpreter",)
