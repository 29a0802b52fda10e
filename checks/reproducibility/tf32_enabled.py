"""Products of float32 are computed in TensorFloat-32 by default.

Detects:      operations whose errors against float64, with the settings as they are, are those of factors with 11
              significant digits: recognised element by element, else by their size.
Why it bites: three digits are right, not seven: coordinates, distances and comparisons with a processor suffer.
Blind spots:  the settings of the user's own program are not known, only the defaults of this interpreter. TensorFlow
              and JAX, which use it by default, are not measured.
Knowledge:    resources/knowledge/computations.toml
"""

from __future__ import annotations

from collections.abc import Iterator

from checks.facts import EnvironmentVariables, Measurements, Symptom
from checks.finding import Finding
from checks.numeric_findings import computed_in_fewer_digits
from checks.registry import check

CAUSE = "tf32-enabled"


@check(CAUSE)
def tf32_enabled(
    measurements: Measurements, environment: EnvironmentVariables | None, symptom: Symptom | None
) -> Iterator[Finding]:
    """One finding per framework and device."""
    yield from computed_in_fewer_digits(CAUSE, "tf32", measurements, environment, symptom)
