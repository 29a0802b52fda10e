"""What changed between two examinations."""

import msgspec

from checks.facts import Facts
from checks.facts.case import Answers, Case
from checks.facts.finding import Finding, Outcome, Severity, Status
from checks.judgement.changes import Changes, changes


def a_case(**checks: Status | Finding) -> Case:
    outcomes = tuple(
        Outcome(cause=cause, status=Status.FOUND, findings=(each,))
        if isinstance(each, Finding)
        else Outcome(cause=cause, status=each)
        for cause, each in checks.items()
    )
    findings = tuple(finding for outcome in outcomes for finding in outcome.findings)
    return Case(created="", answers=Answers(), facts=Facts(), outcomes=outcomes, findings=findings)


FOUND = Finding(cause="driver", severity=Severity.BLOCKING, confidence=0.9, subject="torch")


def test_mended() -> None:
    assert changes(a_case(driver=FOUND), a_case(driver=Status.CLEAR)) == Changes(gone=(FOUND,))


def test_not_seen_is_not_mended() -> None:
    for status in (Status.SKIPPED, Status.INCONCLUSIVE, Status.CRASHED):
        assert changes(a_case(driver=FOUND), a_case(driver=status)) == Changes(unsure=(FOUND,))


def test_new_and_stayed() -> None:
    assert changes(a_case(driver=Status.CLEAR), a_case(driver=FOUND)) == Changes(new=(FOUND,))
    now = msgspec.structs.replace(FOUND, confidence=0.5)
    assert changes(a_case(driver=FOUND), a_case(driver=now)) == Changes(stayed=(now,))


def test_another_subject_is_another_finding() -> None:
    other = msgspec.structs.replace(FOUND, subject="jax")
    assert changes(a_case(driver=FOUND), a_case(driver=other)) == Changes(gone=(FOUND,), new=(other,))


def test_what_was_not_reached_before_is_not_new() -> None:
    for status in (Status.SKIPPED, Status.INCONCLUSIVE, Status.CRASHED):
        assert changes(a_case(driver=status), a_case(driver=FOUND)) == Changes(first=(FOUND,))
    assert changes(a_case(), a_case(driver=FOUND)) == Changes(first=(FOUND,))
