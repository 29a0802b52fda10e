"""MNN: a FlatBuffer without an identifier, recognised by its content alone.

The schema: https://github.com/alibaba/MNN/blob/master/schema/default/MNN.fbs
"""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass, field

from checks.facts import NeededFile, OperatorUse, TensorSpec
from checks.knowledge.formats.mnn_operators import mnn_operators
from checks.readers.containers.flatbuffer import FlatBuffer, Table
from checks.readers.containers.folder import Folder
from checks.readers.containers.source import Damaged, Source
from checks.readers.models.reading import Reading, missing_file
from checks.readers.models.registry import Rank, file_reader

_MOST_ROOT = 4096  # where the root lies at the latest: behind the description of its fields
_MOST_FIELDS = 40
_LEAST_SIZE = 32
_INPUT, _PLUGIN, _EXTRA = 34, 256, 512
_CONVOLUTION = 9  # the member of the union OpParameter
_HALVES = 3  # IDSTQuan.type
_LOOKED_AT = 4  # operators and names that must make sense
_MOST_NAME = 1_000
_MOST_KINDS = 5_000  # of operators
_MOST_VALUES = 1_000  # inputs, and outputs

_CONVERTED_FROM = {0: "Caffe", 1: "TensorFlow", 2: "TFLite", 3: "ONNX", 4: "TorchScript"}  # NetSource
_DTYPES = {
    1: "float32", 2: "float64", 3: "int32", 4: "uint8", 5: "int16", 6: "int8", 7: "string", 8: "complex64", 9: "int64",
    10: "bool", 11: "qint8", 12: "quint8", 13: "qint32", 14: "bfloat16", 19: "float16",
}  # fmt: skip


@dataclass
class _Net(Reading):
    """A network, with its operators by number and the ways in which its weights are stored."""

    kinds: Counter[int] = field(default_factory=Counter)
    foreign: set[str] = field(default_factory=set)
    placeholders: list[TensorSpec] = field(default_factory=list)
    schemes: Counter[str] = field(default_factory=Counter)
    outside: int = 0  # bytes of the file of weights that are used


@file_reader("mnn", rank=Rank.STRUCTURE)
def mnn(source: Source, beside: Folder) -> Reading | None:
    """One file, and the file of weights beside it."""
    if not _begins_like_one(source):
        return None
    net = _Net("mnn", producer="mnnconvert", frameworks=("MNN",))
    with net.part():
        root = FlatBuffer(source).root()
        if not _is_net(root):
            return None
        _read_net(root, net)
    if net.problem and not net.kinds and not source.name.endswith(".mnn"):
        return None
    net.operators = _operators(net.kinds)
    net.files = _files(net.outside, source.name, beside)
    net.fail(missing_file(net.files))
    if net.foreign:
        net.bind("custom-operators", ", ".join(sorted(net.foreign)))
    net.inputs = net.placeholders
    net.quantization = ", ".join(name for name, _ in net.schemes.most_common())
    return net


def _begins_like_one(source: Source) -> bool:
    """A cheap look: whether the first number leads to a table with the fields of a net."""
    if source.size < _LEAST_SIZE:
        return False
    head = source.head
    root = int.from_bytes(head[:4], "little")
    if root % 4 or not 8 <= root <= min(_MOST_ROOT, len(head)) - 4:
        return False
    fields = root - int.from_bytes(head[root : root + 4], "little", signed=True)
    if not 4 <= fields <= len(head) - 4:
        return False
    size = int.from_bytes(head[fields : fields + 2], "little")
    return size % 2 == 0 and 4 + 2 * 8 <= size <= 4 + 2 * _MOST_FIELDS and fields + size <= root


def _is_net(root: Table) -> bool:
    """Whether the first operators and tensors are what they are in a net: certain enough for a file of any name."""
    if not (root.has(3) and root.has(7)) or not 0 <= root.integer(6, "b") <= max(_CONVERTED_FROM):
        return False
    try:
        operators = list(itertools.islice(root.tables(3), _LOOKED_AT))
        names = list(itertools.islice(root.texts(7, _MOST_NAME), _LOOKED_AT))
        names += [operator.text(3, _MOST_NAME) for operator in operators]
        return (
            bool(operators and names)
            and all(
                operator.integer(5) in mnn_operators() and (operator.has(4) or operator.has(0))
                for operator in operators
            )
            and all(name.isprintable() and "�" not in name for name in names)
        )
    except Damaged as problem:
        if problem.reason == "truncated":
            raise
        return False


def _read_net(root: Table, net: _Net) -> None:
    for read_part in (_read_sources, _read_face):
        with net.part():
            read_part(root, net)
    with net.part():
        _read_operators(root, 3, net)
        for subgraph in root.tables(10):
            _read_operators(subgraph, 4, net)


def _read_sources(root: Table, net: _Net) -> None:
    extra = root.table(2)
    net.producer_version = extra.text(2, 64) if extra else ""
    net.details = {
        "converted-from": _CONVERTED_FROM.get(root.integer(6, "b"), ""),
        "subgraphs": str(root.count(10) or ""),
    }


def _read_face(root: Table, net: _Net) -> None:
    names = itertools.islice(root.texts(4, _MOST_NAME), _MOST_VALUES)
    net.outputs = tuple(TensorSpec(name=name) for name in names)


def _read_operators(table: Table, number: int, net: _Net) -> None:
    for operator in table.tables(number):
        kind = operator.integer(5)
        if len(net.kinds) >= _MOST_KINDS and kind not in net.kinds:
            raise Damaged("too-large", f"more than {_MOST_KINDS} kinds of operators")
        net.kinds[kind] += 1
        parameters = operator.table(2)
        if parameters is None:
            continue
        if kind == _INPUT and number == 3 and len(net.placeholders) < _MOST_VALUES:
            net.placeholders.append(_input(operator.text(3, _MOST_NAME), parameters))
        elif kind in (_PLUGIN, _EXTRA) and len(net.foreign) < _MOST_KINDS:
            net.foreign.add(parameters.text(0, _MOST_NAME))
        elif operator.integer(1, "B") == _CONVOLUTION:
            _look_at_weights(parameters, net)


def _input(name: str, parameters: Table) -> TensorSpec:
    dims = parameters.integers(0, most=64)
    return TensorSpec(
        name=name,
        dtype=_DTYPES.get(parameters.integer(1)),
        shape=tuple(dim if dim >= 0 else "?" for dim in dims),
    )


def _look_at_weights(convolution: Table, net: _Net) -> None:
    quantized = convolution.table(3)
    if quantized is not None:
        bits = quantized.integer(7) or 8
        net.schemes["float16" if quantized.integer(2) == _HALVES else f"int{bits} weights"] += 1
    place = convolution.integers(6, "q", most=64)  # where in the file of weights, then the bytes of each part
    if place and all(0 <= number < 1 << 48 for number in place):
        net.outside = max(net.outside, sum(place))


def _files(needed: int, name: str, beside: Folder) -> tuple[NeededFile, ...] | None:
    if not needed:
        return None
    size = beside.size_of(f"{name}.weight")
    is_whole = size is not None and size >= needed
    return (NeededFile(name=f"{name}.weight", size=needed, present=is_whole, present_size=size),)


def _operators(kinds: Counter[int]) -> tuple[OperatorUse, ...]:
    names = mnn_operators()
    return tuple(
        OperatorUse(
            name=names.get(kind, f"operator {kind}"),
            count=count,
            is_custom=kind in (_PLUGIN, _EXTRA),
        )
        for kind, count in sorted(kinds.items(), key=lambda item: (-item[1], item[0]))
    )
