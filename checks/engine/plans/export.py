"""Which model is exported by which exporter of the target, and how the answer of the probe is read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from checks.engine.answers import ENDS, crash_of, fields_of, kept_error, kept_log, stage_error
from checks.engine.catalogues.models import BYTES_PER_SECOND
from checks.engine.job import Job, Limit, free_bytes, memory_of
from checks.engine.plans.load import SEARCH_SECONDS, memory_reason, why_not
from checks.engine.processes.runner import Answer
from checks.engine.request import Request
from checks.engine.scripts import name_of, script_of
from checks.facts import ExportRun, Facts, InterpreterFacts, ModelFacts
from checks.knowledge.formats.model_safety import ModelSafety
from checks.knowledge.frameworks.exporters import Exporter, Fit, exporter_of, exporters_for, fit_of

SCRIPT = script_of("export/probe")
LIMITS = {"quick": 120.0, "standard": 600.0, "thorough": 1800.0}  # seconds, by effort
EXPECTED_SECONDS = 15.0  # for a small model, the import included
TIMES_SIZE = 3  # an export holds the weights more often than an inference does
# Of the exporters that nobody named those are tried that may work.
_TRIED = ("fits", "untested")
_DIED = {"original": "loaded", "export": "exported", "compare": "ran"}  # what did not succeed, by the stage of a crash


@dataclass(frozen=True)
class ExportSpec:
    """An exporter by its id in exporters.toml; "" and None where no exporter takes a format."""

    exporter: str
    fit: Fit | None = None
    script: Path = SCRIPT


# One model by one exporter.
ExportJob = Job[ExportSpec, ExportRun]


def export_jobs(facts: Facts, request: Request) -> tuple[ExportJob, ...]:
    """All pairs of a model and an exporter that the request asks for."""
    target = facts.target_interpreter
    if target is None or target.problem is not None or request.exports is None:
        return ()
    names = [model.name for model in facts.models]
    return tuple(
        _job(spec, model, model.path if names.count(model.name) > 1 else model.name, reason, facts, request)
        for model in facts.models
        for spec, reason in _specs(model, target, request.answers.effort, request.exports)
    )


def _specs(
    model: ModelFacts, target: InterpreterFacts, effort: str, wanted: Sequence[str]
) -> Iterator[tuple[ExportSpec, str]]:
    """(An exporter, why it is not tried) for each that is wanted, by default for each that is installed."""
    able = exporters_for(model.format or "")
    named = [exporter for name in wanted if (exporter := exporter_of(name)) is not None]
    is_listed = False
    for exporter in named or able:
        fit = fit_of(exporter, model.format or "", target)
        if named or fit.state != "not-installed":
            is_listed = True
            yield ExportSpec(exporter.id, fit), _reason(exporter, fit, model, effort, is_named=bool(named))
    if not is_listed:
        yield ExportSpec(""), "no-exporter" if able else "export-other-format"


def _job(spec: ExportSpec, model: ModelFacts, name: str, reason: str, facts: Facts, request: Request) -> ExportJob:
    effort, inputs = request.answers.effort, request.inputs
    memory = memory_of(facts)
    size = TIMES_SIZE * (model.size or 0)
    seconds = size / BYTES_PER_SECOND
    return ExportJob(
        id=f"{spec.exporter or 'export'}:{name}",
        spec=spec,
        interpreter=facts.target or "",
        argument={
            "path": str(Path(model.path).absolute()),
            "format": model.format,
            "exporter": spec.exporter,
            "inputs": str(inputs.absolute()) if inputs else None,
            "seconds": SEARCH_SECONDS[effort],
            "safety": ModelSafety.read().for_export(),
        },
        limit=Limit(LIMITS[effort] + seconds, free_bytes(memory)),
        read=_read,
        expected_seconds=EXPECTED_SECONDS + seconds,
        model=model,
        reason=reason or memory_reason(msgspec.structs.replace(model, size=size), memory),
    )


def _reason(exporter: Exporter, fit: Fit, model: ModelFacts, effort: str, *, is_named: bool) -> str:
    if model.format not in exporter.formats:
        return "export-other-format"
    if fit.state == "unknown":
        return "packages-unread"
    if fit.state == "not-installed":
        return "exporter-not-installed"
    if fit.state not in _TRIED and not is_named:
        return "exporter-misfit"
    return why_not(model, effort) or ("" if exporter.tried else "exporter-not-tried")


def _read(job: ExportJob, answers: Sequence[Answer]) -> ExportRun:
    return export_of(answers[-1], job.spec) if answers else not_exported(job.spec, job.reason)


def not_exported(spec: ExportSpec, reason: str) -> ExportRun:
    """The fact of an exporter that was not tried."""
    fit = spec.fit
    if fit is None:
        return ExportRun(exporter=spec.exporter, reason=reason)
    return ExportRun(exporter=spec.exporter, reason=reason, versions=fit.versions, fit=fit.state, unmet=fit.unmet)


def export_of(answer: Answer, spec: ExportSpec) -> ExportRun:
    """The export that an answer reports. What began and did not end gets the end of the process as its own."""
    reported = answer.facts.get("export")
    values, unread = fields_of(ExportRun, reported) if isinstance(reported, dict) else ({}, {})
    blank = not_exported(spec, "")
    known = {name: getattr(blank, name) for name in ("exporter", "versions", "fit", "unmet")}
    origin = f"{name_of(SCRIPT)} in {answer.run.interpreter}"
    run = ExportRun(**{**values, **known}, origin=origin, unread=unread)
    run = msgspec.structs.replace(run, error=kept_error(run.error), log=kept_log(run.log))
    ended = answer.run.status if answer.run.status in ENDS else None
    if ended == "crashed":
        log = kept_log(answer.run.stderr_tail)
        state = {_DIED[run.stage]: False} if run.stage in _DIED else {}
        return msgspec.structs.replace(run, reason=ended, error=crash_of(answer), log=run.log or log, **state)
    if ended is not None:
        return msgspec.structs.replace(run, reason=ended, memory_limit=answer.run.memory_limit)
    if answer.run.status != "ok":
        return msgspec.structs.replace(run, reason="runtime-broken", error=run.error or stage_error(answer))
    return run
