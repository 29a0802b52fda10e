"""The user's model is in training mode when it predicts: it drops out numbers, or normalises by the batch.

Detects:      a model that was given, gives another answer each time for the same input, and does so from a dropout on,
              perhaps only where nothing is optimised; or stops doing so in evaluation mode; or whose batch
              normalisation lets a row depend on the others, or changes its statistics with each run.
Why it bites: each prediction is another one, or depends on who else asks, and is worse than it could be.
Blind spots:  TorchScript, ONNX and exported programs only, whose programs are in the file; what Python code builds is
              not run.
Knowledge:    none
"""

from collections.abc import Iterator, Mapping

import msgspec

from checks.analysis.models.repeats import (
    BATCH,
    EVALUATION,
    MODE,
    REPEATED,
    beyond_of,
    decisions,
    first_of,
    is_dropout,
    is_in_training,
    is_normalisation,
    is_same_place,
    keeps_statistics,
    mends,
    models_run,
    name_of,
    of_models,
    only_unoptimised,
    place,
    size_of,
    values_of,
    what_is_kept,
)
from checks.analysis.numbers.magnitude import Size
from checks.causes.registry import check
from checks.facts import Measurements, ModelFiles, ModelMeasured
from checks.facts.finding import Evidence, Finding, Severity
from checks.facts.phrase import Value
from checks.knowledge.phrases import phrase

SURE = 0.99  # the node itself says so; what operations of the suite do matters less to whoever gave the model
_LIKELY = 0.85
SWITCH, EXPORT = "switch-to-evaluation-mode", "export-in-evaluation-mode"
_FIXED = ("pt2",)  # formats of PyTorch whose programs have no mode that could be switched


@check("train-mode-at-inference")
def train_mode_at_inference(measurements: Measurements, models: ModelFiles | None = None) -> Iterator[Finding]:
    """One finding per model and runtime, of what tells it best: it varies, mixes its rows, or learns."""
    seen: set[tuple[str, str]] = set()
    kinds = (_varying, _mixing, _learning, _hidden)
    for finding, run in (found for kind in kinds for found in kind(measurements)):
        if (run.path, run.framework) not in seen:
            seen.add((run.path, run.framework))
            yield msgspec.structs.replace(finding, remedies=_remedies(run, measurements, models))


def _remedies(run: ModelMeasured, measurements: Measurements, models: ModelFiles | None) -> tuple[str, ...]:
    """Evaluation mode helps only where it was seen to, or the loaded model has a mode and nothing was seen."""
    has_no_mode = any(file.path == run.path for file in models.of(*_FIXED)) if models else False
    if run.framework != "torch" or has_no_mode:
        return (EXPORT,)
    evaluated = [
        other
        for other in of_models(measurements, MODE)
        if other.setting == EVALUATION and other.distinct and is_same_place(run, other)
    ]
    if any((other.distinct or 0) > 1 for other in evaluated):
        return (EXPORT,)
    return (SWITCH,) if evaluated else (SWITCH, EXPORT)


_Found = Iterator[tuple[Finding, ModelMeasured]]


def _varying(measurements: Measurements) -> _Found:
    for run in models_run(measurements, REPEATED):
        again = [measured for measured in of_models(measurements, MODE) if is_same_place(measured, run)]
        if (run.distinct or 0) < 2 or not is_in_training(run, again):
            continue
        mended = [measured for measured in again if measured.setting == EVALUATION and mends(measured, run)]
        evidence = (
            Evidence("varying_operation", f"{first_of(run)}: {run.distinct} / {run.repetitions}", run.origin),
            *decisions(run),
            *(Evidence("mended_by", EVALUATION, measured.origin) for measured in mended[:1]),
        )
        values = {"distinct": str(run.distinct), "count": str(run.repetitions), "where": first_of(run)}
        sure = SURE if is_dropout(run.first_op) else _LIKELY
        yield _finding(run, "train-mode-varies", sure, evidence, values), run


def _mixing(measurements: Measurements) -> _Found:
    for model in of_models(measurements, BATCH):
        if size_of(model) is Size.BEYOND and is_normalisation(model.beyond_op):
            evidence = (Evidence("operations_apart", beyond_of(model), model.origin), *decisions(model))
            yield _finding(model, "train-mode-neighbours", SURE, evidence, {"where": beyond_of(model)}), model


def _learning(measurements: Measurements) -> _Found:
    for run in what_is_kept(measurements):
        if keeps_statistics(run):
            evidence = (Evidence("kept_by_model", run.detail, run.origin),)
            yield (_finding(run, "train-mode-learns", _LIKELY, evidence, {"where": run.detail}), run)


def _hidden(measurements: Measurements) -> _Found:
    """A dropout that ONNX Runtime takes out when it optimises, and other programs need not."""
    for run in only_unoptimised(measurements):
        if is_dropout(run.first_op):
            evidence = (
                Evidence("varying_operation", f"{first_of(run)}: {run.distinct} / {run.repetitions}", run.origin),
                Evidence("settings_compared", run.setting, run.origin),
            )
            values = {"distinct": str(run.distinct), "count": str(run.repetitions), "where": first_of(run)}
            yield _finding(run, "train-mode-hidden", SURE, evidence, values), run


def _finding(
    run: ModelMeasured, seen: str, sure: float, evidence: tuple[Evidence, ...], values: Mapping[str, Value]
) -> Finding:
    """``seen``: the key of the phrase that tells what was seen."""
    return Finding(
        severity=Severity.WARNING,
        confidence=sure,
        subject=f"{run.framework} {run.path}",
        evidence=(Evidence("computed_on", place(run), run.origin), *evidence),
        values={**values_of(run), **values, "seen": phrase(seen, model=name_of(run), **values)},
    )
