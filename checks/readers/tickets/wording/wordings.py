"""Patterns that are looked for in every ticket, many at once: those of the signatures, and the shared phrases.

All are RE2's, whose time grows with the length of the text and nothing else. Each is taken apart into its alternatives,
and these are what is searched for: most are ruled out by their fixed words (see literals.py), and what many patterns
share is searched, and compiled, once. Where a pattern stands is where the first of its alternatives stands.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import re2

from checks.knowledge.tickets.phrases import TicketPhrases, expand
from checks.paths import ROOT
from checks.readers.tickets.wording.literals import Filter, alternatives_of
from checks.readers.tickets.wording.number_sets import Numbers, NumberSets

_MEMORY = 1 << 20  # bytes for one pattern: hundreds of logs need thousands of them, a gigabyte with RE2's own limit
FIXED_WORDS = ROOT / "learned" / "fixed_words.npz"


class Wordings:
    """Patterns, as they are written, by their numbers. ``name``: that of their filter among those that are stored.

    ``alternatives``: of each pattern the numbers of its alternatives, in their order; ``patterns``: the reverse.

    Raises:
        KeyError: a pattern names a phrase that there is not.
    """

    def __init__(self, name: str, patterns: Iterable[str]) -> None:
        numbers: dict[str, int] = {}
        self.name = name
        self.alternatives = [
            tuple(numbers.setdefault(item, len(numbers)) for item in _alternatives(pattern)) for pattern in patterns
        ]
        self.texts = tuple(numbers)
        of_alternative: list[list[int]] = [[] for _ in numbers]
        for pattern, alternatives in enumerate(self.alternatives):
            for alternative in alternatives:
                of_alternative[alternative].append(pattern)
        self.patterns = NumberSets.of(of_alternative)
        self.filters = filters(name, self.texts)

    def to_store(self) -> dict[str, Any]:
        """What is stored of these: their filter, and which patterns it is of."""
        tables: dict[str, Any] = {name: table.astype(np.int32) for name, table in Filter.of(self.texts).tables.items()}
        return {f"{self.name}.{name}": table for name, table in {**tables, "of": checksums(self.texts)}.items()}


class Searched:
    """A text in which these are looked for; what was searched once is not searched again.

    ``lowered``: what of the text tells which fixed words stand in it, in lower case. ``possible``: the patterns that
    can stand in the text, in ascending order.
    """

    def __init__(self, wordings: Wordings, text: bytes, lowered: bytes) -> None:
        self._wordings = wordings
        self._text = text
        alternatives = np.concatenate([numbers[part.possible(lowered)] for part, numbers in wordings.filters])
        alternatives = alternatives[alternatives >= 0]
        self.possible = wordings.patterns.distinct(alternatives)
        self._possible = frozenset(self.possible.tolist())
        self._alternatives = frozenset(alternatives.tolist())
        self._found: dict[int, Any] = {}

    def can_stand(self, numbers: Iterable[int]) -> bool:
        """Whether all of these patterns can stand in the text."""
        return self._possible.issuperset(numbers)

    def stands(self, number: int) -> bool:
        """Whether a pattern stands in the text."""
        return any(self._search(alternative) is not None for alternative in self._possible_of(number))

    def find(self, number: int) -> Any:
        """The first match of a pattern, of several in one place that of the first alternative; None if there is none.

        Raises:
            re2.error: it is none of RE2's.
        """
        first = None
        for alternative in self._possible_of(number):
            found = self._search(alternative)
            if found is not None and (first is None or found.start() < first.start()):
                first = found
        return first

    def _possible_of(self, number: int) -> list[int]:
        if number not in self._possible:
            return []
        return [alternative for alternative in self._wordings.alternatives[number] if alternative in self._alternatives]

    def _search(self, alternative: int) -> Any:
        if alternative not in self._found:
            self._found[alternative] = _compiled(self._wordings.texts[alternative]).search(self._text)
        return self._found[alternative]


@functools.cache
def _compiled(pattern: str) -> Any:
    try:
        return re2.compile(f"(?im){pattern}", _options(_MEMORY))
    except re2.error:  # too large for it
        return re2.compile(f"(?im){pattern}", _options(8 * _MEMORY))


def _options(memory: int) -> re2.Options:
    options = re2.Options()
    options.log_errors = False
    options.max_mem = memory
    return options


@functools.cache
def _alternatives(pattern: str) -> tuple[str, ...]:
    """The alternatives of a pattern, also of the phrases among them."""
    phrases = _phrases()
    return tuple(
        part
        for alternative in alternatives_of(pattern)
        for part in (_alternatives(phrases[alternative]) if alternative in phrases else (expand(alternative),))
    )


@functools.cache
def _phrases() -> dict[str, str]:
    return {f"{{{row.id}}}": row.pattern for row in TicketPhrases.read().row}


def checksums(patterns: Sequence[str]) -> Numbers:
    """A number for each pattern, by which a filter that was stored knows it again."""
    made_by = repr(Filter.MADE_BY).encode()
    hashes = b"".join(hashlib.blake2b(text.encode(), digest_size=8, key=made_by).digest() for text in patterns)
    return np.frombuffer(hashes, np.int64)


def filters(name: str, patterns: Sequence[str], path: Path = FIXED_WORDS) -> list[tuple[Filter, Numbers]]:
    """Filters for these patterns, each with the numbers that its own patterns have here (-1: it is none of these).

    The first is the one that was stored for the last release (see learn.py), which saves seconds; the second is made
    here, of the patterns that are younger.
    """
    if not path.is_file():
        return [(Filter.of(patterns), np.arange(len(patterns)))]
    wanted = checksums(patterns)
    with np.load(path) as file:
        known = file[f"{name}.of"] if f"{name}.of" in file else wanted[:0]
        if np.array_equal(known, wanted):
            return [(_stored(file, name), np.arange(len(patterns)))]
        numbers = {checksum: number for number, checksum in enumerate(wanted.tolist())}
        old = np.array([numbers.pop(checksum, -1) for checksum in known.tolist()], np.int64)
        young = np.array(sorted(numbers.values()), np.int64)
        of_young = (Filter.of([patterns[number] for number in young]), young)
        return [(_stored(file, name), old), of_young] if len(known) else [of_young]


def _stored(file: Mapping[str, Any], name: str) -> Filter:
    return Filter({table: file[f"{name}.{table}"].astype(np.int64) for table in Filter.TABLES})
