"""A compiled operation has other last digits than the plain one.

Detects:      operations whose results are other bits under torch.compile, no farther apart than rounding order allows.
Why it bites: a comparison of the compiled model with the plain one fails in its last digits.
Blind spots:  two operations are compiled, and only where a compiler is there and time is left; optimisers of runtimes
              are compared with the user's own model alone.
Knowledge:    resources/knowledge/computations.toml
"""

from __future__ import annotations

from collections.abc import Iterator

from checks.facts import Measurements, Symptom
from checks.finding import Finding
from checks.numeric_findings import changes_by_order
from checks.registry import check

CAUSE = "compiled-graph-rounding"


@check(CAUSE)
def compiled_graph_rounding(measurements: Measurements, symptom: Symptom | None) -> Iterator[Finding]:
    """One finding per framework and device."""
    yield from changes_by_order(CAUSE, measurements, symptom, lambda setting: setting == "compiled")
