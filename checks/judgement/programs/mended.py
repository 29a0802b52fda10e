"""What was wrong before a remedy was carried out here is told as what was mended, and not as what blocks now.

A finding is mended where everything that it was seen to break was started again behind the remedy, and came to its end.
What else was seen to fail stays what it is. What follows from the packages and their files alone is told of those that
are there now, which were read again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from checks.causes.registry import all_checks
from checks.facts import Facts, InstalledFiles, InterpreterFacts, Mending, ProgramRun
from checks.facts.finding import FAILED_RUN, Finding, Outcome, Severity, Status
from checks.facts.remedies.mendings import fixed_by, left_by
from checks.judgement.one_check import judge_one
from checks.judgement.programs.runs import tells
from checks.judgement.programs.seen_to_run import still_failing

_OF_ENVIRONMENT = (InterpreterFacts, InstalledFiles)
_Key = tuple[str, str]


def with_mended(facts: Facts, outcomes: Sequence[Outcome]) -> tuple[Outcome, ...]:
    """The outcomes; findings that were mended are notes that say so, and what is not so any more is gone."""
    return _as_it_is_now(facts, _told_as_mended(facts, outcomes))


def _told_as_mended(facts: Facts, outcomes: Sequence[Outcome]) -> tuple[Outcome, ...]:
    fixed = fixed_by(facts.mendings)
    if fixed is None:
        return tuple(outcomes)
    failing = still_failing(facts)
    findings = [finding for outcome in outcomes for finding in outcome.findings]
    if any(not run.is_unasked and not any(tells(finding, run) for finding in findings) for run in failing):
        return tuple(outcomes)  # nobody knows why it fails: it may be for the same cause
    works = {run.label for run in facts.runs if run.failed and run not in failing}
    works |= {run.statement for run in (fixed.after, *fixed.others) if run is not None and run.statement and run.worked}
    return tuple(
        msgspec.structs.replace(
            outcome, findings=tuple(_mended(finding, fixed, works, failing) for finding in outcome.findings)
        )
        for outcome in outcomes
    )


def _mended(finding: Finding, fixed: Mending, works: set[str], failing: Sequence[ProgramRun]) -> Finding:
    failed = finding.named(FAILED_RUN)
    is_meant = failed in works if failed else (finding.cause, finding.subject) == (fixed.cause, fixed.subject)
    if not is_meant or any(tells(finding, run) for run in failing):
        return finding
    return msgspec.structs.replace(finding, severity=Severity.NOTE, is_mended=True)


def _as_it_is_now(facts: Facts, outcomes: tuple[Outcome, ...]) -> tuple[Outcome, ...]:
    """The outcomes with what follows from the environment alone as the last remedy left it."""
    left = left_by(facts.mendings)
    if left is None or left.left is None:
        return outcomes
    others = tuple(one for one in facts.interpreters or () if one.path != left.left.path)
    then = _of_environment(facts)
    now = _of_environment(msgspec.structs.replace(facts, interpreters=(left.left, *others), installed=left.left_files))
    return tuple(_replaced(outcome, then, now) for outcome in outcomes)


def _of_environment(facts: Facts) -> dict[_Key, Finding]:
    """What the packages and their files tell, whatever was seen to run or to fail."""
    alone = Facts(
        machine=facts.machine,
        interpreters=facts.interpreters,
        target=facts.target,
        installed=facts.installed,
        environment=facts.environment,
        symptom=facts.symptom,
        here=facts.here,
    )
    checks = (
        check for check in all_checks().values() if any(kind in _OF_ENVIRONMENT for kind, _ in check.wanted.values())
    )
    return {_key(finding): finding for check in checks for finding in judge_one(check, alone).findings}


def _replaced(outcome: Outcome, then: dict[_Key, Finding], now: dict[_Key, Finding]) -> Outcome:
    """The outcome without what is not so any more, and with what is so since."""
    kept = tuple(_now(outcome.findings, then, now))
    known = {_key(finding) for finding in outcome.findings}
    new = tuple(
        finding
        for key, finding in now.items()
        if finding.cause == outcome.cause and key not in known and key not in then
    )
    findings = (*kept, *new)
    status = Status.FOUND if findings else Status.CLEAR if outcome.findings else outcome.status
    return msgspec.structs.replace(outcome, findings=findings, status=status)


def _now(findings: Iterable[Finding], then: dict[_Key, Finding], now: dict[_Key, Finding]) -> Iterable[Finding]:
    for finding in findings:
        before = then.get(_key(finding))
        if finding.is_mended or finding.named(FAILED_RUN) or before is None:
            yield finding
        elif (after := now.get(_key(finding))) is not None:
            yield finding if after == before else after


def _key(finding: Finding) -> _Key:
    return finding.cause, finding.subject
