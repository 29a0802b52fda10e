"""Outcomes with further findings: of what a model's run or a text says beside the checks."""

from collections.abc import Sequence

import msgspec

from checks.facts.finding import CLUE, Finding, Outcome, Status


def with_finding(outcomes: Sequence[Outcome], finding: Finding) -> tuple[Outcome, ...]:
    """The outcomes with one more finding about a model, added to the finding that says the same of it, if any does."""
    for index, outcome in enumerate(outcomes):
        if outcome.cause == finding.cause:
            findings = _merged(outcome.findings, finding)
            found = Outcome(cause=outcome.cause, status=Status.FOUND, findings=findings, seconds=outcome.seconds)
            return (*outcomes[:index], found, *outcomes[index + 1 :])
    return (*outcomes, *_found([finding]))


def with_findings_instead(outcomes: Sequence[Outcome], findings: Sequence[Finding]) -> tuple[Outcome, ...]:
    """The outcomes, with these findings in the place of all that were found of the same causes."""
    causes = {finding.cause for finding in findings}
    others = (outcome for outcome in outcomes if outcome.status is not Status.FOUND or outcome.cause not in causes)
    return (*others, *_found(findings))


def _merged(findings: Sequence[Finding], new: Finding) -> tuple[Finding, ...]:
    for index, finding in enumerate(findings):
        is_same_model = finding.values.get("model_path") == new.values["model_path"]
        if is_same_model and finding.values.get("runtime") in (new.values["runtime"], "", None):
            clues = tuple(clue for clue in new.evidence if clue.name == CLUE and clue not in finding.evidence)
            merged = msgspec.structs.replace(
                finding, evidence=(*finding.evidence, *clues), confidence=max(finding.confidence, new.confidence)
            )
            return (*findings[:index], merged, *findings[index + 1 :])
    return (*findings, new)


def _found(findings: Sequence[Finding]) -> list[Outcome]:
    by_cause: dict[str, list[Finding]] = {}
    for finding in findings:
        by_cause.setdefault(finding.cause, []).append(finding)
    return [Outcome(cause=cause, status=Status.FOUND, findings=tuple(of_cause)) for cause, of_cause in by_cause.items()]
