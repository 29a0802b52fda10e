"""The user's model gives NaN or infinite numbers, or chooses among NaN.

Detects:      a model that was given and run, whose outputs hold NaN or infinities, or whose places of largest numbers
              are chosen among NaN; with the node that makes them of what is neither, or the weight or input that has
              them.
Why it bites: NaN beside NaN is equal bit for bit in every run, and no answer.
Blind spots:  ONNX, TorchScript and exported programs only. Made-up inputs may lie where no real input does; others are
              tried then. What a model replaces before it answers is not told.
Knowledge:    none
"""

from collections.abc import Iterator

from checks.analysis.models.repeats import (
    LOST,
    NAN_EVERYWHERE,
    REPEATED,
    is_same_place,
    models_run,
    node,
    of_models,
    place,
    values_of,
)
from checks.causes.registry import check
from checks.facts import LostOperand, Measurements, ModelMeasured, NumbersLost
from checks.facts.finding import Evidence, Finding, Severity
from checks.facts.phrase import Phrase
from checks.knowledge.phrases import phrase

NAN = "nan"
HALF = "float16"
GENERAL, IN_HALF, OF_WEIGHTS = "keep-numbers-finite", "avoid-half-overflow", "return-to-finite-checkpoint"
OWN_INPUTS, OF_INPUTS = "try-your-own-inputs", "make-the-input-finite"
_RANGES = {  # operator in small letters -> the phrase about what it cannot compute
    **dict.fromkeys(("sqrt", "rsqrt"), "root"),
    **dict.fromkeys(("log", "log2", "log10", "log1p"), "logarithm"),
    **dict.fromkeys(("div", "true_divide", "reciprocal", "mod", "fmod", "remainder"), "quotient"),
    **dict.fromkeys(("pow", "float_power"), "power"),
    **dict.fromkeys(("asin", "acos", "acosh", "atanh", "arcsin", "arccos", "arccosh", "arctanh"), "arc"),
}
_SURE, _MADE_UP = 0.95, 0.7


@check("non-finite-output")
def non_finite_output(measurements: Measurements) -> Iterator[Finding]:
    """One finding per model and runtime."""
    seen: set[tuple[str, str]] = set()
    found = (*_looked_for(measurements), *_met(measurements))
    if not found:
        models_run(measurements, LOST)
    for run, lost in found:
        if (run.path, run.framework) in seen:
            continue
        seen.add((run.path, run.framework))
        is_own = run.inputs_from != "drawn" or lost.source == "weight"
        yield Finding(
            severity=_severity(lost, is_own=is_own),
            confidence=_SURE if is_own else _MADE_UP,
            subject=f"{run.framework} {run.path}",
            evidence=(
                Evidence("computed_on", place(run), run.origin),
                Evidence("lost_numbers", f"{lost.nan} NaN, {lost.infinite} Inf / {lost.elements}", run.origin),
                *((Evidence("lost_at", _where(lost), run.origin),) if lost.source else ()),
                *(Evidence("lost_from", _in_a_line(operand), run.origin) for operand in lost.operands),
            ),
            remedies=_remedies(lost, is_own=is_own),
            values={
                **values_of(run),
                "seen": _seen(lost, is_own=is_own),
                "lost_source": lost.source,
                "out_of_range": _out_of_range(lost),
            },
        )


def _looked_for(measurements: Measurements) -> Iterator[tuple[ModelMeasured, NumbersLost]]:
    for run in of_models(measurements, LOST):
        if run.lost is not None:
            yield run, run.lost


def _met(measurements: Measurements) -> Iterator[tuple[ModelMeasured, NumbersLost]]:
    """Models whose outputs were NaN when they were repeated, where nobody looked for the reason."""
    looked = of_models(measurements, LOST)
    for run in measurements.all:
        if (
            not isinstance(run, ModelMeasured)
            or run.aspect != REPEATED
            or any(is_same_place(run, one) for one in looked)
        ):
            continue
        if run.reason == NAN_EVERYWHERE:
            yield run, NumbersLost(kind=NAN, outputs=run.outputs, outputs_whole=run.outputs)
        elif run.nan_in_both:
            yield run, NumbersLost(kind=NAN, nan=run.nan_in_both, output=run.nan_output, outputs=run.outputs)


def _severity(lost: NumbersLost, *, is_own: bool) -> Severity:
    """A mask leaves infinities among other numbers, as it should; NaN is no answer, and nothing but it none at all."""
    if lost.finite_with or (lost.kind != NAN and not lost.outputs_whole):
        return Severity.NOTE
    is_whole = lost.kind == NAN and lost.outputs and lost.outputs_whole == lost.outputs
    return Severity.BLOCKING if is_whole and is_own else Severity.WARNING


def _remedies(lost: NumbersLost, *, is_own: bool) -> tuple[str, ...]:
    """By where the numbers come from. A weight or an input that has them is not mended within the computation."""
    if lost.source == "weight":
        return (OF_WEIGHTS,)
    if lost.source == "input":
        return (OF_INPUTS,)
    in_half = (IN_HALF,) if lost.dtype == HALF else ()
    return (*in_half, GENERAL) if is_own else (*in_half, OWN_INPUTS, GENERAL)


def _out_of_range(lost: NumbersLost) -> Phrase:
    """What the operator cannot compute; an infinity from elsewhere is one that became too large there."""
    op = lost.infinite_op or lost.op
    name = op.rpartition(" > ")[2].lower().removeprefix("aten::").removeprefix("aten.").split(".")[0].rstrip("_")
    return phrase(f"range-{_RANGES.get(name, 'overflow')}")


def _where(lost: NumbersLost) -> str:
    return node(lost.node, lost.op) if lost.source == "node" else lost.node


def _seen(lost: NumbersLost, *, is_own: bool) -> Phrase:
    """What is lost, where it comes from, and what else was tried."""
    more = (
        [phrase("lost-from-infinity", where=node(lost.infinite_node, lost.infinite_op))] if lost.infinite_node else []
    )
    if lost.finite_with:
        more.append(phrase("lost-not-with-others", others=phrase(f"drawn-{lost.finite_with}")))
    elif not is_own:
        more.append(phrase("lost-with-made-up"))
    parts = (_how_many(lost), _source(lost), *more)
    return phrase("sentences", parts=parts)


def _how_many(lost: NumbersLost) -> Phrase:
    count = str(lost.nan or lost.infinite) + (f" / {lost.elements}" if lost.elements else "")
    if lost.choice_node:
        return phrase("lost-in-choice", where=node(lost.choice_node, lost.choice_op), count=count)
    if lost.outputs and lost.outputs_whole == lost.outputs and lost.nan in (0, lost.elements):
        return phrase(f"lost-all-{lost.kind}")
    return phrase(f"lost-some-{lost.kind}", count=count)


def _source(lost: NumbersLost) -> Phrase:
    told = [operand for operand in lost.operands if operand.value or operand.infinite or operand.lowest is not None]
    taken = (*map(_operand, told), *lost.numbers)
    if lost.source == "node" and taken:
        return phrase(f"lost-by-node-{lost.kind}", where=_where(lost), taken=taken)
    return phrase(f"lost-by-{lost.source or 'unknown'}", where=_where(lost))


def _operand(operand: LostOperand) -> str | Phrase:
    """One number, where it is known which; else the range of all."""
    if operand.value:
        return operand.value
    if operand.lowest is None or operand.highest is None:
        return phrase("lost-taken-infinite")
    key = "lost-taken-one" if operand.lowest == operand.highest else "lost-taken-range"
    return phrase(key, lowest=f"{operand.lowest:.4g}", highest=f"{operand.highest:.4g}")


def _in_a_line(operand: LostOperand) -> str:
    """An operand as evidence: "x: float32 [1, 4], -1.8 ... 0.5, at the place: -1.2"."""
    shape = f"{operand.name}: {operand.dtype} {list(operand.shape)}"
    spread = "" if operand.lowest is None else f", {operand.lowest:.6g} ... {operand.highest:.6g}"
    odd = f", NaN {operand.nan}, Inf {operand.infinite}" if operand.nan or operand.infinite else ""
    return f"{shape}{spread}{odd}" + (f" → {operand.value}" if operand.value else "")
