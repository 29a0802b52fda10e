"""What the examination of a served model comes to, and the comparison of two.

Words and sentences are keys of resources/words/report.toml.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from checks.analysis.numbers.power import ENOUGH, excluded_rate, rounded_up
from checks.analysis.served.two_servers import compared, unanswered, varying
from checks.analysis.served.variation import Variation
from checks.facts import ServedAspect, ServedFacts, ServedPair, ServedTrial
from checks.facts.case import Case
from checks.facts.finding import Finding, Severity
from checks.judgement.coverage import has_own_error
from checks.judgement.headline import SURE
from checks.judgement.verdict import Decision
from checks.knowledge.phrases import phrase

FAULT = "fault"  # the reason of a trial in which the server answered with an error of its own
_TROUBLE = ("warning", "blocking")  # states of a decision
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
    """The decision on a served model, and the finding that its sentence names; a fault of the server is no success."""
    if served.problem:
        return Decision("nothing-run", "nothing-run", "served-problem"), None
    decision, spoken = _decided(case, served)
    if _has_fault(served) and decision.state not in _TROUBLE:
        decision = Decision("warning", "warning", decision.sentence)
    return decision, spoken


def _has_fault(served: ServedFacts) -> bool:
    ended = ended_by(served)
    return ended is not None and ended.reason == FAULT


def ended_by(served: ServedFacts) -> ServedTrial | None:
    """A trial that the server kept from its end: one with a fault before all; None: only the time did, or nothing."""
    ended = [trial for trial in served.trials if trial.reason not in ("", "no-time")]
    return min(ended, key=lambda trial: trial.reason != FAULT, default=None)


def failures(served: ServedFacts) -> int:
    """How many requests the server answered with a fault of its own, or not at all."""
    return sum(max(1, trial.failed) for trial in served.trials if trial.reason not in ("", "no-time"))


def _decided(case: Case, served: ServedFacts) -> tuple[Decision, Finding | None]:
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
        if best.cause == "served-varies-alone":  # which is what was seen, and no reason for it
            return Decision(best.severity.value, "possible", "served-alone")
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


def is_served_trouble(case: Case) -> bool:
    """Whether a served model fails or varies for more than rounding, or two are apart, or one of them varies alone."""
    if case.facts.served_pair is not None:
        return decide_served_pair(case.facts.served_pair, case).state in _TROUBLE
    return case.facts.served is not None and decide_served(case, case.facts.served)[0].state in _TROUBLE


def decide_served_pair(pair: ServedPair, case: Case) -> Decision:
    """The decision on two served models beside each other; a fault of one of them is no success."""
    decision = _of_pair(pair, case)
    if decision.state not in _TROUBLE and any(map(_has_fault, (pair.first, pair.second))):
        return Decision("warning", "warning", decision.sentence)
    return decision


def _of_pair(pair: ServedPair, case: Case) -> Decision:
    found = compared(pair)
    if not found:
        sentence = "served-pair-unanswered" if unanswered(pair) else "served-pair-nothing"
        return Decision("nothing-run", "nothing-run", sentence)
    if not case.findings and varying(pair):
        return Decision("warning", "warning", "served-pair-varies")
    if not case.findings:
        is_same = all(one.is_same for one in found)
        return Decision("clear" if is_same else "incomplete", "clear" if is_same else "undecided", "served-pair-same")
    is_note = case.findings[0].severity is Severity.NOTE
    return Decision("clear" if is_note else "warning", "explained" if is_note else "warning", "served-pair-apart")
