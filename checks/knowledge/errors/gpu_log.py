"""What systems write into their logs about GPUs and processors, beside NVIDIA's Xid lines on Linux."""

import functools
import re

from checks.knowledge import Row, Table
from checks.knowledge.errors.hardware_errors import Suspect


class LogSign(Row):
    """One text that a driver or the system writes; it is an Xid of NVIDIA's, or of a ``kind`` of its own."""

    entry: str  # "kernel", or the provider of an event of Windows
    pattern: str
    source: str
    unless: str = ""
    event_id: int | None = None
    xid: int | None = None
    kind: str = ""
    vendor: str = ""
    likely: tuple[Suspect, ...] = ()
    grave: bool = False


class ResetSentence(Row):
    """What Windows shows for the event 4101 of "Display" in one language; ``driver`` is a group of the pattern."""

    language: str
    pattern: str
    source: str


class GpuLogTexts(Table):
    sign: tuple[LogSign, ...]
    reset_sentence: tuple[ResetSentence, ...]


@functools.cache
def matchers(entry: str) -> tuple[tuple[LogSign, re.Pattern[str]], ...]:
    """The signs that entries of one writer may hold, with their patterns."""
    rows = GpuLogTexts.read().sign
    return tuple((row, re.compile(row.pattern, re.MULTILINE)) for row in rows if row.entry == entry)


def sign_of_kind(kind: str) -> LogSign | None:
    """The row of a kind; None for one that a newer version knows. All rows of a kind say the same."""
    return next((row for row in GpuLogTexts.read().sign if row.kind == kind), None)
