"""The ONNX models of a case, as the checks that compare them with a runtime want them."""

from collections.abc import Iterator

from checks.facts import ModelFacts, ModelFiles, OperatorUse
from checks.facts.finding import Evidence

SHOWN = 6  # operators or files that a finding names


def onnx_models(models: ModelFiles, runtime: str) -> Iterator[ModelFacts]:
    """Those that were read to their end and that the runtime has not in fact loaded."""
    for model in models.of("onnx"):
        has_loaded = any(run.loaded for run in model.runs if run.runtime == runtime)
        if model.problem is None and not has_loaded:
            yield model


def ir_of(model: ModelFacts) -> int | None:
    """The version of the file format as a number: "IR 9" -> 9."""
    number = (model.version or "").removeprefix("IR ")
    return int(number) if number.isdigit() else None


def types_of(model: ModelFacts) -> set[str]:
    """The types of numbers of its weights, inputs and outputs."""
    faces = (*(model.inputs or ()), *(model.outputs or ()))
    return set(model.dtypes or ()) | {face.dtype for face in faces if face.dtype}


def full_name(use: OperatorUse) -> str:
    """An operator with its domain: "com.microsoft:FusedMatMul"."""
    return f"{use.domain}:{use.name}" if use.domain else use.name


def named(names: list[str]) -> str:
    """Some of the names, and how many more there are."""
    more = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" +{more}" if more > 0 else "")


def about(model: ModelFacts, name: str, version: str | None, origin: str) -> tuple[Evidence, Evidence]:
    """The first two lines of what proves a finding: the model, and the runtime that it does not fit."""
    return Evidence("model", model.name, model.path), Evidence("framework", f"{name} {version or ''}".strip(), origin)
