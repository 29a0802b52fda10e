"""Which texts are nearly the same: MinHash, and the buckets in which alike texts meet.

Of the pairs of words in a row that two texts have, the share that both have (Jaccard) is estimated from the
smallest of each of 100 hashes (Broder 1997), of which eight bits are kept (Li and König 2010). Texts are held against
each other only where they share one of 20 bands of five (Indyk and Motwani 1998): at a share of 0.8 that is so for
more than 999 in 1,000 pairs, at 0.3 for one in 20. datasketch has the same, but brings SciPy with it; this is a page of
NumPy, which is here already, and DuckDB finds the buckets.
"""

from __future__ import annotations

import functools
import re
import zlib
from collections.abc import Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from checks.readers.mails.numbering import number_of

NEARLY_THE_SAME = 0.6  # of the pairs of words that both have
_HASHES, _BANDS = 100, 20
_ROWS = _HASHES // _BANDS
_IN_A_ROW = 2
_MOST_WORDS = 3000
_WORDS = re.compile(r"\w+")
_NUMBERS = re.compile(r"0x[0-9a-f]+|\d+")
_HEXADECIMAL = re.compile(r"\b(?=[a-f]*\d)[0-9a-f]{6,}\b")
_PATHS = re.compile(r"(?:[a-z]:)?(?:[\\/][\w.~+@ -]{1,80}?(?=[\\/]))+[\\/]|~[\\/]", re.IGNORECASE)
# Where what a program printed begins, behind the words of whoever quotes it or the marks of a log.
_PRINTED = re.compile(
    r"(?<![\w.])(?:[\w.]*(?:error|exception|warning)\b ?:|(?:failed|unable) to |could(?: not|n't) |can(?:not|'t) "
    r"|no module named |no such file )",
    re.IGNORECASE,
)
_LEFT_OUT = "…"
_FEWEST = 3  # words that are worth quoting
_SPACES = re.compile(r"\s+")


class Likeness(msgspec.Struct, frozen=True):
    """What is kept of a text to find its like. ``marks``: eight bits of each hash; ``bands``: its buckets."""

    marks: bytes = b""
    bands: tuple[int, ...] = ()


def likeness_of(text: str) -> Likeness:
    """Numbers and case do not matter. Of no words nothing is like it."""
    words = _WORDS.findall(_NUMBERS.sub("0", text.lower()))[:_MOST_WORDS]
    if not words:
        return Likeness()
    rows = max(1, len(words) - _IN_A_ROW + 1)
    sets = {zlib.crc32(" ".join(words[at : at + _IN_A_ROW]).encode("utf-8", "replace")) for at in range(rows)}
    hashes = np.fromiter(sets, np.uint64, len(sets))
    factors, shifts = _factors()
    # Multiply, add and shift (Dietzfelbinger 1996): modulo 2^64, of which the upper half is the hash.
    smallest = ((hashes[:, None] * factors + shifts) >> np.uint64(32)).min(axis=0).astype(np.uint32)
    bands = (number_of(smallest[at : at + _ROWS].tobytes() + bytes([at])) for at in range(0, _HASHES, _ROWS))
    return Likeness(smallest.astype(np.uint8).tobytes(), tuple(bands))


def share_in_common(first: bytes, others: Sequence[bytes]) -> npt.NDArray[np.float64]:
    """How much of its sets of words a text shares with each of the others, 0 to 1, by their marks."""
    if not first or not others:
        return np.zeros(len(others))
    marks = np.frombuffer(b"".join(others), np.uint8).reshape(len(others), _HASHES)
    same: npt.NDArray[np.float64] = (marks == np.frombuffer(first, np.uint8)).mean(axis=1, dtype=np.float64)
    return np.clip((same - 1 / 256) / (1 - 1 / 256), 0.0, None)  # one in 256 is the same by chance


def shape_of_line(line: str) -> str:
    """A line of an error without what differs from machine to machine: numbers, addresses, folders, case, spaces."""
    plain = _PATHS.sub("/", as_printed(line).lower())
    return _SPACES.sub(" ", _NUMBERS.sub("0", _HEXADECIMAL.sub("0", plain))).strip(" …")


def as_printed(line: str) -> str:
    """A line of an error without the words before it: "I get RuntimeError: x" and "[rank0]: RuntimeError: x"."""
    found = _PRINTED.search(line)
    return line[found.start() :] if found else line


def wording_in_common(lines: Sequence[str]) -> str:
    """What several lines of one shape say word by word, with "…" for what differs; "" where that is next to nothing."""
    first, *others = [line.split() for line in dict.fromkeys(map(as_printed, lines))] or [[]]
    if any(len(other) != len(first) for other in others):
        shortest = min(map(len, (first, *others)))
        same = next((at for at in range(shortest) if len({words[at] for words in (first, *others)}) > 1), shortest)
        kept = [*first[:same], _LEFT_OUT]
    else:
        kept = [words[0] if len(set(words)) == 1 else _LEFT_OUT for words in zip(first, *others, strict=True)]
    said = [word for word in kept if word != _LEFT_OUT]
    return " ".join(kept) if len(said) >= _FEWEST else ""


@functools.cache
def _factors() -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    drawn = np.random.default_rng(19970612).integers(0, 1 << 63, (2, _HASHES), dtype=np.uint64)
    return drawn[0] | np.uint64(1), drawn[1]
