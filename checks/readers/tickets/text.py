"""What the readers of a ticket share: the text in the shapes that they ask for, and the form of what they say."""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from checks.readers.tickets.lines import Line

LONGEST_FIELD = 600  # characters of a "key: value" line; a processor's flags are longer, and have their own reader
_FIELD = re.compile(r"[\W_]{0,12}([^\W_][^:：=\n]{0,80}?)\s*(?:[:：]|={1,2})\s*(.{0,400})")
_COLUMNS = re.compile(r"[\W_]{0,12}([^\W_](?:[^\n:]{0,40}?\S)?)\s{2,}(\S.{0,300})")
_BRACKETS = re.compile(r"\([^()]{0,120}\)|\[[^\[\]]{0,60}\]|[`*#?\"']")
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Statement:
    """One fact that a text states. ``fact``: its dotted name, or that of a list ("gpu", "package", "log-event")."""

    fact: str
    value: Any
    lines: tuple[int, ...]
    program: str = ""  # that printed it; "" for what a person wrote


@dataclass(frozen=True, slots=True)
class Field:
    """A "key: value" line: its key in lower case without brackets and emphasis, and where it stands."""

    key: str
    value: str
    index: int  # into Text.lines


class Text:
    """The lines of a ticket, also in one piece and as "key: value" lines.

    ``answered``: up to the line of this number stands what was written because it was asked for, or as a correction.
    """

    def __init__(self, lines: Sequence[Line], answered: int = 0) -> None:
        self.lines = lines
        self.answered = answered
        self.whole = "\n".join(line.text for line in lines)

    @cached_property
    def lower(self) -> str:
        """The whole text in lower case, of the same length."""
        lower = self.whole.lower()
        # A few capitals ("İ") become two characters, which would shift every place behind them.
        return lower if len(lower) == len(self.whole) else "".join(_one_lower(c) for c in self.whole)

    @cached_property
    def _starts(self) -> list[int]:
        starts, offset = [], 0
        for line in self.lines:
            starts.append(offset)
            offset += len(line.text) + 1
        return starts

    def index_at(self, offset: int) -> int:
        """Which of the lines holds a place of the whole text."""
        return max(bisect.bisect_right(self._starts, offset) - 1, 0)

    def number_at(self, offset: int) -> int:
        """The number of the line that holds a place of the whole text."""
        return self.lines[self.index_at(offset)].number if self.lines else 1

    def at(self, place: int | re.Match[str]) -> tuple[int]:
        """The number of the line that holds a place of the whole text, or in which a match begins."""
        return (self.number_at(place if isinstance(place, int) else place.start()),)

    def line_start(self, offset: int) -> int:
        """Where the line begins that holds a place of the whole text."""
        return self.whole.rfind("\n", 0, offset) + 1

    def has(self, *needles: str) -> bool:
        """Whether one of these stands in the text, capitals or not. ``needles`` in lower case."""
        lower = self.lower
        return any(needle in lower for needle in needles)

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """All "key: value" lines."""
        return tuple(self._read_fields())

    def _read_fields(self) -> Iterator[Field]:
        for index, line in enumerate(self.lines):
            text = line.text
            if not text or len(text) > LONGEST_FIELD or not (":" in text or "=" in text or "：" in text):
                continue
            found = _FIELD.match(text)
            if found is not None:
                yield Field(plain_key(found[1]), found[2].strip(), index)

    @cached_property
    def columns(self) -> tuple[Field, ...]:
        """All lines "key   value", set apart by two or more spaces."""
        if "  " not in self.whole:
            return ()
        found = ((index, _COLUMNS.match(line.text)) for index, line in enumerate(self.lines) if "  " in line.text)
        return tuple(Field(plain_key(facts[1]), facts[2].strip(), index) for index, facts in found if facts)


Reader = Callable[[Text], Iterator[Statement]]


def plain_key(text: str) -> str:
    """A key without brackets, emphasis and needless spaces, in lower case: "PyTorch Version (e.g., 1.0)"."""
    return _SPACES.sub(" ", _BRACKETS.sub("", text)).strip(" .:-*|>_").lower()


def goes_on(short: str, long: str) -> bool:
    """Whether one version continues another more exactly: "2.1" by "2.1.0", "2.1.0" by "2.1.0+cu121"."""
    return (
        long.startswith(short) and len(long) > len(short) and not (short[-1:].isdigit() and long[len(short)].isdigit())
    )


def _one_lower(character: str) -> str:
    lower = character.lower()
    return lower if len(lower) == 1 else character
