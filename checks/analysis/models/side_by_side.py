"""Two models side by side: what differs in their structure and in their weights, which one would else find by eye.

The order of what differs is that of its weight: a model of another format or with other inputs is another model, one
that another release wrote may be the same.
"""

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path

from msgspec.structs import replace

from checks.analysis.models.weight_distances import computing_threads, distances
from checks.analysis.models.wiring import wiring_differences
from checks.facts import ModelComparison, ModelDifference, ModelFacts, OperatorUse, TensorDifference, TensorSpec
from checks.readers.containers.source import MIB, Cancelled, Damaged, Stopped, never
from checks.readers.weights import StoredWeights, can_read, stored_weights
from checks.readers.weights.tensor import StoredTensor

MOST_WEIGHTS = 2048 * MIB  # bytes that are read of each file to compare their weights
_WIRED = "onnx"  # the format whose nodes are compared one by one
MOST_SHOWN = 200  # tensors that are named
_TELLING = 64  # bytes from which on equal ones are no coincidence
_TAILS = (5, 4, 3, 2)  # parts of a name by which it is known again, the surest first
_PIECES = re.compile(r"[./:]")
_ORDER = ("shape", "dtype", "values", "only-first", "only-second", "renamed", "left-out")


def differences(first: ModelFacts, second: ModelFacts) -> tuple[ModelDifference, ...]:
    """What differs between two models, apart from the values of their weights."""
    return tuple(
        difference
        for part in (_whole, _interfaces, _operators, _weights, _details)
        for difference in part(first, second)
    )


def _whole(first: ModelFacts, second: ModelFacts) -> Iterator[ModelDifference]:
    yield from _value("format", first.format, second.format)
    yield from _value("version", first.version, second.version)
    yield from _value("producer", _producer(first), _producer(second))
    yield from _mapping("opset", first.needs.opsets, second.needs.opsets)
    yield from _value("quantization", first.quantization, second.quantization)
    yield from _value("devices", _listed(first.needs.devices), _listed(second.needs.devices))


def _interfaces(first: ModelFacts, second: ModelFacts) -> Iterator[ModelDifference]:
    yield from _tensors("input", first.inputs, second.inputs)
    yield from _tensors("output", first.outputs, second.outputs)


def _tensors(
    what: str, first: Sequence[TensorSpec] | None, second: Sequence[TensorSpec] | None
) -> Iterator[ModelDifference]:
    """By name; where no name is common (exporters invent them), by position."""
    if first is None or second is None:
        return
    ours, theirs = {spec.name: _shape(spec) for spec in first}, {spec.name: _shape(spec) for spec in second}
    if ours.keys() & theirs.keys() or len(first) != len(second):
        yield from _mapping(what, ours, theirs)
        return
    for one, other in zip(first, second, strict=True):
        yield from _value(f"{what}-name", one.name, other.name)
        yield from _value(what, _shape(one), _shape(other), one.name)


def _operators(first: ModelFacts, second: ModelFacts) -> Iterator[ModelDifference]:
    if first.needs.operators is None or second.needs.operators is None:
        return
    yield from _mapping("operator", _counts(first.needs.operators), _counts(second.needs.operators))


def _weights(first: ModelFacts, second: ModelFacts) -> Iterator[ModelDifference]:
    yield from _value("parameters", first.parameters, second.parameters)
    yield from _mapping("dtype", first.dtypes, second.dtypes)


def _details(first: ModelFacts, second: ModelFacts) -> Iterator[ModelDifference]:
    if first.format == second.format:  # other formats have other details
        yield from _mapping("detail", first.details, second.details)


def _value(what: str, first: object, second: object, name: str = "") -> Iterator[ModelDifference]:
    """A difference where both tell the value, and not the same one."""
    if first is not None and second is not None and first != second:
        yield ModelDifference(what=what, name=name, first=str(first), second=str(second))


def _mapping(
    what: str, first: Mapping[str, object] | None, second: Mapping[str, object] | None
) -> Iterator[ModelDifference]:
    """What one has and the other has not, or has otherwise."""
    if first is None or second is None:
        return
    for name in dict.fromkeys((*first, *second)):
        one, other = first.get(name), second.get(name)
        if one != other:
            texts = ["" if value is None else str(value) for value in (one, other)]
            yield ModelDifference(what=what, name=name, first=texts[0], second=texts[1])


def _producer(model: ModelFacts) -> str | None:
    return " ".join(filter(None, (model.producer, model.producer_version))) or None


def _listed(values: Sequence[str] | None) -> str | None:
    return None if values is None else ", ".join(values)


def _shape(tensor: TensorSpec) -> str:
    shape = "" if tensor.shape is None else f"[{', '.join(map(str, tensor.shape))}]"
    return " ".join(filter(None, (tensor.dtype, shape)))


def _counts(operators: Sequence[OperatorUse]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for operator in operators:
        name = f"{operator.domain}.{operator.name}" if operator.domain else operator.name
        counts[name] = counts.get(name, 0) + operator.count
    return counts


# --- the weights -----------------------------------------------------------------------------------------------------


def compare_models(
    first: ModelFacts, second: ModelFacts, most: int = MOST_WEIGHTS, cancelled: Cancelled = never
) -> ModelComparison:
    """Two model files of the disk side by side. Weights of more than ``most`` bytes are not read.

    After a cancel it ends soon, with all but the weights.
    """
    base = ModelComparison(
        origin=f"{first.name}, {second.name}",
        first=first.path,
        second=second.path,
        differences=differences(first, second),
        has_operators=first.needs.operators is not None and second.needs.operators is not None,
    )
    try:
        base = _with_wiring(base, first, second, cancelled)
        base = replace(base, same_bytes=_are_equal(Path(first.path), Path(second.path), most, cancelled))
    except Stopped:
        return replace(base, weights_unread="cancelled")
    why_not = _why_not(first, second, most)
    if why_not:
        return replace(base, weights_unread=why_not)
    try:
        with (
            stored_weights(Path(first.path), first.format or "", cancelled) as ours,
            stored_weights(Path(second.path), second.format or "", cancelled) as theirs,
            computing_threads() as threads,
        ):
            compared = _compared(ours, theirs, threads)
    except Stopped:
        return replace(base, weights_unread="cancelled")
    except Damaged as problem:
        return replace(base, weights_unread="unreadable", unread={"weights": str(problem)})
    if not compared:
        return replace(base, weights_unread="none")
    counts = Counter(difference.kind for difference in compared)
    apart = [difference for difference in compared if difference.kind != "same"]
    apart.sort(key=lambda tensor: (_ORDER.index(tensor.kind), -(tensor.max_rel or 0.0), tensor.name))
    return replace(
        base,
        weights={kind: counts[kind] for kind in ("same", *_ORDER) if counts[kind]},
        tensors=tuple(apart[:MOST_SHOWN]),
    )


def _with_wiring(base: ModelComparison, first: ModelFacts, second: ModelFacts, cancelled: Cancelled) -> ModelComparison:
    """The comparison with how the nodes of two ONNX files are connected and set."""
    models = (first, second)
    if any(model.format != _WIRED or model.problem or not Path(model.path).is_file() for model in models):
        return base
    try:
        found, is_whole = wiring_differences(Path(first.path), Path(second.path), cancelled)
    except Damaged:
        return base
    return replace(base, differences=(*base.differences, *found), is_wired=is_whole)


def _are_equal(first: Path, second: Path, most: int, cancelled: Cancelled) -> bool | None:
    """Whether two files have the same bytes; None where they are no files, or too large to be read for that."""
    try:
        if not (first.is_file() and second.is_file()):
            return None
        sizes = [path.stat().st_size for path in (first, second)]
        if sizes[0] != sizes[1]:
            return False
        if sizes[0] > most:
            return None
        with first.open("rb") as one, second.open("rb") as other:
            while block := one.read(MIB):
                if cancelled():
                    raise Stopped
                if block != other.read(MIB):
                    return False
    except OSError:
        return None
    return True


def _why_not(first: ModelFacts, second: ModelFacts, most: int) -> str:
    """Why the weights are not compared, an id [weights-...] of models.toml; "" where they can be."""
    if first.problem or second.problem:
        return "unreadable"
    if not all(can_read(Path(model.path), model.format) for model in (first, second)):
        return "no-reader"
    sizes = (size for model in (first, second) for size in (model.size, model.needs.memory))
    return "too-large" if max(siz or 0 for siz in sizes) > most else ""


def _compared(ours: StoredWeights, theirs: StoredWeights, threads: Executor) -> list[TensorDifference]:
    """Each tensor with its partner of the same name; else of the same bytes, else of the same end of the name."""
    left_out = ours.left_out | theirs.left_out
    first = {name: stored for name, stored in ours.tensors.items() if name not in left_out}
    second = {name: stored for name, stored in theirs.tensors.items() if name not in left_out}
    compared = [_tensor(tensor, second[name], threads) for name, tensor in first.items() if name in second]
    left = {name: stored for name, stored in first.items() if name not in second}
    right = {name: stored for name, stored in second.items() if name not in first}
    for name, other in itertools.chain(_of_same_bytes(left, right), _of_same_tail(left, right)):
        pair = _tensor(left.pop(name), right.pop(other), threads)
        names = {"name": f"{name} → {other}", "kind": "renamed" if pair.kind == "same" else pair.kind}
        compared.append(replace(pair, **names))
    compared += [TensorDifference(name=name, kind="only-first", first=stored.face) for name, stored in left.items()]
    compared += [TensorDifference(name=name, kind="only-second", second=stored.face) for name, stored in right.items()]
    return compared + [TensorDifference(name=name, kind="left-out") for name in sorted(left_out)]


def _of_same_bytes(left: Mapping[str, StoredTensor], right: Mapping[str, StoredTensor]) -> list[tuple[str, str]]:
    """Pairs of names under which the same bytes stand; what is too short for that to mean anything is left out."""
    groups = [_by_beginning(side) for side in (left, right)]
    pairs = []
    for key, names in groups[0].items():
        others = groups[1].get(key, [])
        if len(names) == len(others) == 1:  # to compare them is quicker than to hash both
            if _same_bytes(left[names[0]], right[others[0]]):
                pairs.append((names[0], others[0]))
        elif others:
            by_digest: dict[bytes, list[str]] = defaultdict(list)
            for other in others:
                by_digest[right[other].digest].append(other)
            partners = ((name, by_digest.get(left[name].digest)) for name in names)
            pairs += [(name, found.pop(0)) for name, found in partners if found]
    return pairs


def _by_beginning(tensors: Mapping[str, StoredTensor]) -> dict[tuple[object, ...], list[str]]:
    """(the first bytes, size, shape, coding) -> the names."""
    found: dict[tuple[object, ...], list[str]] = defaultdict(list)
    for name, tensor in tensors.items():
        size = tensor.data.size
        if size >= _TELLING:
            found[tensor.data.read(0, _TELLING, ahead=0), size, tensor.shape, tensor.coding].append(name)
    return found


def _of_same_tail(left: Mapping[str, StoredTensor], right: Mapping[str, StoredTensor]) -> Iterator[tuple[str, str]]:
    """Pairs whose names end alike ("encoder.0.weight"), where only one on each side does; exporters add a beginning.

    Asked for while the pairs are taken out, so each name is given once.
    """
    for parts in _TAILS:
        tails = [_by_tail(side, parts) for side in (left, right)]
        for tail, names in tails[0].items():
            others = tails[1].get(tail, [])
            if len(names) == len(others) == 1 and names[0] in left and others[0] in right:
                yield names[0], others[0]


def _by_tail(tensors: Mapping[str, StoredTensor], parts: int) -> dict[tuple[object, ...], list[str]]:
    """(the last parts of the name, shape) -> the names."""
    found: dict[tuple[object, ...], list[str]] = defaultdict(list)
    for name, tensor in tensors.items():
        pieces = _PIECES.split(name)
        if len(pieces) >= parts and tensor.data.size >= _TELLING:
            found[tuple(pieces[-parts:]), tensor.shape].append(name)
    return found


def _tensor(first: StoredTensor, second: StoredTensor, threads: Executor) -> TensorDifference:
    base = TensorDifference(name=first.name, kind="same", first=first.face, second=second.face)
    if first.shape != second.shape:
        return replace(base, kind="shape")
    if first.coding == second.coding and first.data.size == second.data.size and _same_bytes(first, second):
        return base
    base = replace(base, kind="values" if first.dtype == second.dtype else "dtype")
    # A rounded tensor whose scale is unknown is not compared: its whole numbers are not those of the floats.
    is_measured = first.can_decode and second.can_decode and first.is_real == second.is_real
    return replace(base, **distances(first, second, threads)) if is_measured else base


def _same_bytes(first: StoredTensor, second: StoredTensor) -> bool:
    return all(one == other for one, other in zip(first.blocks(), second.blocks(), strict=True))
