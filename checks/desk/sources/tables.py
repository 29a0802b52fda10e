"""A table of tickets: CSV as trackers and spreadsheets write it, row by row, in bounded memory."""

from __future__ import annotations

import codecs
import csv
import io
import itertools
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from charset_normalizer import from_bytes

from checks.desk.tickets import Ticket
from checks.knowledge.tickets.trackers import Trackers
from checks.readers.containers.source import Cancelled, Damaged, never, raise_if
from checks.readers.mails.dates import moment_of
from checks.readers.text import ENCODINGS, kept

_SAMPLE = 1 << 16
_LONGEST_LINE = 8 << 20  # characters of a line
_LONGEST_FIELD = 4 << 20  # characters of a field, which may hold a whole log
MOST_COLUMNS = 5_000  # Jira repeats a column for each comment of any ticket
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_SEPARATORS = (",", ";", "\t", "|")


def is_table(head: bytes, name: str) -> bool:
    """Whether a file is a table of tickets: its first line names columns that hold what a ticket says."""
    line, end, _ = head.decode(_encoding(head), "replace").partition("\n")
    if not end and not name.lower().endswith((".csv", ".tsv")):
        return False
    columns = _columns(line)
    return name.lower().endswith((".csv", ".tsv")) or (
        len(columns) > 1 and _says_something(columns) and len(line) < 4000
    )


def rows_of(stream: BinaryIO, source: str, cancelled: Cancelled = never, number_column: str = "") -> Iterator[Ticket]:
    """The tickets of a table. ``number_column``: which one holds their numbers, where the user says so.

    Raises:
        Damaged: "no-columns" (none of them is a title or a text), "too-many-columns", "table-damaged".
    """
    head = stream.read(_SAMPLE)
    stream.seek(0)
    with io.TextIOWrapper(stream, encoding=_encoding(head), errors="replace", newline="") as text:
        csv.field_size_limit(_LONGEST_FIELD)
        lines = _lines(text, cancelled)
        first = next(lines, "")
        if first.count(_separator(first)) >= MOST_COLUMNS:
            raise Damaged("too-many-columns", str(first.count(_separator(first)) + 1))
        reader = csv.reader(itertools.chain((first,), lines), delimiter=_separator(first))
        try:
            columns = [column.strip().lower() for column in next(reader, [])]
            if not _says_something(columns):
                raise Damaged("no-columns", ", ".join(columns)[:200])
            for number, row in enumerate(reader, start=2):
                if len(row) > MOST_COLUMNS:
                    raise Damaged("too-many-columns", str(len(row)))
                ticket = _ticket(_Row(columns, row), source, number, number_column.strip().lower())
                if ticket.whole.strip():
                    yield ticket
        except csv.Error as error:
            raise Damaged("table-damaged", str(error)) from error


class _Row:
    def __init__(self, columns: Sequence[str], row: Sequence[str]) -> None:
        self._values: dict[str, str] = {}
        for column, value in zip(columns, row, strict=False):
            if value.strip():
                self._values.setdefault(column, value)

    def first(self, names: Sequence[str]) -> str:
        return next((self._values[name] for name in names if name in self._values), "").strip()


def _ticket(row: _Row, source: str, number: int, number_column: str) -> Ticket:
    names = Trackers.read().fields
    title, text = row.first(names.title), row.first(names.text)
    chosen = row.first((number_column,))
    named, address = chosen or row.first(names.number), row.first(names.address)
    more = row.first(names.more)
    return Ticket(
        key=address or f"{source}#{named or number}",
        source=source,
        number=named or str(number),
        title=" ".join(title.split())[:500],
        text=kept("\n\n".join(filter(None, (text, more)))),
        created=moment_of(row.first(names.created)),
        product=row.first(names.product)[:100],
        url=address,
        is_number_chosen=bool(chosen),
    )


def _lines(text: io.TextIOWrapper, cancelled: Cancelled) -> Iterator[str]:
    """The lines; a null, which csv refuses, is left out."""
    while line := text.readline(_LONGEST_LINE):
        raise_if(cancelled)
        if len(line) >= _LONGEST_LINE:
            raise Damaged("too-many-columns" if line.count(",") > MOST_COLUMNS else "table-damaged", f"{len(line)}")
        yield line.replace("\0", "")


def _columns(line: str) -> list[str]:
    try:
        return [column.strip().lower() for column in next(csv.reader([line], delimiter=_separator(line)), [])]
    except csv.Error:
        return []


def _says_something(columns: Sequence[str]) -> bool:
    names = Trackers.read().fields
    return any(column in names.title or column in names.text for column in columns)


def _separator(line: str) -> str:
    return max(_SEPARATORS, key=lambda separator: (line.count(separator), separator == ","))


def _encoding(head: bytes) -> str:
    """UTF-8 or UTF-16, or what the first foreign characters look like (Excel of another country's Windows)."""
    for mark, name in _MARKS:
        if head.startswith(mark):
            return name
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError as error:
        sample = head[max(0, error.start - 2000) : error.start + 20_000]
        guess = from_bytes(sample, cp_isolation=ENCODINGS).best()
        return guess.encoding if guess is not None else "utf-8"
    return "utf-8"
