"""The answer of the user's model to one row depends on the other rows of the batch.

Detects:      a model that was given, whose first row, computed alone, is farther from the same row in a batch than any
              rounding makes it.
Why it bites: an answer depends on who else asks at the same time; tests with single rows do not show it.
Blind spots:  a first axis that is no batch but time, or the points of one thing, looks the same; where the file names
              its axes so, it is not asked. Padding is not tried: all rows have the same length.
Knowledge:    none
"""

from collections.abc import Iterator

from checks.analysis.models.repeats import (
    BATCH,
    beyond_of,
    compared,
    decisions,
    distance,
    is_normalisation,
    is_one_scale,
    models_run,
    place,
    size_of,
    values_of,
)
from checks.analysis.numbers.magnitude import Size
from checks.causes.registry import check
from checks.facts import Measurements
from checks.facts.finding import Evidence, Finding, Severity

REMEDY = "keep-rows-apart"  # the cause's own are for texts that are padded
_LIKELY = 0.75  # else the first axis is no batch


@check("padding-or-mask-dependence")
def padding_or_mask_dependence(measurements: Measurements) -> Iterator[Finding]:
    """One finding per model and runtime."""
    for measurement in models_run(measurements, BATCH):
        if size_of(measurement) is not Size.BEYOND or is_normalisation(measurement.beyond_op):
            continue
        yield Finding(
            severity=Severity.NOTE if is_one_scale(measurement) else Severity.WARNING,
            confidence=_LIKELY,
            subject=f"{measurement.framework} {measurement.device} {measurement.path}",
            evidence=(
                Evidence("computed_on", place(measurement), measurement.origin),
                Evidence("operations_apart", beyond_of(measurement), measurement.origin),
                Evidence("settings_compared", compared(measurement), measurement.origin),
                Evidence("measured_difference", distance(measurement), measurement.origin),
                *decisions(measurement),
            ),
            remedies=(REMEDY,),
            values={
                **values_of(measurement),
                "where": beyond_of(measurement),
                "apart": distance(measurement),
                "rows": measurement.other.rpartition("-")[2],
            },
        )
