"""What the runs of models tell: the error of one that failed read like a ticket, and what ran elsewhere than wanted.

The runtime's own words decide between the causes, by the same signatures as for a pasted text. Where a check has found
the same of the same model, the words are added to its finding. A table that a real run refutes is only noted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from checks.causes import cause_of, family_of
from checks.facts import Facts, ModelFacts, ModelRun
from checks.finding import Evidence, Finding, Outcome, Severity, Status
from checks.model_runs import FALLBACK, LINE_SHOWN, PROCESSOR, elsewhere, left_over, plain, telling_line, words_of
from checks.readers.ticket.lines import lines_of
from checks.readers.ticket.signatures import Hit, hits

UNKNOWN = "unknown"
GENERAL = frozenset({UNKNOWN, "user-code-error"})  # what any error can be
NOT_FAILING = "reproducibility"  # the family of causes for which a model runs
LEFT_OUT = "onnx-runtime-op-unimplemented"  # the cause of what a device leaves to the processor ...
LEFT_OUT_BY = {"Edge TPU": "edgetpu-model-not-mapped"}  # ... and of what certain devices do
LIKELY = 0.5  # a wording that is right this often names the cause of the runtime's own error
MOSTLY = 0.5  # part of the time from which on a fallback is worth a warning
LEAST_SURE = 0.7  # a program's own error about this file is no second-hand tale
OPERATORS_SHOWN = 8


def with_runs(facts: Facts, outcomes: Iterable[Outcome]) -> tuple[Outcome, ...]:
    """The outcomes with what the runs of the models tell."""
    known = tuple(outcomes)
    if not any(model.runs for model in facts.models):
        return known
    ran = {(model.path, run.runtime) for model in facts.models for run in model.runs if run.ran}
    known = tuple(_refuted(outcome, ran) for outcome in known)
    for finding in [finding for model in facts.models for finding in _findings(model, facts, known)]:
        known = _merged(known, finding)
    return known


def _findings(model: ModelFacts, facts: Facts, known: Sequence[Outcome]) -> Iterator[Finding]:
    ran = {run.runtime for run in model.runs if run.ran}
    for run in model.runs:
        if run.reason in ("provider-dropped", "delegate-missing", "runtime-broken"):
            continue  # the runtime's own trouble, and told there
        if run.loaded is False or run.ran is False:
            yield from _failed(model, run, facts, known, is_blocking=run.runtime not in ran)
        elif run.ran and run.setting not in PROCESSOR and elsewhere(run) >= FALLBACK:
            yield _fallback(model, run, facts)


# --- a run that failed ------------------------------------------------------------------------------------------------


def _failed(
    model: ModelFacts, run: ModelRun, facts: Facts, known: Sequence[Outcome], *, is_blocking: bool
) -> Iterator[Finding]:
    hit = _told_by(run, facts)
    if hit is not None:
        least = Severity(cause_of(hit.cause).severity)
        yield Finding(
            cause=hit.cause,
            severity=least if is_blocking else Severity.WARNING,
            confidence=max(hit.signature.certainty, LEAST_SURE),
            subject=_subject(model, run),
            evidence=(*_about(model, run, facts), Evidence("clue", _line(hit, run), run.origin)),
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


def _told_by(run: ModelRun, facts: Facts) -> Hit | None:
    """The likeliest cause that the words of the error name; what it says is over others goes before these."""
    if run.error is None:
        return None
    found = [
        each
        for each in hits(lines_of(words_of(run)), (facts,), run.origin)
        if each.signature.certainty >= LIKELY and each.cause not in GENERAL and family_of(each.cause) != NOT_FAILING
    ]
    under = {cause for each in found for cause in each.signature.over if cause != each.cause}
    roots = [each for each in found if each.cause not in under] or found
    return max(roots, key=lambda each: each.signature.certainty, default=None)


def _line(hit: Hit, run: ModelRun) -> str:
    """The line that the signature stands in: whole, since a quoted one begins within the names of the source."""
    return plain(next((line for line in words_of(run).splitlines() if hit.clue in line), hit.clue))


def _is_explained(model: ModelFacts, run: ModelRun, known: Sequence[Outcome]) -> bool:
    """Whether a check has found why this model cannot run there."""
    return any(
        finding.severity is Severity.BLOCKING
        and finding.values.get("model_path") == model.path
        and finding.values.get("runtime") in (run.runtime, "", None)
        for outcome in known
        for finding in outcome.findings
    )


# --- a run that went elsewhere ----------------------------------------------------------------------------------------


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


# --- both -------------------------------------------------------------------------------------------------------------


def _subject(model: ModelFacts, run: ModelRun) -> str:
    return f"{model.path} / {' '.join(filter(None, (run.runtime, run.setting)))}"


def _values(model: ModelFacts, run: ModelRun) -> dict[str, str]:
    return {"model_path": model.path, "runtime": run.runtime, "setting": run.setting}


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
        msgspec.structs.replace(each, severity=Severity.NOTE)
        if each.severity is Severity.BLOCKING
        and (each.values.get("model_path", ""), each.values.get("runtime", "")) in ran
        else each
        for each in outcome.findings
    )
    return msgspec.structs.replace(outcome, findings=findings)


def _merged(outcomes: Sequence[Outcome], finding: Finding) -> tuple[Outcome, ...]:
    """The outcomes with one more finding: beside those of its cause, or added to the one that says the same."""
    for place, outcome in enumerate(outcomes):
        if outcome.cause == finding.cause:
            findings = _with(outcome.findings, finding)
            now = Outcome(cause=outcome.cause, status=Status.FOUND, findings=findings, seconds=outcome.seconds)
            return (*outcomes[:place], now, *outcomes[place + 1 :])
    return (*outcomes, Outcome(cause=finding.cause, status=Status.FOUND, findings=(finding,)))


def _with(findings: Sequence[Finding], told: Finding) -> tuple[Finding, ...]:
    for place, each in enumerate(findings):
        is_same = each.values.get("model_path") == told.values["model_path"]
        if is_same and each.values.get("runtime") in (told.values["runtime"], "", None):
            clues = tuple(clue for clue in told.evidence if clue.name == "clue" and clue not in each.evidence)
            joined = msgspec.structs.replace(
                each,
                evidence=(*each.evidence, *clues),
                confidence=max(each.confidence, told.confidence),
            )
            return (*findings[:place], joined, *findings[place + 1 :])
    return (*findings, told)
