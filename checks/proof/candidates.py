"""Which remedies of a case are tried, and in which order: of those that are about as likely to help, the cheap first.

A setting costs one more start of the program; a package a copy of the environment, and a download; a new environment
the download of everything. Of one finding, the smaller of two downloads goes first, a new environment last, and a
setting that its cause names behind a package, because it is worse, not before that. What does not resolve is the last
of all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from checks.facts import Facts, Proof, ProofResult
from checks.facts.case import Case
from checks.facts.finding import Finding, Severity
from checks.facts.remedies.proofs import proof_of
from checks.proof.changes import SETTINGS, Change, Installed, Managed, NewEnvironment, NotTriable, changes_of
from checks.proof.managed import check_tools
from checks.remedies.plan import RemedyPlan, plan_remedies

LEAST_LIKELY = 0.5  # confidence below which a cause is only one of several, and its remedies are not tried unasked
_NEARLY_AS_LIKELY = 0.1  # difference of confidence within which the cost decides
_MUCH = 100 * 10**6  # bytes of a download by which one is dearer than another


@dataclass(frozen=True)
class Candidate:
    """A remedy of a finding."""

    finding: Finding
    plan: RemedyPlan

    @property
    def key(self) -> tuple[str, str, str]:
        """What its proof is about."""
        return self.finding.cause, self.finding.subject, self.plan.id


class Cost(IntEnum):
    """What trying a remedy takes, the least first."""

    SETTING = 0  # one more start of the program
    FILE = 1  # a copy of the environment
    PACKAGE = 2  # and a download
    NEW_ENVIRONMENT = 3  # everything is downloaded


def candidates(case: Case, language: str = "en") -> Iterator[Candidate]:
    """The remedies that may mend what failed, the best first."""
    for finding in case.findings:
        if finding.severity is not Severity.NOTE and finding.confidence >= LEAST_LIKELY:
            for plan in plan_remedies(finding, case.facts, language):
                tried = proof_of(case.facts.proofs, finding.cause, finding.subject, plan.id)
                if tried is None or tried.result == ProofResult.NOT_TRIED:
                    yield Candidate(finding, plan)


def in_order(case: Case, language: str, helped: frozenset[tuple[str, str, str]]) -> list[Candidate]:
    """The same in the order in which they are tried. ``helped``: those that mended another witness, which go first."""
    placed: list[tuple[tuple[bool, bool, int, tuple[int, int]], Candidate]] = []
    band, highest = 0, 1.0
    dearest: dict[tuple[str, str], tuple[int, int]] = {}
    for candidate in candidates(case, language):
        finding = candidate.finding
        if not dearest:
            highest = finding.confidence
        if (finding.cause, finding.subject) not in dearest and highest - finding.confidence > _NEARLY_AS_LIKELY:
            band, highest = band + 1, finding.confidence
        before = dearest.get((finding.cause, finding.subject), (0, 0))
        own = _cost(candidate, case.facts)
        cost = own if own[0] >= Cost.PACKAGE else max(before, own)
        dearest[finding.cause, finding.subject] = before if own[0] == Cost.NEW_ENVIRONMENT else max(before, cost)
        resolution = candidate.plan.resolution
        is_hopeless = resolution is not None and resolution.failed
        placed.append(((candidate.key not in helped, is_hopeless, band, cost), candidate))
    return [candidate for _, candidate in sorted(placed, key=lambda one: one[0])]


def _cost(candidate: Candidate, facts: Facts) -> tuple[int, int]:
    """Its class, and how much is downloaded. What cannot be tried costs nothing."""
    try:
        cost = cost_of(changes_of(candidate.plan, facts.target or "python"))
    except NotTriable:
        return Cost.SETTING, 0
    resolution = candidate.plan.resolution
    return cost, ((resolution.download_bytes if resolution else None) or 0) // _MUCH


def cost_of(changes: tuple[Change, ...]) -> Cost:
    """What trying these changes takes."""
    if any(isinstance(change, NewEnvironment) for change in changes):
        return Cost.NEW_ENVIRONMENT
    if needs_index(changes):
        return Cost.PACKAGE
    return Cost.SETTING if all(isinstance(change, SETTINGS) for change in changes) else Cost.FILE


def needs_index(changes: tuple[Change, ...]) -> bool:
    """Whether something is downloaded: to install it, or, where a lock file is the master, to resolve what stays."""
    return any(
        isinstance(change, NewEnvironment | Managed) or (isinstance(change, Installed) and change.verb == "install")
        for change in changes
    )


def can_be_tried(candidate: Candidate, facts: Facts) -> bool:
    """Whether its commands can be carried out in a copy."""
    try:
        check_tools(changes_of(candidate.plan, facts.target or "python"))
    except NotTriable:
        return False
    return True


def not_tried(candidate: Candidate, why: NotTriable) -> Proof:
    """The fact that it was not, and why."""
    return proof_about(candidate, ProofResult.NOT_TRIED, reason=why.reason, values=why.values)


def proof_about(candidate: Candidate, result: ProofResult, **more: object) -> Proof:
    """The fact of what came of it."""
    cause, subject, remedy = candidate.key
    about = {"cause": cause, "subject": subject, "remedy": remedy}
    return Proof(origin="a throw-away copy", **about, result=result.value, **more)  # type: ignore[arg-type]
