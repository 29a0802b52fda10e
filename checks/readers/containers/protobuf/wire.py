"""Protocol Buffers read on the wire, without a schema's library: large fields are stepped over and never loaded.

The formats' own libraries read a whole message into memory, two gigabytes of weights with it. The wire format:
https://protobuf.dev/programming-guides/encoding/
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Iterator
from typing import NamedTuple

from checks.readers.containers.source import MIB, Damaged, Source

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
MOST_FIELDS = 5_000_000  # of one message
_HIGHEST_FIELD = (1 << 29) - 1
_LONGEST_HEADER = 20  # bytes: two varints
_FAR = 1 << 14  # bytes: over a field as large as that the next one lies far away, and little is read ahead there
_LITTLE = 1 << 10


class Field(NamedTuple):
    """One field of a message. ``value``: of a varint or fixed one its bits; ``start``, ``size``: of bytes, where."""

    number: int
    wire: int
    value: int
    start: int
    size: int


class CutOff(Damaged):
    """A field that goes beyond the end of its message. What there is of it can still be read: ``field``."""

    def __init__(self, field: Field, end: int) -> None:
        super().__init__("truncated", f"field {field.number} at {field.start} needs {field.size} bytes")
        self.field = field._replace(size=max(0, end - field.start))


class Message:
    """A message in a source, read field by field. Embedded messages are messages again, at no cost until read."""

    def __init__(self, source: Source, start: int = 0, size: int | None = None) -> None:
        self.source = source
        self.start = start
        self.end = source.size if size is None else start + size

    def __iter__(self) -> Iterator[Field]:
        """The fields, in their order.

        Raises:
            Damaged: "protobuf-damaged" or "truncated", as :class:`CutOff` where a field's beginning is there.
        """
        at = self.start
        is_far = False
        for _ in range(MOST_FIELDS):
            if at >= self.end:
                return
            size = min(_LONGEST_HEADER, self.end - at)
            head = self.source.read(at, size, ahead=_LITTLE) if is_far else self.source.read(at, size)
            field, used = _field(head, 0, at)
            if field.start + field.size > self.end:
                raise CutOff(field, self.end)
            yield field
            at = field.start + field.size if field.wire == BYTES else at + used
            is_far = field.size > _FAR
        raise Damaged("protobuf-damaged", f"more than {MOST_FIELDS} fields")

    def whole(self, most: int = MIB) -> bytes:
        """All its bytes. Raises Damaged: "too-large" if they are more than ``most``."""
        if self.end - self.start > most:
            raise Damaged("too-large", f"a message of {self.end - self.start} bytes")
        return self.source.read(self.start, self.end - self.start)

    def message(self, field: Field) -> Message:
        """The embedded message of a field of bytes."""
        if field.wire != BYTES:
            raise Damaged("protobuf-damaged", f"field {field.number} is no message")
        return Message(self.source, field.start, field.size)

    def data(self, field: Field, most: int = MIB) -> bytes:
        """The bytes of a field, if they are not more than ``most``.

        Raises:
            Damaged: "too-large", or "protobuf-damaged" where the field holds a number.
        """
        if field.wire != BYTES:
            raise Damaged("protobuf-damaged", f"field {field.number} is a number")
        if field.size > most:
            raise Damaged("too-large", f"field {field.number} has {field.size} bytes")
        return self.source.read(field.start, field.size)

    def text(self, field: Field, most: int = MIB) -> str:
        """The text of a field; what is no UTF-8 becomes U+FFFD."""
        return self.data(field, most).decode("utf-8", "replace")


def parse(data: bytes) -> Iterator[tuple[int, int, int | bytes]]:
    """The fields of a small message in memory: (number, wire type, bits or bytes). Many times faster.

    Raises:
        Damaged: "protobuf-damaged" or "truncated".
    """
    at, end = 0, len(data)
    while at < end:
        key = data[at]
        at += 1
        if key > 0x7F:
            key, at = varint(data, at - 1)
        number, wire = key >> 3, key & 7
        if not 0 < number <= _HIGHEST_FIELD:
            raise Damaged("protobuf-damaged", f"field {number}")
        if wire == BYTES:
            size, at = varint(data, at)
            if at + size > end:
                raise Damaged("truncated", f"field {number} needs {size} bytes")
            yield number, wire, data[at : at + size]
            at += size
        elif wire == VARINT:
            value, at = varint(data, at)
            yield number, wire, value
        elif wire in (FIXED32, FIXED64):
            size = 4 if wire == FIXED32 else 8
            if at + size > end:
                raise Damaged("truncated", f"field {number}")
            yield number, wire, int.from_bytes(data[at : at + size], "little")
            at += size
        else:
            raise Damaged("protobuf-damaged", f"wire type {wire} of field {number}")


class Fields:
    """The fields of a small message in memory; of a number or text that comes several times the last one counts."""

    def __init__(self, data: bytes) -> None:
        self._found: dict[int, list[int | bytes]] = {}
        for number, _, value in parse(data):
            self._found.setdefault(number, []).append(value)

    def number(self, field: int, default: int = 0) -> int:
        """A number."""
        return next((value for value in reversed(self._found.get(field, ())) if isinstance(value, int)), default)

    def numbers(self, field: int, most: int | None = None) -> Iterator[int]:
        """The numbers of a repeated field, packed or one by one."""
        found = (packed(value) if isinstance(value, bytes) else (value,) for value in self._found.get(field, ()))
        return itertools.islice(itertools.chain.from_iterable(found), most)

    def parts(self, field: int) -> list[bytes]:
        """The messages or texts of a repeated field."""
        return [value for value in self._found.get(field, ()) if isinstance(value, bytes)]

    def data(self, field: int) -> bytes:
        """A message, b"" where it is not there."""
        return next(reversed(self.parts(field)), b"")

    def text(self, field: int, most: int | None = None) -> str:
        """The beginning of a text; what is no UTF-8 becomes U+FFFD."""
        return self.data(field).decode("utf-8", "replace")[:most]


def signed(value: int) -> int:
    """A varint as int32 or int64: negative numbers come as 64-bit two's complement."""
    return value - (1 << 64) if value >= 1 << 63 else value


def packed(data: bytes) -> Iterator[int]:
    """The varints of a packed repeated field."""
    at = 0
    while at < len(data):
        value, at = varint(data, at)
        yield value


def float32(value: int) -> float:
    """The bits of a fixed 32-bit field as a float."""
    return float(struct.unpack("<f", value.to_bytes(4, "little"))[0])


def _field(head: bytes, at: int, base: int) -> tuple[Field, int]:
    """The field whose header begins at ``at`` of ``head``, which lies at ``base``; and the bytes that it takes up."""
    key, after = varint(head, at)
    number, wire = key >> 3, key & 7
    if not 0 < number <= _HIGHEST_FIELD:
        raise Damaged("protobuf-damaged", f"field {number}")
    if wire == VARINT:
        value, after = varint(head, after)
        return Field(number, wire, value, base + at, 0), after - at
    if wire == BYTES:
        size, after = varint(head, after)
        return Field(number, wire, 0, base + after, size), after - at
    if wire in (FIXED32, FIXED64):
        size = 4 if wire == FIXED32 else 8
        if after + size > len(head):
            raise Damaged("truncated", f"field {number}")
        value = int.from_bytes(head[after : after + size], "little")
        return Field(number, wire, value, base + at, 0), after + size - at
    raise Damaged("protobuf-damaged", f"wire type {wire} of field {number}")


def varint(data: bytes, at: int) -> tuple[int, int]:
    """The number at a place, and the place behind it.

    Raises:
        Damaged: "truncated", or "protobuf-damaged" where it does not end within ten bytes.
    """
    value = shift = 0
    for index in range(at, min(at + 10, len(data))):
        byte = data[index]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFFFFFFFFFFFFFF, index + 1
        shift += 7
    raise Damaged("truncated" if len(data) - at < 10 else "protobuf-damaged", "a number without an end")
