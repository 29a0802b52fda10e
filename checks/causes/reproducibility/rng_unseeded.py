"""The user's model draws random numbers when it computes.

Detects:      a model that was given, gives another answer each time for the same input, and does so from a node on that
              draws random numbers; or stops doing so with a seed before each run.
Why it bites: nobody gets an answer a second time, and settings for deterministic algorithms change nothing.
Blind spots:  ONNX, TorchScript and exported programs only; what Python code draws around the model is not run. That it
              is meant to, as in a model that makes pictures, no file tells.
Knowledge:    none
"""

from collections.abc import Iterator, Sequence

from checks.analysis.models.repeats import (
    MODE,
    NEW_SESSION,
    REPEATED,
    SEEDED,
    SEEDED_ONCE,
    decisions,
    draws,
    draws_numbers,
    first_of,
    is_dropout,
    is_in_training,
    is_same_place,
    mends,
    models_run,
    of_models,
    only_unoptimised,
    place,
    values_of,
)
from checks.causes.registry import check
from checks.facts import Measurements, ModelMeasured, Symptom
from checks.facts.finding import Evidence, Finding, Severity
from checks.facts.phrase import Phrase
from checks.facts.question import Exactness
from checks.knowledge.phrases import phrase

REMEDY = "fix-random-numbers-in-a-model"  # the cause's own are for programs
_SURE, _LIKELY = 0.99, 0.9  # the node says so; only a seed tells it


@check("rng-unseeded")
def rng_unseeded(measurements: Measurements, symptom: Symptom | None) -> Iterator[Finding]:
    """One finding per model and device."""
    for run in models_run(measurements, REPEATED):
        again = [measured for measured in of_models(measurements, MODE) if is_same_place(measured, run)]
        if (run.distinct or 0) < 2 or not draws_numbers(run, again) or is_in_training(run, again):
            continue
        yield _finding(run, symptom, again, phrase("sentences", parts=tuple(map(phrase, _of_seeds(run, again)))))
    for run in only_unoptimised(measurements):
        if draws(run.first_op) and not is_dropout(run.first_op):
            yield _finding(run, symptom, (), phrase("seed-taken-out"))


def _finding(run: ModelMeasured, symptom: Symptom | None, again: Sequence[ModelMeasured], seeded: Phrase) -> Finding:
    """``again``: the same under other settings. ``seeded``: what a seed does to it."""
    mending = [measured for measured in again if measured.setting in (SEEDED, NEW_SESSION) and mends(measured, run)]
    return Finding(
        severity=Severity.NOTE if _is_harmless(run, symptom) else Severity.WARNING,
        confidence=_SURE if draws(run.first_op) else _LIKELY,
        subject=f"{run.framework} {run.device} {run.path}",
        evidence=(
            Evidence("computed_on", place(run), run.origin),
            Evidence("varying_operation", f"{first_of(run)}: {run.distinct} / {run.repetitions}", run.origin),
            *decisions(run),
            *(Evidence("mended_by", measured.setting, measured.origin) for measured in mending),
        ),
        remedies=(REMEDY,),
        values={
            **values_of(run),
            "distinct": str(run.distinct),
            "count": str(run.repetitions),
            "where": first_of(run),
            "seeded": seeded,
        },
    )


def _is_harmless(run: ModelMeasured, symptom: Symptom | None) -> bool:
    """Whether only decisions matter, and were seen to stay: of the user's own inputs, made-up ones decide nothing."""
    wants_decisions = symptom is not None and symptom.exactness == Exactness.DECISIONS
    return wants_decisions and run.inputs_from != "drawn" and run.decisions is not None and run.decisions >= 1.0


def _of_seeds(measured: ModelMeasured, again: Sequence[ModelMeasured]) -> Iterator[str]:
    """Whether it needs a seed for each run, for each session or none, as keys of phrases."""
    mending = {run.setting for run in again if mends(run, measured)}
    varying = {run.setting for run in again if (run.distinct or 0) > 1}
    if NEW_SESSION in mending:
        yield "seed-in-file"
        return
    yield "seed-mends" if SEEDED in mending else "seed-in-vain" if SEEDED in varying else "seed-untried"
    if SEEDED in mending and SEEDED_ONCE in mending:
        yield "seed-once"
