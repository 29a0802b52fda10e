"""Products of float32 are computed in TensorFloat-32 by default.

Detects:      operations whose errors against float64, with the settings as they are, are those of factors with 11
              significant digits: recognised element by element, else by their size; the user's model on a GPU, which
              is near the processor's results only with TensorFloat-32 off.
Why it bites: three digits are right, not seven: coordinates, distances and comparisons with a processor suffer.
Blind spots:  the settings of the user's own program are not known, only the defaults of this interpreter.
Knowledge:    resources/knowledge/frameworks/computations.toml
"""

from collections.abc import Iterator, Sequence

from checks.analysis.models.repeats import (
    beyond_of,
    decisions,
    loudness,
    of_models,
    place,
    relative,
    relative_bound,
    size_of,
    values_of,
)
from checks.analysis.numbers.digit_findings import computed_in_fewer_digits, loud_unless_decisions_do
from checks.analysis.numbers.digits import MEASURED, figure
from checks.analysis.numbers.magnitude import Size
from checks.causes.registry import check
from checks.facts import EnvironmentVariables, Measurements, ModelMeasured, Precision, Symptom
from checks.facts.finding import Evidence, Finding, Severity

WITHOUT = "tf32-off"
_LOUDER = (Severity.NOTE, Severity.WARNING, Severity.BLOCKING)


@check("tf32-enabled")
def tf32_enabled(
    measurements: Measurements, environment: EnvironmentVariables | None, symptom: Symptom | None
) -> Iterator[Finding]:
    """One finding per framework and device, and per model of the user on a device."""
    models = of_models(measurements, "device")
    yield from _in_models(models, symptom)
    if not models or measurements.of(Precision):
        yield from computed_in_fewer_digits("tf32", measurements, environment, symptom)


def _in_models(models: Sequence[ModelMeasured], symptom: Symptom | None) -> Iterator[Finding]:
    """Models that are as far from the processor as with 11 digits, and no farther than rounding without TF32."""
    full = {(model.path, model.device): model for model in models if model.setting == WITHOUT}
    for model in models:
        other = full.get((model.path, model.device))
        if model.setting == WITHOUT or other is None or size_of(model) is not Size.HALF:
            continue
        if size_of(other) in (Size.ROUNDING, Size.IDENTICAL):
            yield Finding(
                severity=max(loud_unless_decisions_do(symptom), loudness(model, symptom), key=_LOUDER.index),
                confidence=MEASURED,
                subject=f"{model.framework}:{model.device}:{model.path}",
                evidence=(
                    Evidence("computed_on", place(model), model.origin),
                    Evidence("operations_apart", beyond_of(model), model.origin),
                    Evidence("measured_error", figure(relative(model)), model.origin),
                    Evidence("rounding_allows", figure(relative_bound(model)), model.origin),
                    *decisions(model),
                ),
                values=values_of(model),
            )
