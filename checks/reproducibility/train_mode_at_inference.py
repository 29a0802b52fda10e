"""The user's model drops out numbers when it predicts: it is in training mode.

Detects:      a model that was given, gives another answer each time for the same input, and does so from a dropout on;
              or stops doing so in evaluation mode.
Why it bites: each prediction is another one, and worse than it could be.
Blind spots:  TorchScript, ONNX and exported programs only, whose programs are in the file; what Python code builds is
              not run. Batch normalisation in training mode does not vary by itself and is not told here.
Knowledge:    none
"""

from __future__ import annotations

from collections.abc import Iterator

from checks.facts import Measurements, ModelMeasured
from checks.finding import Evidence, Finding, NotHere, Severity
from checks.model_repeats import MODE, REPEATED, decisions, first_of, is_dropout, mends, name_of, of_models, place
from checks.registry import check

CAUSE = "train-mode-at-inference"
EVALUATION = "eval"
SURE = 0.99  # the node itself says so; what operations of the suite do matters less to whoever gave the model


@check(CAUSE)
def train_mode_at_inference(measurements: Measurements) -> Iterator[Finding]:
    """One finding per model and runtime."""
    models = of_models(measurements, REPEATED)
    if not models:
        is_given = bool(measurements.of(ModelMeasured))
        raise NotHere("repeated_models", "not-measured" if is_given else "none-given")
    modes = {(each.path, each.framework): each for each in of_models(measurements, MODE) if each.setting == EVALUATION}
    for each in models:
        if (each.distinct or 0) < 2:
            continue
        evaluated = modes.get((each.path, each.framework))
        mended = evaluated is not None and mends(evaluated, each)
        if mended or is_dropout(each.first_op):
            yield _finding(each, mended=mended)


def _finding(made: ModelMeasured, *, mended: bool) -> Finding:
    evidence = [
        Evidence("computed_on", place(made), made.origin),
        Evidence("varying_operation", f"{first_of(made)}: {made.distinct} / {made.repetitions}", made.origin),
        *decisions(made),
    ]
    if mended:
        evidence.append(Evidence("mended_by", EVALUATION, made.origin))
    return Finding(
        cause=CAUSE,
        severity=Severity.WARNING,
        confidence=SURE if is_dropout(made.first_op) else 0.85,
        subject=f"{made.framework} {made.path}",
        evidence=tuple(evidence),
        values={
            "model": name_of(made),
            "distinct": str(made.distinct),
            "count": str(made.repetitions),
            "where": first_of(made),
        },
    )
