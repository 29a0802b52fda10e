"""The offered changes of a file applied to its text, and as a diff."""

from __future__ import annotations

import ast
import difflib
import json
import string
from collections.abc import Iterable
from pathlib import Path

from checks.facts.scripts import Edit
from checks.readers.scripts.files import CONFIGS
from checks.readers.scripts.sources import NOTEBOOK, Source, read_source
from checks.visible import is_visible

_PLAIN = frozenset(string.ascii_letters + string.digits + string.punctuation + " ") - frozenset('"\\')
_NO_NEWLINE = "\\ No newline at end of file\n"


def fixed(source: Source, edits: Iterable[Edit]) -> str:
    """The text of a program with these changes. Of two that overlap the first counts; of two alike, one."""
    return "\n".join(row for row in _rows(source, edits) if row is not None)


def _rows(source: Source, edits: Iterable[Edit]) -> list[str | None]:
    """Each row with what became of it: several where lines were added, None where it went into the one before."""
    rows: list[str | None] = [line.text for line in source.lines] or list(source.rows)
    ordered = sorted(dict.fromkeys(edits), key=_place)
    kept: list[Edit] = []
    for edit in ordered:
        if kept and _place(edit) < (kept[-1].end_line, kept[-1].end_column, 0, 0):
            continue
        if kept and _place(kept[-1]) == _place(edit) and _place(edit)[:2] != _place(edit)[2:]:
            continue
        kept.append(edit)
    for edit in reversed(kept):
        first, last = rows[edit.line - 1] or "", rows[edit.end_line - 1] or ""
        rows[edit.line - 1] = first[: edit.column - 1] + edit.text + last[edit.end_column - 1 :]
        rows[edit.line : edit.end_line] = [None] * (edit.end_line - edit.line)
    return rows


def _place(edit: Edit) -> tuple[int, int, int, int]:
    return edit.line, edit.column, edit.end_line, edit.end_column


def patch(path: Path, edits: Iterable[Edit], name: str = "", *, is_for_bytes: bool = False) -> str:
    """A unified diff of a file, which ``patch -p1`` and ``git apply`` take; "" where nothing changes.

    ``is_for_bytes``: with the bytes of another encoding as they are in the file, those that are no UTF-8 as surrogates.

    Raises:
        Unreadable, OSError: as in :func:`checks.readers.scripts.sources.read_source`.
    """
    encoding, before, after = changed(path, edits)
    if is_for_bytes and encoding not in ("utf-8", "utf-16"):  # of which a diff is none of text
        before, after = (_bytes_of(text, encoding) for text in (before, after))
    return unified(before, after, name or _named(path)) if before != after else ""


def changed(path: Path, edits: Iterable[Edit]) -> tuple[str, str, str]:
    """The encoding of a file, its text, and its text with the changes; bytes that are none of it as surrogates.

    Raises:
        Unreadable, OSError: as in :func:`checks.readers.scripts.sources.read_source`.
    """
    source = read_source(path) if path.suffix.lower() not in CONFIGS else _plain(path)
    count = len(source.lines) or len(source.rows)
    edits = [edit for edit in edits if edit.end_line <= count]  # a notebook has a row less than its program
    encoding = "utf-8" if source.encoding == "utf-8-sig" else source.encoding  # the mark stays part of the text
    before = _text(path, encoding)
    if not edits:
        return encoding, before, before
    if path.suffix.lower() == NOTEBOOK:
        after = _notebook(path.read_bytes(), source, _rows(source, edits)).decode("utf-8", "surrogateescape")
        return encoding, before, after
    return encoding, before, _in_line_breaks(fixed(source, edits), before)


def _plain(path: Path) -> Source:
    """A configuration, which has no syntax tree."""
    text = path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    return Source(path, text, ast.Module([], []))


def _named(path: Path) -> str:
    """As ``patch -p1`` finds it in the current folder; of a file elsewhere in the root of the disk."""
    here = path.relative_to(Path.cwd()) if path.is_absolute() and path.is_relative_to(Path.cwd()) else path
    return here.as_posix().lstrip("/")


def unified(before: str, after: str, name: str) -> str:
    """The difference of two texts as a unified diff."""
    lines = difflib.unified_diff(_lines(before), _lines(after), _quoted(f"a/{name}"), _quoted(f"b/{name}"))
    return "".join(line if line.endswith("\n") else f"{line}\n{_NO_NEWLINE}" for line in lines)


def _quoted(name: str) -> str:
    """As git and patch read a name in which a line break, or what a terminal obeys, may stand."""
    if is_visible(name.encode("utf-8", "replace").decode()) and not set(name) & set('"\\'):
        return name
    return '"' + "".join(letter if letter in _PLAIN else _octal(letter) for letter in name) + '"'


def _octal(letter: str) -> str:
    return "".join(f"\\{byte:03o}" for byte in letter.encode("utf-8", "surrogateescape"))


def _lines(text: str) -> list[str]:
    """Lines as diff counts them: a carriage return ends none."""
    return [f"{line}\n" for line in text.split("\n")[:-1]] + ([last] if (last := text.rpartition("\n")[2]) else [])


def _text(path: Path, encoding: str) -> str:
    return path.read_bytes().decode(encoding, "surrogateescape")


def _bytes_of(text: str, encoding: str) -> str:
    return text.encode(encoding, "surrogateescape").decode("utf-8", "surrogateescape")


def _in_line_breaks(text: str, before: str) -> str:
    """With the line breaks, and the mark of the byte order, that the file has."""
    if "\r\n" in before:
        text = text.replace("\n", "\r\n")
    return ("\ufeff" if before.startswith("\ufeff") else "") + text


def _notebook(data: bytes, source: Source, rows: list[str | None]) -> bytes:
    """The JSON of a notebook with the changed lines of its cells; everything else stays byte for byte."""
    strings: dict[tuple[int, int], list[int]] = {}
    for index, line in enumerate(source.lines):
        strings.setdefault((line.first, line.end), []).append(index)
    parts: list[bytes] = []
    at = 0
    for (first, end), indices in sorted(strings.items()):
        if all(rows[index] == source.lines[index].text for index in indices):
            continue
        lines = [line for index in indices for line in _split(rows[index])]
        parts.extend((data[at:first], _strings(lines, data, first, end)))
        at = end
    return b"".join((*parts, data[at:]))


def _split(row: str | None) -> list[str]:
    return [] if row is None else row.split("\n")


def _strings(lines: list[str], data: bytes, first: int, end: int) -> bytes:
    """Lines as the JSON that stood there: one string where that held several lines, else one for each."""
    old = str(json.loads(data[first:end], strict=False))
    ending = "\n" if old.endswith("\n") else ""
    is_ascii = data.isascii()
    if "\n" in old.removesuffix("\n"):
        return json.dumps("\n".join(lines) + ending, ensure_ascii=is_ascii).encode("utf-8", "surrogatepass")
    begins = data.rfind(b"\n", 0, first) + 1
    indent = data[begins:first]
    between = b",\n" + indent if not indent.strip() else b", "
    told = [*(f"{line}\n" for line in lines[:-1]), lines[-1] + ending] if lines else [""]
    return between.join(json.dumps(line, ensure_ascii=is_ascii).encode("utf-8", "surrogatepass") for line in told)
