"""An operation does not give the same bits each time.

Detects:      operations that were repeated here with the same inputs and seeds and gave different results, where a
              document says so or where the order of adding explains it; a small network that was trained again and
              ended apart; the user's own model, and the node at which its runs part.
Why it bites: training amplifies the last digit; two runs with the same seeds end apart, and tests for equality fail.
Blind spots:  so many repetitions exclude only so rare an instability. What is not in the suite was not repeated.
Knowledge:    resources/knowledge/frameworks/determinism.toml, computations.toml
"""

from collections.abc import Iterator, Sequence

from checks.analysis.models.repeats import (
    MODE,
    REPEATED,
    asks_whether_it_repeats,
    decides_otherwise,
    decisions,
    distance,
    draws_numbers,
    first_of,
    is_same_place,
    mends,
    name_of,
    of_models,
    place,
    should_own_model_repeat,
    values_of,
)
from checks.analysis.numbers.repeats import (
    DETERMINISTIC,
    Repeated,
    Variation,
    by_device,
    in_words,
    is_processor,
    remedies_on,
    repeated,
    results_of,
    runs,
    trainings,
    versions_of,
)
from checks.analysis.scripts.measured import VariedLine, used_in_script, varied_lines
from checks.causes.registry import check
from checks.facts import Facts, Frameworks, Measurements, ModelMeasured, Repeat, Symptom
from checks.facts.finding import FRAMEWORK, Evidence, Finding, NotHere, Severity
from checks.facts.question import Exactness
from checks.knowledge.frameworks.determinism import DeterminismTable, Promise
from checks.knowledge.phrases import phrase

_SUREST = 0.98
_PERHAPS_USED = 0.8  # of an operation: whether the user's program has it, is not known


@check("nondeterministic-op")
def nondeterministic_op(
    measurements: Measurements, frameworks: Frameworks | None, symptom: Symptom | None, facts: Facts | None = None
) -> Iterator[Finding]:
    """One finding per framework and device, with the lines of a given script that use it, and per model of the user."""
    models = of_models(measurements, REPEATED)
    yield from _in_models(models, measurements, symptom)
    found = repeated((*measurements.all, *runs(measurements.all)), versions_of(frameworks))
    if not any(operation.default for operation in found) and not models:
        raise NotHere("repeats", "not-measured")
    for framework, device, operations in by_device(found):
        varying = [
            operation for operation in operations if operation.variation in (Variation.DOCUMENTED, Variation.ORDER)
        ]
        if not varying:
            continue
        lines = tuple(line for line in _lines(facts, device) if line.run.framework == framework)
        yield Finding(
            severity=Severity.WARNING if _matters(symptom) else Severity.NOTE,
            confidence=_sure_of(varying, measurements, lines),
            subject=f"{framework} {device}",
            evidence=(
                Evidence("computed_on", f"{framework}, {device}", _origin(varying)),
                *(Evidence("script_line", _shown(line), line.name) for line in lines),
                *_evidence(varying),
            ),
            remedies=remedies_on(device),
            values={
                FRAMEWORK: framework,
                "device": device,
                "varying": in_words(varying),
                "used": used_in_script(lines),
                "mended": phrase(_mended(varying)),
                "place": phrase(_place(device)),
            },
        )


def _lines(facts: Facts | None, device: str) -> tuple[VariedLine, ...]:
    return varied_lines(facts, device) if facts is not None else ()


def _shown(line: VariedLine) -> str:
    where = f"{line.mark.cell}:{line.mark.line}" if line.mark.cell else str(line.mark.line)
    return f"{line.name}:{where}: {line.mark.subject}, {line.run.others} / {line.run.repetitions}"


def _in_models(
    models: Sequence[ModelMeasured], measurements: Measurements, symptom: Symptom | None
) -> Iterator[Finding]:
    """Models that vary although nothing in them draws random numbers."""
    for model in models:
        again = [run for run in of_models(measurements, MODE) if is_same_place(run, model)]
        if (model.distinct or 0) < 2 or draws_numbers(model, again):
            continue
        modes = [run for run in again if run.setting == DETERMINISTIC]
        mended = any(mends(run, model) for run in modes)
        is_loud = should_own_model_repeat(symptom) or decides_otherwise(model)
        varying = f"{name_of(model)}: {first_of(model)}"
        yield Finding(
            severity=Severity.WARNING if is_loud else Severity.NOTE,
            confidence=_sure(model.repetitions),
            subject=f"{model.framework} {model.device} {model.path}",
            evidence=(
                Evidence("computed_on", place(model), model.origin),
                Evidence(
                    "varying_operation", f"{first_of(model)}: {model.distinct} / {model.repetitions}", model.origin
                ),
                Evidence("measured_difference", distance(model), model.origin),
                *decisions(model),
            ),
            remedies=remedies_on(model.device),
            values={
                **values_of(model),
                "device": model.device,
                "varying": (varying,),
                "used": used_in_script(()),
                "mended": phrase("mended-by-mode" if mended else "not-mended" if modes else "none-tried"),
                "place": phrase(_place(model.device)),
            },
        )


def _place(device: str) -> str:
    """Why it happens on this kind of device, as the key of a phrase."""
    return "repeats-on-a-processor" if is_processor(device) else "repeats-on-an-accelerator"


def _matters(symptom: Symptom | None) -> bool:
    """Whether results that change in their last digit are what the user came for; else they are normal.

    A user who needs the same decisions can ignore them, too, unless a decision was seen to change.
    """
    if symptom is not None and symptom.exactness == Exactness.DECISIONS:
        return False
    return asks_whether_it_repeats(symptom)


def _sure(repetitions: int) -> float:
    """How surely what varied in so many repetitions varies again: Laplace's rule of succession."""
    return min((repetitions + 1) / (repetitions + 2), _SUREST)


def _sure_of(varying: Sequence[Repeated], measurements: Measurements, lines: Sequence[VariedLine]) -> float:
    """How surely this is why the user's results change: a training that ended apart says so, or the user's own script.

    Of an operation that is in neither it only may be.
    """
    if lines:
        return _sure(max(line.run.repetitions for line in lines))
    place = (varying[0].framework, varying[0].device)
    trained = [training for training in trainings(measurements.all) if (training.framework, training.device) == place]
    runs_apart = [len(run.exact) for run in trained if run.distinct > 1]
    if runs_apart:
        return _sure(max(runs_apart))
    return _PERHAPS_USED * _sure(
        max(operation.default.repetitions for operation in varying if operation.default is not None)
    )


def _mended(varying: Sequence[Repeated]) -> str:
    """What deterministic mode did to these, as the key of a phrase."""
    if all(DETERMINISTIC in operation.mended_by for operation in varying):
        return "mended-by-mode"
    if all(operation.mended_by for operation in varying):
        return "mended-by-settings"
    if any(operation.raises for operation in varying):
        return "refused-by-mode"
    if any(operation.mended_by for operation in varying):
        return "mended-in-part"
    if any(operation.is_open for operation in varying):
        return "too-seldom"
    return "not-mended" if any(operation.tried for operation in varying) else "none-tried"


def _origin(varying: Sequence[Repeated]) -> str:
    return varying[0].default.origin if varying[0].default else ""


def _evidence(varying: Sequence[Repeated]) -> Iterator[Evidence]:
    origin = _origin(varying)
    for run in varying:
        default = run.default
        if default is None:
            continue
        distinct, calls = results_of(default)
        yield Evidence("varying_operation", f"{run.operation}: {distinct} / {calls}{_apart(default)}", origin)
    mended = [f"{run.operation}: {', '.join(run.mended_by)}" for run in varying if run.mended_by]
    if mended:
        yield Evidence("mended_by", "; ".join(mended), origin)
    costs = [f"{run.operation}: x {run.cost:.2g}" for run in varying if run.cost and DETERMINISTIC in run.mended_by]
    if costs:
        yield Evidence("cost_of_mode", "; ".join(costs), origin)
    # A training is no operation that a document could name; its results have no fingerprints of their own.
    named = [
        operation
        for operation in varying
        if operation.is_documented and operation.default and operation.default.fingerprints
    ]
    silent = [run.operation for run in named if run.promised.by_default is not Promise.VARIES]
    if silent:
        yield Evidence("not_documented", ", ".join(silent), DeterminismTable.read().title)


def _apart(run: Repeat) -> str:
    spread = run.spread
    return f", {spread.max_abs:.3g} / {spread.scale:.3g}" if spread and spread.max_abs and spread.scale else ""
