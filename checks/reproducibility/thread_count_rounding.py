"""Another number of threads gives other last digits.

Detects:      operations whose results, on the processor, are other bits with another number of threads, and no farther
              apart than rounding order allows. Each number alone was found to repeat.
Why it bites: a machine with more cores, or a limit on them, gives other digits, and with them other decisions.
Blind spots:  only the operations and shapes that were measured; libraries with threads of their own (data frames,
              trees) are not. A short measurement tries few numbers of threads.
Knowledge:    resources/knowledge/computations.toml
"""

from __future__ import annotations

from collections.abc import Iterator

from checks.facts import Measurements, Precision, Symptom
from checks.finding import Finding
from checks.model_repeats import of_models, rounding_in_models
from checks.numeric_findings import changes_by_order
from checks.registry import check

CAUSE = "thread-count-rounding"


@check(CAUSE)
def thread_count_rounding(measurements: Measurements, symptom: Symptom | None) -> Iterator[Finding]:
    """One finding per framework, and per model of the user."""
    models = of_models(measurements, "threads")
    yield from rounding_in_models(CAUSE, measurements, symptom, "threads")
    if not models or measurements.of(Precision):
        yield from changes_by_order(CAUSE, measurements, symptom, lambda setting: setting.startswith("threads-"))
