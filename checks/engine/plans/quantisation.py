"""Which quantised models are compared with their float ones, layer by layer, or looked at alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from checks.analysis.models.runtimes import is_broken, is_installed
from checks.engine.catalogues.computations import START, TIMES_BUDGET, measurements_of
from checks.engine.job import Job, Limit, free_bytes, memory_of
from checks.engine.plans.compute import repeats_models
from checks.engine.plans.load import SEARCH_SECONDS, memory_reason, why_not
from checks.engine.plans.rerun import with_path
from checks.engine.processes.runner import Answer
from checks.engine.request import Request
from checks.engine.scripts import script_of
from checks.facts import Facts, Measurement, ModelFacts, QuantisationLoss, WeightLoss

SCRIPT = script_of("compute/model/quantisation/probe")
KIND = "quantisation"  # the job's id begins with this
RUNTIME, FORMAT = "onnxruntime", "onnx"
_FORMATS = (FORMAT, "gguf")  # of the second, which no library runs layer by layer, the weights are compared
SECONDS = {"quick": 20.0, "standard": 60.0, "thorough": 300.0}  # by effort
WEIGHTS_ONLY = "weights-only"
_HALF = "float16"


@dataclass(frozen=True)
class QuantisationSpec:
    """The probe."""

    script: Path = SCRIPT


QuantisationJob = Job[QuantisationSpec, tuple[Measurement, ...]]


def pair_of(models: Sequence[ModelFacts]) -> tuple[ModelFacts | None, ModelFacts] | None:
    """(The float model or None, the quantised one) of what was given: two of them, or one by itself."""
    known = [model for model in models if model.format in _FORMATS and not model.problem]
    if len(models) != len(known) or len(known) not in (1, 2) or len({model.format for model in known}) != 1:
        return None
    shorter = [model for model in known if model.quantization or _is_half(model)]
    if len(shorter) != 1 or (len(known) == 1 and (not shorter[0].quantization or known[0].format != FORMAT)):
        return None
    return next((model for model in known if model is not shorter[0]), None), shorter[0]


def _is_half(model: ModelFacts) -> bool:
    """Whether most of its weights are in half precision."""
    counts = model.dtypes or {}
    return counts.get(_HALF, 0) > sum(counts.values()) / 2


def quantisation_jobs(facts: Facts, request: Request) -> tuple[QuantisationJob, ...]:
    """The job for the models that were given; one alone is looked at where it is run again anyway."""
    pair, target = pair_of(facts.models), facts.target_interpreter
    if pair is None or target is None or target.problem is not None or not is_installed(RUNTIME, target):
        return ()
    first, second = pair
    if second.format != FORMAT or (first is None and not repeats_models(request)):
        return ()
    effort = request.answers.effort
    seconds = SECONDS[effort]
    reasons = (_reason(model, facts, effort) for model in pair if model is not None)
    reason = next((reason for reason in reasons if reason), "")
    return (
        QuantisationJob(
            id=f"{KIND}:{second.name}",
            spec=QuantisationSpec(),
            interpreter=facts.target or "",
            argument={
                "path": str(Path(second.path).absolute()),
                "first": str(Path(first.path).absolute()) if first else None,
                "format": FORMAT,
                "inputs": str(request.inputs.absolute()) if request.inputs else None,
                "seconds": seconds,
                "search_seconds": SEARCH_SECONDS[effort],
            },
            limit=Limit(START[effort] + TIMES_BUDGET * seconds, free_bytes(memory_of(facts))),
            read=_read,
            expected_seconds=seconds / 4,
            model=second,
            reason=reason,
            seconds={} if reason else {KIND: seconds},
        ),
    )


def _reason(model: ModelFacts, facts: Facts, effort: str) -> str:
    if is_broken(RUNTIME, facts):
        return "runtime-broken"
    return why_not(model, effort) or memory_reason(model, memory_of(facts))


def _read(job: QuantisationJob, answers: Sequence[Answer]) -> tuple[Measurement, ...]:
    found = (measurement for answer in answers for measurement in measurements_of(answer, job.origin))
    return tuple(with_path(one, job.model) for one in found if isinstance(one, QuantisationLoss))


def with_weights(facts: Facts, losses: tuple[WeightLoss, ...]) -> Facts:
    """The facts with what the files tell of the weights; where nothing was run that is all there is."""
    pair = pair_of(facts.models)
    if pair is None or not losses:
        return facts
    first, second = pair
    path, runtime = first.path if first else "", RUNTIME if second.format == FORMAT else ""
    measured = [
        msgspec.structs.replace(one, weights=losses, first=path) if isinstance(one, QuantisationLoss) else one
        for one in facts.measurements
    ]
    if not any(isinstance(one, QuantisationLoss) for one in measured):
        unrun = QuantisationLoss(origin=second.name, framework=runtime, path=second.path, reason=WEIGHTS_ONLY)
        measured.append(msgspec.structs.replace(unrun, first=path, weights=losses))
    return msgspec.structs.replace(facts, measurements=tuple(measured))
