"""Weights that hold NaN, and outputs that have it from these: one trouble, which is told once."""

from collections.abc import Sequence

import msgspec

from checks.facts.finding import MEASURED_MODEL, Finding, Outcome

_IN_WEIGHTS, _IN_OUTPUTS = "weights-not-finite", "non-finite-output"
_SHOWN = "not_finite_weights"  # the evidence that names the weights


def told_once(outcomes: Sequence[Outcome]) -> tuple[Outcome, ...]:
    """The outcomes; of a model whose outputs were seen to have NaN from its weights that finding alone, with both.

    The other check found it, too, and stays among those that decided.
    """
    findings = [finding for outcome in outcomes for finding in outcome.findings]
    from_weights = {
        finding.named(MEASURED_MODEL)
        for finding in findings
        if finding.cause == _IN_OUTPUTS and finding.named("lost_source") == "weight"
    }
    told = {
        finding.subject: finding
        for finding in findings
        if finding.cause == _IN_WEIGHTS and finding.subject in from_weights
    }
    return tuple(_without(outcome, told) for outcome in outcomes) if told else tuple(outcomes)


def _without(outcome: Outcome, told: dict[str, Finding]) -> Outcome:
    if outcome.cause == _IN_WEIGHTS:
        left = tuple(finding for finding in outcome.findings if finding.subject not in told)
        return msgspec.structs.replace(outcome, findings=left)
    if outcome.cause != _IN_OUTPUTS:
        return outcome
    return msgspec.structs.replace(
        outcome, findings=tuple(_with_weights(finding, told) for finding in outcome.findings)
    )


def _with_weights(finding: Finding, told: dict[str, Finding]) -> Finding:
    weights = told.get(finding.named(MEASURED_MODEL))
    if weights is None or finding.named("lost_source") != "weight":
        return finding
    shown = tuple(evidence for evidence in weights.evidence if evidence.name == _SHOWN)
    return msgspec.structs.replace(finding, evidence=(*finding.evidence, *shown))
