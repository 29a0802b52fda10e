"""The signatures of the catalogue, searched in a text: which causes its wordings show, and in which lines."""

from __future__ import annotations

import bisect
import functools
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from checks.facts import Facts
from checks.facts.quotation import quotation
from checks.knowledge.catalogue import Signature, cause_files, cause_of
from checks.readers.tickets.conditions import holds
from checks.readers.tickets.lines import Line, flat
from checks.readers.tickets.wording.number_sets import NumberSets
from checks.readers.tickets.wording.wordings import Searched, Wordings

_ERROR = re.compile(r"(?i)error|exception|fail|fatal|cannot|could not|unable|not (?:found|support|compat|implement)")
# Of the two shapes of a text: longer than any gap that RE2 allows in a pattern (1,000), so that none bridges it.
_BETWEEN = b"\n" + b"\0" * 1001
MOST_LINES = 8  # of one wording
_MOST_TEXTS, _MOST_BYTES = 500, 16 << 20  # that are remembered with what was searched in them; a case holds fewer logs
_texts: dict[tuple[Line, ...], _Text] = {}  # the one that was asked for last at the end


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


def hits(lines: Sequence[Line], reported: Sequence[Facts], origin: str = "") -> tuple[Hit, ...]:
    """Every signature that the text shows. ``reported``: the facts for the conditions, the most trusted first."""
    text = _searched(tuple(lines))
    signatures = _all_signatures()
    found = (_hit(signatures[number], text, reported, origin) for number in _asking().distinct(text.searched.possible))
    return tuple(hit for hit in found if hit is not None)


@dataclass(frozen=True, slots=True)
class _Searchable:
    cause: str
    signature: Signature
    any: tuple[int, ...]
    all: tuple[int, ...]
    none: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Match:
    lines: tuple[int, ...]
    clue: str
    groups: dict[str, str]


class _Text:
    """A text in both shapes, one behind the other as bytes."""

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
            *itertools.accumulate((len(text) + 1 for text in by_line), initial=0),
            *itertools.accumulate(map(len, pieces), initial=len(self._whole) - len(in_one_piece)),
        ]
        del self._starts[len(by_line)], self._starts[-1]  # where further ones would begin
        fixed_words = _with_margins(in_one_piece, pieces, by_line)
        self.searched = Searched(wordings(), self._whole, fixed_words.lower())
        self._known: dict[int, _Match | None] = {}

    def __len__(self) -> int:
        """Bytes of it that are searched."""
        return len(self._whole)

    def find(self, number: int) -> _Match | None:
        """The first place of a pattern: in a line, or else in the text without line breaks."""
        if number not in self._known:
            found = self.searched.find(number)
            self._known[number] = None if found is None or not self._lines else self._shown(found)
        return self._known[number]

    def _shown(self, found: Any) -> _Match:
        start, end = found.span()
        first, last = self._place(start), self._place(max(end - 1, start))
        shown = [self._lines[place % len(self._lines)] for place in range(first, min(last + 1, first + MOST_LINES))]
        groups = {name: value.decode("utf-8", "replace") for name, value in found.groupdict().items() if value}
        before = self._whole[self._starts[first] : start].decode("utf-8", "replace")
        numbers = tuple(dict.fromkeys(line.number for line in shown if line.text))
        return _Match(numbers, quotation(shown[0].text, len(before), end - start), groups)

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


def _searched(lines: tuple[Line, ...]) -> _Text:
    """The text with what was searched in it: judgement asks of each log, and of each error, several times."""
    text = _texts.pop(lines, None) or _Text(lines)
    _texts[lines] = text
    while len(_texts) > 1 and (len(_texts) > _MOST_TEXTS or sum(map(len, _texts.values())) > _MOST_BYTES):
        del _texts[next(iter(_texts))]
    return text


@functools.cache
def _numbers() -> dict[str, int]:
    numbers: dict[str, int] = {}
    for cause in cause_files():
        for signature in cause_of(cause).signature:
            for pattern in (*signature.any, *signature.all, *signature.none):
                numbers.setdefault(pattern, len(numbers))
    return numbers


@functools.cache
def wordings() -> Wordings:
    """The patterns of all signatures, to be searched for."""
    return Wordings("signatures", _numbers())


@functools.cache
def _all_signatures() -> tuple[_Searchable, ...]:
    numbers = _numbers()

    def of(patterns: Sequence[str]) -> tuple[int, ...]:
        return tuple(numbers[pattern] for pattern in patterns)

    return tuple(
        _Searchable(cause, signature, of(signature.any), of(signature.all), of(signature.none))
        for cause in cause_files()
        for signature in cause_of(cause).signature
    )


@functools.cache
def _asking() -> NumberSets:
    """Which signatures ask for any of several patterns, by the numbers of these."""
    asking: list[list[int]] = [[] for _ in _numbers()]
    for number, signature in enumerate(_all_signatures()):
        for pattern in signature.any:
            asking[pattern].append(number)
    return NumberSets.of(asking)


def _hit(sought: _Searchable, text: _Text, reported: Sequence[Facts], origin: str) -> Hit | None:
    signature = sought.signature
    # The cheapest is asked first: a condition costs no search.
    if not text.searched.can_stand(sought.all):
        return None
    if not all(_known(condition, reported) is True for condition in signature.when):
        return None
    if any(_known(condition, reported) is True for condition in signature.unless):
        return None
    shown = sorted((match for number in sought.any if (match := text.find(number)) is not None), key=lambda m: m.lines)
    if not shown:
        return None
    others: list[_Match] = []
    for number in sought.all:
        other = text.find(number)
        if other is None:
            return None
        others.append(other)
    if any(text.searched.stands(number) for number in sought.none):
        return None
    return _hit_of(origin, sought.cause, signature, [*shown, *others])


def _known(condition: str, reported: Sequence[Facts]) -> bool | None:
    return next((answer for facts in reported if (answer := holds(condition, facts)) is not None), None)


def _hit_of(origin: str, cause: str, signature: Signature, matches: Sequence[_Match]) -> Hit:
    groups: dict[str, str] = {}
    for match in matches:
        groups = match.groups | groups
    lines = tuple(sorted({line for match in matches for line in match.lines}))
    clue = next((match.clue for match in matches if _ERROR.search(match.clue)), matches[0].clue)
    return Hit(origin, cause, signature, lines, clue, groups)
