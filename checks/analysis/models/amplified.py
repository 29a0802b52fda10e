"""Rounding of which a model makes more than last digits: where it begins, and the node at which it grows most."""

from checks.analysis.numbers.digits import figure
from checks.facts import ArrayDifference, ModelMeasured, NodeApart
from checks.facts.phrase import Phrase, Value
from checks.knowledge.phrases import phrase

LARGE = 0.1  # of the largest number: no digit of it is a last one
_NOTICED, _TIMES = 0.01, 1000.0  # what is as large, and has grown so many times, is none either
_MANY = 0.1  # of the rows whose decision differs


def within_rounding(relative: str) -> dict[str, Value]:
    """The values of a finding about last digits. ``relative``: the largest difference, as a figure."""
    return {"digits": Phrase("digits-last"), "how_far": phrase("digits-no-more", difference=relative)}


def amplified(run: ModelMeasured) -> dict[str, Value]:
    """The values of a finding about rounding that a model makes larger; empty where it stays in the last digits."""
    whole, first = _relative(run.difference), _relative(run.first_difference)
    times = whole / first if whole and first else None
    is_large = whole is not None and (whole >= LARGE or (whole >= _NOTICED and (times or 0.0) >= _TIMES))
    if whole is None or not is_large:
        return {}
    told = {"difference": figure(whole)}
    where = _node(run.first_node, run.first_op)
    if times is None or not where:
        sentence = phrase("digits-large", **told)
    else:
        told |= {"where": where, "first": figure(first), "times": f"{times:.2g}"}
        sentence = phrase("digits-amplified", **told)
    grower = _grower(run)
    if grower is not None:
        node, growth = grower
        grown = phrase("digits-grow", node=_node(node.name, node.op), times=f"{growth:.2g}")
        sentence = phrase("sentences", parts=(sentence, grown))
    return {"digits": Phrase("digits-beyond-last"), "how_far": sentence}


def changes_much(run: ModelMeasured) -> bool:
    """Whether what a model gives for the user's own inputs is another answer, not another last digit of it."""
    is_other = (_relative(run.difference) or 0.0) >= LARGE
    decides = run.decisions is not None and 1.0 - run.decisions >= _MANY
    return run.inputs_from != "drawn" and bool(amplified(run)) and (is_other or decides)


def _grower(run: ModelMeasured) -> tuple[NodeApart, float] | None:
    """The node at which the difference, in units of its largest number, grows most over all before it, and how much."""
    worst, before = None, 0.0
    for node in run.nodes:
        size = node.apart or 0.0
        if before and size > before and (worst is None or size / before > worst[1]):
            worst = (node, size / before)
        before = max(before, size)
    return worst


def _relative(apart: ArrayDifference | None) -> float | None:
    if apart is None or apart.max_abs is None:
        return None
    return apart.max_abs / apart.scale if apart.scale else apart.max_abs


def _node(name: str, op: str) -> str:
    return f"{name} ({op})" if op and op != name else name
