"""The sorted string table of LevelDB, in which TensorFlow keeps the index of a checkpoint.

https://github.com/google/leveldb/blob/main/doc/table_format.md; TensorFlow writes it without compression.
"""

from __future__ import annotations

from collections.abc import Iterator

from checks.readers.containers.protobuf.wire import varint
from checks.readers.containers.source import MIB, Damaged, Source

MAGIC = bytes.fromhex("57fb808b247547db")  # 0xdb4775248b80fb57
FOOTER = 48  # bytes at the end
DAMAGED = "table-damaged"
MOST_BLOCK = 16 * MIB
MOST_ENTRIES = 500_000
MOST_KEY = 4096  # each key repeats a part of the one before it
_TRAILER = 5  # bytes after a block: how it is compressed, and a checksum
_ENTRY_HEAD = 30  # bytes: three varints


def is_table(source: Source) -> bool:
    """Whether a file ends as such a table does."""
    return source.size >= FOOTER and source.read(source.size - 8, 8) == MAGIC


def entries(source: Source) -> Iterator[tuple[bytes, bytes]]:
    """All keys and values, in order. Raises Damaged: "table-damaged", "table-compressed" or "too-large"."""
    count = 0
    for handle in _blocks(source):
        for entry in _block(source, handle, 0):
            count += 1
            if count > MOST_ENTRIES:
                raise Damaged(DAMAGED, f"more than {MOST_ENTRIES} entries")
            yield entry


def first_entry(source: Source) -> tuple[bytes, bytes] | None:
    """The first key and value, without the rest of their block; None for an empty table."""
    handle = next(_blocks(source), None)
    if handle is None:
        return None
    offset, at = _varint(handle, 0)
    size, _ = _varint(handle, at)
    _refuse_compressed(source.read(offset + size, 1)[0])
    head = source.read(offset, min(size, _ENTRY_HEAD))
    at = 0
    numbers = []
    for _ in range(3):
        number, at = _varint(head, at)
        numbers.append(number)
    shared, fresh, length = numbers
    if shared or at + fresh + length > size:
        raise Damaged(DAMAGED, f"entry in the block at {offset}")
    if fresh + length > MOST_BLOCK:
        raise Damaged("too-large", f"entry of {length} bytes")
    data = source.read(offset + at, fresh + length)
    return data[:fresh], data[fresh:]


def _blocks(source: Source) -> Iterator[bytes]:
    """The handles of the blocks: an offset and a size each."""
    footer = source.read(source.size - FOOTER, FOOTER)
    at = _varint(footer, _varint(footer, 0)[1])[1]  # the first handle, of the meta index, is stepped over
    return (handle for _, handle in _block(source, footer, at))


def _block(source: Source, handle: bytes, at: int) -> Iterator[tuple[bytes, bytes]]:
    """The entries of the block that a handle (an offset and a size) at ``at`` names."""
    offset, at = _varint(handle, at)
    size, _ = _varint(handle, at)
    if size > MOST_BLOCK:
        raise Damaged("too-large", f"block of {size} bytes")
    data = source.read(offset, size + _TRAILER)
    _refuse_compressed(data[size])
    restarts = int.from_bytes(data[size - 4 : size], "little") if size >= 4 else 0
    end = size - 4 - 4 * restarts
    if end < 0:
        raise Damaged(DAMAGED, f"block at {offset}")
    at = 0
    key = b""
    while at < end:
        shared, at = _varint(data, at)
        fresh, at = _varint(data, at)
        length, at = _varint(data, at)
        if shared > len(key) or at + fresh + length > end:
            raise Damaged(DAMAGED, f"entry in the block at {offset}")
        if shared + fresh > MOST_KEY:
            raise Damaged("too-large", f"key of {shared + fresh} bytes")
        key = key[:shared] + data[at : at + fresh]
        at += fresh
        yield key, data[at : at + length]
        at += length


def _refuse_compressed(method: int) -> None:
    if method:
        raise Damaged("table-compressed", f"method {method}")


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """The table's numbers are those of protobuf."""
    try:
        return varint(data, at)
    except Damaged as problem:
        raise Damaged(DAMAGED, problem.detail) from problem
