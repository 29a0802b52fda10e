"""The operator set of an ONNX model is newer than the runtime of the target.

Detects:      a model whose opset (ai.onnx or ai.onnx.ml) is above the highest that the installed ONNX Runtime takes;
              one whose opset it takes, but without code for the operators that changed there; and one whose opset is
              above what the installed TensorRT's parser was written for.
Why it bites: ONNX Runtime refuses the file by the number alone ("official support for domain ai.onnx is till opset N").
Blind spots:  TensorRT's parser does not look at the number: there it is a warning. OpenVINO and OpenCV are not judged.
              An ONNX Runtime newer than the table is left alone.
Knowledge:    resources/knowledge/formats/onnx.toml, tensorrt.toml
"""

from collections.abc import Iterator

from checks.analysis.models.onnx import about, ir_of, onnx_models
from checks.analysis.models.selected import some
from checks.causes.registry import check
from checks.facts import ModelFacts, ModelFiles, OnnxRuntimeFacts, TensorRtFacts
from checks.facts.finding import Evidence, Finding, NotCollected, NotInTable, Severity, Unread
from checks.knowledge.formats.onnx import (
    ML,
    OnnxTable,
    OrtRelease,
    lacks_code,
    least_onnx,
    least_onnxruntime,
    onnxruntime_release,
)
from checks.knowledge.frameworks.tensorrt import TensorRtTable, onnx_opset_of

SERVED = ("update-onnxruntime", "export-with-another-opset")


@check("onnx-opset-unsupported")
def onnx_opset_unsupported(
    models: ModelFiles, onnxruntime: OnnxRuntimeFacts | None, tensorrt: TensorRtFacts | None
) -> Iterator[Finding]:
    """One finding per model and runtime."""
    some(models.of("onnx"), "onnx_models")
    if tensorrt is not None and tensorrt.version:
        yield from _in_tensorrt(models, tensorrt)
    waiting = list(onnx_models(models, "onnxruntime"))
    if not waiting:
        return
    if onnxruntime is None:
        if tensorrt is None or not tensorrt.version:
            raise NotCollected("onnxruntime")
        return
    if not onnxruntime.version:
        raise Unread("framework", onnxruntime.unread.get("version", ""))
    row = onnxruntime_release(onnxruntime.version)
    if row is None:
        raise NotInTable(OnnxTable.read().title, f"onnxruntime {onnxruntime.version}")
    for model in waiting:
        yield from _in_onnxruntime(model, onnxruntime, row)


def _in_onnxruntime(model: ModelFacts, onnxruntime: OnnxRuntimeFacts, row: OrtRelease) -> Iterator[Finding]:
    opsets = model.needs.opsets or {}
    for domain in ("", ML):
        most, version = row.most(domain), opsets.get(domain, 0)
        is_refused = most is not None and version > most
        is_without_code = domain == "" and lacks_code(row, opsets)
        if not is_refused and not is_without_code:
            continue
        known = {name: opsets[name] for name in ("", ML) if name in opsets}
        is_served = least_onnxruntime(ir_of(model), known) is not None
        yield Finding(
            severity=Severity.BLOCKING if is_refused else Severity.WARNING,
            confidence=0.97 if is_refused else 0.7,
            subject=f"{model.path} / onnxruntime",
            evidence=(
                *about(model, "onnxruntime", onnxruntime.version, onnxruntime.origin),
                Evidence("model_opset", f"{domain or 'ai.onnx'} {version}", model.path),
                Evidence(
                    "runtime_opset", f"{domain or 'ai.onnx'} {most}", OnnxTable.read().title, OnnxTable.read().source
                ),
            ),
            values={"model_path": model.path, "runtime": "onnxruntime"},
            remedies=SERVED if is_served else _exports(known),
        )
        return


def _in_tensorrt(models: ModelFiles, tensorrt: TensorRtFacts) -> Iterator[Finding]:
    row = onnx_opset_of(tensorrt.version or "")
    if row is None or row.onnx_opset_max is None:
        return
    for model in onnx_models(models, "tensorrt"):
        version = (model.needs.opsets or {}).get("", 0)
        if version <= row.onnx_opset_max:
            continue
        yield Finding(
            severity=Severity.WARNING,
            confidence=0.6,
            subject=f"{model.path} / tensorrt",
            evidence=(
                *about(model, "tensorrt", tensorrt.version, tensorrt.origin),
                Evidence("model_opset", f"ai.onnx {version}", model.path),
                Evidence("runtime_opset", f"ai.onnx {row.onnx_opset_max}", TensorRtTable.read().title, row.source),
            ),
            values={"model_path": model.path, "runtime": "tensorrt"},
            remedies=_exports({"": version}),
        )


def _exports(opsets: dict[str, int]) -> tuple[str, ...]:
    """What helps where no runtime will do: the converter, too, knows only the opsets that were released."""
    return ("export-with-another-opset",) if least_onnx(None, opsets) is not None else ("export-model-anew",)
