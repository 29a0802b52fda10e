"""What was wrong before a remedy was carried out here is told as what was mended, and not as what blocks now.

A finding is mended where everything that it was seen to break was started again behind the remedy, and came to its end.
What else was found stays what it is: nobody looked at it again.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from checks.facts import Facts, Mending, ProgramRun
from checks.facts.finding import FAILED_RUN, Finding, Outcome, Severity
from checks.facts.remedies.mendings import fixed_by
from checks.judgement.programs.runs import tells
from checks.judgement.programs.seen_to_run import still_failing


def with_mended(facts: Facts, outcomes: Sequence[Outcome]) -> tuple[Outcome, ...]:
    """The outcomes; findings that were mended are notes that say so."""
    fixed = fixed_by(facts.mendings)
    if fixed is None:
        return tuple(outcomes)
    failing = still_failing(facts)
    findings = [finding for outcome in outcomes for finding in outcome.findings]
    if any(not run.package and not any(tells(finding, run) for finding in findings) for run in failing):
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
