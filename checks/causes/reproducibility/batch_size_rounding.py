"""A row that is computed alone has other last digits than the same row in a batch.

Detects:      operations whose first row, computed alone, has other bits than in the batch, no farther apart than
              rounding order allows.
Why it bites: a service whose batches depend on who else asks gives other digits to the same question.
Blind spots:  batch sizes between one and the whole batch are not tried; a user's model has other shapes, which
              choose other kernels, so that one that was given is asked itself.
Knowledge:    resources/knowledge/frameworks/computations.toml
"""

from collections.abc import Iterator

from checks.analysis.models.repeats import of_models, rounding_in_models, size_of
from checks.analysis.numbers.digit_findings import changes_by_order, doubt_if_farther
from checks.causes.registry import check
from checks.facts import Measurements, Precision, Symptom
from checks.facts.finding import Finding


@check("batch-size-rounding")
def batch_size_rounding(measurements: Measurements, symptom: Symptom | None) -> Iterator[Finding]:
    """One finding per framework and device, and per model of the user."""
    models = of_models(measurements, "batch")
    yield from rounding_in_models(measurements, symptom, "batch")
    if not models or measurements.of(Precision):
        yield from changes_by_order(measurements, symptom, lambda setting: setting.startswith("batch-"))
    doubt_if_farther(map(size_of, models))
