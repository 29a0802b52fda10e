"""Numbers in half precision became infinite where they are finite in full.

Detects:      a result in float16 (by its type, under autocast, or of the user's model) with infinite numbers or NaN
              where the same computation in float32 or float64 has none.
Why it bites: one infinite number makes NaN of everything after it: a loss of nan, a black picture.
Blind spots:  our own inputs are small on purpose; whether a user's model overflows shows only with the user's model and
              inputs of the usual size.
Knowledge:    resources/knowledge/frameworks/computations.toml
"""

from collections.abc import Iterator

from checks.analysis.numbers.digits import MEASURED
from checks.analysis.numbers.mechanism import computed_in
from checks.causes.registry import check
from checks.facts import ArrayDifference, Measured, Measurements, ModelMeasured, Precision
from checks.facts.finding import FRAMEWORK, Evidence, Finding, NotHere, Severity

HALF = "float16"


@check("mixed-precision-overflow")
def mixed_precision_overflow(measurements: Measurements) -> Iterator[Finding]:
    """One finding per operation, or output of a model, and device."""
    tried = [(run, apart) for run in measurements.all for apart in _in_half(run) if not run.reason]
    if not tried:
        raise NotHere("precision", "not-measured")
    seen = set()
    for measured, apart in tried:
        lost, place = apart.nan + apart.infinite, (measured.operation, measured.device)
        if not lost or place in seen:
            continue
        seen.add(place)
        yield Finding(
            severity=Severity.WARNING,
            confidence=MEASURED,
            subject=f"{measured.operation}:{measured.device}",
            evidence=(
                Evidence("computed_on", f"{measured.framework}, {measured.device}", measured.origin),
                Evidence("overflowing_operation", measured.operation, measured.origin),
                Evidence("numbers_lost", f"{lost} / {apart.elements}", measured.origin),
            ),
            values={FRAMEWORK: measured.framework},
        )


def _in_half(measured: Measured) -> Iterator[ArrayDifference]:
    """What stands beside the truth, where it was computed in half precision."""
    if isinstance(measured, Precision) and measured.against and computed_in(measured) == HALF:
        yield measured.against
    elif isinstance(measured, ModelMeasured) and measured.difference:
        halves = [HALF in text for text in (measured.setting, measured.other)]
        if any(halves) and not all(halves):
            yield measured.difference
