"""Recorded exports of real models by real exporters, as the facts that the engine makes of them.

The recordings "planted-..." are real exports whose ONNX file was changed before it was compared, as each tells.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

from checks.engine.plans.export import ExportSpec, export_of
from checks.engine.processes.runner import Answer
from checks.facts import ExportRun, Facts, InterpreterFacts, ModelFacts, ModelFiles, Package, ProbeRun
from checks.knowledge.frameworks.exporters import exporter_of, fit_of

FOLDER = Path(__file__).parents[1] / "recordings" / "model_exports"
NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))
PYTHON = "/home/user/venv/bin/python"
PATH = "/home/user/models/model"


def plain(name: str) -> dict[str, Any]:
    """One recording as it lies on the disk."""
    read: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return read


def target(versions: dict[str, str], python: str = "3.11.7") -> InterpreterFacts:
    """An interpreter with these packages."""
    packages = tuple(Package(name=name, version=version) for name, version in versions.items())
    return InterpreterFacts(path=PYTHON, version=python, packages=packages)


def export(name: str) -> ExportRun:
    """The export of one recording."""
    told = plain(name)
    exporter = exporter_of(told["exporter"])
    assert exporter is not None
    fit = fit_of(exporter, told["format"], target(told["versions"]))
    return export_of(Answer(told["facts"], msgspec.convert(told["run"], ProbeRun)), ExportSpec(exporter.id, fit))


def model(*names: str, exports: tuple[ExportRun, ...] = (), **more: Any) -> ModelFacts:
    """A model with the exports of these recordings, and others."""
    told = plain(names[0]) if names else {"format": "torchscript"}
    values = {"path": PATH, "name": "model", "format": told["format"], "size": 1000}
    return ModelFacts(**{**values, "exports": (*map(export, names), *exports), **more})


def files(*names: str, **more: Any) -> ModelFiles:
    """The same for a check that takes all models."""
    return ModelFiles(files=(model(*names, **more),))


def facts(*models: ModelFacts) -> Facts:
    """A case with these models."""
    return Facts(target=PYTHON, interpreters=(target({}),), models=models)
