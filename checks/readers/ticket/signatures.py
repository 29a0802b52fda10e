"""The signatures of the catalogue, searched in a text: which causes its wordings show, and in which lines.

All patterns of all causes are RE2's, whose time grows with the length of the text and nothing else; a filter names
those whose fixed words stand in the text at all (see literals.py), so that a ticket costs some dozen searches, and only
what is searched for is compiled.
"""

from __future__ import annotations

import bisect
import functools
import hashlib
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import re2

from checks.causes import Signature, cause_files, cause_of
from checks.facts import Facts
from checks.knowledge.ticket_phrases import expand
from checks.readers.ticket.conditions import holds
from checks.readers.ticket.lines import Line, flat
from checks.readers.ticket.literals import Filter
from checks.resources import ROOT

FIXED_WORDS = ROOT / "fixed_words.npz"
_ERROR = re.compile(r"(?i)error|exception|fail|fatal|cannot|could not|unable|not (?:found|support|compat|implement)")
# Of the two shapes of a text: longer than any gap that RE2 allows in a pattern (1,000), so that none bridges it.
_BETWEEN = b"\n" + b"\0" * 1001
CLUE_SHOWN, CLUE_BEFORE = 300, 80  # characters of a line that a finding quotes, and of these before the wording
MOST_LINES = 8  # of one wording


@dataclass(frozen=True, slots=True)
class Hit:
    """A signature that stands in a text. ``lines``: the numbers of the lines that show it.

    ``clue``: the first of them that speaks of an error, or else the first.
    """

    origin: str  # the name of the text
    cause: str
    signature: Signature
    lines: tuple[int, ...]
    clue: str
    groups: dict[str, str]


def hits(lines: Sequence[Line], told: Sequence[Facts], origin: str = "") -> tuple[Hit, ...]:
    """Every signature that the text shows. ``told``: the facts for the conditions, the most trusted first."""
    text = _Text(lines)
    present = text.possible()
    return tuple(
        hit
        for cause, signature, parts in _all_signatures()
        if not present.isdisjoint(parts.any) and (hit := _hit(cause, signature, parts, text, told, origin)) is not None
    )


@dataclass(frozen=True, slots=True)
class _Parts:
    """The patterns of one signature by their numbers in the compiled set."""

    any: tuple[int, ...]
    all: tuple[int, ...]
    none: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Match:
    lines: tuple[int, ...]
    clue: str
    groups: dict[str, str]


class _Text:
    """A text in both shapes, one behind the other as bytes; what was searched once is not searched again."""

    def __init__(self, lines: Sequence[Line]) -> None:
        joined, starts = flat(lines)
        self._lines = lines
        by_line = [line.text.encode() for line in lines]
        ends = [*(start for start, _ in starts[1:]), len(joined)]
        pieces = [joined[start:end].encode() for (start, _), end in zip(starts, ends, strict=True)]
        in_one_piece = b"".join(pieces)
        self._whole = b"\n".join(by_line) + _BETWEEN + in_one_piece
        # Where each line begins, in the one shape and then in the other.
        self._starts = [
            *itertools.accumulate((len(each) + 1 for each in by_line), initial=0),
            *itertools.accumulate(map(len, pieces), initial=len(self._whole) - len(in_one_piece)),
        ]
        del self._starts[len(by_line)], self._starts[-1]  # where further ones would begin
        self._filtered = _with_margins(in_one_piece, pieces, by_line)
        self._possible: frozenset[int] | None = None
        self._known: dict[int, _Match | None] = {}

    def possible(self) -> frozenset[int]:
        """The numbers of the patterns that can stand here at all."""
        if self._possible is None:
            self._possible = _compiled().filter.possible(self._filtered.lower())
        return self._possible

    def find(self, number: int) -> _Match | None:
        """The first place of a pattern: in a line, or else in the text without line breaks."""
        if number not in self.possible():
            return None
        if number not in self._known:
            self._known[number] = self._search(_compiled().pattern(number))
        return self._known[number]

    def _search(self, pattern: Any) -> _Match | None:
        found = pattern.search(self._whole)
        if found is None or not self._lines:
            return None
        first, last = self._place(found.start()), self._place(max(found.end() - 1, found.start()))
        shown = [self._lines[place % len(self._lines)] for place in range(first, min(last + 1, first + MOST_LINES))]
        groups = {name: value.decode("utf-8", "replace") for name, value in found.groupdict().items() if value}
        before = self._whole[self._starts[first] : found.start()].decode("utf-8", "replace")
        numbers = tuple(dict.fromkeys(line.number for line in shown if line.text))
        return _Match(numbers, _clue(shown[0].text, len(before), found.end() - found.start()), groups)

    def _place(self, offset: int) -> int:
        """Which line, counted over both shapes, holds a place."""
        return max(bisect.bisect_right(self._starts, offset) - 1, 0)


def _with_margins(in_one_piece: bytes, pieces: Sequence[bytes], by_line: Sequence[bytes]) -> bytes:
    """The text in one piece, and lines whose fixed words can be missing there: in margins, and where one was cut."""
    near: set[int] = set()
    for place, (piece, line) in enumerate(zip(pieces, by_line, strict=True)):
        if piece[-1:] != b" " or not piece.startswith(line):
            near.update((place - 1, place, place + 1))
    return b"\n".join([in_one_piece, *(by_line[place] for place in sorted(near) if 0 <= place < len(by_line))])


def _clue(line: str, start: int, length: int) -> str:
    """The line, or of a long one the part that begins shortly before the wording at ``start``."""
    begin = 0 if start + length <= CLUE_SHOWN else max(start - CLUE_BEFORE, 0)
    return line[begin:].strip()[:CLUE_SHOWN]


class _Compiled:
    """``numbers``: of the patterns as they are written, in the ``filter``. Each is compiled when it is first asked for.

    Raises:
        KeyError: a pattern names a phrase that there is not.
    """

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        for cause in cause_files():
            for signature in cause_of(cause).signature:
                for pattern in (*signature.any, *signature.all, *signature.none):
                    self.numbers.setdefault(pattern, len(self.numbers))
        self.expanded = [expand(pattern) for pattern in self.numbers]
        self.filter = _stored(digest_of(self.expanded)) or Filter.of(self.expanded)
        self._compiled: dict[int, Any] = {}

    def pattern(self, number: int) -> Any:
        """One pattern.

        Raises:
            re2.error: it is none of RE2's.
        """
        if number not in self._compiled:
            options = re2.Options()
            options.log_errors = False
            self._compiled[number] = re2.compile(f"(?im){self.expanded[number]}", options)
        return self._compiled[number]


def digest_of(patterns: Sequence[str]) -> str:
    """What tells whether the stored filter is of these patterns."""
    return hashlib.sha256("\0".join(patterns).encode()).hexdigest()


def _stored(digest: str) -> Filter | None:
    """The filter that was made when the patterns were written (see learn.py); None where they have changed since."""
    if not FIXED_WORDS.is_file():
        return None
    with np.load(FIXED_WORDS) as stored:
        if str(stored["digest"]) != digest:
            return None
        return Filter({name: stored[name].astype(np.int64) for name in stored.files if name != "digest"})


def fixed_words() -> dict[str, Any]:
    """What is stored of the present patterns."""
    patterns = _compiled().expanded
    tables = {name: table.astype(np.int32) for name, table in Filter.of(patterns).tables.items()}
    return {**tables, "digest": np.array(digest_of(patterns))}


@functools.cache
def _compiled() -> _Compiled:
    return _Compiled()


@functools.cache
def _all_signatures() -> tuple[tuple[str, Signature, _Parts], ...]:
    numbers = _compiled().numbers

    def of(patterns: Sequence[str]) -> tuple[int, ...]:
        return tuple(numbers[each] for each in patterns)

    return tuple(
        (cause, each, _Parts(of(each.any), of(each.all), of(each.none)))
        for cause in cause_files()
        for each in cause_of(cause).signature
    )


def _hit(
    cause: str, signature: Signature, parts: _Parts, text: _Text, told: Sequence[Facts], origin: str
) -> Hit | None:
    # The cheapest is asked first: a condition costs no search.
    if not text.possible().issuperset(parts.all) or not all(_known(each, told) is True for each in signature.when):
        return None
    if any(_known(each, told) is True for each in signature.unless):
        return None
    shown = sorted((match for number in parts.any if (match := text.find(number)) is not None), key=lambda m: m.lines)
    if not shown:
        return None
    others: list[_Match] = []
    for number in parts.all:
        other = text.find(number)
        if other is None:
            return None
        others.append(other)
    if any(text.find(number) is not None for number in parts.none):
        return None
    return _made(origin, cause, signature, [*shown, *others])


def _known(condition: str, told: Sequence[Facts]) -> bool | None:
    return next((answer for facts in told if (answer := holds(condition, facts)) is not None), None)


def _made(origin: str, cause: str, signature: Signature, matches: Sequence[_Match]) -> Hit:
    groups: dict[str, str] = {}
    for match in matches:
        groups = match.groups | groups
    lines = tuple(sorted({line for match in matches for line in match.lines}))
    clue = next((match.clue for match in matches if _ERROR.search(match.clue)), matches[0].clue)
    return Hit(origin, cause, signature, lines, clue, groups)
