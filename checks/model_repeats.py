"""What the user's own models showed when they were run twice or more, and what the size of a difference tells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePath

from checks.facts import ArrayDifference, Measurements, ModelMeasured, Symptom
from checks.finding import Evidence, Finding, Severity
from checks.magnitude import Size
from checks.numerics import MEASURED, figure

REPEATED, MODE = "repeat", "mode"
# Operations that give other numbers each time by design; those that belong to training alone.
DROPOUT = ("dropout", "aten::dropout", "aten::dropout_", "aten::feature_dropout", "aten::alpha_dropout")
_DRAWS = ("random", "multinomial", "bernoulli", "aten::rand", "aten::normal", "aten::bernoulli", "aten::multinomial")
# How many times more than with float32's digits rounding makes with those of a shorter format.
_TIMES_HALF, _TIMES_BFLOAT16 = 2.0**13, 2.0**16
_FEW = 0.05  # of the numbers of a node


def of_models(measurements: Measurements, *aspects: str) -> tuple[ModelMeasured, ...]:
    """The comparisons of the user's models under these aspects that were made."""
    return tuple(each for each in measurements.of(ModelMeasured) if each.aspect in aspects)


def size_of(made: ModelMeasured) -> Size:
    """What the difference of two runs is as large as.

    A device may compute with fewer digits, the processor does not. Where something was decided otherwise on the way
    (the place of a largest number, an index), all that follows is another question, and no matter of rounding.
    """
    apart = made.difference
    if apart is None or not apart.elements:
        return Size.NOTHING
    if not apart.differing:
        return Size.IDENTICAL
    if apart.nan or apart.infinite:
        return Size.BEYOND
    if made.bound is None:  # whole numbers; rounding decided otherwise, unless they are what differs first
        return Size.ROUNDING if made.choice_node or made.first_node != made.beyond_node else Size.BEYOND
    distance = apart.max_abs or 0.0
    if distance <= made.bound or made.choice_node:
        return Size.ROUNDING
    if made.aspect != "device" or _is_local(made.beyond_difference):
        return Size.BEYOND
    if distance <= made.bound * _TIMES_HALF:
        return Size.HALF
    return Size.BFLOAT16 if distance <= made.bound * _TIMES_BFLOAT16 else Size.BEYOND


def _is_local(apart: ArrayDifference | None) -> bool:
    """Whether few numbers differ where it begins: fewer digits change nearly all."""
    return apart is not None and apart.differing <= _FEW * apart.elements


def relative(made: ModelMeasured) -> float | None:
    """The largest difference in units of the largest number."""
    apart = made.difference
    if apart is None or apart.max_abs is None:
        return None
    return apart.max_abs / apart.scale if apart.scale else apart.max_abs


def is_dropout(operation: str) -> bool:
    """Whether a node drops out numbers, as in training."""
    return operation.lower().split(".default")[0] in DROPOUT or operation.startswith("aten.dropout")


def draws(operation: str) -> bool:
    """Whether a node draws random numbers by design."""
    name = operation.lower().replace("aten.", "aten::")
    return is_dropout(operation) or name.startswith(_DRAWS)


def decides_otherwise(made: ModelMeasured) -> bool:
    """Whether the decisions of two runs differ."""
    return made.decisions is not None and made.decisions < 1.0


def loudness(made: ModelMeasured, symptom: Symptom | None) -> Severity:
    """Of a difference: a note where the decisions stay; whoever needs the same bits, or decisions, is told louder.

    With made-up inputs a network decides nothing: scores of noise lie near each other, and a last digit turns them.
    """
    exactness = symptom.exactness if symptom is not None else ""
    if decides_otherwise(made) and made.inputs_from != "drawn":
        return Severity.BLOCKING if exactness in ("bits", "decisions") else Severity.WARNING
    return Severity.WARNING if exactness == "bits" else Severity.NOTE


def name_of(made: ModelMeasured) -> str:
    """The name of the model's file."""
    return PurePath(made.path.replace("\\", "/")).name


def place(made: ModelMeasured) -> str:
    """The model and where it ran: "net.onnx, onnxruntime, CPUExecutionProvider"."""
    return f"{name_of(made)}, {made.framework}, {made.device}"


def node(label: str, operation: str) -> str:
    """A node in one word: "/block0/Conv (Conv)"."""
    return f"{label} ({operation})" if operation and operation != label else label


def first_of(made: ModelMeasured) -> str:
    """Where two runs part: the first node, or where none was found the output."""
    return node(made.first_node, made.first_op) if made.first_node else made.operation


def beyond_of(made: ModelMeasured) -> str:
    """Where they part by more than rounding."""
    return node(made.beyond_node, made.beyond_op) if made.beyond_node else first_of(made)


def compared(made: ModelMeasured) -> str:
    """What was compared: "ORT_ENABLE_ALL / ORT_DISABLE_ALL", or two devices."""
    return f"{made.device if made.aspect == 'device' else made.setting} / {made.other}"


def rounding_in_models(
    cause: str, measurements: Measurements, symptom: Symptom | None, *aspects: str
) -> Iterator[Finding]:
    """A finding per model, runtime and device whose results another order of adding changes, the worst of its kind."""
    for worst in _worst(each for each in of_models(measurements, *aspects) if size_of(each) is Size.ROUNDING):
        yield Finding(
            cause=cause,
            severity=loudness(worst, symptom),
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
                Evidence("measured_difference", figure(relative(worst)), worst.origin),
                Evidence("rounding_allows", figure(relative_bound(worst)) or "-", worst.origin),
                *decisions(worst),
            ),
        )


def decisions(made: ModelMeasured) -> Iterator[Evidence]:
    """Whether they change, where the outputs have any."""
    if made.decisions is not None:
        yield Evidence("decisions_alike", f"{100 * made.decisions:.4g} %", made.origin)
    if made.choice_node:
        yield Evidence("decided_at", node(made.choice_node, made.choice_op), made.origin)


def relative_bound(made: ModelMeasured) -> float | None:
    """What rounding makes, in units of the largest number."""
    scale = made.difference.scale if made.difference else None
    return made.bound / scale if made.bound is not None and scale else made.bound


def _worst(found: Iterable[ModelMeasured]) -> Iterator[ModelMeasured]:
    groups: dict[tuple[str, str, str], list[ModelMeasured]] = {}
    for each in found:
        groups.setdefault((each.path, each.framework, each.device), []).append(each)
    for here in groups.values():
        yield max(here, key=lambda each: (decides_otherwise(each), relative(each) or 0.0))
