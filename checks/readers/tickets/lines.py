"""A pasted text as lines that can be searched: without colours, quoting, prefixes and escapes, with their numbers.

Two shapes of the same text: :class:`Line` by line for what is laid out in lines (tables, tracebacks, version lists),
and :func:`flat` in one piece, for sentences that a terminal, a mail program or a web form has wrapped.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence

import msgspec

PASTED = "pasted"  # the name of a text that came without a file
LONGEST = 4000  # characters of one line; what is longer is split, since a whole log can come as one JSON string
NARROWEST = 60  # columns of the narrowest terminal whose wraps are undone
SHORT = 300  # characters of a line; one that is longer may be many in one string
# What a prefix begins with, one that has no "|" in it.
_BEFORE = frozenset(">\u2502\u2503\u2551[(0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")

_COLOURS = re.compile(r"\x1b\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)|\x1b\[[0-9;?]{0,20}[ -/]?[@-~]|\x1b[@-Z\\-_]")
# Control characters but tab, invisible ones, and those that turn the direction of writing.
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
_QUOTES = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u00a0": " ", "\u3000": " "})
_STRING_BREAK = re.compile(r"\\r\\n|\\n")
# Ollama lists every variable that it knows, most of them with nothing behind: those are not set.
_UNSET = re.compile(r"(?<=[\[ ])[A-Za-z_]{3,40}:(?=[ \]]) ?")
# What loggers, containers and chat programs put before a line. Each alternative begins at the line's start and is
# taken off again and again, since they stack: "engine-1  | 2025-01-01T10:00:00Z (Worker pid=7) ERROR 01-01 ...".
_PREFIX = re.compile(
    r"""(?x)
      (?:>\s?)+ (?=\S)                                            # Markdown and mail quoting
    | [\u2502\u2503\u2551]\s?                                     # the box of a rich traceback
    | E\s{2,} (?=\S)                                              # pytest
    | \[rank\d+\]:\s?  | \[\d+(?:,\d+)?\]<std(?:err|out)>:\s?
    | \((?:[A-Z][\w.]{0,40}\ )?(?:[\w.-]{1,40}\ )?(?:pid|rank)=\d+(?:,\ ip=(?:[\d.]+|<ip-\d+>))?\)\s?   # ray, vLLM
    | [\w.-]{1,60}-\d+\s+\|\s                                     # docker compose
    | \[?\d{4}-\d\d-\d\d[T\ _]\d\d:\d\d:\d\d(?:[.,:]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?\]?:?\s* (?:std(?:err|out)\ [FP]\ )?
    | [A-Z][a-z]{2}\ [\ \d]\d\ \d\d:\d\d:\d\d\ (?:[\w.-]{1,60}|<host-\d+>)\ [\w./-]{1,60}(?:\[\d+\])?:\s  # syslog
    """
)


class Line(msgspec.Struct, frozen=True, gc=False):  # a log has a million of them
    """One line. ``number`` counts from 1 in what was pasted; ``text`` is without prefix and trailing space."""

    number: int
    text: str


def lines_of(text: str, first: int = 1) -> tuple[Line, ...]:
    """The lines of a pasted text, empty ones too; what is longer than LONGEST is split, with the same number.

    ``first``: the number of the first one.
    """
    found: list[Line] = []
    for number, raw in enumerate(text.split("\n"), start=first):
        if len(raw) <= SHORT and raw.isascii() and raw.isprintable() and "&" not in raw:  # nearly every line of a log
            found.append(Line(number, _without_prefix(raw)))
        else:
            found.extend(Line(number, piece) for piece in _pieces(raw))
    return tuple(found)


def flat(lines: Sequence[Line]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The whole text in one piece, and for each line (offset in it, its number), in ascending order.

    Long lines of exactly one width in a row were cut by a terminal, in the middle of words, and are put together
    without a space.
    """
    pieces: list[str] = []
    starts: list[tuple[int, int]] = []
    offset = 0
    before = 0
    for here, following in zip(lines, [*lines[1:], None], strict=True):
        starts.append((offset, here.number))
        width = len(here.text)
        is_cut = following is not None and width >= NARROWEST and width in (before, len(following.text))
        piece = here.text.lstrip() if is_cut else here.text.strip() + " "
        pieces.append(piece)
        offset += len(piece)
        before = width
    return "".join(pieces), tuple(starts)


def _pieces(raw: str) -> Iterator[str]:
    for part in raw.rstrip("\r").split("\r"):  # a progress bar writes over its own line
        text = part
        if "\x1b" in text:
            text = _COLOURS.sub("", text)
        text = _CONTROLS.sub("", text).translate(_QUOTES)
        if "&" in text and ";" in text:
            text = html.unescape(text).translate(_QUOTES)
        if 'env="map[' in text:
            text = _UNSET.sub("", text)
        for piece in _STRING_BREAK.split(text) if len(text) > SHORT and "\\n" in text else (text,):
            for start in range(0, max(len(piece), 1), LONGEST):
                yield _without_prefix(piece[start : start + LONGEST])


def _without_prefix(text: str) -> str:
    if text[:1] not in _BEFORE and "|" not in text:
        return text.rstrip()
    found = _PREFIX.match(text)
    while found is not None and found.end() > 0:
        text = text[found.end() :]
        found = _PREFIX.match(text)
    return text.rstrip()
