"""What people say in many ways, as patterns that the signatures of the causes share."""

from __future__ import annotations

import functools
import re

import msgspec

from checks.knowledge import Table, load

_NAME = re.compile(r"\{([a-z][a-z0-9-]*)\}")


class TicketPhrase(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One thing that people say. ``pattern`` is RE2, as in a signature."""

    id: str
    pattern: str


class TicketPhrases(Table, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """resources/knowledge/ticket_phrases.toml."""

    row: tuple[TicketPhrase, ...]


@functools.cache
def ticket_phrases() -> TicketPhrases:
    """The table of phrases."""
    return load("ticket_phrases", TicketPhrases)


@functools.cache
def _expanded() -> dict[str, str]:
    known: dict[str, str] = {}
    for row in ticket_phrases().row:
        known[row.id] = f"(?:{_filled(row.pattern, known)})"
    return known


def expand(pattern: str) -> str:
    """The pattern with each {name} replaced by the phrase of that name.

    Raises:
        KeyError: there is no such phrase.
    """
    return _filled(pattern, _expanded())


def _filled(pattern: str, known: dict[str, str]) -> str:
    return _NAME.sub(lambda found: known[found.group(1)], pattern)
