"""The rows of a running examination, folded from events."""

from checks.engine.events import (
    CheckEnded,
    Finished,
    Planned,
    ProbeEnded,
    ProbeSlow,
    ProbeStage,
    ProbeStarted,
    Progress,
    Resolving,
)
from checks.facts import Facts, ProbeRun
from checks.facts.case import Answers, Case
from checks.facts.finding import Finding, Outcome, Severity, Status
from wizard.run_state import Running, summary


def test_a_probe_from_waiting_to_its_end() -> None:
    running = Running()
    running.take(Planned(probes={"torch": 3.0}, checks=()))
    row = running.probes["torch"]
    assert (row.state, row.elapsed()) == ("waiting", None)
    running.take(ProbeStarted("torch"))
    assert row.state == "running"
    assert row.elapsed() is not None
    running.take(ProbeStage("torch", "imported"))
    running.take(ProbeSlow("torch", "imported", 10.1))
    assert (row.stage, row.slow) == ("imported", True)
    running.take(ProbeStage("torch", "cuda"))
    assert (row.stage, row.slow) == ("cuda", False)
    running.take(ProbeEnded("torch", ProbeRun(probe="torch", status="crashed", seconds=1.5)))
    assert (row.state, row.elapsed()) == ("crashed", 1.5)


def test_a_probe_that_was_told_before_the_plan_keeps_its_state() -> None:
    running = Running()
    running.take(ProbeStarted("machine"))
    running.take(Planned(probes={"machine": 0.5, "torch": 3.0}, checks=("unknown",)))
    assert {name: row.state for name, row in running.probes.items()} == {"machine": "running", "torch": "waiting"}
    assert running.checks["unknown"].state == "waiting"


def test_a_check_shows_the_worst_that_it_found() -> None:
    findings = tuple(
        Finding(cause="unknown", severity=severity, confidence=1) for severity in (Severity.NOTE, Severity.WARNING)
    )
    running = Running()
    running.take(CheckEnded(Outcome(cause="unknown", status=Status.FOUND, findings=findings, seconds=0.1)))
    running.take(CheckEnded(Outcome(cause="mps-unavailable", status=Status.CLEAR)))
    assert running.checks["unknown"].state == "found-warning"
    assert running.checks["unknown"].finding == findings[1]
    assert running.checks["mps-unavailable"].state == "clear"
    assert summary(running.checks.values()) == {"found-warning": 1, "clear": 1}


def test_that_the_index_is_asked_is_seen_until_the_end() -> None:
    running = Running()
    running.take(Resolving(2))
    assert (running.share, running.is_resolving) == (1.0, True)
    running.take(Finished(Case(created="", answers=Answers(), facts=Facts(), outcomes=(), findings=())))
    assert not running.is_resolving


def test_the_bar_never_goes_back() -> None:
    running = Running()
    running.take(Progress(0.5, 4.0))
    running.take(Progress(0.4, None))
    assert (running.share, running.remaining) == (0.5, None)
    running.take(Finished(Case(created="", answers=Answers(), facts=Facts(), outcomes=(), findings=())))
    assert (running.share, running.remaining) == (1.0, 0.0)
