"""The initializers of an ONNX model, in it or in the files beside it, and the constants among its nodes."""

from __future__ import annotations

import contextlib
import itertools
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from checks.readers.containers.folder import Folder
from checks.readers.containers.protobuf.wire import BYTES, Message, packed
from checks.readers.containers.source import MIB, Damaged, Source, of_bytes
from checks.readers.models.exchange.onnx_graph import (
    DTYPES,
    MOST_AXES,
    Part,
    embedded,
    fields,
    number,
    read_pair,
    size_of,
    text,
    whole,
)
from checks.readers.weights.tensor import MOST_TENSORS, LeftOut, StoredTensor, item_size, stretch

_GRAPH, _NODE, _INITIALIZER = 7, 1, 5
_LEAST = 64  # bytes of a constant that is more than a shape or an axis
_DEEPEST = 30
_MOST_NUMBERS = 8 * MIB  # bytes of numbers that are stored one by one
_PACKED = {4: "<f4", 10: "<f8"}  # float_data and double_data are packed as they are


def tensors(source: Source, beside: Folder, open_files: contextlib.ExitStack) -> Iterator[StoredTensor | LeftOut]:
    """The initializers by their names, and constants by the names of what they give out, also within subgraphs.

    Texts, and numbers that are stored one by one in a type that is not decoded, are left out.
    """
    files: dict[str, Source] = {}
    seen: Counter[str] = Counter()
    graphs = (embedded(value) for what, _, value in fields(Message(source)) if what == _GRAPH)
    for name, tensor in itertools.chain.from_iterable(_of_graph(graph, 0) for graph in graphs):
        stored = _stored(name, tensor, beside, files, open_files)
        seen[stored.name] += 1
        if seen.total() > MOST_TENSORS:
            raise Damaged("too-large", f"more than {MOST_TENSORS} tensors")
        again = seen[stored.name]  # a name may come again in each subgraph
        yield replace(stored, name=f"{stored.name} ({again})") if again > 1 else stored


def _of_graph(graph: Part, depth: int) -> Iterator[tuple[str, Part]]:
    """(name or "", TensorProto) of the initializers and large constants of a graph and those within it."""
    if depth > _DEEPEST:
        raise Damaged("protobuf-damaged", "graphs nested too deep")
    for what, _, value in fields(graph):
        if what == _INITIALIZER:
            yield "", embedded(value)
        elif what == _NODE:
            yield from _of_node(embedded(value), depth)


def _of_node(node: Part, depth: int) -> Iterator[tuple[str, Part]]:
    output = ""
    for what, wire, value in fields(node):
        if what == 2:
            output = text(value)
        elif what == 5 and wire == BYTES:
            for which, _, inner in fields(embedded(value)):
                if which == 5 and size_of(embedded(inner)) >= _LEAST:
                    yield output, embedded(inner)
                elif which in (6, 11):
                    yield from _of_graph(embedded(inner), depth + 1)
                elif which in (7, 8, 9):  # numbers or texts by the million: no tensors follow
                    break


def _stored(
    name: str,
    tensor: Part,
    beside: Folder,
    files: dict[str, Source],
    open_files: contextlib.ExitStack,
) -> StoredTensor | LeftOut:
    dims: list[int] = []
    dtype, data, place = "", None, dict[str, str]()
    for what, wire, value in fields(tensor):
        if what == 1:
            dims += packed(_bytes(value)) if wire == BYTES else [number(value)]
            if len(dims) > MOST_AXES:
                raise Damaged("protobuf-damaged", f"more than {MOST_AXES} axes")
        elif what == 2:
            dtype = DTYPES.get(number(value), ("", 0))[0]
        elif what == 8:
            name = name or text(value)
        elif what == 9 and wire == BYTES:
            data = _source(embedded(value))
        elif what in _PACKED and wire == BYTES:
            data = of_bytes(_bytes(value))
        elif what in (5, 7, 11) and wire == BYTES:
            data = _numbers(_bytes(value), dtype)
        elif what == 13:
            key, stated = read_pair(embedded(value), most=4096)
            place[key] = stated
    if place:
        data = _beside(place, dtype, dims, beside, files, open_files)
    if data is None and math.prod(dims) == 0:
        data = of_bytes(b"")
    return LeftOut(name) if data is None or not dtype else StoredTensor(name, dtype, tuple(dims), data)


def _source(part: Part) -> Source:
    if isinstance(part, bytes):
        return of_bytes(part)
    size = part.end - part.start
    return stretch(part.source, part.start, size)


def _bytes(value: int | Part) -> bytes:
    part = embedded(value)
    if isinstance(part, bytes):
        return part
    if part.end - part.start > _MOST_NUMBERS:
        raise Damaged("too-large", f"{part.end - part.start} bytes of numbers")
    return part.source.read(part.start, part.end - part.start)


def _numbers(data: bytes, dtype: str) -> Source | None:
    """Varints (int32_data, int64_data, uint64_data) as the bytes that raw_data would be."""
    size = item_size(dtype)
    if size is None:
        return None
    values = np.fromiter(packed(data), np.uint64)
    return of_bytes(values.astype(f"<u{size}").tobytes())


def _beside(
    place: dict[str, str],
    dtype: str,
    dims: list[int],
    beside: Folder,
    files: dict[str, Source],
    open_files: contextlib.ExitStack,
) -> Source:
    location = place.get("location", "")
    if location not in files:
        files[location] = open_files.enter_context(beside.file(location))
    offset, length = (whole(place.get(key, "")) for key in ("offset", "length"))
    size = length or (item_size(dtype) or 0) * math.prod(dims)
    return stretch(files[location], offset, size)
