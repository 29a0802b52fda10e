"""A row that is computed alone has other last digits than the same row in a batch.

Detects:      operations whose first row, computed alone, has other bits than in the batch, no farther apart than
              rounding order allows.
Why it bites: a service whose batches depend on who else asks gives other digits to the same question.
Blind spots:  batch sizes between one and the whole batch are not tried; a user's model has other shapes, which
              choose other kernels.
Knowledge:    resources/knowledge/computations.toml
"""

from __future__ import annotations

from collections.abc import Iterator

from checks.facts import Measurements, Symptom
from checks.finding import Finding
from checks.numeric_findings import changes_by_order
from checks.registry import check

CAUSE = "batch-size-rounding"


@check(CAUSE)
def batch_size_rounding(measurements: Measurements, symptom: Symptom | None) -> Iterator[Finding]:
    """One finding per framework and device."""
    yield from changes_by_order(CAUSE, measurements, symptom, lambda setting: setting.startswith("batch-"))
