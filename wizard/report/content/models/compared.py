"""Two model files side by side, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from checks.facts import ModelComparison, ModelDifference, TensorDifference
from checks.facts.case import Case
from wizard.report.content.blocks import Row
from wizard.report.content.models.words import detail_in_words, format_in_words, version_in_words
from wizard.words import area, known, words

_NOT_FINITE = 1e308  # what stands for an infinite distance, which JSON has not
# What can differ, what matters most first: with other inputs a program has to change, of another release it need not.
_KINDS = (
    "format",
    "input",
    "output",
    "weights",
    "operator",
    "attribute",
    "wiring",
    "quantization",
    "opset",
    "devices",
    "version",
    "producer",
    "parameters",
    "dtype",
)
_MOST = 40  # differences, and tensors, that are printed; the JSON holds more
_FEW = 6  # tensors that are printed of which only one file has any: most are what a tool named anew
_ALONE = ("only-first", "only-second")


@dataclass(frozen=True)
class ComparisonView:
    """A comparison. ``sentence`` sums it up; ``weights`` says how the weights compare, or why they were not read.

    ``rows``: what differs, and its value in each file. ``tensors``: a name, how it differs, and its type and shape.
    """

    first: str
    second: str
    sentence: str
    rows: tuple[Row, ...]
    weights: str
    tensors: tuple[Row, ...]


def comparison_views(case: Case, language: str) -> tuple[ComparisonView, ...]:
    """The comparisons of a case."""
    names = {model.path: model.name for model in case.facts.models}
    return tuple(_view(comparison, names, language) for comparison in case.facts.comparisons)


def _view(comparison: ModelComparison, names: dict[str, str], language: str) -> ComparisonView:
    rows = [_row(difference, language) for difference in comparison.differences]
    tensors = [_tensor(tensor, language) for tensor in _shown(comparison.tensors)]
    return ComparisonView(
        first=names.get(comparison.first, comparison.first),
        second=names.get(comparison.second, comparison.second),
        sentence=_sentence(comparison, language),
        rows=(*rows[:_MOST], *_more(len(rows), language, _MOST)),
        weights=_weights(comparison, language),
        tensors=(*tensors, *_more(_different(comparison), language, len(tensors))),
    )


def _different(comparison: ModelComparison) -> int:
    counts = comparison.weights or {}
    return sum(counts.values()) - counts.get("same", 0)


def _sentence(comparison: ModelComparison, language: str) -> str:
    kinds = {difference.what.removesuffix("-name") for difference in comparison.differences} - {"detail"}
    if set(comparison.weights or {}) - {"same", "renamed", "left-out"}:
        kinds = kinds - {"parameters", "dtype"} | {"weights"}
    if kinds:
        listed = (words(f"models.kind-{kind}", language) for kind in _KINDS if kind in kinds)
        what = words("report.list-separator", language).join(listed)
        return words("models.compared-differ", language, what=what)
    if comparison.weights is None:
        key = "same-bytes" if comparison.same_bytes else "alike-weights-unread"
    elif "left-out" in comparison.weights:
        key = "alike-weights-partly"
    elif not set(comparison.weights) <= {"same"}:
        key = "alike-weights-differ"
    else:  # the same operators may be connected or set otherwise
        is_open = comparison.has_operators and not comparison.is_wired and not comparison.same_bytes
        key = "alike-unconnected" if is_open else "alike"
    return words(f"models.compared-{key}", language)


def _weights(comparison: ModelComparison, language: str) -> str:
    if comparison.weights is None:
        return known(f"models.weights-{comparison.weights_unread}", comparison.weights_unread, language)
    known_kinds = {kind: n for kind, n in comparison.weights.items() if f"tensors-{kind}" in area("models")}
    counted = (words(f"models.tensors-{kind}", language, count=n) for kind, n in known_kinds.items())
    return words("report.list-separator", language).join(counted)


def _row(difference: ModelDifference, language: str) -> Row:
    sides = (_side(difference.what, side, language) for side in (difference.first, difference.second))
    return Row((_label(difference, language), *sides))


def _side(what: str, value: str, language: str) -> str:
    if not value:
        return words("models.absent", language)
    spoken = {"format": format_in_words, "version": version_in_words, "detail": detail_in_words}.get(what)
    return spoken(value, language) if spoken else value


def _label(difference: ModelDifference, language: str) -> str:
    if difference.what == "detail":
        return known(f"models.detail-{difference.name}", difference.name, language)
    what = known(f"models.differs-{difference.what}", difference.what, language)
    name = difference.name or ("ai.onnx" if difference.what == "opset" else "")
    return words("models.differs-named", language, what=what, name=name) if name else what


def _tensor(tensor: TensorDifference, language: str) -> Row:
    ended = known(f"models.tensor-{tensor.kind}", tensor.kind, language)
    faces = tensor.first if tensor.first == tensor.second else " → ".join(filter(None, (tensor.first, tensor.second)))
    if tensor.max_abs is None:
        return Row((tensor.name, ended, faces))
    key = "apart-not-finite" if tensor.max_abs >= _NOT_FINITE else "apart"
    apart = words(f"models.{key}", language, absolute=tensor.max_abs, relative=tensor.max_rel or 0.0)
    return Row((tensor.name, f"{ended}: {apart}", faces))


def _shown(tensors: Sequence[TensorDifference]) -> list[TensorDifference]:
    """Those that are printed: first what both files have, then a few of what only one has."""
    both = [tensor for tensor in tensors if tensor.kind not in _ALONE][:_MOST]
    alone = [[tensor for tensor in tensors if tensor.kind == kind] for kind in _ALONE]
    return [*both, *(tensor for of_one in alone for tensor in of_one[:_FEW])]


def _more(count: int, language: str, printed: int) -> tuple[Row, ...]:
    more = count - printed
    return (Row((words("models.more", language, count=more), "", "")),) if more > 0 else ()
