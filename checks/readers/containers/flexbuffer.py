"""FlexBuffers: values without a schema, as TFLite keeps the options of custom operators. They are read from their end.

The format: https://flatbuffers.dev/flexbuffers_internals/
"""

from __future__ import annotations

from dataclasses import dataclass

from checks.readers.containers.source import Damaged, Source

DAMAGED = "flatbuffer-damaged"
_INT, _UINT = 1, 2
_STRING, _MAP, _VECTOR, _BLOB = 5, 9, 10, 25
_TYPED_VECTORS = range(11, 16)  # of numbers or keys, without a byte of type for each
_MOST_ELEMENTS = 10_000
_MOST_KEY = 256


@dataclass(frozen=True)
class Value:
    """One value: its type, where it lies, and how wide the numbers in it are."""

    source: Source
    type: int
    at: int  # of a number the number itself, else what its offset leads to
    width: int  # bytes of the number, or of the numbers within

    def integer(self) -> int | None:
        """A whole number; None where it is something else."""
        if self.type not in (_INT, _UINT):
            return None
        return int.from_bytes(self.source.read(self.at, self.width), "little", signed=self.type == _INT)

    def span(self) -> tuple[int, int] | None:
        """(where it begins, how long it is) of a text or bytes; None where it is something else."""
        if self.type not in (_STRING, _BLOB):
            return None
        length = _unsigned(self.source, self.at - self.width, self.width)
        if self.at + length > self.source.size:
            raise Damaged(DAMAGED, f"{length} bytes at {self.at}")
        return self.at, length

    def items(self) -> tuple[Value, ...]:
        """The elements of a vector, or the values of a map; () where it is something else."""
        is_typed = self.type in _TYPED_VECTORS
        if not is_typed and self.type not in (_VECTOR, _MAP):
            return ()
        length = _length(self.source, self.at, self.width)
        types = b"" if is_typed else self.source.read(self.at + length * self.width, length)
        found = []
        for number in range(length):
            packed = (self.type - 10) << 2 if is_typed else types[number]
            found.append(_value(self.source, self.at + number * self.width, self.width, packed))
        return tuple(found)

    def map(self) -> dict[str, Value]:
        """A map's values by their keys; empty where it is something else."""
        if self.type != _MAP:
            return {}
        keys_at = self.at - 3 * self.width
        keys = keys_at - _unsigned(self.source, keys_at, self.width)
        width = _unsigned(self.source, keys_at + self.width, self.width)
        if width not in (1, 2, 4, 8):
            raise Damaged(DAMAGED, f"keys of {width} bytes")
        values = self.items()
        if _length(self.source, keys, width) != len(values):
            raise Damaged(DAMAGED, "a map with more keys than values")
        return {_key(self.source, keys + number * width, width): value for number, value in enumerate(values)}


def root(source: Source) -> Value:
    """The value that holds all others.

    Raises:
        Damaged: "flatbuffer-damaged" or "truncated", here and in all that is asked of values.
    """
    if source.size < 3:
        raise Damaged(DAMAGED, f"{source.size} bytes")
    packed, width = source.read(source.size - 2, 2)
    if width not in (1, 2, 4, 8) or source.size < 2 + width:
        raise Damaged(DAMAGED, f"a root of {width} bytes")
    return _value(source, source.size - 2 - width, width, packed)


def _value(source: Source, at: int, width: int, packed: int) -> Value:
    kind = packed >> 2
    if kind <= 3 or kind == 26:  # null, numbers and truth lie where they are named
        return Value(source, kind, at, width)
    leads_to = at - _unsigned(source, at, width)
    if leads_to < 0:
        raise Damaged(DAMAGED, f"an offset at {at} that leads before the beginning")
    return Value(source, kind, leads_to, 1 << (packed & 3))


def _unsigned(source: Source, at: int, width: int) -> int:
    if at < 0:
        raise Damaged(DAMAGED, f"a number at {at}")
    return int.from_bytes(source.read(at, width), "little")


def _length(source: Source, at: int, width: int) -> int:
    length = _unsigned(source, at - width, width)
    if length > _MOST_ELEMENTS or at + length * width > source.size:
        raise Damaged(DAMAGED, f"{length} elements at {at}")
    return length


def _key(source: Source, at: int, width: int) -> str:
    start = at - _unsigned(source, at, width)
    if start < 0:
        raise Damaged(DAMAGED, f"a key at {start}")
    text = source.read(start, min(_MOST_KEY, source.size - start))
    end = text.find(b"\0")
    if end < 0:
        raise Damaged(DAMAGED, f"a key without an end at {start}")
    return text[:end].decode("utf-8", "replace")
