"""A member of a zip, piece by piece, however it is packed.

zipfile unpacks at once whatever bzip2 or LZMA make of the bytes that it has read: one kilobyte becomes gigabytes.
https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT (5.8: the head of LZMA in a zip)
"""

from __future__ import annotations

import bz2
import copy
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO

_PACKED = 1 << 16  # bytes that are read at once


def pieces_of(archive: zipfile.ZipFile, member: zipfile.ZipInfo, size: int) -> Iterator[bytes]:
    """The bytes of a member, at most ``size`` at a time, and no more than the archive's list says that there are.

    Raises:
        zipfile.BadZipFile and whatever else zipfile and its decompressors raise for a damaged one.
    """
    if member.compress_type not in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        with archive.open(member) as stream:
            while piece := stream.read(size):
                yield piece
        return
    left, checksum = member.file_size, 0
    with archive.open(_as_it_lies(member)) as stream:
        unpacker = bz2.BZ2Decompressor() if member.compress_type == zipfile.ZIP_BZIP2 else _lzma(stream)
        while left > 0 and not unpacker.eof:
            packed = stream.read(_PACKED) if unpacker.needs_input else b""
            if unpacker.needs_input and not packed:
                break
            piece = unpacker.decompress(packed, min(size, left))
            left, checksum = left - len(piece), zlib.crc32(piece, checksum)
            if piece:
                yield piece
    if left or checksum != member.CRC:
        raise zipfile.BadZipFile(f"Bad CRC-32 for file {member.filename!r}")


def _as_it_lies(member: zipfile.ZipInfo) -> zipfile.ZipInfo:
    """The same member, to be read without being unpacked."""
    packed = copy.copy(member)
    packed.compress_type, packed.file_size = zipfile.ZIP_STORED, member.compress_size
    del packed.CRC  # which is that of the unpacked bytes
    return packed


def _lzma(stream: IO[bytes]) -> lzma.LZMADecompressor:
    """Reads the head that says how it is packed.

    Raises:
        zipfile.BadZipFile: it is none.
    """
    head = stream.read(4)
    properties = stream.read(struct.unpack("<H", head[2:])[0]) if len(head) == 4 else b""
    if len(properties) != 5:
        raise zipfile.BadZipFile("a wrong head of LZMA")
    bits, dictionary = struct.unpack("<BI", properties)
    packing = {"id": lzma.FILTER_LZMA1, "lc": bits % 9, "lp": bits // 9 % 5, "pb": bits // 45, "dict_size": dictionary}
    return lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=[packing])
