"""How wide text is where every character has its place, and text broken to such a width. No Qt."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

# What stays together: a word in Latin letters, or Japanese up to where hiragana end, with what must not begin a line.
_ENDING = r"[、。,.:;)」]*\s*|\s+"
_PHRASE = re.compile(rf"(?:[!-~]+|[^!-~\sぁ-ゖ、。」]*)[ぁ-ゖー]*{_ENDING}")
_UNIT = re.compile(rf"(?:[!-~]+|\S){_ENDING}")  # of a phrase that no line holds
_WORD = re.compile(r"[!-~]+")


def width(text: str) -> int:
    """The places that text takes; a Japanese character takes two."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def wrapped(text: str, columns: int) -> list[str]:
    """The text in as few lines of at most so many places as it takes, about equally long.

    No line is left with a last character alone. A word that is longer has a line of its own.
    """
    fewest = list(_filled(text, columns))
    for narrower in range(width(text) // max(1, len(fewest)), columns):
        lines = list(_filled(text, narrower))
        if len(lines) == len(fewest):
            return lines
    return fewest


def _filled(text: str, columns: int) -> Iterator[str]:
    line = ""
    for unit in _units(text, columns):
        if line and width(line) + width(unit.rstrip()) > columns:
            yield line.rstrip()
            line = ""
        line += unit
    if line.strip():
        yield line.rstrip()


def _units(text: str, columns: int) -> Iterator[str]:
    for phrase in _PHRASE.findall(text):
        if width(phrase.rstrip()) <= columns:
            yield phrase
        else:
            yield from _UNIT.findall(phrase)


def unbroken(text: str) -> list[str]:
    """The parts of a text within which no line is broken: words in Latin letters; Japanese breaks anywhere."""
    return _WORD.findall(text)
