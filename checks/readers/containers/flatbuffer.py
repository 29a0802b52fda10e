"""FlatBuffers read where they lie, without a schema's generated code: weights are stepped over and never loaded.

Every offset is checked against the file, and all that one file makes us look at is counted, so that offsets which lead
in circles end. The format: https://flatbuffers.dev/internals/
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from checks.readers.containers.source import Damaged, Source

DAMAGED = "flatbuffer-damaged"
IDENTIFIER = 4  # where the four bytes lie that name a schema
_PAGE = 4096  # tables lie between weights, so little is read around each
_MOST_PAGES = 4096
_MOST_VTABLES = 4096
_LEAST_STEPS = 20_000
_MOST_STEPS = 3_000_000
_MOST_ELEMENTS = 500_000  # of one vector of tables or texts
_MOST_TEXT = 1 << 16
_MOST_NUMBERS = 1 << 20  # of one vector

_U16 = struct.Struct("<H")
_U32 = struct.Struct("<I")
_I32 = struct.Struct("<i")
_KINDS = {kind: struct.Struct(f"<{kind}") for kind in "bBhHiIqQfd?"}


class FlatBuffer:
    """One FlatBuffer in a source, from its beginning.

    Raises everywhere:
        Damaged: "flatbuffer-damaged", or "truncated" where an offset leads beyond the end of the file.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self._pages: dict[int, bytes] = {}
        self._vtables: dict[int, tuple[int, ...]] = {}
        # Each table and element takes up bytes of its own in an honest file.
        self._left = min(_LEAST_STEPS + source.size, _MOST_STEPS)

    @property
    def identifier(self) -> bytes:
        """The four bytes that name the schema, where the file has some."""
        return self.bytes_at(IDENTIFIER, 4) if self.source.size >= IDENTIFIER + 4 else b""

    def root(self) -> Table:
        """The table that holds all others."""
        return Table(self, self.follow(0))

    def bytes_at(self, at: int, size: int) -> bytes:
        """Some bytes, from pages kept in memory."""
        page, inside = divmod(at, _PAGE)
        if at >= 0 and inside + size <= _PAGE:
            data = self._page(page)[inside : inside + size]
            if len(data) == size:
                return data
        return self.source.read(at, size, ahead=_PAGE)

    def number_at(self, at: int, kind: struct.Struct) -> int:
        """One number."""
        return int(kind.unpack(self.bytes_at(at, kind.size))[0])

    def follow(self, at: int) -> int:
        """Where the offset that lies at ``at`` leads."""
        offset = self.number_at(at, _U32)
        if offset < 4 or offset >= 1 << 31:
            raise Damaged(DAMAGED, f"offset {offset} at {at}")
        if at + offset + 4 > self.source.size:
            raise Damaged("truncated", f"offset {offset} at {at} of {self.source.size}")
        return at + offset

    def vtable(self, table: int) -> tuple[int, ...]:
        """Where in a table its fields lie, by their numbers; 0 where a field is not there."""
        at = table - self.number_at(table, _I32)
        known = self._vtables.get(at)
        if known is None:
            known = self._read_vtable(at)
        self.spend(1 + len(known) // 64)
        return known

    def spend(self, steps: int) -> None:
        """Count what is looked at. Raises Damaged: it is more than a file of this size can hold."""
        self._left -= steps
        if self._left < 0:
            raise Damaged(DAMAGED, "its offsets lead in circles")

    def _read_vtable(self, at: int) -> tuple[int, ...]:
        if at < 0:
            raise Damaged(DAMAGED, f"a table without a description, which should lie at {at}")
        if at + 4 > self.source.size:
            raise Damaged("truncated", f"a table's description at {at} of {self.source.size}")
        size = self.number_at(at, _U16)
        if size < 4 or size % 2:
            raise Damaged(DAMAGED, f"a description of {size} bytes at {at}")
        content = self.number_at(at + 2, _U16)
        fields = struct.unpack(f"<{size // 2 - 2}H", self.bytes_at(at + 4, size - 4))
        if any(field and not 4 <= field < content for field in fields):
            raise Damaged(DAMAGED, f"a field outside its table, in the description at {at}")
        self.spend(size // 64)
        if len(self._vtables) >= _MOST_VTABLES:
            self._vtables.clear()
        self._vtables[at] = fields
        return fields

    def _page(self, number: int) -> bytes:
        data = self._pages.get(number)
        if data is None:
            start = number * _PAGE
            data = self.source.read(start, max(0, min(_PAGE, self.source.size - start)), ahead=_PAGE)
            if len(self._pages) >= _MOST_PAGES:
                self._pages.clear()
            self._pages[number] = data
        return data


class Table:
    """A table. Fields are named by their number in the schema, counted from 0; a union takes two numbers."""

    __slots__ = ("_fields", "at", "buffer")

    def __init__(self, buffer: FlatBuffer, at: int) -> None:
        self.buffer = buffer
        self.at = at
        self._fields = buffer.vtable(at)

    def __len__(self) -> int:
        """How many fields the writer of this table knew, at most."""
        return len(self._fields)

    def has(self, field: int) -> bool:
        """Whether a field is there."""
        return field < len(self._fields) and self._fields[field] != 0

    def place(self, field: int) -> int:
        """Where a field lies that is there."""
        return self.at + self._fields[field]

    def integer(self, field: int, kind: str = "i", default: int = 0) -> int:
        """A number, by its letter of the struct module."""
        return self.buffer.number_at(self.place(field), _KINDS[kind]) if self.has(field) else default

    def table(self, field: int) -> Table | None:
        """The table that a field leads to; None where the field is not there."""
        return Table(self.buffer, self.buffer.follow(self.place(field))) if self.has(field) else None

    def span(self, field: int, width: int = 1) -> tuple[int, int]:
        """(where the elements of a vector begin, how many there are); (0, 0) where the field is not there."""
        if not self.has(field):
            return 0, 0
        at = self.buffer.follow(self.place(field))
        length = self.buffer.number_at(at, _U32)
        if at + 4 + length * width > self.buffer.source.size:
            raise Damaged("truncated", f"{length} elements of {width} bytes at {at} of {self.buffer.source.size}")
        return at + 4, length

    def data(self, field: int, most: int = _MOST_TEXT) -> bytes:
        """The bytes of a vector or string."""
        at, length = self.span(field)
        if length > most:
            raise Damaged(DAMAGED, f"{length} bytes at {at}")
        self.buffer.spend(1 + length // 16)
        return self.buffer.bytes_at(at, length)

    def text(self, field: int, most: int = _MOST_TEXT) -> str:
        """The text of a string; what is no UTF-8 becomes U+FFFD."""
        return self.data(field, most).decode("utf-8", "replace")

    def integers(self, field: int, kind: str = "i", most: int = _MOST_NUMBERS) -> tuple[int, ...]:
        """The numbers of a vector."""
        width = _KINDS[kind].size
        at, length = self.span(field, width)
        if length > most:
            raise Damaged(DAMAGED, f"{length} numbers at {at}")
        self.buffer.spend(1 + length)
        return struct.unpack(f"<{length}{kind}", self.buffer.bytes_at(at, length * width))

    def count(self, field: int) -> int:
        """How many elements a vector of tables or texts has."""
        return self.span(field, 4)[1]

    def tables(self, field: int, most: int = _MOST_ELEMENTS) -> Iterator[Table]:
        """The tables of a vector. Raises Damaged: "too-large" after ``most``."""
        for element in self._elements(field, most):
            yield Table(self.buffer, self.buffer.follow(element))

    def text_spans(self, field: int) -> Iterator[tuple[int, int]]:
        """(where it begins, its bytes) of each string of a vector."""
        for element in self._elements(field, _MOST_ELEMENTS):
            start = self.buffer.follow(element)
            size = self.buffer.number_at(start, _U32)
            if start + 4 + size > self.buffer.source.size:
                raise Damaged("truncated", f"{size} bytes at {start} of {self.buffer.source.size}")
            self.buffer.spend(1)
            yield start + 4, size

    def texts(self, field: int, most: int = _MOST_TEXT) -> Iterator[str]:
        """The texts of a vector of strings."""
        for start, size in self.text_spans(field):
            if size > most:
                raise Damaged(DAMAGED, f"{size} bytes at {start}")
            self.buffer.spend(size // 16)
            yield self.buffer.bytes_at(start, size).decode("utf-8", "replace")

    def _elements(self, field: int, most: int) -> Iterator[int]:
        at, length = self.span(field, 4)
        yield from range(at, at + 4 * min(length, most), 4)
        if length > most:
            raise Damaged("too-large", f"{length} elements at {at}")
