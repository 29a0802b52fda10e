"""Which model files are loaded in which runtime of the target, and which not, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from checks.analysis.models.runtimes import is_broken, is_installed
from checks.engine.catalogues.models import BYTES_PER_SECOND, MODEL_PROBES, ModelProbeSpec, runs_of, time_limit
from checks.engine.job import Job, Limit, free_bytes, memory_of
from checks.engine.processes.runner import Answer
from checks.engine.request import Request
from checks.facts import Facts, Frameworks, InterpreterFacts, MemoryFacts, ModelFacts, ModelRun
from checks.knowledge.formats.model_safety import ModelSafety

MOST = 20  # trials in one examination
LARGEST = {"quick": 200_000_000, "standard": 4_000_000_000, "thorough": 1 << 60}  # bytes of a model, by effort
TIMES_SIZE = 2.5  # memory that a runtime takes for a model: the file, its weights laid out anew, what flows between
SEARCH_SECONDS = {"quick": 10.0, "standard": 30.0, "thorough": 60.0}  # for finding inputs that the model takes
# Formats of which nothing but names and numbers is read into memory at once.
WEIGHTS_STAY = ("torch-zip", "safetensors", "gguf")
_GRAPHS = "model/tensorflow"  # the script that is given the list of harmless operators

# One model in one runtime.
LoadJob = Job[ModelProbeSpec, tuple[ModelRun, ...]]


def load_jobs(facts: Facts, request: Request) -> tuple[LoadJob, ...]:
    """All pairs of a model and a runtime of the target that reads its format, in the order in which they are tried."""
    target, effort = facts.target_interpreter, request.answers.effort
    if target is None or target.problem is not None:
        return ()
    memory = memory_of(facts)
    jobs: list[LoadJob] = []
    names: set[str] = set()
    tried = 0
    for model in facts.models:
        for spec in _specs(model, target):
            reason = why_not(model, effort) or ("too-many" if tried >= MOST else "")
            tried += not reason
            broken = "runtime-broken" if is_broken(spec.runtime, facts) else ""
            job = LoadJob(
                id=_name(spec, model, names),
                spec=spec,
                interpreter=target.path,
                argument=_argument(spec, model, facts.frameworks, effort),
                limit=Limit(time_limit(effort, model.size), free_bytes(memory)),
                read=_read,
                expected_seconds=spec.expected_seconds + (model.size or 0) / BYTES_PER_SECOND,
                model=model,
                reason=reason or broken or memory_reason(model, memory),
            )
            jobs.append(job)
    return tuple(jobs)


def _read(job: LoadJob, answers: Sequence[Answer]) -> tuple[ModelRun, ...]:
    return runs_of(answers[-1], job.spec) if answers else (ModelRun(runtime=job.spec.runtime, reason=job.reason),)


def memory_reason(model: ModelFacts, memory: MemoryFacts | None) -> str:
    """Why a model is not tried on this machine: "no-memory", or "" where it fits or nobody knows."""
    if model.size is None or model.format in WEIGHTS_STAY:
        return ""
    return "no-memory" if model.size * TIMES_SIZE > free_bytes(memory) else ""


def _argument(spec: ModelProbeSpec, model: ModelFacts, frameworks: Frameworks | None, effort: str) -> dict[str, Any]:
    return {
        "path": str(Path(model.path).absolute()),
        "format": model.format,
        "runtime": spec.runtime,
        "providers": started(spec.runtime, frameworks),
        "seconds": SEARCH_SECONDS[effort],
        **({"safety": ModelSafety.read().for_probe()} if spec.stem == _GRAPHS else {}),
    }


def started(runtime: str, frameworks: Frameworks | None) -> list[str] | None:
    """The providers or devices that work; None: not known, so that all are tried."""
    known = dict(frameworks.each()).get(runtime) if frameworks else None
    providers = getattr(known, "providers", None)
    return None if providers is None else [provider.name for provider in providers if provider.started is not False]


def _specs(model: ModelFacts, target: InterpreterFacts) -> Iterator[ModelProbeSpec]:
    taken: set[str] = set()  # TensorFlow brings Keras along, or is brought along: one of them is enough
    for spec in sorted(MODEL_PROBES, key=lambda spec: spec.runtime == "tensorflow"):
        if model.format not in spec.formats or not is_installed(spec.runtime, target):
            continue
        if spec.stem == _GRAPHS and spec.stem in taken:
            continue
        taken.add(spec.stem)
        yield spec


def why_not(model: ModelFacts, effort: str) -> str:
    """Why a model is given to no program at all; "" where nothing speaks against it."""
    if any(named.risk == "dangerous" for named in model.needs.classes or ()):
        return "dangerous"
    if not Path(model.path).exists():
        return "in-archive"
    if model.problem:
        return "not-read"
    return "too-large" if (model.size or 0) > LARGEST[effort] else ""


def _name(spec: ModelProbeSpec, model: ModelFacts, names: set[str]) -> str:
    """An id that a user can read: the runtime, and the file's name or, where two files have it, its path."""
    name = f"{spec.runtime}:{model.name}"
    if name in names:
        name = f"{spec.runtime}:{model.path}"
    while name in names:
        name += "'"
    names.add(name)
    return name
