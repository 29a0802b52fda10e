"""What the user's own models showed when they were run twice or more, and what the size of a difference tells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePath

from checks.analysis.models.amplified import amplified, changes_much, within_rounding
from checks.analysis.numbers.digit_findings import changes_by_order, doubt_if_farther
from checks.analysis.numbers.digits import MEASURED, figure
from checks.analysis.numbers.magnitude import Size
from checks.analysis.numbers.power import CONFIDENCE, ENOUGH, chance_without_effect
from checks.facts import ArrayDifference, Facts, Measurements, ModelMeasured, Precision, Symptom
from checks.facts.finding import FRAMEWORK, MEASURED_MODEL, Evidence, Finding, NotHere, Severity
from checks.facts.phrase import Value
from checks.facts.question import Exactness, SymptomName

REPEATED, MODE, STATE, BATCH, LOST = "repeat", "mode", "state", "batch", "lost"
SEEDED, SEEDED_ONCE, NEW_SESSION, EVALUATION = "seeded", "seeded-once", "new-session", "eval"
_LEVEL = "ORT_"  # how the levels at which ONNX Runtime optimises begin
ALL_ALIKE = "100 %"  # of the decisions
NAN_EVERYWHERE = "nan-everywhere"  # the reason of a comparison in which every number is NaN
SHAPES = "shapes-differ"  # the reason of a comparison in which an output has another shape
# Operations that give other numbers each time by design; those that belong to training alone.
DROPOUT = frozenset(
    name + end for name in ("dropout", "feature_dropout", "alpha_dropout", "native_dropout") for end in ("", "_")
)
_DRAWS = (
    *("random", "multinomial", "bernoulli"),
    *(f"aten::{name}" for name in ("rand", "normal", "bernoulli", "multinomial", "uniform", "exponential", "poisson")),
    *(f"aten::{name}" for name in ("cauchy", "geometric", "log_normal", "rrelu", "binomial")),
)
# What batch normalisation keeps of what it has seen in training.
_STATISTICS = frozenset({"running_mean", "running_var", "num_batches_tracked"})
_WITHIN = " > "  # between an operator and one in its branches, in its loop or of its function
# How many times more than with float32's digits rounding makes with those of a shorter format.
_TIMES_HALF, _TIMES_BFLOAT16 = 2.0**13, 2.0**16
_FEW = 0.05  # of the numbers of a node


def of_models(measurements: Measurements, *aspects: str) -> tuple[ModelMeasured, ...]:
    """The comparisons of the user's models under these aspects that were made, also of outputs of other shapes."""
    return tuple(
        run
        for run in measurements.all
        if isinstance(run, ModelMeasured) and run.aspect in aspects and run.reason in ("", SHAPES)
    )


@dataclass(frozen=True)
class RepeatedModels:
    """What running the given models again came to: the names of those that were, and of those that did not change.

    ``fewest``: the repetitions of that which was repeated least; ``is_open``: one was repeated too seldom to tell, or
    was to be repeated and was not; ``is_idle``: one was, and gave nothing in which a change could have been seen.
    """

    tested: frozenset[str]
    same: frozenset[str]
    fewest: int
    is_open: bool
    is_idle: bool = False

    @classmethod
    def of(cls, facts: Facts) -> RepeatedModels:
        """Of all models of a case."""
        own = [run for run in facts.measurements if isinstance(run, ModelMeasured)]
        repeated = [
            run for run in own if run.aspect == REPEATED and run.distinct is not None and run.reason in ("", SHAPES)
        ]
        tested = frozenset(run.path for run in repeated)
        varying = frozenset(run.path for run in own if run.aspect in (REPEATED, MODE) and (run.distinct or 0) > 1)
        fewest = min((run.repetitions for run in repeated), default=0)
        is_left = any(run.path not in tested for run in own)
        is_few = any(run.repetitions < ENOUGH and run.distinct == 1 for run in repeated)
        is_idle = any(run.aspect == REPEATED and run.distinct is not None and run.path not in tested for run in own)
        return cls(tested, tested - varying, fewest, is_left or is_few, is_idle)


def models_run(measurements: Measurements, aspect: str) -> tuple[ModelMeasured, ...]:
    """The comparisons of the user's models under one aspect, where any of these models was run again.

    Raises:
        NotHere: no model was given, or none was run again.
    """
    runs = of_models(measurements, aspect)
    if not runs and not of_models(measurements, REPEATED):
        is_given = any(isinstance(run, ModelMeasured) for run in measurements.all)
        raise NotHere("repeated_models", "not-measured" if is_given else "none-given")
    return runs


def what_is_kept(measurements: Measurements) -> tuple[ModelMeasured, ...]:
    """What each model that changes values it holds reports about them."""
    return tuple(run for run in measurements.all if isinstance(run, ModelMeasured) and run.aspect == STATE)


def keeps_statistics(run: ModelMeasured) -> bool:
    """Whether what a model keeps are the statistics of batch normalisations that learn, and nothing else."""
    return all(text.rpartition(".")[2] in _STATISTICS for text in run.detail.split(", "))


def size_of(run: ModelMeasured) -> Size:
    """What the difference of two runs is as large as.

    A device may compute with fewer digits, the processor does not. Where something was decided otherwise on the way
    (the place of a largest number, an index), all that follows is a different computation, not rounding.
    """
    apart = run.difference
    if run.reason == SHAPES:
        return _size_of_decided(run)
    if apart is None or not apart.elements:
        return Size.NOTHING
    if not apart.differing:
        return Size.IDENTICAL
    if apart.nan or apart.infinite:
        return Size.BEYOND
    if run.bound is None:
        return _size_of_decided(run)
    if run.aspect == "batch" and run.first_node and run.first_node == run.beyond_node:
        return Size.BEYOND  # something is computed from all rows at once
    largest = apart.max_abs or 0.0
    if largest <= run.bound or run.choice_node:
        return Size.ROUNDING
    if run.aspect != "device" or _is_local(run.beyond_difference):
        return Size.BEYOND
    if largest <= run.bound * _TIMES_HALF:
        return Size.HALF
    return Size.BFLOAT16 if largest <= run.bound * _TIMES_BFLOAT16 else Size.BEYOND


def _size_of_decided(run: ModelMeasured) -> Size:
    """Of whole numbers, texts or lengths, which rounding decides: that, unless more was seen to lead to them."""
    return Size.BEYOND if run.beyond_node and not run.choice_node else Size.ROUNDING


def _is_local(apart: ArrayDifference | None) -> bool:
    """Whether few numbers differ where it begins: fewer digits change nearly all."""
    return apart is not None and apart.differing <= _FEW * apart.elements


def relative(run: ModelMeasured) -> float | None:
    """The largest difference in units of the largest number."""
    apart = run.difference
    if apart is None or apart.max_abs is None:
        return None
    return apart.max_abs / apart.scale if apart.scale else apart.max_abs


def is_dropout(operation: str) -> bool:
    """Whether a node drops out numbers, as in training."""
    return _plain(operation).removeprefix("aten::").split(".")[0] in DROPOUT


def is_normalisation(operation: str) -> bool:
    """Whether a node normalises by the statistics of a batch, which in evaluation mode it does not."""
    return "batch_norm" in _plain(operation) or "batchnorm" in _plain(operation)


def draws(operation: str) -> bool:
    """Whether a node draws random numbers by design."""
    return is_dropout(operation) or _plain(operation).startswith(_DRAWS)


def _plain(operation: str) -> str:
    """An operator in small letters, or that within another which was found in it: "If > RandomNormal"."""
    return operation.rpartition(_WITHIN)[2].lower().replace("aten.", "aten::")


def is_in_training(run: ModelMeasured, among: Iterable[ModelMeasured]) -> bool:
    """Whether a model that varies does so because it is in training mode: it drops out numbers, or repeats without.

    ``among``: what else was measured.
    """
    return is_dropout(run.first_op) or _is_fixed_by(EVALUATION, run, among)


def draws_numbers(run: ModelMeasured, among: Iterable[ModelMeasured]) -> bool:
    """Whether a model that varies draws random numbers by design: its node says so, or a seed before each run ends it.

    ``among``: what else was measured.
    """
    return draws(run.first_op) or _is_fixed_by(SEEDED, run, among)


def _is_fixed_by(setting: str, varying: ModelMeasured, among: Iterable[ModelMeasured]) -> bool:
    """Whether the model was also run with a setting, and then repeated."""
    runs = (run for run in among if run.setting == setting and run.aspect == MODE and is_same_place(varying, run))
    return any(mends(run, varying) for run in runs)


def only_unoptimised(measurements: Measurements) -> tuple[ModelMeasured, ...]:
    """What varies where nothing is optimised, of models that repeat by default: the optimiser takes out what draws."""
    repeating = [run for run in of_models(measurements, REPEATED) if run.distinct == 1]
    plain = [run for run in of_models(measurements, MODE) if run.setting.startswith(_LEVEL) and (run.distinct or 0) > 1]
    return tuple(run for run in plain if any(is_same_place(run, other) for other in repeating))


def is_same_place(run: ModelMeasured, other: ModelMeasured) -> bool:
    """Whether both are of one model on one device of one runtime."""
    return (run.path, run.framework, run.device) == (other.path, other.framework, other.device)


def mends(run: ModelMeasured, varying: ModelMeasured) -> bool:
    """Whether a setting gave one result only, in enough repetitions for what varied without it to have shown."""
    if run.distinct != 1 or run.difference is None:
        return False
    others = varying.repetitions - max(varying.counts) if varying.counts else (varying.distinct or 1) - 1
    return chance_without_effect(others, varying.repetitions, run.repetitions) <= 1 - CONFIDENCE


def decides_otherwise(run: ModelMeasured) -> bool:
    """Whether the decisions of two runs differ; another number of results is another decision, too."""
    return run.reason == SHAPES or (run.decisions is not None and run.decisions < 1.0)


def says_of_decisions(run: ModelMeasured) -> bool:
    """Whether it says anything of the user's decisions.

    Decisions on made-up inputs mean nothing. In training mode, and where random numbers are drawn on purpose, a
    network may decide differently, whatever the settings.
    """
    is_random = run.aspect == MODE or draws(run.first_op)
    return run.inputs_from != "drawn" and not is_random


def loudness(run: ModelMeasured, symptom: Symptom | None) -> Severity:
    """How severe a difference is: a note where the decisions stay, more for who needs the same bits or decisions.

    With made-up inputs a network decides nothing: scores of noise lie near each other, and a last digit turns them.
    """
    exactness = symptom.exactness if symptom is not None else ""
    if decides_otherwise(run) and run.inputs_from != "drawn":
        return Severity.BLOCKING if exactness in (Exactness.BITS, Exactness.DECISIONS) else Severity.WARNING
    return Severity.WARNING if exactness == Exactness.BITS else Severity.NOTE


def is_one_scale(run: ModelMeasured) -> bool:
    """Whether rows that depend on each other are dynamic quantisation's one scale for all, and no decision changes.

    That is its known price.
    """
    return "quantiz" in run.beyond_op.lower() and not decides_otherwise(run)


def asks_whether_it_repeats(symptom: Symptom | None) -> bool:
    """Whether the user asks if results change from run to run, directly or about model files that are repeated."""
    return symptom is not None and (
        symptom.exactness == Exactness.BITS or symptom.name in (SymptomName.RESULTS_CHANGE, SymptomName.MODELS)
    )


def should_own_model_repeat(symptom: Symptom | None) -> bool:
    """Whether changes of the own model matter: to whom needs the same bits, asks for them, or names no need at all.

    Which question about results was asked makes no difference. Single operations are different: the user may not use
    them.
    """
    if symptom is not None and symptom.exactness == Exactness.DECISIONS:
        return False
    names_no_need = symptom is not None and not symptom.exactness
    return names_no_need or asks_whether_it_repeats(symptom)


def values_of(run: ModelMeasured) -> dict[str, Value]:
    """What every finding about a model that was run again tells."""
    return {MEASURED_MODEL: run.path, "model": name_of(run), FRAMEWORK: run.framework}


def name_of(run: ModelMeasured) -> str:
    """The name of the model's file."""
    return name_of_path(run.path)


def name_of_path(path: str) -> str:
    """The name of a model's file, by whichever system's path."""
    return PurePath(path.replace("\\", "/")).name


def place(run: ModelMeasured) -> str:
    """The model and where it ran: "net.onnx, onnxruntime, CPUExecutionProvider"."""
    return f"{name_of(run)}, {run.framework}, {run.device}"


def node(label: str, operation: str) -> str:
    """A node in one word: "/block0/Conv (Conv)"."""
    return f"{label} ({operation})" if operation and operation != label else label


def first_of(run: ModelMeasured) -> str:
    """Where two runs part: the first node, or where none was found the output."""
    return node(run.first_node, run.first_op) if run.first_node else run.operation


def beyond_of(run: ModelMeasured) -> str:
    """Where they part by more than rounding."""
    return node(run.beyond_node, run.beyond_op) if run.beyond_node else first_of(run)


def compared(run: ModelMeasured) -> str:
    """What was compared: "ORT_ENABLE_ALL / ORT_DISABLE_ALL", or two devices."""
    return f"{run.device if run.aspect == 'device' else run.setting} / {run.other}"


def rounding_in_models(measurements: Measurements, symptom: Symptom | None, *aspects: str) -> Iterator[Finding]:
    """A finding per model, runtime and device whose results another order of adding changes, the worst of its kind."""
    for worst in _worst(model for model in of_models(measurements, *aspects) if size_of(model) is Size.ROUNDING):
        yield Finding(
            severity=_loudness_of_rounding(worst, symptom),
            confidence=MEASURED,
            subject=f"{worst.framework}:{worst.device}:{worst.path}",
            evidence=(
                Evidence("computed_on", place(worst), worst.origin),
                *(
                    (Evidence("devices_compared", f"{name_of(worst)}: {compared(worst)}", worst.origin),)
                    if worst.aspect == "device"
                    else ()
                ),
                Evidence("settings_compared", compared(worst), worst.origin),
                Evidence("operations_apart", first_of(worst), worst.origin),
                Evidence("measured_difference", distance(worst), worst.origin),
                Evidence("rounding_allows", figure(relative_bound(worst)) or "-", worst.origin),
                *decisions(worst),
            ),
            values=values_of(worst) | (amplified(worst) or within_rounding(distance(worst))),
        )


def _loudness_of_rounding(run: ModelMeasured, symptom: Symptom | None) -> Severity:
    severity = loudness(run, symptom)
    return Severity.WARNING if severity is Severity.NOTE and changes_much(run) else severity


def rounding_by_order(
    measurements: Measurements, symptom: Symptom | None, aspect: str, is_of_cause: Callable[[str], bool]
) -> Iterator[Finding]:
    """The findings about the user's models under an aspect, and about operations under the settings of the cause.

    Raises:
        NotHere, Inconclusive: as ``changes_by_order``.
    """
    models = of_models(measurements, aspect)
    yield from rounding_in_models(measurements, symptom, aspect)
    if not models or measurements.of(Precision):
        yield from changes_by_order(measurements, symptom, is_of_cause)
    doubt_if_farther(map(size_of, models))


def decisions(run: ModelMeasured) -> Iterator[Evidence]:
    """Whether they change, where the outputs have any."""
    if run.decisions is not None:
        yield Evidence("decisions_alike", ALL_ALIKE if run.decisions >= 1.0 else share(run.decisions), run.origin)
    if run.choice_node:
        yield Evidence("decided_at", node(run.choice_node, run.choice_op), run.origin)


def share(part: float) -> str:
    """A part of the whole in words: "99.5 %"."""
    return f"{100 * part:.4g} %"


def distance(run: ModelMeasured) -> str:
    """How far apart two runs are, as a figure; of texts how many differ, of outputs of other shapes their names."""
    difference = run.difference
    if run.reason == SHAPES or difference is None:
        return run.detail
    is_lost = bool(difference.nan or difference.infinite)
    return figure(relative(run)) or ("NaN" if is_lost else f"{difference.differing} / {difference.elements}")


def relative_bound(run: ModelMeasured) -> float | None:
    """What rounding makes, in units of the largest number."""
    scale = run.difference.scale if run.difference else None
    return run.bound / scale if run.bound is not None and scale else run.bound


def _worst(found: Iterable[ModelMeasured]) -> Iterator[ModelMeasured]:
    groups: dict[tuple[str, str, str], list[ModelMeasured]] = {}
    for run in found:
        groups.setdefault((run.path, run.framework, run.device), []).append(run)
    for here in groups.values():
        yield max(here, key=lambda run: (decides_otherwise(run), relative(run) or 0.0))
