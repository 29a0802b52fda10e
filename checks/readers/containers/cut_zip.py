"""A zip archive whose end, and with it the list of its members, is missing, read by the headers before the members.

The layout: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, sections 4.3.7 to 4.3.16.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

from checks.readers.containers.folder import MOST_NAMES, MOST_OF_ARCHIVE
from checks.readers.containers.joined import joined
from checks.readers.containers.source import MIB, Source, of_bytes

_LOCAL, _LISTED, _DESCRIPTOR, _END = b"PK\x03\x04", b"PK\x01\x02", b"PK\x07\x08", b"PK\x05\x06"
_HEADER = struct.Struct("<4s5H3I2H")
_BEHIND, _IN_64 = 8, 0xFFFFFFFF  # flag: the sizes stand behind the member; sizes that stand elsewhere
_MOST_LOOKED_THROUGH = 64 * MIB  # for what stands behind members
_DECEPTION = 4096  # bytes that a mark counts for which is none: by chance one comes in four gigabytes
_PIECE = MIB
_LONGEST_DESCRIPTOR = 24
_LONGEST_NAME = 4096
_LONGEST_END = 1 << 16


@dataclass(frozen=True)
class _Member:
    """A whole member. ``head``: flags, method, time and date as they stand in its header."""

    name: bytes
    head: tuple[int, int, int, int]
    checksum: int
    packed: int
    unpacked: int
    at: int


@dataclass
class CutZip:
    """What is left of an archive: the ``names`` of its members, the last of which may be cut, and the whole ones."""

    names: list[str] = field(default_factory=list)
    whole: list[_Member] = field(default_factory=list)
    end: int = 0  # of the last whole member
    is_cut: bool = True  # its end is missing; not, if it is there and the list before it broken


def what_is_left(source: Source) -> CutZip:
    """The members of an archive that a list is not needed for, from the first on."""
    source = source.part(0, source.size, most=MOST_OF_ARCHIVE)
    left = CutZip()
    looked = _MOST_LOOKED_THROUGH
    while len(left.names) < MOST_NAMES and left.end + _HEADER.size <= source.size:
        magic, _, *head, checksum, packed, unpacked, name_size, extra_size = _HEADER.unpack(
            source.read(left.end, _HEADER.size)
        )
        start = left.end + _HEADER.size + name_size + extra_size
        if magic == _LISTED:
            last = min(_LONGEST_END, source.size - left.end)
            left.is_cut = _END not in source.read(source.size - last, last)
        if magic != _LOCAL or name_size > _LONGEST_NAME or start > source.size:
            break
        name = source.read(left.end + _HEADER.size, name_size)
        left.names.append(name.decode("utf-8", "replace"))
        if packed == _IN_64 or unpacked == _IN_64:
            extra = source.read(left.end + _HEADER.size + name_size, extra_size)
            packed, unpacked = _sizes_64(extra, packed, unpacked)
        member = _Member(name, (head[0], head[1], head[2], head[3]), checksum, packed, unpacked, left.end)
        after = start + packed
        if head[0] & _BEHIND and not packed:
            found, after, looked = _with_descriptor(source, member, start, looked)
            if found is None:
                break
            member = found
        elif head[0] & _BEHIND and source.size - after >= 4 and source.read(after, 4) == _DESCRIPTOR:
            after += 16
        if after > source.size:
            break
        left.whole.append(member)
        left.end = after
    return left


def mended(source: Source, left: CutZip) -> Source:
    """The archive with its whole members alone, and a list of them."""
    listed = b"".join(_entry(member) for member in left.whole)
    count = len(left.whole)
    end = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, count, count, len(listed), left.end)
    end += struct.pack("<4sLQL", b"PK\x06\x07", 0, left.end + len(listed), 1)
    end += struct.pack("<4s4H2LH", _END, 0, 0, 0xFFFF, 0xFFFF, _IN_64, _IN_64, 0)
    return joined([source.part(0, left.end, most=MOST_OF_ARCHIVE), of_bytes(listed + end)], source.name)


def _sizes_64(extra: bytes, packed: int, unpacked: int) -> tuple[int, int]:
    at = 0
    while at + 4 <= len(extra):
        kind, size = struct.unpack_from("<HH", extra, at)
        if kind == 1 and size >= 16 and at + 20 <= len(extra):
            unpacked, packed = struct.unpack_from("<QQ", extra, at + 4)
            break
        at += 4 + size
    return packed, unpacked


def _with_descriptor(source: Source, member: _Member, start: int, most: int) -> tuple[_Member | None, int, int]:
    """The member with the sizes that stand behind it, and where the next one begins; None where that is not found.

    ``most``: bytes that may be looked through. The last of the answer is how many of them are left.
    """
    at = start
    while at < source.size and at - start < most:
        piece = source.read(at, min(_PIECE + _LONGEST_DESCRIPTOR, source.size - at))
        place = piece.find(_DESCRIPTOR)
        while place >= 0 and at + place - start < most:
            size = at + place - start
            for code in ("<III", "<IQQ"):
                if place + 4 + struct.calcsize(code) <= len(piece):
                    checksum, packed, unpacked = struct.unpack_from(code, piece, place + 4)
                    after = at + place + 4 + struct.calcsize(code)
                    if packed == size and _is_followed(source, after):
                        found = _Member(member.name, member.head, checksum, packed, unpacked, member.at)
                        return found, after, most - (after - start)
            most -= _DECEPTION
            place = piece.find(_DESCRIPTOR, place + 1)
        at += _PIECE
    return None, source.size, 0


def _is_followed(source: Source, at: int) -> bool:
    """Whether an archive goes on at a place, or the file ends there."""
    following = source.read(at, min(4, source.size - at)) if at < source.size else b""
    return following[:4] in (_LOCAL, _LISTED) or (len(following) < 4 and _LOCAL.startswith(following[:2]))


def _entry(member: _Member) -> bytes:
    """A member's line in the list; its sizes and place in the form that has room for any."""
    flags, method, time, date = member.head
    sizes = struct.pack("<HHQQQ", 1, 24, member.unpacked, member.packed, member.at)
    fixed = struct.pack(
        "<4s4B4HL2L5H2L", _LISTED, 45, 0, 45, 0, flags, method, time, date, member.checksum, _IN_64, _IN_64,
        len(member.name), len(sizes), 0, 0, 0, 0, _IN_64,
    )  # fmt: skip
    return fixed + member.name + sizes
