"""What changed between two examinations of the same interpreter. No Qt, no judgement: only found then, found now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from checks.facts.case import Case
    from checks.facts.finding import Finding


@dataclass(frozen=True)
class Changes:
    """Findings by what became of them.

    ``gone``: the check now says clear, and what it rests on was looked at again, or the program that failed works now.
    ``unsure``: not found any more, but the check could not decide either, or less was measured, or something else was
    asked, which is no proof that it is mended. ``new``: only found now, and ruled out before. ``first``: found now by a
    check that had decided nothing before. ``stayed``: both times.
    """

    gone: tuple[Finding, ...] = ()
    unsure: tuple[Finding, ...] = ()
    new: tuple[Finding, ...] = ()
    first: tuple[Finding, ...] = ()
    stayed: tuple[Finding, ...] = ()


def changes(before: Case, now: Case) -> Changes:
    """Compare the findings of two cases by cause and subject."""
    from checks.facts.finding import FAILED_RUN, Status
    from checks.judgement.reexamined import is_same_question, is_seen_mended

    had = {(finding.cause, finding.subject): finding for finding in before.findings}
    has = {(finding.cause, finding.subject): finding for finding in now.findings}
    decided_before, decided = (
        {outcome.cause for outcome in case.outcomes if outcome.status in (Status.CLEAR, Status.FOUND)}
        for case in (before, now)
    )
    lost = [finding for key, finding in had.items() if key not in has]
    gone = [
        finding
        for finding in (lost if is_same_question(before, now) else ())
        if (finding.cause in decided or FAILED_RUN in finding.values)
        and is_seen_mended(finding, before.facts, now.facts)
    ]
    come = [finding for key, finding in has.items() if key not in had]
    return Changes(
        gone=tuple(gone),
        unsure=tuple(finding for finding in lost if finding not in gone),
        new=tuple(finding for finding in come if finding.cause in decided_before),
        first=tuple(finding for finding in come if finding.cause not in decided_before),
        stayed=tuple(finding for key, finding in has.items() if key in had),
    )
