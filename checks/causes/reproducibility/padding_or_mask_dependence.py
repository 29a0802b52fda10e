"""The answer of the user's model to one row depends on the other rows of the batch.

Detects:      a model that was given, whose first row, computed alone, is farther from the same row in a batch than any
              rounding makes it.
Why it bites: an answer depends on who else asks at the same time; tests with single rows do not show it.
Blind spots:  a first axis that is no batch but time, or the points of one thing, looks the same; where the file names
              its axes so, it is not asked. Padding is not tried: all rows have the same length.
Knowledge:    none
"""

from __future__ import annotations

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

CAUSE = "padding-or-mask-dependence"
REMEDY = "keep-rows-apart"  # the cause's own are for texts that are padded
_LIKELY = 0.75  # else the first axis is no batch


@check(CAUSE)
def padding_or_mask_dependence(measurements: Measurements) -> Iterator[Finding]:
    """One finding per model and runtime."""
    for each in models_run(measurements, BATCH):
        if size_of(each) is not Size.BEYOND or is_normalisation(each.beyond_op):
            continue
        yield Finding(
            cause=CAUSE,
            severity=Severity.NOTE if is_one_scale(each) else Severity.WARNING,
            confidence=_LIKELY,
            subject=f"{each.framework} {each.device} {each.path}",
            evidence=(
                Evidence("computed_on", place(each), each.origin),
                Evidence("operations_apart", beyond_of(each), each.origin),
                Evidence("settings_compared", compared(each), each.origin),
                Evidence("measured_difference", distance(each), each.origin),
                *decisions(each),
            ),
            remedies=(REMEDY,),
            values={
                **values_of(each),
                "where": beyond_of(each),
                "apart": distance(each),
                "rows": each.other.rpartition("-")[2],
            },
        )
