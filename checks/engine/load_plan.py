"""Which model files are tried in which runtime of the target, and which not, and why: before anything is started."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from checks.analysis.models.runtimes import is_installed
from checks.engine.model_catalogue import BYTES_PER_SECOND, MODEL_PROBES, ModelProbeSpec
from checks.facts import Frameworks, InterpreterFacts, MemoryFacts, ModelFacts
from checks.knowledge.formats.model_safety import model_safety

MOST = 20  # trials in one examination
LARGEST = {"quick": 200_000_000, "standard": 4_000_000_000, "thorough": 1 << 60}  # bytes of a model, by effort
OF_FREE = 0.9  # part of the free memory that a trial may take before it is ended
TIMES_SIZE = 2.5  # memory that a runtime takes for a model: the file, its weights laid out anew, what flows between
SEARCH_SECONDS = {"quick": 10.0, "standard": 30.0, "thorough": 60.0}  # for finding inputs that the model takes
# Formats of which nothing but names and numbers is read into memory at once.
WEIGHTS_STAY = ("torch-zip", "safetensors", "gguf")


@dataclass(frozen=True)
class Trial:
    """A model and a runtime. ``reason``: an id [reason-...] of models.toml where it is not tried; "" where it is."""

    id: str
    model: ModelFacts
    spec: ModelProbeSpec
    reason: str = ""

    @property
    def expected_seconds(self) -> float:
        """How long it may take."""
        return self.spec.expected_seconds + (self.model.size or 0) / BYTES_PER_SECOND


def trials(models: Sequence[ModelFacts], target: InterpreterFacts, effort: str) -> tuple[Trial, ...]:
    """All pairs of a model and a runtime of the target that reads its format, in the order in which they are tried."""
    found: list[Trial] = []
    names: set[str] = set()
    tried = 0
    for model in models:
        for spec in _specs(model, target):
            reason = why_not(model, effort) or ("too-many" if tried >= MOST else "")
            tried += not reason
            found.append(Trial(_named(spec, model, names), model, spec, reason))
    return tuple(found)


def memory_reason(model: ModelFacts, memory: MemoryFacts | None) -> str:
    """Why a model is not tried on this machine: "no-memory", or "" where it fits or nobody knows."""
    known = _free(memory)
    if not known or model.size is None or model.format in WEIGHTS_STAY:
        return ""
    return "no-memory" if model.size * TIMES_SIZE > min(known) else ""


def memory_limit(memory: MemoryFacts | None, free: int) -> int:
    """Bytes that a trial may take. ``free``: what the system has now; the facts are from when nothing ran yet."""
    return int(min([free, *_free(memory)]) * OF_FREE)


def _free(memory: MemoryFacts | None) -> list[int]:
    return [each for each in (memory.available, memory.limit) if each is not None] if memory else []


def argument(trial: Trial, frameworks: Frameworks | None, effort: str) -> dict[str, Any]:
    """What its probe is told."""
    return {
        "path": str(Path(trial.model.path).absolute()),
        "format": trial.model.format,
        "runtime": trial.spec.runtime,
        "providers": started(trial.spec.runtime, frameworks),
        "seconds": SEARCH_SECONDS[effort],
        **({"safety": model_safety().for_probe()} if trial.spec.stem == "model/tensorflow" else {}),
    }


def _by_name(frameworks: Frameworks | None) -> Mapping[str, Any]:
    return dict(frameworks.each()) if frameworks else {}


def started(runtime: str, frameworks: Frameworks | None) -> list[str] | None:
    """The providers or devices that work; None: not known, so that all are tried."""
    known = _by_name(frameworks).get(runtime)
    providers = getattr(known, "providers", None)
    return None if providers is None else [provider.name for provider in providers if provider.started is not False]


def _specs(model: ModelFacts, target: InterpreterFacts) -> Iterator[ModelProbeSpec]:
    taken: set[str] = set()  # TensorFlow brings Keras along, or is brought along: one of them is enough
    for spec in sorted(MODEL_PROBES, key=lambda each: each.runtime == "tensorflow"):
        if model.format not in spec.formats or not is_installed(spec.runtime, target):
            continue
        if spec.stem == "model/tensorflow" and spec.stem in taken:
            continue
        taken.add(spec.stem)
        yield spec


def why_not(model: ModelFacts, effort: str) -> str:
    """Why a model is given to no program at all; "" where nothing speaks against it."""
    if any(each.risk == "dangerous" for each in model.needs.classes or ()):
        return "dangerous"
    if not Path(model.path).exists():
        return "in-archive"
    if model.problem:
        return "not-read"
    return "too-large" if (model.size or 0) > LARGEST[effort] else ""


def _named(spec: ModelProbeSpec, model: ModelFacts, names: set[str]) -> str:
    """An id that a user can read: the runtime, and the file's name or, where two files have it, its path."""
    name = f"{spec.runtime}:{model.name}"
    if name in names:
        name = f"{spec.runtime}:{model.path}"
    while name in names:
        name += "'"
    names.add(name)
    return name
