"""What the runs of models tell: the error of one that failed read like a ticket, and what ran elsewhere than wanted.

The runtime's own words decide between the causes, by the same signatures as for a pasted text. Where a check has found
the same of the same model, the words are added to its finding. A table that a real run refutes is only noted.
"""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from checks.analysis.models.error_cause import cause_in_error, line_of
from checks.analysis.models.runs import FALLBACK, LEAST_SURE, LINE_SHOWN, PROCESSOR, elsewhere, left_over, telling_line
from checks.analysis.models.selected import values_of
from checks.facts import Facts, ModelFacts, ModelRun
from checks.facts.finding import Evidence, Finding, Outcome, Severity
from checks.judgement.merging import with_finding
from checks.knowledge.catalogue import UNKNOWN, cause_of

LEFT_OUT = "onnx-runtime-op-unimplemented"  # the cause of what a device leaves to the processor ...
LEFT_OUT_BY = {"Edge TPU": "edgetpu-model-not-mapped"}  # ... and of what certain devices do
MOSTLY = 0.5  # part of the time from which on a fallback is worth a warning
OPERATORS_SHOWN = 8


def with_runs(facts: Facts, outcomes: Iterable[Outcome]) -> tuple[Outcome, ...]:
    """The outcomes with what the runs of the models tell."""
    known = tuple(outcomes)
    if not any(model.runs for model in facts.models):
        return known
    ran = {(model.path, run.runtime) for model in facts.models for run in model.runs if run.ran}
    known = tuple(_refuted(outcome, ran) for outcome in known)
    for finding in [finding for model in facts.models for finding in _findings(model, facts, known)]:
        known = with_finding(known, finding)
    return known


def _findings(model: ModelFacts, facts: Facts, known: Sequence[Outcome]) -> Iterator[Finding]:
    ran = {run.runtime for run in model.runs if run.ran}
    for run in model.runs:
        if run.reason in ("provider-dropped", "delegate-missing", "runtime-broken"):
            continue  # the runtime's own trouble has its own finding
        if run.loaded is False or run.ran is False:
            yield from _failed(model, run, facts, known, is_blocking=run.runtime not in ran)
        elif run.ran and run.setting not in PROCESSOR and elsewhere(run) >= FALLBACK:
            yield _fallback(model, run, facts)


def _failed(
    model: ModelFacts, run: ModelRun, facts: Facts, known: Sequence[Outcome], *, is_blocking: bool
) -> Iterator[Finding]:
    hit = cause_in_error(run, facts)
    if hit is not None:
        least = Severity(cause_of(hit.cause).severity)
        yield Finding(
            cause=hit.cause,
            severity=least if is_blocking else Severity.WARNING,
            confidence=max(hit.signature.certainty, LEAST_SURE),
            subject=_subject(model, run),
            evidence=(*_about(model, run, facts), Evidence("clue", line_of(hit, run), run.origin)),
            remedies=hit.signature.remedies,
            values={**hit.groups, **_values(model, run)},
        )
    elif not _is_explained(model, run, known):
        yield Finding(
            cause=UNKNOWN,
            severity=Severity.BLOCKING if is_blocking else Severity.WARNING,
            confidence=0.3,
            subject=_subject(model, run),
            evidence=(
                *_about(model, run, facts),
                Evidence("failed_at", model.name, run.origin),
                Evidence("error_text", telling_line(run), run.origin),
            ),
            values=_values(model, run),
        )


def _is_explained(model: ModelFacts, run: ModelRun, known: Sequence[Outcome]) -> bool:
    """Whether a check has found why this model cannot run there."""
    return any(
        finding.severity is Severity.BLOCKING
        and finding.values.get("model_path") == model.path
        and finding.values.get("runtime") in (run.runtime, "", None)
        for outcome in known
        for finding in outcome.findings
    )


def _fallback(model: ModelFacts, run: ModelRun, facts: Facts) -> Finding:
    part = elsewhere(run)
    others = [share for share in run.shares or () if not share.provider.startswith(run.setting)]
    operators = [f"{name} ×{count}" for share in others for name, count in left_over(share).items()]
    reasons = [line for share in others for line in share.reasons.values()]
    return Finding(
        cause=LEFT_OUT_BY.get(run.setting, LEFT_OUT),
        severity=Severity.WARNING if part >= MOSTLY else Severity.NOTE,
        confidence=0.9,
        subject=_subject(model, run),
        evidence=(
            *_about(model, run, facts),
            Evidence("ort_provider", run.setting, run.origin),
            Evidence("ran_on", ", ".join(dict.fromkeys(share.provider for share in others)), run.origin),
            Evidence("operators_elsewhere", ", ".join(operators[:OPERATORS_SHOWN]), run.origin),
            Evidence("time_elsewhere", f"{part:.0%}", run.origin),
            *(Evidence("clue", line[:LINE_SHOWN], run.origin) for line in reasons[:1]),
        ),
        values=_values(model, run),
    )


def _subject(model: ModelFacts, run: ModelRun) -> str:
    return f"{model.path} / {' '.join(filter(None, (run.runtime, run.setting)))}"


def _values(model: ModelFacts, run: ModelRun) -> dict[str, str]:
    return {**values_of(model, run.runtime), "setting": run.setting}


def _about(model: ModelFacts, run: ModelRun, facts: Facts) -> tuple[Evidence, ...]:
    known = dict(facts.frameworks.each()).get(run.runtime) if facts.frameworks else None
    version = known.version if known and known.version else ""
    return (
        Evidence("model", model.name, model.path),
        Evidence("framework", f"{run.runtime} {version}".strip(), run.origin),
    )


def _refuted(outcome: Outcome, ran: set[tuple[str, str]]) -> Outcome:
    """An outcome whose findings say of a model that ran that it cannot run there: only notes."""
    findings = tuple(
        msgspec.structs.replace(finding, severity=Severity.NOTE)
        if finding.severity is Severity.BLOCKING and (finding.named("model_path"), finding.named("runtime")) in ran
        else finding
        for finding in outcome.findings
    )
    return msgspec.structs.replace(outcome, findings=findings)
