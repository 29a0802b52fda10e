"""How the nodes of an ONNX model are connected and set, for comparing two files.

Only the main graph: what lies within a node (a branch, a loop) is known by its bytes alone.
"""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass, field
from pathlib import Path

from checks.readers.containers.protobuf.wire import BYTES, FIXED32, Message, packed, signed
from checks.readers.containers.source import Cancelled, Source, never, opened
from checks.readers.models.exchange.onnx_graph import Part, domain_of, embedded, fields, number, size_of, text

MOST_NODES = 50_000
_MOST_ATTRIBUTES = 200  # of a node
_MOST_NUMBERS = 1 << 16  # bytes of numbers of an attribute that are told; of more a digest is
_LONGEST = 120
_GRAPH, _NODE = 7, 1
_WITHIN = frozenset({6, 11})  # fields of an attribute that are graphs
_UNTOLD = frozenset({4, 5, 9, 10, 14, 15, 22, 23})  # texts, tensors and types: a digest of their bytes


@dataclass
class WiredNode:
    """A node. ``attributes``: name -> its value in words, or a digest of it."""

    name: str = ""
    domain: str = ""
    op: str = ""
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    attributes: dict[str, str] = field(default_factory=dict)
    has_graph: bool = False

    @property
    def label(self) -> str:
        """Its name, or that of its first result."""
        return self.name or next(iter(self.outputs), "")


def wired_nodes(path: Path, cancelled: Cancelled = never) -> tuple[WiredNode, ...] | None:
    """The nodes of the main graph in the order of the file; None: there are too many.

    Raises:
        Damaged: the file is not what its format asks for.
        Stopped: the work was cancelled.
    """
    with opened(path, cancelled) as source:
        return _of_model(source)


def _of_model(source: Source) -> tuple[WiredNode, ...] | None:
    found: list[WiredNode] = []
    for what, wire, value in fields(Message(source)):
        if what != _GRAPH or wire != BYTES:
            continue
        for inner, kind, part in fields(embedded(value)):
            if inner == _NODE and kind == BYTES:
                if len(found) >= MOST_NODES:
                    return None
                found.append(_node(embedded(part)))
    return tuple(found)


def _node(part: Part) -> WiredNode:
    node = WiredNode()
    for what, wire, value in fields(part):
        if wire != BYTES:
            continue
        if what == 1:
            node.inputs.append(text(value))
        elif what == 2:
            node.outputs.append(text(value))
        elif what == 3:
            node.name = text(value)
        elif what == 4:
            node.op = text(value)
        elif what == 7:
            node.domain = domain_of(value)
        elif what == 5 and len(node.attributes) < _MOST_ATTRIBUTES:
            _add_attribute(embedded(value), node)
    return node


def _add_attribute(part: Part, node: WiredNode) -> None:
    name, told = "", list[str]()
    for what, wire, value in fields(part):
        if what == 1 and wire == BYTES:
            name = text(value)
        elif what == 3:
            told.append(str(number(value)))
        elif what == 2 and wire == FIXED32:
            told.append(f"{struct.unpack('<f', struct.pack('<I', number(value) & 0xFFFFFFFF))[0]:g}")
        elif what == 7:
            told.append(_floats(value, wire))
        elif what == 8:
            told.append(_integers(embedded(value)) if wire == BYTES else str(number(value)))
        elif what in _WITHIN:
            node.has_graph = True
            told.append(_digest(embedded(value)))
        elif what in _UNTOLD and wire == BYTES:
            told.append(_text_or_digest(what, embedded(value)))
    node.attributes[name] = ", ".join(told)[: 4 * _LONGEST]


def _floats(value: int | Part, wire: int) -> str:
    if wire == FIXED32:
        return f"{struct.unpack('<f', struct.pack('<I', number(value) & 0xFFFFFFFF))[0]:g}"
    data = _bytes(embedded(value))
    if data is None or len(data) % 4:
        return _digest(embedded(value))
    return ", ".join(f"{one:g}" for (one,) in struct.iter_unpack("<f", data))


def _integers(part: Part) -> str:
    data = _bytes(part)
    return _digest(part) if data is None else ", ".join(str(signed(one)) for one in packed(data))


def _text_or_digest(what: int, part: Part) -> str:
    if what == 4 and size_of(part) <= _LONGEST:
        return text(part)
    return _digest(part)


def _bytes(part: Part) -> bytes | None:
    """The bytes of a part; None: there are too many to be told."""
    if size_of(part) > _MOST_NUMBERS:
        return None
    return part if isinstance(part, bytes) else part.source.read(part.start, part.end - part.start)


def _digest(part: Part) -> str:
    digest = hashlib.blake2b(digest_size=6)
    if isinstance(part, bytes):
        digest.update(part)
    else:
        for at in range(part.start, part.end, _MOST_NUMBERS):
            digest.update(part.source.read(at, min(_MOST_NUMBERS, part.end - at)))
    return f"#{digest.hexdigest()}"
