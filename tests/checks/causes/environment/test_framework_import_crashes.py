"""When framework-import-crashes speaks, and when it keeps silent."""

import pytest

from checks.causes.environment.framework_import_crashes import framework_import_crashes
from checks.facts import Frameworks, InterpreterFacts, Package, ProbeRun, ProbeRuns, StageRun
from checks.facts.finding import Finding, Inconclusive, Severity
from checks.knowledge.phrases import in_language

INTERPRETER = InterpreterFacts(path="/venv/bin/python", packages=(Package(name="torch", version="2.6.0+cu124"),))
IMPORTING = (StageRun(name="build", ended=True), StageRun(name="imported"))
DONE = (StageRun(name="build", ended=True), StageRun(name="imported", ended=True), StageRun(name="launched"))


def findings(*runs: ProbeRun) -> list[Finding]:
    return list(framework_import_crashes(ProbeRuns(runs=runs), Frameworks(), INTERPRETER))


@pytest.mark.parametrize(
    ("run", "ending", "confidence"),
    [
        pytest.param(
            ProbeRun(probe="torch", status="crashed", exit_code=-11, signal="SIGSEGV", stages=IMPORTING),
            "SIGSEGV",
            0.9,
            id="signal",
        ),
        pytest.param(
            ProbeRun(probe="torch", status="crashed", signal="STATUS_ACCESS_VIOLATION", stages=IMPORTING),
            "STATUS_ACCESS_VIOLATION",
            0.9,
            id="windows",
        ),
        pytest.param(
            ProbeRun(probe="torch", status="crashed", exit_code=0, stages=IMPORTING), "exit code 0", 0.9, id="exit"
        ),
        pytest.param(ProbeRun(probe="torch", status="timed-out", seconds=60.4, stages=IMPORTING), "60", 0.7, id="hang"),
    ],
)
def test_speaks(run: ProbeRun, ending: str, confidence: float) -> None:
    (finding,) = findings(run)
    assert finding.severity is Severity.BLOCKING
    assert finding.confidence == confidence
    assert finding.placeholders()["framework"] == "torch 2.6.0+cu124"
    assert finding.placeholders()["ending"] == ending
    assert ending in in_language(finding.placeholders()["manner"], "ja")


@pytest.mark.parametrize(
    "run",
    [
        pytest.param(ProbeRun(probe="torch", status="ok", stages=DONE), id="healthy"),
        pytest.param(ProbeRun(probe="torch", status="failed", stages=IMPORTING), id="an-exception-is-no-crash"),
        pytest.param(ProbeRun(probe="torch", status="crashed", signal="SIGSEGV", stages=DONE), id="later-stage"),
        pytest.param(
            ProbeRun(probe="torch", status="crashed", signal="SIGILL", stages=IMPORTING), id="processor-too-old"
        ),
        pytest.param(
            ProbeRun(
                probe="torch",
                status="crashed",
                signal="SIGABRT",
                stages=IMPORTING,
                # faiss-wheels/faiss-wheels#40
                stderr_tail="OMP: Error #15: Initializing libomp.a, but found libiomp5.dylib already initialized.\n",
            ),
            id="its-last-words-have-a-cause",
        ),
    ],
)
def test_silent(run: ProbeRun) -> None:
    assert findings(run) == []


def test_no_framework_was_tried() -> None:
    with pytest.raises(Inconclusive):
        findings(ProbeRun(probe="machine"))


def test_a_package_beside_the_framework_is_named() -> None:
    stages = (*DONE[:2], StageRun(name="xformers"))
    (finding,) = findings(ProbeRun(probe="torch", status="crashed", signal="SIGSEGV", stages=stages))
    assert finding.severity is Severity.WARNING
    assert finding.placeholders()["framework"] == "xformers"
