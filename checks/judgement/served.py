"""What the examination of a served model comes to, and the comparison of two.

Words and sentences are keys of resources/words/report.toml.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from checks.analysis.numbers.power import ENOUGH, excluded_rate, rounded_up
from checks.analysis.served.two_servers import compared, varying
from checks.analysis.served.variation import Variation
from checks.facts import ServedAspect, ServedFacts, ServedPair
from checks.facts.case import Case
from checks.facts.finding import Finding, Severity
from checks.judgement.coverage import has_own_error
from checks.judgement.headline import SURE
from checks.judgement.verdict import Decision
from checks.knowledge.phrases import phrase

_EVEN = 0.5  # a cause that is less likely is only a question


@dataclass(frozen=True)
class Counts:
    """Answers alone and in company, and the rate of others that those alone rule out ("5.9 %")."""

    alone: int
    company: int
    rate: str

    @classmethod
    def of(cls, served: ServedFacts) -> Counts:
        """Those of a served model."""
        alone = Variation(served.of(ServedAspect.ALONE)).calls
        rate = excluded_rate(alone)
        company = Variation(served.of(ServedAspect.COMPANY)).calls
        return cls(alone, company, "" if rate is None else f"{rounded_up(rate)} %")


def decide_served(case: Case, served: ServedFacts) -> tuple[Decision, Finding | None]:
    """The decision on a served model, and the finding that its sentence names."""
    if served.problem:
        return Decision("nothing-run", "nothing-run", "served-problem"), None
    counts = Counts.of(served)
    likely = [finding for finding in case.findings if finding.confidence >= _EVEN]
    if likely:
        spoken = _most_telling(likely)
        return _of_finding(spoken, varies=_varies(served)), spoken
    if _varies(served):
        return Decision("incomplete", "undecided", "served-open"), None
    if not counts.alone:
        return Decision("nothing-run", "nothing-run", "served-nothing"), None
    if not case.complete or has_own_error(case):
        return Decision("incomplete", "incomplete", "served-partly"), None
    if counts.alone < ENOUGH:
        return Decision("incomplete", "too-short", "served-few"), None
    return Decision("clear", "clear", "served-same"), None


def _most_telling(likely: Sequence[Finding]) -> Finding:
    """The first; of notes one by which words change, rather than only numbers."""
    if likely[0].severity is not Severity.NOTE:
        return likely[0]
    return next((finding for finding in likely if finding.values.get("what") == phrase("served-answers")), likely[0])


def _of_finding(best: Finding, *, varies: bool) -> Decision:
    if best.severity is not Severity.NOTE:
        is_sure = best.confidence >= SURE
        return Decision(
            best.severity.value,
            best.severity.value if is_sure else "possible",
            "served-found" if is_sure else "served-maybe",
        )
    return Decision("clear", "explained", "served-normal" if varies else "served-numbers")


def _varies(served: ServedFacts) -> bool:
    """Whether any answer at temperature 0 had another text."""
    return any(trial.others or trial.first_differs for trial in served.trials if not trial.temperature)


def decide_served_pair(pair: ServedPair, case: Case) -> Decision:
    """The decision on two served models beside each other."""
    found = compared(pair)
    if not found:
        return Decision("nothing-run", "nothing-run", "served-pair-nothing")
    if not case.findings and varying(pair):
        return Decision("warning", "warning", "served-pair-varies")
    if not case.findings:
        is_same = all(one.is_same for one in found)
        return Decision("clear" if is_same else "incomplete", "clear" if is_same else "undecided", "served-pair-same")
    is_note = case.findings[0].severity is Severity.NOTE
    return Decision("clear" if is_note else "warning", "explained" if is_note else "warning", "served-pair-apart")
