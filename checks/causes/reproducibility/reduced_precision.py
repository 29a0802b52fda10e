"""Products of float32 are computed in bfloat16 by default.

Detects:      operations whose errors against float64, with the settings as they are, are those of factors with 8
              significant digits: recognised element by element, else by their size.
Why it bites: two to three digits are right, not seven, though everything is float32 by its type.
Blind spots:  half precision that the user's program chooses itself (autocast, half()) shows only in the user's model.
Knowledge:    resources/knowledge/frameworks/computations.toml
"""

from collections.abc import Iterator

from checks.analysis.numbers.digit_findings import FULL_DIGITS, computed_in_fewer_digits
from checks.causes.registry import check
from checks.facts import EnvironmentVariables, Measurements, Symptom
from checks.facts.finding import Finding


@check("reduced-precision")
def reduced_precision(
    measurements: Measurements, environment: EnvironmentVariables | None, symptom: Symptom | None
) -> Iterator[Finding]:
    """One finding per framework and device."""
    yield from computed_in_fewer_digits("bfloat16", measurements, environment, symptom, FULL_DIGITS)
