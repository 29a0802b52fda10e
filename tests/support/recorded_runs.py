"""Recorded trials of real models in real runtimes, as the facts that the engine makes of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

from checks.engine.catalogues.models import MODEL_PROBES, runs_of
from checks.engine.processes.runner import Answer
from checks.facts import (
    Facts,
    FrameworkFacts,
    Frameworks,
    InterpreterFacts,
    ModelFacts,
    ModelRun,
    OnnxRuntimeFacts,
    Package,
    ProbeRun,
    ProviderStart,
)
from checks.knowledge.formats.model_formats import distributions_of

FOLDER = Path(__file__).parents[1] / "recordings" / "model_runs"
NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))
PYTHON = "/home/user/venv/bin/python"


def plain(name: str) -> dict[str, Any]:
    """One recording as it lies on the disk."""
    read: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return read


def runs(name: str) -> tuple[ModelRun, ...]:
    """The runs of one recording."""
    told = plain(name)
    spec = next(
        model_probe
        for model_probe in MODEL_PROBES
        if (model_probe.runtime, model_probe.stem) == (told["runtime"], f"model/{told['stem'].removesuffix('_model')}")
    )
    return runs_of(Answer(told["facts"], msgspec.convert(told["run"], ProbeRun)), spec)


def model(*names: str, **more: Any) -> ModelFacts:
    """The model of one recording, or of several of the same model, with its runs."""
    told = plain(names[0])
    values = {"path": "/home/user/models/model", "name": "model", "format": told["format"], "size": 1000}
    return ModelFacts(**{**values, "runs": tuple(run for name in names for run in runs(name)), **more})


def facts(*models: ModelFacts, installed: dict[str, str] | None = None, **frameworks: FrameworkFacts) -> Facts:
    """A case with these models; ``installed``: runtime -> version, by default those of the runs."""
    versions = installed if installed is not None else {run.runtime: "1.0" for each in models for run in each.runs}
    packages = tuple(Package(name=distributions_of(name)[0], version=version) for name, version in versions.items())
    return Facts(
        target=PYTHON,
        interpreters=(InterpreterFacts(path=PYTHON, packages=packages),),
        frameworks=Frameworks(**frameworks),
        models=models,
    )


def onnxruntime(**started: bool) -> OnnxRuntimeFacts:
    """ONNX Runtime with providers that start or not: CUDAExecutionProvider=False."""
    providers = tuple(ProviderStart(name=name, started=each) for name, each in started.items())
    return OnnxRuntimeFacts(version="1.24.1", imported=True, providers=providers)
