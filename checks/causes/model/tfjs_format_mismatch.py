"""A TensorFlow.js model is not worded as its loader expects.

Detects:      a layers model that Keras 3 wrote; one whose weights are named by their place in a .keras file; a
              model.json that holds weights alone.
Why it bites: loadLayersModel knows Keras 2's words only ("An InputLayer should be passed either a `batchInputShape`
              or an `inputShape`", "Provided weight data has no target variable").
Blind spots:  which TensorFlow.js loads the model, and with which function, is in the page, not in the file.
Knowledge:    @tensorflow/tfjs 4.22.0, run in Node.js over models that tensorflowjs 4.22.0 converted from Keras 2.15
              and 3.15, each as .h5 and as .keras
"""

from collections.abc import Iterator

from checks.analysis.models.selected import some
from checks.analysis.models.torch import file_of
from checks.causes.registry import check
from checks.facts import ModelFacts, ModelFiles
from checks.facts.finding import Evidence, Finding, Severity
from checks.facts.versions import major_number

_OF_KERAS_3 = "InputLayer(batch_shape)"


@check("tfjs-format-mismatch")
def tfjs_format_mismatch(models: ModelFiles) -> Iterator[Finding]:
    """At most one finding per model."""
    for model in some(models.of("tfjs"), "tfjs_models"):
        if model.details.get("model-kind") != "layers-model":
            continue
        if model.details.get("topology") == "none":
            yield _finding(model, Severity.WARNING, 0.8, ("load-tfjs-model-with-its-loader",))
        elif _is_of_keras_3(model) or "weights-by-place" in model.details:
            yield _finding(model, Severity.BLOCKING, 0.93, ("convert-tfjs-with-keras-2",))


def _is_of_keras_3(model: ModelFacts) -> bool:
    if major_number(model.details.get("keras-version", "")) >= 3:
        return True
    return _OF_KERAS_3 in model.details.get("keras-particular", "").split(", ")


def _finding(model: ModelFacts, severity: Severity, confidence: float, remedies: tuple[str, ...]) -> Finding:
    details = ("generated-by", "converter", "topology", "weights-by-place")
    names = {"generated-by": "written_with", "converter": "converter_used", "weights-by-place": "weights_by_place"}
    return Finding(
        severity=severity,
        confidence=confidence,
        subject=model.path,
        evidence=(
            file_of(model),
            Evidence("model_kind", model.details["model-kind"], model.path),
            *(
                Evidence(names.get(item, item), model.details[item], model.path)
                for item in details
                if item in model.details
            ),
        ),
        values={"model_path": model.path, "runtime": "tfjs"},
        remedies=remedies,
    )
