"""Which model is exported by which exporter of the target, and what an answer of the probe says of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from checks.engine.load_plan import SEARCH_SECONDS, memory_reason, why_not
from checks.engine.model_catalogue import (
    BYTES_PER_SECOND,
    TOLD,
    crash_of,
    kept_error,
    kept_log,
    stage_error,
    told_fields,
)
from checks.engine.processes.runner import Answer
from checks.engine.scripts import name_of, script_of
from checks.facts import ExportRun, InterpreterFacts, MemoryFacts, ModelFacts
from checks.knowledge.formats.model_safety import model_safety
from checks.knowledge.frameworks.exporters import Exporter, Fit, exporter_of, exporters_for, fit_of

SCRIPT = script_of("export/probe")
LIMITS = {"quick": 120.0, "standard": 600.0, "thorough": 1800.0}  # seconds, by effort
EXPECTED_SECONDS = 15.0  # for a small model, the import included
TIMES_SIZE = 3  # an export holds the weights more often than an inference does
# Of the exporters that nobody named those are tried that may work.
_TRIED = ("fits", "untested")
_DIED = {"original": "loaded", "export": "exported", "compare": "ran"}  # what did not succeed, by the stage of a crash


@dataclass(frozen=True)
class ExportTrial:
    """A model and an exporter. ``reason``: an id [reason-...] of models.toml where it is not tried; "" where it is."""

    id: str
    model: ModelFacts
    exporter: str
    fit: Fit | None
    reason: str = ""

    @property
    def expected_seconds(self) -> float:
        """How long it may take."""
        return EXPECTED_SECONDS + TIMES_SIZE * (self.model.size or 0) / BYTES_PER_SECOND


def export_trials(
    models: Sequence[ModelFacts], target: InterpreterFacts, effort: str, wanted: Sequence[str] | None
) -> tuple[ExportTrial, ...]:
    """All pairs of a model and an exporter. ``wanted``: ids of exporters; (): those that fit; None: none."""
    if wanted is None:
        return ()
    return tuple(each for model in models for each in _of_model(model, models, target, effort, wanted))


def _of_model(
    model: ModelFacts, models: Sequence[ModelFacts], target: InterpreterFacts, effort: str, wanted: Sequence[str]
) -> Iterator[ExportTrial]:
    name = model.path if [each.name for each in models].count(model.name) > 1 else model.name
    able = exporters_for(model.format or "")
    named = [each for name in wanted if (each := exporter_of(name)) is not None]
    told = 0
    for exporter in named or able:
        fit = fit_of(exporter, model.format or "", target)
        reason = _reason(exporter, fit, model, effort, is_named=bool(named))
        if named or fit.state != "not-installed":
            told += 1
            yield ExportTrial(f"{exporter.id}:{name}", model, exporter.id, fit, reason)
    if not told:
        yield ExportTrial(f"export:{name}", model, "", None, "no-exporter" if able else "export-other-format")


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


def reason_now(trial: ExportTrial, memory: MemoryFacts | None) -> str:
    """Why it is not tried on this machine after all; "" where it is."""
    if trial.reason:
        return trial.reason
    larger = msgspec.structs.replace(trial.model, size=(trial.model.size or 0) * TIMES_SIZE)
    return memory_reason(larger, memory)


def argument(trial: ExportTrial, effort: str, inputs: Path | None) -> dict[str, Any]:
    """What its probe is told."""
    return {
        "path": str(Path(trial.model.path).absolute()),
        "format": trial.model.format,
        "exporter": trial.exporter,
        "inputs": str(inputs.absolute()) if inputs else None,
        "seconds": SEARCH_SECONDS[effort],
        "safety": model_safety().for_export(),
    }


def time_limit(effort: str, size: int | None) -> float:
    """Seconds after which an export is ended."""
    return LIMITS[effort] + TIMES_SIZE * (size or 0) / BYTES_PER_SECOND


def not_exported(trial: ExportTrial, reason: str) -> ExportRun:
    """The fact of an exporter that was not tried."""
    fit = trial.fit
    if fit is None:
        return ExportRun(exporter=trial.exporter, reason=reason)
    return ExportRun(exporter=trial.exporter, reason=reason, versions=fit.versions, fit=fit.state, unmet=fit.unmet)


def export_of(answer: Answer, trial: ExportTrial) -> ExportRun:
    """What came of it. What had begun and not ended gets the end of the process as its own."""
    told = answer.facts.get("export")
    values, unread = told_fields(ExportRun, told) if isinstance(told, dict) else ({}, {})
    blank = not_exported(trial, "")
    known = {name: getattr(blank, name) for name in ("exporter", "versions", "fit", "unmet")}
    origin = f"{name_of(SCRIPT)} in {answer.run.interpreter}"
    run = ExportRun(**{**values, **known}, origin=origin, unread=unread)
    run = msgspec.structs.replace(run, error=kept_error(run.error), log=kept_log(run.log))
    ended = answer.run.status if answer.run.status in TOLD else None
    if ended == "crashed":
        log = kept_log(answer.run.stderr_tail)
        state = {_DIED[run.stage]: False} if run.stage in _DIED else {}
        return msgspec.structs.replace(run, reason=ended, error=crash_of(answer), log=run.log or log, **state)
    if ended is not None:
        return msgspec.structs.replace(run, reason=ended, memory_limit=answer.run.memory_limit)
    if answer.run.status != "ok":
        return msgspec.structs.replace(run, reason="runtime-broken", error=run.error or stage_error(answer))
    return run
