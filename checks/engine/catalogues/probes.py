"""The table of probes: what each asks, when it is worth asking, how long it may take, and which fact it gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from checks.engine.answers import fields_of
from checks.engine.processes.runner import Answer
from checks.engine.scripts import name_of, script_of
from checks.facts import (
    CoreMlToolsFacts,
    EnvironmentVariables,
    Fact,
    FrameworkFacts,
    JaxFacts,
    LiteRtFacts,
    OnnxRuntimeFacts,
    OpenVinoFacts,
    TensorFlowFacts,
    TensorRtFacts,
    TorchFacts,
)
from checks.knowledge.packages.ai_packages import AiPackages
from checks.knowledge.packages.environment_variables import allowed_names

# Seconds by effort. Importing a framework from a slow disk or a network folder for the first time takes minutes.
_QUICK_TO_ASK = {"quick": 20.0, "standard": 30.0, "thorough": 60.0}
_HEAVY = {"quick": 60.0, "standard": 180.0, "thorough": 600.0}


def _nothing() -> dict[str, Any]:
    return {}


@dataclass(frozen=True)
class ProbeSpec:
    """One probe. ``kind`` is the fact that it gives; None: checks/machine reads its answer."""

    id: str
    kind: type[Fact] | None
    expected_seconds: float
    limits: Mapping[str, float]
    argument: Callable[[], dict[str, Any]] = _nothing

    @property
    def script(self) -> Path:
        """The file that runs in the interpreter."""
        return script_of(f"ask/{self.id}")

    @property
    def distributions(self) -> tuple[str, ...]:
        """Installed packages (normalised names) that make it worth asking; () for a probe that always runs."""
        return next((row.packages for row in AiPackages.read().framework if row.name == self.id), ())

    def time_limit(self, effort: str) -> float:
        """Seconds after which it is ended, by effort ("quick", "standard", "thorough")."""
        return self.limits[effort]


PROBES: tuple[ProbeSpec, ...] = (
    ProbeSpec("machine", None, 0.3, _QUICK_TO_ASK),
    ProbeSpec("nvidia", None, 0.5, _QUICK_TO_ASK),
    ProbeSpec("environment", EnvironmentVariables, 0.1, _QUICK_TO_ASK, lambda: {"names": allowed_names()}),
    ProbeSpec("torch", TorchFacts, 3.0, _HEAVY),
    ProbeSpec("onnxruntime", OnnxRuntimeFacts, 1.0, _HEAVY),
    ProbeSpec("tensorflow", TensorFlowFacts, 6.0, _HEAVY),
    ProbeSpec("jax", JaxFacts, 2.0, _HEAVY),
    ProbeSpec("tensorrt", TensorRtFacts, 2.0, _HEAVY),
    ProbeSpec("litert", LiteRtFacts, 0.5, _HEAVY),
    ProbeSpec("openvino", OpenVinoFacts, 1.0, _HEAVY),
    ProbeSpec("coremltools", CoreMlToolsFacts, 4.0, _HEAVY),
)


def read_answer(spec: ProbeSpec, answer: Answer) -> Fact | None:
    """The fact that an answer holds; None where it holds none, or where another module reads it.

    A field of a wrong type is left out, and ``unread`` says so: the answer comes from a process that may be broken.
    """
    if spec.kind is None:
        return None
    raw = dict(answer.facts)
    if issubclass(spec.kind, FrameworkFacts):
        raw |= _import(answer)
    if not raw:
        return None
    values, unread = fields_of(spec.kind, raw)
    origin = f"{name_of(spec.script)} in {answer.run.interpreter}"
    return msgspec.structs.replace(spec.kind(**values), origin=origin, unread=_reasons(raw.get("unread")) | unread)


def _import(answer: Answer) -> dict[str, Any]:
    """Whether the framework could be imported: every framework's probe has a stage "imported" for it."""
    for stage in answer.run.stages:
        if stage.name == "imported" and stage.ended:
            return {"imported": stage.error is None} | ({"error": stage.error} if stage.error else {})
    return {}


def _reasons(value: object) -> dict[str, str]:
    return {str(name): str(reason) for name, reason in value.items()} if isinstance(value, dict) else {}
