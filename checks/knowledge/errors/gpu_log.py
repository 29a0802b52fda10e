"""What systems write into their logs about GPUs and processors, beside NVIDIA's Xid lines on Linux."""

from __future__ import annotations

import functools
import re

import msgspec

from checks.knowledge import Table, load
from checks.knowledge.errors.hardware_errors import Suspect


class LogSign(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
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


class ResetSentence(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What Windows shows for the event 4101 of "Display" in one language; ``driver`` is a group of the pattern."""

    language: str
    pattern: str
    source: str


class GpuLogTexts(Table, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """resources/knowledge/gpu_log.toml."""

    sign: tuple[LogSign, ...]
    reset_sentence: tuple[ResetSentence, ...]


@functools.cache
def gpu_log_texts() -> GpuLogTexts:
    """The table."""
    return load("gpu_log", GpuLogTexts)


@functools.cache
def matchers(entry: str) -> tuple[tuple[LogSign, re.Pattern[str]], ...]:
    """The signs that entries of one writer may hold, with their patterns."""
    rows = gpu_log_texts().sign
    return tuple((row, re.compile(row.pattern, re.MULTILINE)) for row in rows if row.entry == entry)


def sign_of_kind(kind: str) -> LogSign | None:
    """What is said of a kind; None for one that a newer version knows. All rows of a kind say the same."""
    return next((row for row in gpu_log_texts().sign if row.kind == kind), None)
