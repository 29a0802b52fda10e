"""The case inside a PDF that somebody sent, found without reading the PDF as one.

A PDF is hostile: filters are chained until 850 bytes are gigabytes, objects point in circles. An embedded file is
always an object of its own, so its stream is found by its name, and it is unpacked by FlateDecode alone, in one layer,
to a limit. Nothing else is looked at. No Qt.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator

from checks.facts.case import Case
from checks.sharing.case import PACKED_LIMIT, CaseError, decode

_MARK, _STREAM, _END = b"/EmbeddedFile", b"stream", b"endstream"
_MOST_MARKS = 64  # embedded files that are looked at, from the last one on: what was changed is appended
_DICTIONARY = 4096  # bytes before and behind its mark in which the description of a stream lies
_OBJECT = re.compile(rb"\d+\s+\d+\s+obj\b")
_FILTER = re.compile(rb"/Filter\s*(\[[^\]]*\]|/[^\s/<>\[\]()]+)")
_LENGTH = re.compile(rb"/Length\s+(\d{1,10})(?!\s+\d+\s+R)\b")
_CASE = re.compile(rb'\s*\{\s*"format"\s*:')
_HEAD = 200  # bytes that show whether a file is a case
_TAIL = 2048  # bytes in which a whole PDF says that it ends


def read_pdf(data: bytes) -> Case:
    """The case that is attached to a PDF, judged again.

    Raises:
        CaseError: "pdf-damaged", also where the attachment is packed as ours never is; "pdf-encrypted" (it asks for a
            password); "pdf-not-ours" (no case inside); those of :func:`checks.sharing.case.decode`.
    """
    problem = "pdf-not-ours" if b"%%EOF" in data[-_TAIL:] else "pdf-damaged"
    for description, stream in _embedded(data):
        try:
            content = _unpacked(description, stream)
        except ValueError:
            problem = "pdf-damaged"
            continue
        if content is not None:
            return decode(content)
    raise CaseError("pdf-encrypted" if b"/Encrypt" in data else problem)


def _embedded(data: bytes) -> Iterator[tuple[bytes, memoryview]]:
    """The description and the packed bytes of each embedded file, the last one first."""
    at = len(data)
    for _ in range(_MOST_MARKS):
        at = data.rfind(_MARK, 0, at)
        if at < 0:
            return
        if data[at + len(_MARK) : at + len(_MARK) + 1].isalnum():  # /EmbeddedFiles, the list of their names
            continue
        begin = data.find(_STREAM, at, at + _DICTIONARY)
        before = max((found.end() for found in _OBJECT.finditer(data, max(0, at - _DICTIONARY), at)), default=at)
        if begin < 0:
            continue
        description = data[before:begin]
        begin += len(_STREAM)
        begin += 2 if data[begin : begin + 2] == b"\r\n" else 1
        length = _LENGTH.search(description)
        end = begin + int(length[1]) if length else 0
        if not length or not data[end : end + len(_END) + 2].lstrip().startswith(_END):
            end = data.find(_END, begin)
        yield description, memoryview(data)[begin : end if end >= 0 else len(data)]


def _unpacked(description: bytes, stream: memoryview) -> bytes | None:
    """The content of an embedded file; None where it is no case.

    Raises:
        ValueError: it is packed in another way, damaged, or too long.
    """
    packing = _FILTER.search(description)
    filters = packing[1].strip(b"[]").split() if packing else []
    if not filters:
        return bytes(stream) if _CASE.match(stream[:_HEAD]) else None
    if filters != [b"/FlateDecode"]:
        raise ValueError(filters)
    try:
        if not _CASE.match(zlib.decompressobj().decompress(stream[: 4 * _HEAD], _HEAD)):
            return None
        unpacker = zlib.decompressobj()
        content = unpacker.decompress(stream, PACKED_LIMIT)
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if not unpacker.eof:
        raise ValueError("more than a case")
    return content
