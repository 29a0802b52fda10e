"""Results differ in the last digits with the batch size.

Detects:      operations whose first row has different bits alone and in the batch, within what rounding order allows.
Why it bites: a service whose batches depend on who else asks answers the same question with different digits.
Blind spots:  batch sizes between one and the whole batch are not tried; a user's model has other shapes, which
              choose other kernels, so that one that was given is asked itself.
Knowledge:    resources/knowledge/frameworks/computations.toml
"""

from collections.abc import Iterator

from checks.analysis.models.repeats import rounding_by_order
from checks.causes.registry import check
from checks.facts import Measurements, Symptom
from checks.facts.finding import Finding


@check("batch-size-rounding")
def batch_size_rounding(measurements: Measurements, symptom: Symptom | None) -> Iterator[Finding]:
    """One finding per framework and device, and per model of the user."""
    yield from rounding_by_order(measurements, symptom, "batch", lambda setting: setting.startswith("batch-"))
