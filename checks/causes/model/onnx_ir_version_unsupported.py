"""The format version (IR) of an ONNX model is newer than the ONNX Runtime of the target.

Detects:      a model whose IR version is above the highest that the installed ONNX Runtime takes.
Why it bites: it refuses the file by the number alone ("Unsupported model IR version: 11, max supported IR version:
              10").
Blind spots:  an ONNX Runtime newer than the table is left alone; whether the model uses something of the new version
              besides its types of numbers is not looked at.
Knowledge:    resources/knowledge/formats/onnx.toml
"""

from collections.abc import Iterator

from checks.analysis.models.onnx import about, ir_of, onnx_models, types_of
from checks.analysis.models.selected import some
from checks.causes.registry import check
from checks.facts import ModelFiles, OnnxRuntimeFacts
from checks.facts.finding import Evidence, Finding, NotInTable, Severity, Unread
from checks.knowledge.formats.onnx import ML, OnnxTable, ir_of_types, least_onnxruntime, onnxruntime_release


@check("onnx-ir-version-unsupported")
def onnx_ir_version_unsupported(models: ModelFiles, onnxruntime: OnnxRuntimeFacts) -> Iterator[Finding]:
    """One finding per model."""
    some(models.of("onnx"), "onnx_models")
    waiting = list(onnx_models(models, "onnxruntime"))
    if not waiting:
        return
    if not onnxruntime.version:
        raise Unread("framework", onnxruntime.unread.get("version", ""))
    row = onnxruntime_release(onnxruntime.version)
    if row is None:
        raise NotInTable(OnnxTable.read().title, f"onnxruntime {onnxruntime.version}")
    for model in waiting:
        ir = ir_of(model)
        if ir is None or row.ir is None or ir <= row.ir:
            continue
        opsets = {domain: version for domain, version in (model.needs.opsets or {}).items() if domain in ("", ML)}
        is_served = least_onnxruntime(ir, opsets) is not None
        can_be_lowered = ir_of_types(types_of(model)) <= row.ir
        yield Finding(
            severity=Severity.BLOCKING,
            confidence=0.97,
            subject=model.path,
            evidence=(
                *about(model, "onnxruntime", onnxruntime.version, onnxruntime.origin),
                Evidence("model_ir", str(ir), model.path),
                Evidence("runtime_ir", str(row.ir), OnnxTable.read().title, OnnxTable.read().source),
            ),
            values={"model_path": model.path, "runtime": "onnxruntime"},
            remedies=(("update-onnxruntime",) if is_served or not can_be_lowered else ())
            + (("lower-onnx-ir-version",) if can_be_lowered else ()),
        )
