"""The code cells of a notebook, read in one pass over its bytes: what its outputs hold is stepped over, not kept.

A notebook of 50 MB is pictures; its code is a few kilobytes. The file is mapped, so that memory stays bounded.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from mmap import mmap

DEEPEST = 200  # open brackets; a notebook has six
MOST_CODE = 4 * 1024 * 1024  # bytes of source that are kept

_TOKEN = re.compile(rb'[\s,:]*(?:("[^"\\]*+(?:\\.[^"\\]*+)*+")|([{}\[\]])|([^\s,:"{}\[\]]++))', re.DOTALL)
_BLANK = re.compile(rb"[\s,:]*")
_MAGIC = re.compile(r"\s*(?:[%!?]|\w[\w.]*\?{1,2}\s*$)")
_ASSIGNED_MAGIC = re.compile(r"(\s*[\w., \[\]'\"]+?=\s*)[%!].*")
_TIMED = re.compile(r"(\s*)%(?:time|timeit|prun|memit)\s+(?=[^-\s])")
_OTHER_LANGUAGE = re.compile(r"\s*%%(?!time\b|timeit\b|capture\b|prun\b)")


class NotNotebook(Exception):  # noqa: N818 - what was sent is at fault, not the program
    """The JSON is broken, or holds no cells. ``at``: the byte at which the JSON ends; -1: it is another thing."""

    def __init__(self, at: int = -1) -> None:
        super().__init__(at)
        self.at = at


@dataclass(frozen=True)
class SourceLine:
    """A line of a cell: the text without its line break, and where its JSON string stands in the file (bytes).

    ``first``, ``end``: of the whole string, which may hold more than this line; ``index``: which line of it this is.
    """

    text: str
    cell: int  # counted from 1, of all cells
    line: int  # in the cell, counted from 1
    first: int
    end: int
    index: int


def code_lines(data: bytes | mmap) -> list[SourceLine]:
    """The lines of all code cells in their order.

    Raises:
        NotNotebook: it cannot be read as one.
    """
    reader = _Reader(data)
    lines: list[SourceLine] = []
    size = 0
    for number, (kind, strings) in enumerate(reader.cells(), 1):
        if kind != "code":
            continue
        line = 0
        for first, end in strings:
            size += end - first
            if size > MOST_CODE:
                return lines
            for index, text in enumerate(_lines(reader.text(first, end))):
                line += 1
                lines.append(SourceLine(text, number, line, first, end, index))
    return lines


def as_python(lines: list[SourceLine], without: Collection[int] = ()) -> str:
    """The cells as one program in which every line stands where it stood: what only IPython knows becomes nothing.

    ``without``: the numbers of cells that become nothing, too.
    """
    told: list[str] = []
    cell, is_other, goes_on = 0, False, False
    for line in lines:
        if line.cell != cell:
            cell, is_other, goes_on = line.cell, bool(_OTHER_LANGUAGE.match(line.text)), False
        told.append("" if is_other or goes_on or line.cell in without else _python(line.text))
        goes_on = (goes_on or bool(_MAGIC.match(line.text))) and line.text.rstrip().endswith("\\")
    return "\n".join(told) + "\n"


def _python(line: str) -> str:
    timed = _TIMED.match(line)
    if timed:  # "%time model.fit(x)" runs that; the columns stay
        head = timed[0]
        return f"{timed[1]}0{' ' * (len(head) - len(timed[1]) - 2)};{line[len(head) :]}"
    if _MAGIC.match(line):
        return line[: len(line) - len(line.lstrip())] + "pass"
    assigned = _ASSIGNED_MAGIC.fullmatch(line)
    return f"{assigned[1]}None" if assigned else line


def _lines(text: str) -> list[str]:
    """As an editor counts them: a string that ends with a line break holds no further line."""
    return text.removesuffix("\n").split("\n")


class _Reader:
    """Tokens of JSON, one after the other."""

    def __init__(self, data: bytes | mmap) -> None:
        self._data = data
        self._at = 3 if data[:3] == b"\xef\xbb\xbf" else 0

    def cells(self) -> list[tuple[str, list[tuple[int, int]]]]:
        """Of each cell its kind, and the places of the strings of its source."""
        found: list[tuple[str, list[tuple[int, int]]]] = []
        for key in self._keys():
            if key == "cells":
                self._open(b"[")
                while not self._closes(b"]"):
                    found.append(self._cell())
            elif key == "worksheets":  # format 3 and before
                raise NotNotebook
            else:
                self._skip()
        return found

    def text(self, first: int, end: int) -> str:
        """The string that stands there."""
        try:
            text = json.loads(self._data[first:end].decode("utf-8", "replace"), strict=False)
        except ValueError as error:
            raise NotNotebook(first) from error
        return str(text)

    def _cell(self) -> tuple[str, list[tuple[int, int]]]:
        kind, strings = "", []
        for key in self._keys():
            if key == "cell_type":
                place = self._string()
                kind = self.text(*place)
            elif key == "source":
                strings = self._source()
            else:
                self._skip()
        return kind, strings

    def _source(self) -> list[tuple[int, int]]:
        """A string, or a list of strings."""
        token, first, end = self._next()
        if token == b'"':
            return [(first, end)]
        if token != b"[":
            raise NotNotebook(first)
        strings = []
        while not self._closes(b"]"):
            strings.append(self._string())
        return strings

    def _keys(self) -> Iterator[str]:
        """The keys of the object that begins here, one after the other: the caller reads or skips each value."""
        self._open(b"{")
        while not self._closes(b"}"):
            yield self.text(*self._string())

    def _string(self) -> tuple[int, int]:
        token, first, end = self._next()
        if token != b'"':
            raise NotNotebook(first)
        return first, end

    def _open(self, bracket: bytes) -> None:
        token, first, _ = self._next()
        if token != bracket:
            raise NotNotebook(first)

    def _closes(self, bracket: bytes) -> bool:
        """Whether the list or object ends here, which is stepped over then."""
        before = self._at
        if self._next()[0] == bracket:
            return True
        self._at = before
        return False

    def _skip(self) -> None:
        """Step over a value."""
        depth = 0
        while True:
            token, first, _ = self._next()
            if token in (b"{", b"["):
                depth += 1
                if depth > DEEPEST:
                    raise NotNotebook(first)
            elif token in (b"}", b"]"):
                depth -= 1
            if depth <= 0:
                return

    def _next(self) -> tuple[bytes, int, int]:
        """The next token: a bracket, b'"' for a string, b"" for a number or word; and where it stands."""
        found = _TOKEN.match(self._data, self._at)
        if not found:
            blank = _BLANK.match(self._data, self._at)
            raise NotNotebook(blank.end() if blank else self._at)
        self._at = found.end()
        group = found.lastindex or 0
        token = (b'"', found[2], b"")[group - 1]
        return bytes(token), found.start(group), found.end(group)
