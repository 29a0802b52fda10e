"""Hailo executables (.hef): the chip, the compiler, and what goes in and out.

The header (big-endian): 01 "HEF", the layout's number, the size of a Protocol Buffers message, and, depending on the
layout, checksums and the sizes of what follows the message. The message is ProtoHEFHef of hailort's hef.proto.
"""

from __future__ import annotations

import datetime as dt
import struct
from dataclasses import dataclass, field

from checks.facts import TensorSpec
from checks.knowledge.formats.hailo import first_hailort, hailo_chip
from checks.readers.containers.folder import Folder
from checks.readers.containers.protobuf.wire import BYTES, Fields, Message
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
class _Hef(Reading):
    """An executable, with what its first message and its network groups hold."""

    chip: int = 0
    built_at: int = 0  # seconds since 1970
    names: list[str] = field(default_factory=list)  # of the groups
    extensions: list[int] = field(default_factory=list)


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
    hef = _Hef("hailo-hef", version=str(layout), producer="Hailo Dataflow Compiler")
    whole = header + int(size) + _size_behind(source.read(0, min(header, source.size)).ljust(header, b"\0"), layout)
    if whole > source.size:
        hef.fail(Damaged("truncated", f"{source.size} of {whole} bytes"))
    with hef.part():
        for entry in Message(source, header, min(size, source.size - header)):
            if entry.wire != BYTES:
                continue
            inner = Message(source, entry.start, entry.size)
            if entry.number == 1:
                _read_head(inner, hef)
            elif entry.number == 2 and len(hef.names) < _MOST_GROUPS:
                _read_group(inner, hef)
            elif entry.number == 5 and len(hef.extensions) < 200:
                hef.extensions.append(Fields(inner.whole()).number(1))
    _describe(hef, layout)
    return hef


def _describe(hef: _Hef, layout: int) -> None:
    chip, runtime = hailo_chip(hef.chip), first_hailort(layout, hef.chip, tuple(hef.extensions))
    hef.frameworks = (f"hailort>={runtime}" if runtime else "hailort",)
    hef.bind("hailo-chip", chip.name if chip else f"hw_arch {hef.chip}")
    if runtime:
        hef.bind("hailo-version", f"HailoRT >= {runtime}")
    if chip:
        hef.devices = [board.lower() for board in chip.runs_on]
    hef.details = {
        "network": ", ".join(hef.names)[:200],
        "hailo-runs-on": ", ".join(chip.runs_on) if chip else "",
        "exported": _day(hef.built_at),
    }


def _read_head(message: Message, hef: _Hef) -> None:
    for entry in message:
        if entry.number == 1 and entry.wire != BYTES:
            hef.chip = entry.value
        elif entry.number == 2 and entry.wire != BYTES:
            hef.built_at = entry.value
        elif entry.number == 3 and entry.wire == BYTES:
            hef.producer_version = message.text(entry, _MOST_TEXT)[:50]


def _size_behind(header: bytes, layout: int) -> int:
    """The bytes behind the message, as the header counts them."""
    return sum(struct.unpack_from(">Q", header, at)[0] for at in {1: (16,), 2: (20,), 3: (20, 32)}.get(layout, ()))


def _read_group(message: Message, hef: _Hef) -> None:
    """A network group: its name, and the pads of its operations that no edge joins to another operation."""
    name = ""
    pads: dict[int, list[tuple[int, TensorSpec]]] = {2: [], 3: []}  # inputs, outputs: (number, tensor)
    joined: set[int] = set()
    ops = 0
    for entry in message:
        if entry.wire != BYTES:
            continue
        if entry.number == 10:
            name = message.text(entry, _MOST_TEXT)
        elif entry.number == 1 and not name:  # the older place of the name
            name = Fields(message.data(entry)).text(1, _MOST_TEXT)
        elif entry.number == 9:
            joined.update(pad.value for pad in message.message(entry) if pad.wire != BYTES)
        elif entry.number == 8 and ops < _MOST_OPS:
            ops += 1
            op = message.message(entry)
            for part in op:
                if part.wire == BYTES and part.number in pads and sum(map(len, pads.values())) < _MOST_PADS:
                    pads[part.number].append(_pad(Fields(op.data(part))))
    hef.names.append(name[:100])
    free = {side: [tensor for number, tensor in found if number not in joined] for side, found in pads.items()}
    hef.inputs = [*(hef.inputs or ()), *free[2]] or None
    hef.outputs = [*(hef.outputs or ()), *free[3]] or None


def _pad(pad: Fields) -> tuple[int, TensorSpec]:
    """Where data enters or leaves an operation: its number, and the tensor."""
    shape: tuple[int | str, ...] | None = None
    if pad.parts(7):  # classes, boxes of each, their numbers
        boxes = Fields(pad.data(7))
        shape = (boxes.number(1), "?", boxes.number(3) or 5)
    elif pad.parts(6):  # height, width, features
        image = Fields(pad.data(6))
        shape = tuple(image.number(field) for field in (1, 3, 5))
    return pad.number(1), TensorSpec(name=pad.text(2, 200), dtype=_DTYPES.get(pad.number(8)), shape=shape)


def _day(seconds: int) -> str:
    if not 1_500_000_000 < seconds < 10_000_000_000:
        return ""
    return dt.datetime.fromtimestamp(seconds, dt.UTC).date().isoformat()
