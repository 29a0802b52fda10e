"""A text as numbers, to compare it with what is usual for each cause: its words, the shared phrases, pieces of words.

Each feature falls into one of SLOTS by a checksum (the "hashing trick": Weinberger et al. 2009), so that no dictionary
is needed. Pieces of words also know words that were never seen whole, and languages without spaces.
"""

from __future__ import annotations

import functools
import re
import zlib
from collections.abc import Sequence
from typing import Any

import re2

from checks.knowledge.ticket_phrases import expand, ticket_phrases

SLOTS = 1 << 14
KINDS = 3  # words, phrases, pieces
LONGEST = 4000  # characters of a text that are compared; what people say stands at its beginning
LONGEST_WORD = 40
PIECES = (3, 4, 5)  # lengths of the pieces of words, in characters

_WORD = re.compile(r"[a-z_]{2,}[a-z0-9_]*|[\u3040-\u30ff]{2,}|[\u4e00-\u9fff]{2}")


def features(text: str) -> tuple[tuple[int, ...], ...]:
    """The slots of the words, of the phrases (rows of ticket_phrases.toml) and of the pieces of a text, each once."""
    lowered = text[:LONGEST].lower()
    pieces = {piece for word in set(lowered.split()) for piece in _pieces(f" {word[:LONGEST_WORD]} ")}
    return (
        _slots("w", words(lowered)),
        _slots("p", phrases(lowered)),
        _slots("c", pieces),
    )


def holds_phrase(found: Sequence[Sequence[int]], phrase: str) -> bool:
    """Whether a text with these features holds the shared phrase of this id."""
    return _slots("p", {phrase})[0] in found[1]


def words(lowered: str) -> set[str]:
    """The words of a text in lower case."""
    return set(_WORD.findall(lowered))


def phrases(lowered: str) -> set[str]:
    """The ids of the shared phrases that stand in a text."""
    present = _phrases().Match(lowered.encode("utf-8", "replace"), False) or ()
    rows = ticket_phrases().row
    return {rows[number].id for number in present}


def _pieces(word: str) -> list[str]:
    return [word[start : start + length] for length in PIECES for start in range(len(word) - length + 1)]


def _slots(kind: str, names: set[str]) -> tuple[int, ...]:
    start = zlib.crc32(kind.encode())
    return tuple(sorted({zlib.crc32(name.encode("utf-8", "replace"), start) % SLOTS for name in names}))


@functools.cache
def _phrases() -> Any:
    options = re2.Options()
    options.never_capture = True
    filter_ = re2.Filter()
    for row in ticket_phrases().row:
        filter_.Add(f"(?im){expand(row.pattern)}", options)
    filter_.Compile()
    return filter_
