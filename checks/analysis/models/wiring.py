"""How the nodes of two ONNX models are connected and set: what differs where the same operators follow each other.

Names of values are what exporters invent: a value is known by the node that makes it, so that a renamed model is the
same. Where the nodes do not pair up, the operators that were counted tell that, and nothing is said of the wiring.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from checks.facts import ModelDifference
from checks.readers.containers.source import Cancelled, never
from checks.readers.models.exchange.onnx_wiring import WiredNode, wired_nodes

MOST = 200  # differences that are told
_Makers = dict[str, tuple[int, int]]


def wiring_differences(
    first: Path, second: Path, cancelled: Cancelled = never
) -> tuple[tuple[ModelDifference, ...], bool]:
    """(What differs in attributes and connections, whether that is all there is).

    Raises:
        Damaged: a file cannot be read.
        Stopped: the work was cancelled.
    """
    ours, theirs = wired_nodes(first, cancelled), wired_nodes(second, cancelled)
    if ours is None or theirs is None:
        return (), False
    pairs = _paired(ours, theirs)
    if pairs is None:
        return (), False
    found = tuple(_all(ours, theirs, pairs))
    is_whole = not any(_is_within_other(ours[one], theirs[other]) for one, other in pairs)
    return found[:MOST], is_whole


def _paired(ours: Sequence[WiredNode], theirs: Sequence[WiredNode]) -> list[tuple[int, int]] | None:
    """Which node is which: by their order where the operators follow each other alike, else by their results' names."""
    if len(ours) != len(theirs):
        return None
    if all(_kind(one) == _kind(other) for one, other in zip(ours, theirs, strict=True)):
        return [(place, place) for place in range(len(ours))]
    places = {name: place for place, node in enumerate(theirs) for name in node.outputs if name}
    pairs = []
    for place, node in enumerate(ours):
        other = next((places[name] for name in node.outputs if name in places), None)
        if other is None or _kind(theirs[other]) != _kind(node):
            return None
        pairs.append((place, other))
    return pairs if len({other for _, other in pairs}) == len(theirs) else None


def _kind(node: WiredNode) -> tuple[str, str]:
    return node.domain, node.op


def _all(
    ours: Sequence[WiredNode], theirs: Sequence[WiredNode], pairs: Sequence[tuple[int, int]]
) -> Iterator[ModelDifference]:
    as_ours = {other: one for one, other in pairs}
    made = _makers(ours, {place: place for place in range(len(ours))}), _makers(theirs, as_ours)
    names: dict[str, str] = {}  # of inputs and weights of the first -> those that stand at their places in the second
    for one, other in pairs:
        node, partner = ours[one], theirs[other]
        name = f"{node.label} ({node.op})"
        yield from _attributes(name, node, partner)
        yield from _inputs(name, node, partner, made, names)


def _makers(nodes: Sequence[WiredNode], place_of: dict[int, int]) -> _Makers:
    """Name of a value -> (the node that makes it, by its place in the first model; which of its results it is)."""
    return {
        name: (place_of[place], which)
        for place, node in enumerate(nodes)
        if place in place_of
        for which, name in enumerate(node.outputs)
        if name
    }


def _attributes(name: str, node: WiredNode, partner: WiredNode) -> Iterator[ModelDifference]:
    for key in dict.fromkeys((*node.attributes, *partner.attributes)):
        one, other = node.attributes.get(key), partner.attributes.get(key)
        if one != other and not (node.has_graph and partner.has_graph):
            yield ModelDifference(what="attribute", name=f"{name}: {key}", first=one or "", second=other or "")


def _inputs(
    name: str,
    node: WiredNode,
    partner: WiredNode,
    made: tuple[_Makers, _Makers],
    names: dict[str, str],
) -> Iterator[ModelDifference]:
    """A value that comes from another node; an input or weight that stands for another one than before."""
    ours, theirs = _without_end(node.inputs), _without_end(partner.inputs)
    is_same = len(ours) == len(theirs) and all(
        made[0].get(one) == made[1].get(other)
        and (one in made[0] or bool(one) == bool(other))
        and (one in made[0] or names.setdefault(one, other) == other)
        for one, other in zip(ours, theirs, strict=True)
    )
    if not is_same:
        yield ModelDifference(what="wiring", name=name, first=", ".join(ours), second=", ".join(theirs))


def _without_end(inputs: Sequence[str]) -> list[str]:
    """Inputs without the empty ones at the end, which say the same as none."""
    kept = list(inputs)
    while kept and not kept[-1]:
        kept.pop()
    return kept


def _is_within_other(node: WiredNode, partner: WiredNode) -> bool:
    """Whether graphs within the two differ in their bytes, of which it is not known what that means."""
    return (node.has_graph or partner.has_graph) and node.attributes != partner.attributes
