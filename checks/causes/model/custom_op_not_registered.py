"""A model has operators that its runtime does not bring: ONNX Runtime, LiteRT or TensorFlow.

Detects:      operators of a domain whose library is not installed, that no library is known for, or that belong to
              another runtime; operators without a domain that are not ONNX's; and those of Microsoft's own set that
              came with a later ONNX Runtime. Custom operators of a TFLite model that no interpreter brings along.
              Operators of a SavedModel or frozen graph that are not TensorFlow's, and whose package is not installed
              or not known.
Why it bites: the session is not created: "... is not a registered function/op", "No Op registered for ..."; the
              tensors are not allocated: "Encountered unresolved custom op: ..."; the graph is not imported: "Op type
              not registered".
Blind spots:  a library that the program registers itself is not seen, so what is not known is said with less
              confidence. TensorRT's plugins are left alone where ONNX Runtime lists its TensorRT provider. Other
              formats tell their custom operators through other causes.
Knowledge:    resources/knowledge/formats/onnx_domains.toml, onnx_operators.toml, tflite_operators.toml,
              tensorflow_operators.toml
"""

from collections.abc import Iterator

from checks.analysis.models.onnx import about, full_name, named, onnx_models
from checks.analysis.models.selected import some, values_of
from checks.analysis.models.tflite import COMPILED, NPU, PLAIN, counted, interpreters, tflite_models
from checks.analysis.models.tflite import about as about_tflite
from checks.analysis.models.torch import unloaded
from checks.causes.registry import check
from checks.facts import (
    InterpreterFacts,
    LiteRtFacts,
    ModelFacts,
    ModelFiles,
    OnnxRuntimeFacts,
    OperatorUse,
    TensorFlowFacts,
)
from checks.facts.finding import Evidence, Finding, NotCollected, Severity, Unread
from checks.knowledge.formats.onnx_domains import OnnxDomainsTable, onnx_domain
from checks.knowledge.formats.onnx_operators import MICROSOFT, Support, in_microsofts_set
from checks.knowledge.formats.tensorflow_operators import TensorFlowOperatorsTable

_OF_TENSORFLOW = ("savedmodel", "tf-frozen")
_TENSORRT = ("TensorrtExecutionProvider", "NvTensorRTRTXExecutionProvider")

# How sure it is that the program cannot run the model as it is, by the kind of the domain.
_CONFIDENCE = {"library": 0.85, "runtime": 0.85, "leftover": 0.9, "training": 0.85, "tool": 0.85, "standard": 0.9}
_UNKNOWN_DOMAIN = 0.75


@check("custom-op-not-registered")
def custom_op_not_registered(
    models: ModelFiles,
    onnxruntime: OnnxRuntimeFacts | None,
    interpreter: InterpreterFacts | None,
    litert: LiteRtFacts | None = None,
    tensorflow: TensorFlowFacts | None = None,
) -> Iterator[Finding]:
    """One finding per model and runtime."""
    some(models.of("onnx", PLAIN, COMPILED, *_OF_TENSORFLOW), "models_of_operators")
    yield from _in_tflite(models, litert, tensorflow)
    if tensorflow is not None:
        yield from _in_tensorflow(models, interpreter, tensorflow)
    if onnxruntime is None:
        _need_a_runtime(models, litert, tensorflow)
        return
    for model in onnx_models(models, "onnxruntime"):
        foreign = [
            operator for operator in model.needs.operators or () if _is_foreign(operator, onnxruntime, interpreter)
        ]
        if foreign:
            yield _finding(model, foreign, onnxruntime)


def _need_a_runtime(models: ModelFiles, litert: LiteRtFacts | None, tensorflow: TensorFlowFacts | None) -> None:
    """Where there is no ONNX Runtime: whether there was anything that the models were judged by.

    Raises:
        NotCollected: there was not.
    """
    wants_tflite = any(models.of(PLAIN, COMPILED)) and litert is None
    wants_tensorflow = any(models.of(*_OF_TENSORFLOW)) or wants_tflite
    if any(models.of("onnx")) or (wants_tensorflow and tensorflow is None):
        raise NotCollected("onnxruntime" if any(models.of("onnx")) else "litert" if wants_tflite else "tensorflow")


def _in_tflite(models: ModelFiles, litert: LiteRtFacts | None, tensorflow: TensorFlowFacts | None) -> Iterator[Finding]:
    for interpreter in interpreters(litert, tensorflow):
        for model in tflite_models(models, interpreter.runtime):
            foreign = [
                operator for operator in model.needs.operators or () if operator.is_custom or operator.domain == NPU
            ]
            if foreign:
                yield Finding(
                    severity=Severity.BLOCKING,
                    confidence=_UNKNOWN_DOMAIN,
                    subject=f"{model.path} / {interpreter.runtime}",
                    evidence=(*about_tflite(model, interpreter), Evidence("operators", counted(foreign), model.path)),
                    values={"model_path": model.path, "runtime": interpreter.runtime},
                    remedies=("export-without-custom-op",),
                )


def _in_tensorflow(
    models: ModelFiles, interpreter: InterpreterFacts | None, tensorflow: TensorFlowFacts
) -> Iterator[Finding]:
    """Operators of a graph that neither TensorFlow nor an installed package brings."""
    for model in unloaded(models, *_OF_TENSORFLOW):
        own = [operator for operator in model.needs.operators or () if operator.is_custom]
        if not own:
            continue
        if interpreter is None or interpreter.packages is None:
            raise Unread("packages")
        missing = [operator for operator in own if not operator.domain or interpreter.package(operator.domain) is None]
        if not missing:
            continue
        packages = sorted({operator.domain for operator in missing if operator.domain})
        title = TensorFlowOperatorsTable.read().title
        yield Finding(
            severity=Severity.BLOCKING,
            confidence=_CONFIDENCE["library"] if packages else _UNKNOWN_DOMAIN,
            subject=f"{model.path} / tensorflow",
            evidence=(
                *about(model, "tensorflow", tensorflow.version, tensorflow.origin),
                Evidence("operators", named([operator.name for operator in missing]), model.path),
                *((Evidence("library_wanted", ", ".join(packages), title),) if packages else ()),
            ),
            values={"model_path": model.path, "runtime": "tensorflow"},
            remedies=("load-custom-op-library", "export-without-custom-op"),
        )


def _is_foreign(use: OperatorUse, onnxruntime: OnnxRuntimeFacts, interpreter: InterpreterFacts | None) -> bool:
    """Whether an operator is neither ONNX Runtime's own nor of a library that is installed."""
    if not use.is_custom:
        return False
    row = onnx_domain(use.domain)
    kind = row.kind if row else ""
    if kind == "internal":
        return False
    if kind == "built-in":
        if use.domain != MICROSOFT or not onnxruntime.version:
            return False
        return in_microsofts_set(use.name, onnxruntime.version) is Support.NO
    if row is not None and kind == "library":
        if interpreter is None or interpreter.packages is None:
            raise Unread("packages")
        return interpreter.package(*row.packages) is None
    is_for_tensorrt = row is not None and row.runtime == "tensorrt"
    return not (is_for_tensorrt and set(_TENSORRT).intersection(onnxruntime.providers_listed or ()))


def _finding(model: ModelFacts, foreign: list[OperatorUse], onnxruntime: OnnxRuntimeFacts) -> Finding:
    rows = [onnx_domain(operator.domain) for operator in foreign]
    kinds = {row.kind if row else "" for row in rows}
    packages = sorted({row.packages[0] for row in rows if row and row.kind == "library"})
    is_microsofts = kinds == {"built-in"}
    return Finding(
        severity=Severity.BLOCKING,
        confidence=0.95 if is_microsofts else max(_CONFIDENCE.get(kind, _UNKNOWN_DOMAIN) for kind in kinds),
        subject=model.path,
        evidence=(
            *about(model, "onnxruntime", onnxruntime.version, onnxruntime.origin),
            Evidence("operators", named([full_name(operator) for operator in foreign]), model.path),
            *((Evidence("library_wanted", ", ".join(packages), OnnxDomainsTable.read().title),) if packages else ()),
        ),
        values=values_of(model, "onnxruntime"),
        remedies=_remedies(kinds),
    )


def _remedies(kinds: set[str]) -> tuple[str, ...]:
    if "built-in" in kinds:
        return ("update-onnxruntime", "export-without-custom-op")
    if kinds & {"library", ""}:
        return ("load-custom-op-library", "export-without-custom-op")
    return ("export-without-custom-op", "load-custom-op-library")
