"""A TFLite model does not run on the Edge TPU, or only a part of it does.

Detects:      a compiled model whose convolutions, dense or recurrent layers were left on the CPU; a file that is named
              as the compiler names its output and has no part for the Edge TPU; on a machine with an Edge TPU, a model
              that was not compiled, with what keeps the compiler from taking all of it.
Why it bites: what is not mapped runs on the CPU, as slowly as without the accelerator.
Blind spots:  whether a plain model is meant for the accelerator is not known, so that is only a note. The compiler
              also refuses some layers for their size.
Knowledge:    resources/knowledge/formats/edgetpu.toml
"""

from collections.abc import Iterator

from checks.analysis.models.selected import some
from checks.analysis.models.tflite import COMPILED, COMPILED_NAME, PLAIN, counted, source_of
from checks.causes.registry import check
from checks.facts import MachineFacts, ModelFacts, ModelFiles
from checks.facts.finding import Evidence, Finding, Severity
from checks.knowledge.formats.edgetpu import EdgeTpuTable, edgetpu_operators


@check("edgetpu-model-not-mapped")
def edgetpu_model_not_mapped(models: ModelFiles, machine: MachineFacts | None) -> Iterator[Finding]:
    """One finding per model."""
    some(models.of(COMPILED, PLAIN), "tflite_models")
    tpu = next(
        (
            accelerator
            for accelerator in (machine.accelerators if machine else None) or ()
            if accelerator.kind == "edge tpu"
        ),
        None,
    )
    here = (Evidence("accelerator", tpu.name, tpu.origin),) if tpu else ()
    for model in models.of(COMPILED):
        heavy = [
            operator for operator in model.needs.operators or () if not operator.domain and _is_heavy(operator.name)
        ]
        if heavy and model.problem is None:
            left = Evidence("operators_on_cpu", counted(heavy), model.path)
            yield _finding(model, Severity.WARNING if tpu else Severity.NOTE, 0.85, (left, *here))
    for model in models.of(PLAIN):
        if model.problem is not None:
            continue
        if model.name.endswith(COMPILED_NAME):
            yield _finding(model, Severity.WARNING, 0.9, (*_could_be(model), *here))
        elif tpu:
            yield _finding(model, Severity.NOTE, 0.6, (*_could_be(model), *here))


def _is_heavy(name: str) -> bool:
    row = edgetpu_operators().get(name)
    return row is not None and row.is_heavy


def _could_be(model: ModelFacts) -> Iterator[Evidence]:
    """What the compiler could take of a plain model."""
    mapped = model.details.get("edgetpu-mappable")
    if mapped is None:
        yield Evidence("quantization", model.quantization or "float32", model.path)
        return
    yield Evidence("edgetpu_mappable", mapped, EdgeTpuTable.read().title, EdgeTpuTable.read().source)
    if in_the_way := model.details.get("edgetpu-in-the-way"):
        yield Evidence("operators_on_cpu", in_the_way, model.path)


def _finding(model: ModelFacts, severity: Severity, confidence: float, evidence: tuple[Evidence, ...]) -> Finding:
    return Finding(
        severity=severity,
        confidence=confidence,
        subject=model.path,
        evidence=(Evidence("model", model.name, model.path), *evidence),
        values={"model_path": model.path, "runtime": "", **source_of(model)},
        remedies=_remedies(model),
    )


def _remedies(model: ModelFacts) -> tuple[str, ...]:
    """A model whose numbers fit need not be quantized again."""
    is_quantized = model.format == COMPILED or "edgetpu-mappable" in model.details
    return ("read-edgetpu-compiler-log", "quantize-tflite-fully") if is_quantized else ("quantize-tflite-fully",)
