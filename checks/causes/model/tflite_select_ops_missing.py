"""A TFLite model has operators of TensorFlow itself, and the interpreter of the target has none of these.

Detects:      operators named "Flex..." in a model, where ai-edge-litert or tflite-runtime is installed, or a TensorFlow
              whose Python package does not bring the Flex delegate any more.
Why it bites: the tensors cannot be allocated: "Select TensorFlow op(s), included in the given model, is(are) not
              supported by this interpreter".
Blind spots:  a program may load a Flex delegate of its own.
Knowledge:    resources/knowledge/formats/tflite_operators.toml
"""

from collections.abc import Iterator

from checks.analysis.models.tflite import Interpreter, about, counted, models_to_load
from checks.causes.registry import check
from checks.facts import LiteRtFacts, ModelFiles, TensorFlowFacts
from checks.facts.finding import Evidence, Finding, Severity
from checks.facts.versions import release
from checks.knowledge.formats.tflite_operators import TfliteOperatorsTable


@check("tflite-select-ops-missing")
def tflite_select_ops_missing(
    models: ModelFiles, litert: LiteRtFacts | None, tensorflow: TensorFlowFacts | None
) -> Iterator[Finding]:
    """One finding per model and interpreter."""
    for interpreter, model in models_to_load(models, litert, tensorflow):
        flex = [operator for operator in model.needs.operators or () if operator.domain == "tensorflow"]
        if flex and not _has_flex(interpreter):
            yield Finding(
                severity=Severity.BLOCKING,
                confidence=0.97,
                subject=f"{model.path} / {interpreter.runtime}",
                evidence=(*about(model, interpreter), Evidence("operators", counted(flex), model.path)),
                values={"model_path": model.path, "runtime": interpreter.runtime},
            )


def _has_flex(interpreter: Interpreter) -> bool:
    before = TfliteOperatorsTable.read().flex_before
    return interpreter.runtime == "tensorflow" and release(interpreter.version) < release(before)
