"""ONNX models for the checks that judge them: read from tests/recordings/models, see MADE.md there."""

from pathlib import Path

import msgspec

from checks.facts import ModelFacts, ModelFiles, ModelRun, OnnxRuntimeFacts
from checks.facts.finding import Finding
from checks.readers.containers.folder import DiskFolder
from checks.readers.containers.source import opened
from checks.readers.models.exchange import onnx

RECORDED = Path(__file__).parents[1] / "recordings" / "models" / "onnx"
CPU = ("AzureExecutionProvider", "CPUExecutionProvider")


def model(name: str, *runs: ModelRun) -> ModelFacts:
    """A recorded model, with what was tried of it."""
    path = RECORDED / name
    with opened(path) as source:
        facts = onnx.onnx.read(source, DiskFolder(path.parent))
    assert facts is not None
    return msgspec.structs.replace(facts, path=f"/m/{path.name}", name=path.name, runs=runs)


def models(*names: str) -> ModelFiles:
    """Several."""
    return ModelFiles(files=tuple(model(name) for name in names))


def ort(version: str | None = "1.31.1", providers: tuple[str, ...] | None = CPU) -> OnnxRuntimeFacts:
    """An ONNX Runtime."""
    return OnnxRuntimeFacts(version=version, providers_listed=providers)


def loaded(runtime: str = "onnxruntime") -> ModelRun:
    """It was in fact loaded."""
    return ModelRun(runtime=runtime, loaded=True)


def evidence(finding: Finding) -> dict[str, str]:
    """What proves a finding, by name."""
    return {each.name: each.value for each in finding.evidence}
