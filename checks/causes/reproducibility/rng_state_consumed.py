"""The user's model keeps something from one run to the next.

Detects:      a model that was given, whose program changes values that it holds (attributes and buffers).
Why it bites: the second answer to the same input is another one, and depends on what was asked before.
Blind spots:  TorchScript and exported programs only. That it is meant to, as a cache is, no file tells. Statistics of
              batch normalisation are another cause.
Knowledge:    none
"""

from collections.abc import Iterator

from checks.analysis.models.repeats import (
    REPEATED,
    keeps_statistics,
    models_run,
    place,
    should_own_model_repeat,
    values_of,
    what_is_kept,
)
from checks.causes.registry import check
from checks.facts import Measurements, Symptom
from checks.facts.finding import Evidence, Finding, Severity

REMEDY = "set-model-state-back"  # the cause's own are for random numbers
_LIKELY = 0.8  # what is kept need not enter the answer


@check("rng-state-consumed")
def rng_state_consumed(measurements: Measurements, symptom: Symptom | None) -> Iterator[Finding]:
    """One finding per model."""
    models_run(measurements, REPEATED)
    for run in what_is_kept(measurements):
        if keeps_statistics(run):
            continue
        yield Finding(
            severity=Severity.WARNING if should_own_model_repeat(symptom) else Severity.NOTE,
            confidence=_LIKELY,
            subject=f"{run.framework} {run.path}",
            evidence=(
                Evidence("computed_on", place(run), run.origin),
                Evidence("kept_by_model", run.detail, run.origin),
            ),
            remedies=(REMEDY,),
            values={**values_of(run), "kept": run.detail},
        )
