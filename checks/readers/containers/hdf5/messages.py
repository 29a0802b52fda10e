"""The messages of an HDF5 object's header: links, attributes, shapes and types."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from checks.readers.containers.hdf5.file import DAMAGED, File, piece, take
from checks.readers.containers.source import Damaged

MOST_ITEMS = 200_000  # of one attribute
MOST_RANK = 32

Value = bytes | tuple[bytes, ...] | int | float | None


@dataclass(frozen=True)
class Type:
    """A datatype as far as it is needed. ``name``: as NumPy spells it; "bytes", "vlen", "other"."""

    name: str
    size: int


def link(file: File, data: bytes) -> Iterator[tuple[str, int]]:
    """A link message: nothing for a soft or external one."""
    flags = take(data, 1, 1)
    at = 2
    kind = 0
    if flags & 8:
        kind, at = take(data, at, 1), at + 1
    at += (8 if flags & 4 else 0) + (1 if flags & 0x10 else 0)
    width = 1 << (flags & 3)
    size = take(data, at, width)
    at += width
    name = piece(data, at, size).decode("utf-8", "replace")
    if kind == 0:
        yield name, take(data, at + size, file.offset_size)


def attribute(file: File, data: bytes) -> tuple[str, Value]:
    """An attribute message."""
    version, flags = take(data, 0, 1), take(data, 1, 1)
    if version not in (1, 2, 3):
        raise Damaged(DAMAGED, f"attribute of version {version}")
    sizes = [take(data, at, 2) for at in (2, 4, 6)]
    at = 8 + (1 if version == 3 else 0)
    parts = []
    for size in sizes:
        parts.append(piece(data, at, size))
        at += size if version > 1 else (size + 7) & ~7
    name = parts[0].split(b"\0", 1)[0].decode("utf-8", "replace")
    if flags & 3 and version > 1:  # a type or shape that lies elsewhere
        return name, None
    return name, _value(file, data_type(parts[1]), shape_of(file, parts[2]), data[at:])


def _value(file: File, kind: Type, shape: tuple[int, ...] | None, data: bytes) -> Value:
    if shape is None:  # an empty one
        return None
    count = math.prod(shape)
    if kind.size == 0 or count > MOST_ITEMS or count * kind.size > len(data):
        if kind.size and count <= MOST_ITEMS:
            raise Damaged(DAMAGED, f"{count} values in {len(data)} bytes")
        return None
    items = (data[at : at + kind.size] for at in range(0, count * kind.size, kind.size))
    if kind.name in ("bytes", "vlen"):
        texts = tuple(_vlen(file, item) if kind.name == "vlen" else item.rstrip(b"\0") for item in items)
        return texts if shape else texts[0]
    if shape or not kind.name.lstrip("u").startswith("int"):
        return None
    return int.from_bytes(next(items), "little", signed=kind.name.startswith("int"))


def _vlen(file: File, data: bytes) -> bytes:
    """A text in a global heap."""
    size = take(data, 0, 4)
    heap = take(data, 4, file.offset_size)
    index = take(data, 4 + file.offset_size, 4)
    if size == 0 or heap == 0:
        return b""
    if file.read(heap, 4) != b"GCOL":
        raise Damaged(DAMAGED, f"global heap at {heap}")
    at, end = heap + 8 + file.length_size, heap + file.length(heap + 8)
    while at + 8 + file.length_size <= end:
        file.step()
        number, length = file.number(at, 2), file.length(at + 8)
        at += 8 + file.length_size
        if number == index:
            return file.text(at, min(size, length))
        if number == 0:
            break
        at += (length + 7) & ~7
    raise Damaged(DAMAGED, f"object {index} of the heap at {heap}")


def shape_of(file: File, data: bytes) -> tuple[int, ...] | None:
    """A dataspace message; None for an empty one."""
    version, rank = take(data, 0, 1), take(data, 1, 1)
    if version not in (1, 2) or rank > MOST_RANK:
        raise Damaged(DAMAGED, f"dataspace of version {version}, rank {rank}")
    if version == 2 and take(data, 3, 1) == 2:
        return None
    start = 8 if version == 1 else 4
    return tuple(take(data, start + axis * file.length_size, file.length_size) for axis in range(rank))


def data_type(data: bytes) -> Type:
    """A datatype message."""
    kind, size = take(data, 0, 1) & 15, take(data, 4, 4)
    if kind == 0:
        is_signed = take(data, 1, 1) & 8
        return Type(f"{'' if is_signed else 'u'}int{size * 8}" if size in (1, 2, 4, 8) else "other", size)
    if kind == 1:
        exponent = take(data, 13, 1)
        return Type({(2, 8): "bfloat16"}.get((size, exponent), f"float{size * 8}"), size)
    if kind == 3:
        return Type("bytes", size)
    if kind == 8:  # an enumeration, as booleans are
        return Type("bool" if size == 1 else "other", size)
    is_text = kind == 9 and (take(data, 1, 1) & 15) == 1
    return Type("vlen" if is_text else "other", size)
