"""How the language of a ticket is told: resources/knowledge/tickets/written_languages.toml."""

from __future__ import annotations

import functools
import re

from checks.knowledge import Row, Table


class WrittenLanguage(Row):
    """A language by its script, a range of characters as in a regular expression, or by its small words."""

    code: str
    script: str = ""
    words: tuple[str, ...] = ()


class WrittenLanguages(Table):
    language: tuple[WrittenLanguage, ...]


@functools.cache
def scripts() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """The languages that their script tells, in the order in which they are asked for."""
    rows = WrittenLanguages.read().language
    return tuple((row.code, re.compile(f"[{row.script}]")) for row in rows if row.script)


@functools.cache
def small_words() -> dict[str, frozenset[str]]:
    """The languages that their words tell."""
    return {row.code: frozenset(row.words) for row in WrittenLanguages.read().language if row.words}
