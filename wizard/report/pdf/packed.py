"""A PDF written with its many small objects packed together (ISO 32000-1, 7.5.7 and 7.5.8), which pypdf only reads.

Streams stay objects of their own: the attached case is found without unpacking anything.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Sequence

from pypdf import PdfWriter
from pypdf.generic import PdfObject, StreamObject

_TOGETHER = 500  # objects that are unpacked at once to read one of them
_HEADER = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"


def packed(writer: PdfWriter) -> bytes:
    """The whole file."""
    objects: list[PdfObject | None] = list(writer._objects)
    out = io.BytesIO()
    out.write(_HEADER)
    rows = {0: (0, 0, 65535)}  # number of the object: kind of its place, place, what goes with it

    def write(number: int, *content: bytes) -> None:
        rows[number] = (1, out.tell(), 0)
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, b"".join(content)))

    small: list[tuple[int, bytes]] = []
    for number, made in enumerate(objects, 1):
        if isinstance(made, StreamObject):
            write(number, _written(made))
        elif made is not None:
            small.append((number, _written(made)))
        else:
            rows[number] = (0, 0, 0)
    next_number = len(objects) + 1
    for first in range(0, len(small), _TOGETHER):
        group = small[first : first + _TOGETHER]
        rows.update({number: (2, next_number, at) for at, (number, _) in enumerate(group)})
        write(next_number, _object_stream(group))
        next_number += 1
    at = out.tell()
    rows[next_number] = (1, at, 0)
    out.write(b"%d 0 obj\n%s\nendobj\nstartxref\n%d\n%%%%EOF\n" % (next_number, _table(writer, rows), at))
    return out.getvalue()


def _written(made: PdfObject) -> bytes:
    buffer = io.BytesIO()
    made.write_to_stream(buffer)
    return buffer.getvalue()


def _stream(description: bytes, data: bytes) -> bytes:
    data = zlib.compress(data)
    return b"<<%s/Filter/FlateDecode/Length %d>>\nstream\n%s\nendstream" % (description, len(data), data)


def _object_stream(group: Sequence[tuple[int, bytes]]) -> bytes:
    head, at = [], 0
    for number, text in group:
        head.append(b"%d %d" % (number, at))
        at += len(text) + 1
    heads = b" ".join(head) + b"\n"
    body = b"\n".join(text for _, text in group)
    return _stream(b"/Type/ObjStm/N %d/First %d" % (len(group), len(heads)), heads + body)


def _table(writer: PdfWriter, rows: dict[int, tuple[int, int, int]]) -> bytes:
    table = b"".join(
        kind.to_bytes(1, "big") + place.to_bytes(4, "big") + more.to_bytes(2, "big")
        for _, (kind, place, more) in sorted(rows.items())
    )
    names = {b"/Root": writer.root_object, b"/Info": writer._info}
    known = b"".join(
        b"%s %d 0 R" % (name, made.indirect_reference.idnum)
        for name, made in names.items()
        if made is not None and made.indirect_reference is not None
    )
    return _stream(b"/Type/XRef/Size %d/W [1 4 2]%s" % (len(rows), known), table)
