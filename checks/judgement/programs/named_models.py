"""What is wrong with the models that the user's program names.

They were read and not loaded, and nobody saw the program come to them: what would stop a load is a warning here, and
what may merely be of interest is left to who gives the file himself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from checks.causes.registry import all_checks
from checks.facts import Facts, ModelFiles, NamedModel
from checks.facts.finding import FAILED_RUN, Evidence, Finding, Outcome, Severity
from checks.judgement.merging import with_findings_instead
from checks.judgement.one_check import judge_one
from checks.knowledge.catalogue import family_of

_FAMILY = "model"
_CLASS_MISSING = "checkpoint-class-missing"
_MAIN = "__main__."
NOT_DEFINED = 0.9  # a class of the program that wrote the pickle, which the one that reads it does not have


def with_named_models(facts: Facts, outcomes: Sequence[Outcome]) -> tuple[Outcome, ...]:
    """The outcomes, with what was found of these files among them."""
    found = tuple(finding for named in facts.named_models for finding in _findings(named, facts))
    known = {(finding.cause, finding.named("model_path")) for outcome in outcomes for finding in outcome.findings}
    new = [finding for finding in found if (finding.cause, finding.named("model_path")) not in known]
    causes = {finding.cause for finding in new}
    others = [finding for outcome in outcomes for finding in outcome.findings if finding.cause in causes]
    return with_findings_instead(outcomes, (*others, *new)) if new else tuple(outcomes)


def _findings(named: NamedModel, facts: Facts) -> Iterator[Finding]:
    alone = msgspec.structs.replace(facts, models=(named.model,))
    for check in all_checks().values():
        is_of_files = any(kind is ModelFiles for kind, _ in check.wanted.values())
        if not is_of_files or family_of(check.cause) != _FAMILY:
            continue
        for finding in judge_one(check, alone).findings:
            confidence = _sure(finding, named)
            if confidence:
                yield msgspec.structs.replace(
                    finding,
                    severity=Severity.WARNING,
                    confidence=confidence,
                    evidence=(*finding.evidence, Evidence("read_at", named.read_at, named.model.origin)),
                    values={**finding.values, **({FAILED_RUN: named.label} if named.label else {})},
                )


def _sure(finding: Finding, named: NamedModel) -> float:
    """How sure it is that the program fails over it, once it comes to it; 0 where it may do very well."""
    if finding.severity is Severity.BLOCKING:
        return finding.confidence
    if finding.cause != _CLASS_MISSING or named.defined is None:
        return 0.0
    own = [needed.name.removeprefix(_MAIN) for needed in named.model.needs.classes or ()
           if needed.name.startswith(_MAIN)]  # fmt: skip
    return NOT_DEFINED if any(name.partition(".")[0] not in named.defined for name in own) else 0.0
