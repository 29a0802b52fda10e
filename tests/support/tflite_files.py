"""The recorded TFLite models as facts, and interpreters."""

from __future__ import annotations

from pathlib import Path

import msgspec

from checks.facts import LiteRtFacts, ModelFacts, ModelFiles, ModelRun, TensorFlowFacts
from checks.facts.finding import Finding
from checks.readers.models import read_model

RECORDINGS = Path(__file__).parents[1] / "recordings" / "models"
LITERT = LiteRtFacts(package="ai-edge-litert", version="2.3.0", origin="litert_probe.py")


def plain(name: str) -> ModelFacts:
    """A model that TensorFlow 2.21 wrote."""
    return named(read_model(RECORDINGS / "tflite" / "made" / f"{name}.tflite"), f"{name}.tflite")


def compiled(name: str) -> ModelFacts:
    """A model with a part for the Edge TPU."""
    return named(read_model(RECORDINGS / "tflite-edgetpu" / "made" / f"{name}.tflite"), f"{name}.tflite")


def named(facts: ModelFacts, name: str) -> ModelFacts:
    """The same under another name."""
    return msgspec.structs.replace(facts, name=name, path=f"/m/{name}")


def loaded(facts: ModelFacts, runtime: str = "litert") -> ModelFacts:
    """The same after a runtime has really loaded it."""
    return msgspec.structs.replace(facts, runs=(ModelRun(runtime=runtime, loaded=True),))


def files(*models: ModelFacts) -> ModelFiles:
    """All models of a case."""
    return ModelFiles(files=models)


def litert(version: str | None, package: str = "ai-edge-litert") -> LiteRtFacts:
    """An interpreter without TensorFlow."""
    return LiteRtFacts(package=package, version=version)


def tensorflow(version: str) -> TensorFlowFacts:
    """TensorFlow, which has an interpreter of its own."""
    return TensorFlowFacts(version=version)


def evidence(finding: Finding) -> dict[str, str]:
    """What proves a finding, by name."""
    return {each.name: each.value for each in finding.evidence}
