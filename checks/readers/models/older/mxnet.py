"""Apache MXNet: the network as JSON (name-symbol.json) and its weights (name-0000.params) beside it.

The JSON has a list of nodes, of which those without an operation ("null") are inputs and parameters, and, since 0.9,
the version of MXNet that wrote it. The weights are a list of arrays and then one of their names, all little-endian:
src/ndarray/ndarray.cc (three layouts of arrays, by release). Numbers are stepped over.
"""

from __future__ import annotations

import math
import re
import struct
from collections import Counter
from dataclasses import dataclass, field

import msgspec

from checks.facts import Binding, NeededFile, TensorSpec
from checks.prepared import prepared
from checks.readers.containers.folder import Folder
from checks.readers.containers.json_text import JSON_ERRORS, json_text
from checks.readers.containers.source import MIB, Damaged, Source
from checks.readers.models.reading import Reading, operator_uses
from checks.readers.models.registry import Rank, file_reader

_MAGIC = struct.pack("<QQ", 0x112, 0)
_V1, _V2, _V3 = 0xF993FAC8, 0xF993FAC9, 0xF993FACA
_AUXILIARY = {0: 0, 1: 1, 2: 2}  # kind of storage -> arrays that belong to it: dense, rows, compressed rows
_TYPES = "float32 float64 float16 uint8 int32 int8 int64 bool int16 uint16 uint32 uint64 bfloat16"
_DTYPES = dict(enumerate(_TYPES.split(" ")))
_WIDTHS = {"bool": 1}
_MOST_ARRAYS = 200_000
_MOST_AXES = 32
_MOST_NAME = 300
_MOST_JSON = 16 * MIB
_PARAMETER = re.compile(r"(?:weight|bias|gamma|beta|_mean|_var|_min|_max|_label|label|_parameters|_state(?:_cell)?)$")
_SHAPE = re.compile(r"[\[(]([\d,\s-]{0,200})[\])]")


class _Node(msgspec.Struct):
    """A node of the network. The attributes' name changed twice."""

    op: str = ""
    name: str = ""
    attrs: dict[str, str] | None = None
    attr: dict[str, str] | None = None
    param: dict[str, str] | None = None


class _Graph(msgspec.Struct):
    nodes: list[_Node]
    heads: list[list[int]] = []
    attrs: dict[str, msgspec.Raw] = {}


@dataclass
class _Arrays:
    names: list[str] = field(default_factory=list)
    numbers: Counter[str] = field(default_factory=Counter)
    count: int = 0
    size: int = 0
    is_for_gpu: bool = False
    problem: Damaged | None = None


@file_reader("mxnet", rank=Rank.STRUCTURE)
def mxnet_symbol(source: Source, beside: Folder) -> Reading | None:
    """The network."""
    head = source.head
    if head.lstrip()[:1] != b"{" or b'"nodes"' not in head or b'"op"' not in head or b'"inputs"' not in head:
        return None
    text = json_text(source, _MOST_JSON)
    try:
        graph = msgspec.json.decode(text, type=prepared(_Graph))
    except msgspec.ValidationError:
        return None  # a graph of another kind
    except JSON_ERRORS as error:
        if b'"arg_nodes"' not in text and not source.name.endswith("-symbol.json"):
            return None
        raise Damaged("json-damaged", str(error)) from error
    kinds = Counter(node.op[:_MOST_NAME] for node in graph.nodes)
    if not kinds["null"] or len(kinds) < 2 or kinds["tvm_op"]:  # TVM's graphs have the same outline
        return None
    return _symbol_facts(graph, kinds, source, beside)


@file_reader("mxnet", rank=Rank.MAGIC)
def mxnet_params(source: Source, _beside: Folder) -> Reading | None:
    """The weights."""
    if source.size < 24 or source.read(0, 16) != _MAGIC:
        return None
    arrays = _read_arrays(source)
    names = arrays.names
    return Reading(
        "mxnet",
        producer="mxnet",
        frameworks=("mxnet",),
        memory=arrays.size,
        devices=("gpu",) if arrays.is_for_gpu else (),
        dtypes=arrays.numbers,
        details={
            "content": "weights",
            "tensors": str(arrays.count),
            **({"keys": ", ".join(names[:5])} if names else {}),
        },
        problem=arrays.problem,
    )


def _symbol_facts(graph: _Graph, kinds: Counter[str], source: Source, beside: Folder) -> Reading:
    version = _version(graph.attrs.get("mxnet_version"))
    weights = _weights_beside(source.name, beside)
    arrays = _Arrays()
    if weights.present:
        with beside.file(weights.name) as file:
            if file.size >= 24 and file.read(0, 16) == _MAGIC:
                arrays = _read_arrays(file)
    stored = {name.partition(":")[2] or name for name in arrays.names}
    is_parameter = stored.__contains__ if stored else _PARAMETER.search
    inputs = [node for node in graph.nodes if node.op == "null" and not is_parameter(node.name)]
    has_parameters = kinds["null"] > len(inputs)
    problem = Damaged("missing-part", weights.name) if has_parameters and not weights.present else arrays.problem
    del kinds["null"]
    quantized = any("quantize" in kind for kind in kinds)
    return Reading(
        "mxnet",
        version=version,
        producer="mxnet",
        producer_version=version,
        frameworks=("mxnet",),
        operators=operator_uses(kinds, is_custom=lambda kind: kind == "Custom"),
        files=(weights,) if has_parameters else (),
        memory=arrays.size or weights.present_size,
        bound_to=(Binding(kind="mxnet-version", value=f"MXNet {version}"),) if version else (),
        inputs=tuple(_input(node) for node in inputs[:100]) or None,
        outputs=tuple(
            TensorSpec(name=graph.nodes[head[0]].name[:_MOST_NAME])
            for head in graph.heads[:100]
            if head and 0 <= head[0] < len(graph.nodes)
        )
        or None,
        dtypes=arrays.numbers or None,
        quantization="int8" if quantized else "",
        problem=problem,
    )


def _weights_beside(name: str, beside: Folder) -> NeededFile:
    """The weights of the same name, of the last epoch where there are several."""
    stem = re.sub(r"(?:-symbol)?\.json$", "", name)
    pattern = re.compile(rf"{re.escape(stem)}(?:-\d{{1,9}})?\.params")
    found = sorted(file for file in beside.names if pattern.fullmatch(file))
    if not found:
        return NeededFile(name=f"{stem}-0000.params", present=False)
    return NeededFile(name=found[-1], present=True, present_size=beside.size_of(found[-1]))


def _input(node: _Node) -> TensorSpec:
    attributes = node.attrs or node.attr or node.param or {}
    shape = _SHAPE.fullmatch(attributes.get("__shape__", ""))
    flag = attributes.get("__dtype__", "")
    lengths = tuple(int(part) for part in shape[1].split(",") if part.strip().isdecimal()) if shape else ()
    return TensorSpec(
        name=node.name[:_MOST_NAME],
        dtype=_DTYPES.get(int(flag)) if flag.isascii() and flag.isdecimal() and len(flag) < 4 else None,
        shape=tuple(length or "?" for length in lengths[:_MOST_AXES]) or None,
    )


def _version(stored: msgspec.Raw | None) -> str | None:
    """The version from its number: 10901 is 1.9.1."""
    try:
        kind, number = msgspec.json.decode(stored, type=prepared(tuple[str, int])) if stored is not None else ("", 0)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return f"{number // 10000}.{number // 100 % 100}.{number % 100}" if kind == "int" and 0 < number < 10**6 else None


# --- weights ---------------------------------------------------------------------------------------------------------


def _read_arrays(source: Source) -> _Arrays:
    """The arrays and their names; what was read before damage shows is kept."""
    arrays = _Arrays()
    try:
        count = struct.unpack("<Q", source.read(16, 8))[0]
        if count > _MOST_ARRAYS:
            raise Damaged("too-large", f"{count} arrays")
        at = 24
        for _ in range(count):
            at = _step_over(source, at, arrays)
            arrays.count += 1
        names = struct.unpack("<Q", source.read(at, 8))[0]
        if names > count:
            raise Damaged("array-damaged", f"{names} names of {count} arrays")
        at += 8
        for _ in range(names):
            size = struct.unpack("<Q", source.read(at, 8))[0]
            arrays.names.append(source.read(at + 8, min(size, _MOST_NAME)).decode("utf-8", "replace"))
            at += 8 + size
    except Damaged as damage:
        arrays.problem = damage
    return arrays


def _step_over(source: Source, at: int, arrays: _Arrays) -> int:
    """Note an array and return where the next one begins."""
    magic = struct.unpack("<I", source.read(at, 4))[0]
    at += 4
    storage = 0
    stored_shape: tuple[int, ...] | None = None
    if magic in (_V2, _V3):
        storage = struct.unpack("<i", source.read(at, 4))[0]
        at += 4
        if storage not in _AUXILIARY:
            raise Damaged("array-damaged", f"storage {storage} at {at}")
        if _AUXILIARY[storage]:
            stored_shape, at = _shape(source, at)
    if magic in (_V1, _V2, _V3):
        shape, at = _shape(source, at)
    else:  # the oldest layout begins with the number of axes, and has lengths of 32 bits
        shape, at = _axes(source, at, magic, width=4)
    if (not shape and magic != _V3) or any(length < 0 for length in shape):
        return at  # an array without content
    device, _, flag = struct.unpack("<iii", source.read(at, 12))
    at += 12
    arrays.is_for_gpu |= device == 2
    extra = 0
    for _ in range(_AUXILIARY[storage]):
        aux_flag = struct.unpack("<i", source.read(at, 4))[0]
        aux_shape, at = _shape(source, at + 4)
        extra += math.prod(max(length, 0) for length in aux_shape) * _width(aux_flag)
    count = math.prod(max(length, 0) for length in (shape if stored_shape is None else stored_shape))
    size = count * _width(flag) + extra
    if at + size > source.size:
        raise Damaged("truncated", f"{size} bytes at {at} of {source.size}")
    arrays.numbers[_DTYPES[flag]] += count
    arrays.size += size
    return at + size


def _shape(source: Source, at: int) -> tuple[tuple[int, ...], int]:
    axes = struct.unpack("<i", source.read(at, 4))[0]
    return ((-1,), at + 4) if axes < 0 else _axes(source, at + 4, axes, width=8)


def _axes(source: Source, at: int, axes: int, *, width: int) -> tuple[tuple[int, ...], int]:
    if axes > _MOST_AXES:
        raise Damaged("array-damaged", f"{axes} axes at {at}")
    lengths = struct.unpack(f"<{axes}{'q' if width == 8 else 'I'}", source.read(at, axes * width))
    return lengths, at + axes * width


def _width(flag: int) -> int:
    dtype = _DTYPES.get(flag)
    if dtype is None:
        raise Damaged("array-damaged", f"type {flag}")
    return _WIDTHS.get(dtype) or int(re.sub(r"\D", "", dtype)) // 8
