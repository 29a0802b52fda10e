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
    for run in models_run(measurements, BATCH):
        if size_of(run) is not Size.BEYOND or is_normalisation(run.beyond_op):
            continue
        yield Finding(
            severity=Severity.NOTE if is_one_scale(run) else Severity.WARNING,
            confidence=_LIKELY,
            subject=f"{run.framework} {run.device} {run.path}",
            evidence=(
                Evidence("computed_on", place(run), run.origin),
                Evidence("operations_apart", beyond_of(run), run.origin),
                Evidence("settings_compared", compared(run), run.origin),
                Evidence("measured_difference", distance(run), run.origin),
                *decisions(run),
            ),
            remedies=(REMEDY,),
            values={
                **values_of(run),
                "where": beyond_of(run),
                "apart": distance(run),
                "rows": run.other.rpartition("-")[2],
            },
        )
