"""A file of the user as a program: its encoding, the cells of a notebook, its syntax tree. Nothing is run."""

from __future__ import annotations

import ast
import io
import itertools
import mmap
import tokenize
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from checks.readers.scripts.notebooks import NotNotebook, SourceLine, as_python, code_lines

PYTHON = (".py", ".pyw")
NOTEBOOK = ".ipynb"
LARGEST = 4 * 1024 * 1024  # bytes of a program; a notebook may hold pictures of any size
_LARGEST_NOTEBOOK = 512 * 1024 * 1024
_DEEPEST = (
    250  # levels of a syntax tree; what walks over it takes three calls for each, of the thousand that Python has
)


class Unreadable(Exception):  # noqa: N818 - what was sent is at fault, not the program
    """A file that cannot be read as a program. ``reason``: an id in resources/words/scan.toml, with its ``values``."""

    def __init__(self, reason: str, **values: object) -> None:
        super().__init__(reason, values)
        self.reason = reason
        self.values = values


@dataclass(frozen=True)
class Place:
    """Where something stands: line and column counted from 1; of a notebook in which cell, and the line in it."""

    line: int
    column: int
    cell: int | None = None


@dataclass
class Source:
    """A program. ``lines``: of a notebook, where each line of ``text`` comes from; ``broken``: its cells left out."""

    path: Path
    text: str
    tree: ast.Module
    lines: tuple[SourceLine, ...] = ()
    encoding: str = "utf-8"
    broken: tuple[Unreadable, ...] = ()
    rows: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.rows = self.text.split("\n")

    def place(self, line: int, column: int) -> Place:
        """The place of a line (from 1) and column (bytes of UTF-8, from 0), as the syntax tree has them."""
        row = self.rows[line - 1] if line <= len(self.rows) else ""
        shown = column if row.isascii() else len(row.encode()[:column].decode("utf-8", "replace"))
        if not self.lines:
            return Place(line, shown + 1)
        origin = self.lines[min(line, len(self.lines)) - 1]
        return Place(origin.line, shown + 1, origin.cell)


def read_source(path: Path) -> Source:
    """A program or notebook with its syntax tree.

    Raises:
        Unreadable: it is too large, no text, no Python of this version, or a broken notebook.
        OSError: it cannot be opened.
    """
    if path.suffix.lower() == NOTEBOOK:
        return _of_notebook(path, _notebook(path))
    data = _bytes(path)
    text, encoding = _decoded(data)
    return Source(path, text, _tree(text, ()), encoding=encoding)


def _of_notebook(path: Path, lines: list[SourceLine]) -> Source:
    """The cells that are Python; of the others what is wrong. Where all are broken, that is raised."""
    text = as_python(lines)
    try:
        return Source(path, text, _tree(text, lines), tuple(lines))
    except Unreadable as error:
        if error.reason != "syntax-in-cell":
            raise
        broken = dict(_broken_cells(lines))
        if len(broken) == len({line.cell for line in lines}):
            raise
    text = as_python(lines, broken)
    return Source(path, text, _tree(text, lines), tuple(lines), broken=tuple(broken.values()))


def _broken_cells(lines: list[SourceLine]) -> Iterator[tuple[int, Unreadable]]:
    for cell, group in itertools.groupby(lines, key=lambda line: line.cell):
        mine = list(group)
        try:
            _tree(as_python(mine), mine)
        except Unreadable as error:
            yield cell, Unreadable("cell-left-out", **{"cell": cell, "line": 1, "detail": error.reason, **error.values})


def _bytes(path: Path) -> bytes:
    with open(path, "rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise Unreadable("too-large", megabytes=LARGEST // 1024**2)
    return data


def _notebook(path: Path) -> list[SourceLine]:
    if path.stat().st_size > _LARGEST_NOTEBOOK:
        raise Unreadable("too-large", megabytes=_LARGEST_NOTEBOOK // 1024**2)
    try:
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return code_lines(data)
    except ValueError as error:  # an empty file cannot be mapped
        raise Unreadable("not-notebook") from error
    except NotNotebook as error:
        if error.at < 0:
            raise Unreadable("not-notebook") from error
        raise Unreadable("broken-notebook", byte=error.at) from error


def _decoded(data: bytes) -> tuple[str, str]:
    """The text as Python would decode it; another encoding of the same letters where that fails."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        try:
            return _unified(data.decode("utf-16")), "utf-16"
        except UnicodeDecodeError as error:
            raise Unreadable("encoding", line=1) from error
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding)
    except (SyntaxError, LookupError, UnicodeDecodeError):
        text, encoding = _undeclared(data)
    if "\0" in text:
        raise Unreadable("binary")
    return _unified(text), encoding


def _undeclared(data: bytes) -> tuple[str, str]:
    """A text and its encoding, which its file does not name, as Windows of Japan or Western Europe writes it."""
    if b"\0" in data:
        raise Unreadable("binary")
    from charset_normalizer import from_bytes

    best = from_bytes(data).best()
    if best is None:
        raise Unreadable("encoding", line=_bad_line(data))
    return str(best), best.encoding


def _bad_line(data: bytes) -> int:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return data.count(b"\n", 0, error.start) + 1
    return 1


def _unified(text: str) -> str:
    """With the line breaks that the syntax tree counts."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _tree(text: str, lines: tuple[SourceLine, ...] | list[SourceLine]) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the user's own escapes
            tree = ast.parse(text)
    except SyntaxError as error:
        line = error.lineno or 1
        if lines:
            origin = lines[min(line, len(lines)) - 1]
            raise Unreadable("syntax-in-cell", cell=origin.cell, line=origin.line, detail=error.msg) from error
        raise Unreadable("syntax", line=line, detail=error.msg) from error
    except (RecursionError, MemoryError) as error:
        raise Unreadable("too-deep") from error
    except ValueError as error:  # a null byte
        raise Unreadable("binary") from error
    if _is_too_deep(tree):
        raise Unreadable("too-deep")
    return tree


def _is_too_deep(tree: ast.Module) -> bool:
    level: list[ast.AST] = [tree]
    for _ in range(_DEEPEST):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return False
    return True
