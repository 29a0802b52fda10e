"""TensorRT's ONNX parser does not know an operator of the model.

Detects:      operators of ONNX and of Microsoft's own set that the list of the installed TensorRT's parser leaves out.
Why it bites: the parser looks for a plugin of that name, finds none, and no engine is built.
Blind spots:  limits of an operator that is listed (types, shapes, attributes) are not judged. Between two lists that
              were read, and for a release that is newer than the last, what only the later one has, or none, is no
              proof. Operators of other domains are plugins, and another cause. TensorRT-RTX has a parser of its own.
Knowledge:    resources/knowledge/formats/onnx_operators.toml
"""

from collections.abc import Iterator

from checks.analysis.gpu.cuda import cuda_gpus
from checks.analysis.models.onnx import about, full_name, named, onnx_models
from checks.analysis.models.selected import some, values_of
from checks.causes.registry import check
from checks.facts import InterpreterFacts, MachineFacts, ModelFacts, ModelFiles, OperatorUse, TensorRtFacts
from checks.facts.finding import Evidence, Finding, NotCollected, Severity
from checks.knowledge.formats.onnx_domains import onnx_domain
from checks.knowledge.formats.onnx_operators import OnnxOperatorsTable, Support, in_tensorrt, was_ever_in_tensorrt

_PACKAGES = ("tensorrt", "tensorrt-cu13", "tensorrt-cu12", "tensorrt-cu11")


@check("trt-op-unsupported")
def trt_op_unsupported(
    models: ModelFiles,
    tensorrt: TensorRtFacts | None,
    machine: MachineFacts | None,
    interpreter: InterpreterFacts | None,
) -> Iterator[Finding]:
    """One finding per model."""
    some(models.of("onnx"), "onnx_models")
    version, origin = _tensorrt(tensorrt, machine, interpreter)
    if not version:
        raise NotCollected("tensorrt")
    for model in onnx_models(models, "tensorrt"):
        uses = [operator for operator in model.needs.operators or () if _is_the_parsers(operator)]
        unknown = [use for use in uses if in_tensorrt(use.name, version) is Support.NO]
        if unknown:
            yield _finding(model, unknown, version, origin, Severity.BLOCKING, 0.85)
            continue
        doubtful = [
            use
            for use in uses
            if in_tensorrt(use.name, version) is Support.UNKNOWN and not was_ever_in_tensorrt(use.name)
        ]
        if doubtful:
            yield _finding(model, doubtful, version, origin, Severity.WARNING, 0.6)


def _tensorrt(
    tensorrt: TensorRtFacts | None, machine: MachineFacts | None, interpreter: InterpreterFacts | None
) -> tuple[str, str]:
    """The version that was imported, or that is installed on a machine with an NVIDIA GPU."""
    if tensorrt is not None and tensorrt.version:
        return tensorrt.version, tensorrt.origin
    package = interpreter.package(*_PACKAGES) if interpreter and cuda_gpus(machine) else None
    return (package.version, "metadata") if package else ("", "")


def _is_the_parsers(use: OperatorUse) -> bool:
    """Whether the parser should know an operator, and no plugin is meant by it."""
    row = onnx_domain(use.domain)
    is_plugin = use.is_custom and row is not None and row.kind == "standard"
    return row is not None and row.kind in ("standard", "built-in") and not is_plugin


def _finding(
    model: ModelFacts, unknown: list[OperatorUse], version: str, origin: str, severity: Severity, confidence: float
) -> Finding:
    table = OnnxOperatorsTable.read()
    return Finding(
        severity=severity,
        confidence=confidence,
        subject=model.path,
        evidence=(
            *about(model, "tensorrt", version, origin),
            Evidence("operators", named([full_name(use) for use in unknown]), table.title, table.source),
        ),
        values=values_of(model, "tensorrt"),
        remedies=("simplify-onnx-for-tensorrt", "run-onnx-with-tensorrt-provider", "update-tensorrt-parser"),
    )
