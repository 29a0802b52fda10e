"""Full float32 was demanded, and products are computed with fewer digits all the same.

Detects:      settings of the framework that demand full float32, under which the errors against float64 are still those
              of TensorFloat-32 or bfloat16.
Why it bites: the program says that it computes in full, and nothing tells that a variable or another library decides.
Blind spots:  only settings of digits are measured here; whether a seed arrives shows in the user's program alone. That
              a permission for fewer digits changes nothing, as where a device has no such units, is no fault.
Knowledge:    resources/knowledge/computations.toml
"""

from __future__ import annotations

from collections.abc import Iterator

from checks.facts import EnvironmentVariables, Measurements
from checks.finding import Evidence, Finding, NotHere, Severity
from checks.magnitude import recognised
from checks.numeric_findings import FULL_DIGITS, forcing
from checks.numerics import (
    BY_SIZE,
    MEASURED,
    by_device,
    error_of,
    figure,
    operations,
    precisions,
    settings,
    shorter_format,
)
from checks.registry import check

CAUSE = "setting-ignored"
DEMAND_FULL = ("tf32-off", "tf32-off-flags", "mkldnn-ieee", "precision-highest")


@check(CAUSE)
def setting_ignored(measurements: Measurements, environment: EnvironmentVariables | None) -> Iterator[Finding]:
    """One finding per framework and device."""
    tried = [each for each in precisions(measurements) if each.setting in DEMAND_FULL]
    if not tried:
        raise NotHere("precision", "not-measured")
    for (framework, device), here in by_device(tried).items():
        found = [each for each in here if shorter_format(each) is not None]
        if not found:
            continue
        worst = max(found, key=lambda each: error_of(each).times or 0.0)
        yield Finding(
            cause=CAUSE,
            severity=Severity.WARNING,
            confidence=MEASURED if recognised(worst) else BY_SIZE,
            subject=f"{framework}:{device}",
            evidence=(
                Evidence("computed_on", f"{framework}, {device}", worst.origin),
                Evidence("settings_without_effect", settings(found), worst.origin),
                Evidence("computed_in", shorter_format(worst) or "", worst.origin),
                Evidence("operations_apart", operations(found), worst.origin),
                Evidence("measured_error", figure(error_of(worst).relative), worst.origin),
                *forcing(environment),
            ),
            remedies=FULL_DIGITS,
        )
