"""The fixed words of a pattern: what has to stand in a text, so that the pattern can match there at all.

A pattern is read as clauses: of each at least one literal stands in every match. Whether they do is asked of the
pieces of three bytes that a text holds (and of two, for literals of two), all patterns at once, in a time that grows
with the length of the text and nothing else. Too many may be named (the pieces can stand apart), never too few.

The alternatives of a pattern have fixed words of their own, so that each is better looked for alone.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from checks.readers.tickets.wording.number_sets import Numbers, NumberSets

SHORTEST, PIECE = 2, 3  # bytes of a literal that counts, and of its pieces if it has so many
MOST = 16  # literals of one clause, and spellings of one part of a pattern
MOST_SPELLED = 6  # spellings of a set of characters
AT_ONCE = 1 << 20  # bytes of a text that are cut into pieces at once
_BITS = 18  # of the checksum of a piece of three bytes
_KINDS = (1 << _BITS) + (1 << 16)  # of pieces: those of three bytes, and then those of two

Clause = frozenset[str]

_REPEATED = re.compile(r"[*+?]|\{(\d+)(?:,(\d*))?\}")
_OPENED = re.compile(r"\(\?(?:P?<\w+>|[a-zA-Z]*(?:-[a-zA-Z]+)?:)|\(\?(?P<flags>[a-zA-Z]+)\)|\((?!\?)")
_SET = re.compile(r"\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]")
# What matters where a pattern is cut at its bars.
_MARK = re.compile(rf"\\.|{_SET.pattern}|\(\?[a-zA-Z-]+\)|[()|]", re.DOTALL)
_GROUP = "(?:"
_NOTHING = frozenset({""})
# RE2 takes these for "s" and "k", capitals or not.
_OTHER_SPELLINGS = (("\u017f".encode(), b"s"), ("\u212a".encode(), b"k"))


@dataclass(frozen=True)
class _Part:
    """A part of a pattern. ``spelled``: all that it can match, where that is little; ``clauses``: what it needs."""

    spelled: Clause | None = None
    clauses: tuple[Clause, ...] = ()

    def needed(self) -> tuple[Clause, ...]:
        """The clauses, of a part that is spelled out with its spellings."""
        return (*self.clauses, self.spelled) if self.spelled is not None and _counts(self.spelled) else self.clauses


def clauses_of(pattern: str) -> tuple[Clause, ...]:
    """Of each clause one literal, in lower case, stands in every text that a pattern (RE2's) matches."""
    part, end = _alternatives(pattern, 0)
    if end != len(pattern):
        return ()
    return tuple(dict.fromkeys(part.needed()))


def alternatives_of(pattern: str) -> Iterator[str]:
    """What a pattern matches is what the first of these matches that stands there: its parts between bars.

    A pattern that is one group as a whole is taken apart likewise.
    """
    if "|" not in pattern and not pattern.startswith(_GROUP):
        yield pattern
        return
    bars: list[int] = []
    ends: list[int] = []  # of the groups
    depth = 0
    for mark in _MARK.finditer(pattern):
        sign = mark[0]
        if sign == "(":
            depth += 1
        elif sign == "|" and depth == 0:
            bars.append(mark.start())
        elif sign == ")":
            depth -= 1
            if depth == 0:
                ends.append(mark.end())
        elif sign.startswith("("):  # flags, which hold behind the next bar, too
            yield pattern
            return
    if bars:
        for start, end in itertools.pairwise([-1, *bars, len(pattern)]):
            yield from alternatives_of(pattern[start + 1 : end])
    elif pattern.startswith(_GROUP) and ends == [len(pattern)]:
        yield from alternatives_of(pattern[len(_GROUP) : -1])
    else:
        yield pattern


Tables = Mapping[str, Numbers]


class Filter:
    """Many patterns, and which of them a text can match. ``tables``: all that it knows, to be kept and given again."""

    TABLES = frozenset({"pieces", "of_literal", "rarest", "clauses", "with_literal", "pattern", "always"})
    MADE_BY = (SHORTEST, PIECE, MOST, MOST_SPELLED, _BITS)  # tables that were made by other limits are others

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self._pieces, self._rarest = NumberSets(tables["pieces"], tables["of_literal"]), tables["rarest"]
        self._clauses = NumberSets(tables["clauses"], tables["with_literal"])
        self._pattern, self._needed = tables["pattern"], np.bincount(tables["pattern"])
        self._always = tables["always"]

    @classmethod
    def of(cls, patterns: Iterable[str]) -> Filter:
        """The filter of these; to read thousands of patterns takes seconds."""
        clauses: list[Clause] = []
        pattern: list[int] = []
        for number, one in enumerate(patterns):
            needed = clauses_of(one) or (_NOTHING,)
            clauses.extend(needed)
            pattern.extend([number] * len(needed))
        with_literal: dict[str, list[int]] = {}
        for number, clause in enumerate(clauses):
            for literal in sorted(clause):
                with_literal.setdefault(literal, []).append(number)
        pieces = [_pieces_of(item.encode()) for item in with_literal]
        of_literal, of_clause = NumberSets.of(pieces), NumberSets.of(list(with_literal.values()))
        often = np.bincount(of_literal.table, minlength=_KINDS)
        numbers = {
            "rarest": [piece[np.argmin(often[piece])] for piece in pieces],
            "pattern": pattern,
            "always": [number for number, literal in enumerate(with_literal) if not literal],
        }
        return cls(
            {
                "pieces": of_literal.table,
                "of_literal": of_literal.starts,
                "clauses": of_clause.table,
                "with_literal": of_clause.starts,
                **{name: np.array(entry, np.int64) for name, entry in numbers.items()},
            }
        )

    def possible(self, lowered: bytes) -> Numbers:
        """The numbers of the patterns that can match in a text in lower case, in ascending order."""
        for other, usual in _OTHER_SPELLINGS:
            lowered = lowered.replace(other, usual)
        seen = np.zeros(_KINDS, bool)
        text = np.frombuffer(lowered, np.uint8)
        for start in range(0, len(text), AT_ONCE):
            part = text[start : start + AT_ONCE + PIECE - 1].astype(np.uint32)
            seen[_threes(part)] = seen[_twos(part)] = True
        # One piece of each literal says of nearly all that they are missing; only of the others all are asked for.
        perhaps = np.flatnonzero(seen[self._rarest])
        pieces, starts = self._pieces.members(perhaps)
        stands = perhaps[np.logical_and.reduceat(seen[pieces], starts)] if len(perhaps) else perhaps
        clauses = self._clauses.distinct(np.concatenate((stands, self._always)))
        return np.flatnonzero(np.bincount(self._pattern[clauses], minlength=len(self._needed)) == self._needed)


def _pieces_of(literal: bytes) -> Numbers:
    codes = np.frombuffer(literal.ljust(SHORTEST, b"\0"), np.uint8).astype(np.uint32)
    return _threes(codes) if len(codes) >= PIECE else _twos(codes)


def _threes(codes: npt.NDArray[np.uint32]) -> Numbers:
    """The checksums of all three bytes in a row."""
    mixed = (codes[:-2] << 16 | codes[1:-1] << 8 | codes[2:]) * np.uint32(0x9E3779B1)
    return (mixed >> np.uint32(32 - _BITS)).astype(np.int64)


def _twos(codes: npt.NDArray[np.uint32]) -> Numbers:
    return (codes[:-1] << 8 | codes[1:]).astype(np.int64) + (1 << _BITS)


def _alternatives(pattern: str, at: int) -> tuple[_Part, int]:
    """What stands between bars, up to the end or a closing bracket."""
    parts = []
    while True:
        part, at = _sequence(pattern, at)
        parts.append(part)
        if pattern[at : at + 1] != "|":
            return _any_of(parts), at
        at += 1


def _any_of(parts: Sequence[_Part]) -> _Part:
    if len(parts) == 1:
        return parts[0]
    spelled = [part.spelled for part in parts if part.spelled is not None]
    if len(spelled) == len(parts):
        whole: Clause = frozenset().union(*spelled)
        if len(whole) <= MOST:
            return _Part(whole)
    needed = [_best(part.needed()) for part in parts]
    known = [clause for clause in needed if clause]
    either: Clause = frozenset().union(*known)
    return _Part(None, (either,) if len(known) == len(parts) and len(either) <= 8 * MOST else ())


def _sequence(pattern: str, at: int) -> tuple[_Part, int]:
    clauses: list[Clause] = []
    spelled: Clause = _NOTHING
    is_whole = True  # nothing but ``spelled`` so far
    while at < len(pattern) and pattern[at] not in "|)":
        part, at = _one(pattern, at)
        part, at = _repeated(part, pattern, at)
        clauses.extend(part.clauses)
        if part.spelled is not None and len(part.spelled) * len(spelled) <= MOST:
            spelled = frozenset(before + after for before in spelled for after in part.spelled)
            continue
        if _counts(spelled):
            clauses.append(spelled)
        is_whole = False
        spelled = part.spelled if part.spelled is not None else _NOTHING
    if is_whole:
        return _Part(spelled, tuple(clauses)), at
    if _counts(spelled):
        clauses.append(spelled)
    return _Part(None, tuple(clauses)), at


def _repeated(part: _Part, pattern: str, at: int) -> tuple[_Part, int]:
    found = _REPEATED.match(pattern, at)
    while found is not None:
        at = found.end()
        sign = found[0]
        if sign == "?" and part.spelled is not None:
            part = _Part(part.spelled | _NOTHING)
        elif sign in "?*" or found[1] == "0":
            part = _Part()
        else:
            part = _Part(None, part.needed())
        if pattern[at : at + 1] == "?":  # as few as possible
            at += 1
        found = _REPEATED.match(pattern, at)
    return part, at


def _one(pattern: str, at: int) -> tuple[_Part, int]:
    """A character, a set of them, or what stands in brackets."""
    sign = pattern[at]
    if sign == "(":
        opened = _OPENED.match(pattern, at)
        if opened is None:
            return _not_read(pattern)
        if opened["flags"]:
            return _Part(_NOTHING), opened.end()
        part, end = _alternatives(pattern, opened.end())
        return part, end + 1
    if sign == "[":
        chosen = _SET.match(pattern, at)
        if chosen is None:
            return _not_read(pattern)
        return _set(chosen[0]), chosen.end()
    if sign == "\\":
        escaped = pattern[at + 1]
        if escaped in "bBAz":
            return _Part(_NOTHING), at + 2
        if escaped in "pPxQ":
            return _not_read(pattern)
        if escaped.isalnum():  # a class
            return _Part(), at + 2
        return _Part(_spellings(escaped)), at + 2
    if sign in "^$":
        return _Part(_NOTHING), at + 1
    return (_Part() if sign == "." else _Part(_spellings(sign))), at + 1


def _not_read(pattern: str) -> tuple[_Part, int]:
    """An end that no pattern has: nothing is known of the whole."""
    return _Part(), len(pattern) + 1


def _set(chosen: str) -> _Part:
    inside = chosen[1:-1]
    if inside.startswith("^") or "[:" in inside or re.search(r"\\[a-zA-Z0-9]|.-.", inside):
        return _Part()
    characters = [_spellings(item) for item in re.sub(r"\\(.)", r"\1", inside)]
    if len(characters) > MOST_SPELLED or None in characters:
        return _Part()
    return _Part(frozenset().union(*(character for character in characters if character)))


def _spellings(character: str) -> Clause | None:
    """A character in lower case; None of one with capitals beyond ASCII, which bytes are not lowered by."""
    if not character.isascii() and character.lower() != character.upper():
        return None
    return frozenset({character.lower()})


def _counts(literals: Clause) -> bool:
    return all(len(literal.encode()) >= SHORTEST for literal in literals)


def _best(clauses: Sequence[Clause]) -> Clause:
    """The clause that is the least often met: of the longest literals, then of the fewest."""
    return max(clauses, key=lambda item: (min(map(len, item)), -len(item)), default=frozenset())
