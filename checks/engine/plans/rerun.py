"""Which of the user's models are run again and compared, in which runtime, and how long: one job each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from checks.analysis.models.runtimes import is_broken, is_installed
from checks.engine.answers import CUT
from checks.engine.catalogues.computations import START, TIMES_BUDGET, measurements_of
from checks.engine.catalogues.models import BYTES_PER_SECOND
from checks.engine.job import Job, Limit, free_bytes, memory_of
from checks.engine.plans.compute import budget_of_models, is_wanted, repeats_models
from checks.engine.plans.load import LARGEST, SEARCH_SECONDS, memory_reason, started, why_not
from checks.engine.processes.runner import Answer
from checks.engine.request import Request
from checks.engine.resume import resume_rerun
from checks.engine.scripts import script_of
from checks.facts import (
    Facts,
    InterpreterFacts,
    Measurement,
    MinimalGraph,
    ModelFacts,
    ModelMeasured,
    QuantisationLoss,
)
from checks.knowledge.formats.model_safety import ModelSafety

SCRIPT = script_of("compute/model/probe")
KIND = "model"  # the probe's id begins with this
LEAST = 3.0  # seconds of a model below which nothing is learned
# A format and the runtimes that can run it again and again with nothing of the file executed but what computes.
RUNTIMES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("onnx", "ort"), ("onnxruntime",)),
    **dict.fromkeys(("torchscript", "pt2"), ("torch",)),
}
EXPECTED_START = 2.0
OTHER_FORMAT = "not-repeatable-format"


@dataclass(frozen=True)
class RerunSpec:
    """A runtime; "" where none can run a format again."""

    runtime: str
    script: Path = SCRIPT


# One model in one runtime.
RerunJob = Job[RerunSpec, tuple[Measurement, ...]]


def rerun_jobs(facts: Facts, request: Request) -> tuple[RerunJob, ...]:
    """Every model in every runtime of the target that can run it, and those for which there is none with the reason.

    The models of ``facts`` come with their trials: what did not run there runs here no better, but for what only lacks
    an input.
    """
    target, effort = facts.target_interpreter, request.answers.effort
    if target is None or not repeats_models(request):
        return ()
    budget = budget_of_models(effort, alone=not is_wanted(request))
    found = [trial for model in facts.models for trial in _of_model(model, facts, target, effort)]
    wanted = sum(not reason for _, _, reason in found)
    most = max(1, int(budget / LEAST))
    seconds = budget / max(1, min(wanted, most))
    jobs = []
    for model, runtime, reason in found:
        most -= not reason
        jobs.append(_job(model, runtime, reason or ("" if most >= 0 else "no-time"), seconds, facts, request))
    return tuple(jobs)


def _of_model(
    model: ModelFacts, facts: Facts, target: InterpreterFacts, effort: str
) -> Iterator[tuple[ModelFacts, str, str]]:
    """(The model, a runtime, why it is not run there)."""
    runtimes = RUNTIMES.get(model.format or "", ())
    installed = [runtime for runtime in runtimes if is_installed(runtime, target)]
    if not runtimes:
        yield model, "", OTHER_FORMAT
    elif not installed:
        yield model, runtimes[0], "no-runtime"
    for runtime in installed:
        yield model, runtime, _reason(model, runtime, facts, effort)


def _reason(model: ModelFacts, runtime: str, facts: Facts, effort: str) -> str:
    if is_broken(runtime, facts):
        return "runtime-broken"
    if why_not(model, effort):
        return "too-large" if (model.size or 0) > LARGEST[effort] else "model-not-run"
    if memory_reason(model, memory_of(facts)):
        return "no-memory"
    runs = [run for run in model.runs if run.runtime == runtime]
    # TorchScript is only loaded in a trial, and what lacked the right input may be given one here.
    failed = [
        run
        for run in runs
        if run.loaded is False or run.reason in CUT or (run.ran is False and run.reason != "inputs-refused")
    ]
    return "model-not-run" if runs and len(failed) == len(runs) else ""


def _job(model: ModelFacts, runtime: str, reason: str, seconds: float, facts: Facts, request: Request) -> RerunJob:
    effort = request.answers.effort
    expected = EXPECTED_START + seconds + (model.size or 0) / BYTES_PER_SECOND
    return RerunJob(
        id=f"{KIND}:{runtime}:{model.name}" if runtime else f"{KIND}:{model.name}",
        spec=RerunSpec(runtime),
        interpreter=facts.target or "",
        argument=_argument(model, runtime, seconds, facts, request),
        limit=Limit(
            START[effort] + TIMES_BUDGET * seconds + SEARCH_SECONDS[effort] + expected, free_bytes(memory_of(facts))
        ),
        read=_read,
        resume=resume_rerun,
        expected_seconds=expected,
        model=model,
        reason=reason,
        seconds={} if reason else {KIND: seconds},
    )


def _argument(model: ModelFacts, runtime: str, seconds: float, facts: Facts, request: Request) -> dict[str, Any]:
    torch = facts.frameworks.torch if facts.frameworks else None
    devices = torch.devices if torch else None
    return {
        "path": str(Path(model.path).absolute()),
        "format": model.format,
        "runtime": runtime,
        "inputs": str(request.inputs.absolute()) if request.inputs else None,
        "providers": started(runtime, facts.frameworks),
        "devices": devices and [device.device for device in devices if device.kernel and device.kernel.ran],
        "effort": request.answers.effort,
        "seconds": seconds,
        "search_seconds": SEARCH_SECONDS[request.answers.effort],
        "safety": ModelSafety.read().for_export(),
        "done": [],
    }


def _read(job: RerunJob, answers: Sequence[Answer]) -> tuple[Measurement, ...]:
    if not answers:
        return (_not_computed(job),)
    measurements = [measurement for answer in answers for measurement in measurements_of(answer, job.origin)]
    return tuple(with_path(measurement, job.model) for measurement in measurements)


def _not_computed(job: RerunJob) -> ModelMeasured:
    model = job.model or ModelFacts()
    return ModelMeasured(
        origin=job.origin,
        framework=job.spec.runtime,
        path=model.path,
        reason=job.reason,
        detail=(model.format or "") if job.reason == OTHER_FORMAT else "",
        inputs=model.inputs or (),
    )


def with_path(measurement: Measurement, model: ModelFacts | None) -> Measurement:
    """A measurement with the model's path as the user gave it: the probe knows the absolute one."""
    if model is None or not isinstance(measurement, (ModelMeasured, MinimalGraph, QuantisationLoss)):
        return measurement
    return msgspec.structs.replace(measurement, path=model.path)
