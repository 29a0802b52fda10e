"""Hailo executables (.hef): the chip, the compiler, and what goes in and out.

The header (big-endian): 01 "HEF", the layout's number, the size of a Protocol Buffers message, and, depending on the
layout, checksums and the sizes of what follows the message. The message is ProtoHEFHef of hailort's hef.proto.
"""

from __future__ import annotations

import datetime as dt
import struct
from dataclasses import dataclass, field

from checks.facts import Binding, TensorSpec
from checks.knowledge.formats.hailo import first_hailort, hailo_chip
from checks.readers.containers.folder import Folder
from checks.readers.containers.protobuf import BYTES, Message
from checks.readers.containers.source import Damaged, Source
from checks.readers.models.reading import Reading
from checks.readers.models.registry import Rank, file_reader

_MAGIC = b"\x01HEF"
_COMMON = 12  # bytes of the header in every layout
_HEADER = {0: 32, 1: 28, 2: 44, 3: 56}
_MOST_GROUPS = 64
_MOST_PADS = 1024
_MOST_OPS = 4096
_MOST_TEXT = 4096
_DTYPES = {1: "uint8", 2: "uint16"}


@dataclass
class _Pad:
    number: int = 0
    name: str = ""
    dtype: str | None = None
    shape: tuple[int | str, ...] | None = None


@dataclass
class _Head:
    chip: int = 0
    compiler: str = ""
    made: int = 0  # seconds since 1970


@dataclass
class _Network:
    names: list[str] = field(default_factory=list)
    inputs: list[_Pad] = field(default_factory=list)
    outputs: list[_Pad] = field(default_factory=list)


@file_reader("hailo-hef", rank=Rank.MAGIC)
def hailo(source: Source, _beside: Folder) -> Reading | None:
    """A .hef file."""
    if source.size < _COMMON or source.read(0, 4) != _MAGIC:
        return None
    layout, size = struct.unpack(">II", source.read(4, 8))
    header = _HEADER.get(layout)
    if header is None:
        if layout > 100:
            return None  # four bytes alone prove nothing
        return Reading("hailo-hef", version=str(layout), problem=Damaged("version-unknown"))
    head, network = _Head(), _Network()
    extensions: list[int] = []
    problem = None
    if _whole(source, layout, size) > source.size:
        problem = Damaged("truncated", f"{source.size} of {_whole(source, layout, size)} bytes")
    try:
        for entry in Message(source, header, min(size, source.size - header)):
            if entry.wire != BYTES:
                continue
            inner = Message(source, entry.start, entry.size)
            if entry.number == 1:
                _read_head(inner, head)
            elif entry.number == 2 and len(network.names) < _MOST_GROUPS:
                _read_group(inner, network)
            elif entry.number == 5 and len(extensions) < 200:
                extensions.append(_first_number(inner))
    except Damaged as damage:
        problem = problem or damage
    return _reading(layout, head, network, tuple(extensions), problem)


def _reading(
    layout: int, head: _Head, network: _Network, extensions: tuple[int, ...], problem: Damaged | None
) -> Reading:
    chip = hailo_chip(head.chip)
    name = chip.name if chip else f"hw_arch {head.chip}"
    runtime = first_hailort(layout, head.chip, extensions)
    details = {
        "network": ", ".join(network.names)[:200],
        "hailo-runs-on": ", ".join(chip.runs_on) if chip else "",
        "exported": _day(head.made),
    }
    return Reading(
        "hailo-hef",
        version=str(layout),
        producer="Hailo Dataflow Compiler",
        producer_version=head.compiler or None,
        frameworks=(f"hailort>={runtime}" if runtime else "hailort",),
        devices=tuple(board.lower() for board in chip.runs_on) if chip else None,
        bound_to=(
            Binding(kind="hailo-chip", value=name),
            *((Binding(kind="hailo-version", value=f"HailoRT >= {runtime}"),) if runtime else ()),
        ),
        inputs=_specs(network.inputs),
        outputs=_specs(network.outputs),
        details=details,
        problem=problem,
    )


def _whole(source: Source, layout: int, size: int) -> int:
    header = source.read(0, min(_HEADER[layout], source.size)).ljust(_HEADER[layout], b"\0")
    rest: tuple[int, ...] = (0,)
    if layout == 1:
        rest = struct.unpack_from(">Q", header, 16)
    elif layout == 2:
        rest = struct.unpack_from(">Q", header, 20)
    elif layout == 3:
        rest = (*struct.unpack_from(">Q", header, 20), *struct.unpack_from(">Q", header, 32))
    return _HEADER[layout] + int(size) + sum(rest)


def _read_head(message: Message, head: _Head) -> None:
    for entry in message:
        if entry.number == 1 and entry.wire != BYTES:
            head.chip = entry.value
        elif entry.number == 2 and entry.wire != BYTES:
            head.made = entry.value
        elif entry.number == 3 and entry.wire == BYTES:
            head.compiler = message.text(entry, _MOST_TEXT)[:50]


def _read_group(message: Message, network: _Network) -> None:
    """A network group: its name, and the pads of its operations that no edge joins to another operation."""
    name = ""
    inputs: list[_Pad] = []
    outputs: list[_Pad] = []
    joined: set[int] = set()
    ops = 0
    for entry in message:
        if entry.wire != BYTES:
            continue
        if entry.number == 10:
            name = message.text(entry, _MOST_TEXT)
        elif entry.number == 1 and not name:  # the older place of the name
            name = _first_text(message.message(entry))
        elif entry.number == 9:
            joined.update(pad.value for pad in message.message(entry) if pad.wire != BYTES)
        elif entry.number == 8 and ops < _MOST_OPS:
            ops += 1
            op = message.message(entry)
            for part in op:
                if part.wire == BYTES and part.number in (2, 3) and len(inputs) + len(outputs) < _MOST_PADS:
                    (inputs if part.number == 2 else outputs).append(_pad(op.message(part)))
    network.names.append(name[:100])
    network.inputs += [pad for pad in inputs if pad.number not in joined]
    network.outputs += [pad for pad in outputs if pad.number not in joined]


def _pad(message: Message) -> _Pad:
    pad = _Pad()
    for entry in message:
        if entry.number == 1 and entry.wire != BYTES:
            pad.number = entry.value
        elif entry.number == 2 and entry.wire == BYTES:
            pad.name = message.text(entry, _MOST_TEXT)[:200]
        elif entry.number == 8 and entry.wire != BYTES:
            pad.dtype = _DTYPES.get(entry.value)
        elif entry.number == 6 and entry.wire == BYTES:
            lengths = {part.number: part.value for part in message.message(entry) if part.wire != BYTES}
            pad.shape = tuple(lengths.get(number, 0) for number in (1, 3, 5))  # height, width, features
        elif entry.number == 7 and entry.wire == BYTES:
            found = {part.number: part.value for part in message.message(entry) if part.wire != BYTES}
            pad.shape = (found.get(1, 0), "?", found.get(3) or 5)  # classes, boxes of each, their numbers
    return pad


def _specs(pads: list[_Pad]) -> tuple[TensorSpec, ...] | None:
    return tuple(TensorSpec(name=pad.name, dtype=pad.dtype, shape=pad.shape) for pad in pads) or None


def _first_number(message: Message) -> int:
    return next((entry.value for entry in message if entry.number == 1 and entry.wire != BYTES), 0)


def _first_text(message: Message) -> str:
    return next((message.text(entry, _MOST_TEXT) for entry in message if entry.number == 1 and entry.wire == BYTES), "")


def _day(seconds: int) -> str:
    if not 1_500_000_000 < seconds < 10_000_000_000:
        return ""
    return dt.datetime.fromtimestamp(seconds, dt.UTC).date().isoformat()
