"""LZ4 frames unpacked, in bounds: Python has no decoder of its own. Checksums are stepped over.

The form: lz4_Frame_format.md and lz4_Block_format.md of the LZ4 project (version 1.6).
"""

from __future__ import annotations

from collections.abc import Iterator

from checks.readers.containers.source import MIB, Damaged, Source

MAGIC = b"\x04\x22\x4d\x18"
_WINDOW = 1 << 16  # how far back a block may reach
_BLOCK_SIZES = {4: 1 << 16, 5: 1 << 18, 6: MIB, 7: 4 * MIB}


def unpacked(source: Source) -> Iterator[bytes]:
    """The contents of the first frame, block by block. Raises Damaged: "truncated" or "archive-damaged"."""
    if source.read(0, 4) != MAGIC:
        raise Damaged("archive-damaged", "no LZ4 frame")
    flags, block_flags = source.read(4, 2)
    largest = _BLOCK_SIZES.get(block_flags >> 4 & 7)
    if flags >> 6 != 1 or largest is None:
        raise Damaged("archive-damaged", f"LZ4 flags {flags:#x} {block_flags:#x}")
    place = 7 + (8 if flags & 8 else 0) + (4 if flags & 1 else 0)
    is_linked, has_sums = not flags & 0x20, bool(flags & 0x10)
    before = b""
    while True:
        size = int.from_bytes(source.read(place, 4), "little")
        place += 4
        if size == 0:
            return
        is_plain, size = bool(size >> 31), size & 0x7FFFFFFF
        if size > largest + 64:
            raise Damaged("archive-damaged", f"a block of {size} bytes")
        data = source.read(place, size)
        place += size + (4 if has_sums else 0)
        block = data if is_plain else _block(data, before if is_linked else b"", largest)
        yield block
        before = (before + block)[-_WINDOW:] if is_linked else b""


def _block(data: bytes, before: bytes, largest: int) -> bytes:
    """A block: literals and copies of what came before, in turn."""
    out = bytearray(before)
    most = len(before) + largest
    at, end = 0, len(data)
    while at < end:
        token = data[at]
        at += 1
        count, at = _length(data, at, token >> 4)
        if at + count > end or len(out) + count > most:
            raise Damaged("archive-damaged", "literals beyond the block")
        out += data[at : at + count]
        at += count
        if at == end:  # the last sequence has no copy
            break
        if at + 2 > end:
            raise Damaged("archive-damaged", "no offset")
        back = data[at] | data[at + 1] << 8
        count, at = _length(data, at + 2, token & 15)
        count += 4
        if back == 0 or back > len(out) or len(out) + count > most:
            raise Damaged("archive-damaged", f"a copy from {back} bytes back")
        start = len(out) - back
        if back >= count:
            out += out[start : start + count]
        else:  # it reaches into what it writes: a pattern, repeated
            pattern = bytes(out[start:])
            out += (pattern * (count // back + 1))[:count]
    return bytes(out[len(before) :])


def _length(data: bytes, at: int, nibble: int) -> tuple[int, int]:
    if nibble < 15:
        return nibble, at
    count = 15
    while at < len(data):
        byte = data[at]
        at += 1
        count += byte
        if byte < 255:
            return count, at
    raise Damaged("archive-damaged", "a length without an end")
