"""Which difference of a model is cut down to its smallest part: the worst that its runs showed, one for each model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from checks.analysis.models.repeats import LOST, decides_otherwise, of_models, size_of
from checks.analysis.numbers.magnitude import Size
from checks.engine.answers import CUT
from checks.engine.catalogues.computations import START, TIMES_BUDGET, measurements_of
from checks.engine.job import Job, Limit, free_bytes, memory_of
from checks.engine.plans.load import SEARCH_SECONDS
from checks.engine.plans.rerun import with_path
from checks.engine.processes.runner import Answer
from checks.engine.scripts import script_of
from checks.facts import Facts, Measurement, Measurements, MinimalGraph, ModelFacts, ModelMeasured

SCRIPT = script_of("compute/model/minimal/probe")
KIND = "minimal"  # the job's id begins with this
SECONDS = {"quick": 30.0, "standard": 120.0, "thorough": 900.0}  # by effort
RUNTIME, FORMAT, CPU, DEFAULT = "onnxruntime", "onnx", "CPUExecutionProvider", "default"
_COMPARED = ("device", "level", "threads", "deterministic")  # what gives the same but for rounding
_ROUNDING = 1  # the least rank
_FAILED = frozenset({"failed", *CUT})


@dataclass(frozen=True)
class MinimalSpec:
    """The probe."""

    script: Path = SCRIPT


MinimalJob = Job[MinimalSpec, tuple[Measurement, ...]]


@dataclass(frozen=True)
class Suspect:
    """Two settings under which a model gives different results: as the probe's argument takes them."""

    first: Mapping[str, str]
    second: Mapping[str, str] | None
    node: str = ""


def suspects(facts: Facts, beside: str = "") -> dict[str, Suspect]:
    """Path of a model -> what is cut down of it. ``beside``: a second Python; then it is compared with the first."""
    models = [model for model in facts.models if model.format == FORMAT and not model.problem]
    if beside:
        sides = _side(CPU, DEFAULT), {**_side(CPU, DEFAULT), "python": str(Path(beside).absolute())}
        return {model.path: Suspect(*sides) for model in models}
    found = {}
    for model in models:
        runs = [run for run in facts.measurements if isinstance(run, ModelMeasured) and run.path == model.path]
        worst = max((run for run in runs if run.framework == RUNTIME), key=_rank, default=None)
        if worst is not None and _rank(worst):
            found[model.path] = _suspect(worst)
    return found


def is_any_telling(facts: Facts) -> bool:
    """Whether a model shows more than another order of sums, which is as it has to be."""
    runs = (run for run in facts.measurements if isinstance(run, ModelMeasured) and run.framework == RUNTIME)
    return bool(suspects(facts)) and any(_rank(run) > _ROUNDING for run in runs)


def _rank(run: ModelMeasured) -> int:
    """How much a comparison is worth being cut down; 0: it shows nothing, or nothing that a part could."""
    if run.aspect == LOST:
        return 4 if run.lost is not None and run.lost.source == "node" else 0
    if run.aspect not in _COMPARED:
        return 0
    if run.reason in _FAILED:
        return 3 if run.error is not None else 0
    if not of_models(Measurements(all=(run,)), run.aspect):
        return 0
    size = size_of(run)
    if size is Size.BEYOND:
        return 5
    if decides_otherwise(run):
        return 2
    return _ROUNDING if run.difference is not None and run.difference.differing else 0


def _suspect(run: ModelMeasured) -> Suspect:
    if run.lost is not None:
        return Suspect(_side(run.device, run.setting), None, run.lost.node)
    first = _side(run.other, DEFAULT) if run.aspect == "device" else _side(run.device, run.other)
    return Suspect(first, _side(run.device, run.setting))


def _side(device: str, setting: str) -> dict[str, str]:
    return {"device": device, "setting": setting}


def minimal_job(
    model: ModelFacts, suspect: Suspect, folder: Path, facts: Facts, effort: str, inputs: Path | None
) -> MinimalJob:
    """The job that looks for the smallest part of a model, and writes it to a folder that is not there yet."""
    seconds = SECONDS[effort]
    return MinimalJob(
        id=f"{KIND}:{model.name}",
        spec=MinimalSpec(),
        interpreter=facts.target or "",
        argument={
            "path": str(Path(model.path).absolute()),
            "format": model.format,
            "inputs": str(inputs.absolute()) if inputs else None,
            "first": suspect.first,
            "second": suspect.second,
            "node": suspect.node,
            "folder": str(folder.absolute()),
            "seconds": seconds,
            "search_seconds": SEARCH_SECONDS[effort],
        },
        limit=Limit(START[effort] + TIMES_BUDGET * seconds, free_bytes(memory_of(facts))),
        read=_read,
        expected_seconds=seconds / 4,
        model=model,
        seconds={KIND: seconds},
    )


def _read(job: MinimalJob, answers: Sequence[Answer]) -> tuple[Measurement, ...]:
    found = (measurement for answer in answers for measurement in measurements_of(answer, job.origin))
    return tuple(with_path(measurement, job.model) for measurement in found if isinstance(measurement, MinimalGraph))
