"""A text as numbers, to compare it with what is usual for each cause: words, shared phrases, pieces and pairs of words.

Each feature falls into one of SLOTS by a checksum (the "hashing trick": Weinberger et al. 2009), so that no dictionary
is needed. Pieces of words also know words that were never seen whole, and languages without spaces; pairs tell "seed
is not set" from "seed is set"; pairs of stems that stand near each other are the same however a sentence is turned.
"""

from __future__ import annotations

import array
import functools
import itertools
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from checks.knowledge.tickets.phrases import TicketPhrases
from checks.readers.tickets.wording.number_sets import distinct
from checks.readers.tickets.wording.wordings import Searched, Wordings

SLOTS = 1 << 16
KINDS = 5  # words, phrases, pieces, pairs, near
LONGEST = 4000  # characters that are compared
LONGEST_WORD = 40
PIECES = (3, 4, 5)  # lengths of the pieces of words, in characters
NEAR = 4  # so many words further a stem is still near another
SHORTEST_STEM = 3
KNOWN_WORDS = 1 << 16  # whose pieces and stems are kept at hand

_WORD = re.compile(r"[a-z_]{2,}[a-z0-9_]*|[\u3040-\u30ff]{2,}|[\u4e00-\u9fff]{2}")
_TOKEN = re.compile(r"[a-z_][a-z0-9_]*|\d+(?:\.\d+)*|[\u3040-\u30ff]{2,}|[\u4e00-\u9fff]{2}")
_PART = re.compile(r"[a-z][a-z0-9]*|\d+(?:\.\d+)?|[\u3040-\u30ff]{2,}|[\u4e00-\u9fff]{2}")
_ENDINGS = ("ations", "ation", "ingly", "ings", "ing", "edly", "ed", "ies", "es", "s", "ly")
_SAYS_NOTHING = re.compile("the|an?|is|are|was|were|be|of|to|in|on|at|for|and|or|i|my|we|it|this|that|with|as|by|from")


def features(text: str) -> tuple[tuple[int, ...], ...]:
    """The slots of what a text holds, one tuple per kind, each slot once."""
    lowered = text[:LONGEST].lower()
    spaced = {word[:LONGEST_WORD] for word in lowered.split()}
    tokens = map(str.encode, _TOKEN.findall(lowered))
    return (
        _slots("w", map(str.encode, words(lowered))),
        _slots("p", map(str.encode, phrases(lowered))),
        tuple(distinct(np.frombuffer(b"".join(map(_pieces, spaced)), np.uint16), SLOTS).tolist()),
        _slots("b", map(b" ".join, itertools.pairwise(tokens))),
        _slots("s", _near(lowered)),
    )


def holds_phrase(found: Sequence[Sequence[int]], phrase: str) -> bool:
    """Whether a text with these features holds the shared phrase of this id."""
    return _slots("p", (phrase.encode(),))[0] in found[1]


def words(lowered: str) -> set[str]:
    """The words of a text in lower case."""
    return set(_WORD.findall(lowered))


def phrases(lowered: str) -> set[str]:
    """The ids of the shared phrases that stand in a text."""
    text = lowered.encode("utf-8", "replace")
    searched = Searched(shared_phrases(), text, text)
    rows = TicketPhrases.read().row
    return {rows[number].id for number in searched.possible.tolist() if searched.stands(number)}


def _near(lowered: str) -> Iterator[bytes]:
    stems = [stem for part in _PART.findall(lowered.replace("_", " ")) if (stem := _stem(part))]
    for further in range(1, NEAR + 1):
        for first, second in zip(stems, stems[further:], strict=False):
            yield first + b" " + second if first < second else second + b" " + first


@functools.lru_cache(KNOWN_WORDS)
def _stem(word: str) -> bytes:
    """A word without its English ending; roughly, since it is only compared with words cut in the same way.

    Nothing of a word that says nothing.
    """
    if _SAYS_NOTHING.fullmatch(word):
        return b""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST_STEM:
            return word.removesuffix(ending).encode()
    return word.encode()


@functools.lru_cache(KNOWN_WORDS)
def _pieces(word: str) -> bytes:
    """The slots of the pieces of a word, of two bytes each, since many words are kept."""
    spaced = f" {word} "
    pieces = (spaced[at : at + length] for length in PIECES for at in range(len(spaced) - length + 1))
    return array.array("H", _slots("c", (piece.encode("utf-8", "replace") for piece in pieces))).tobytes()


def _slots(kind: str, names: Iterable[bytes]) -> tuple[int, ...]:
    start = zlib.crc32(kind.encode())
    # In their order: a sum of floats must not depend on the order of a set.
    return tuple(sorted({checksum % SLOTS for checksum in map(zlib.crc32, names, itertools.repeat(start))}))


@functools.cache
def shared_phrases() -> Wordings:
    """The shared phrases, to be searched for."""
    return Wordings("phrases", (row.pattern for row in TicketPhrases.read().row))
