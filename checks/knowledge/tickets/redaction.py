"""Names that identify nobody, which a report may therefore show."""

from __future__ import annotations

import functools

from checks.knowledge import Table, load


class KnownWords(Table, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """resources/knowledge/redaction.toml; all in lower case."""

    groups: frozenset[str]
    words: frozenset[str]
    no_people: frozenset[str]


@functools.cache
def known_words() -> KnownWords:
    """Groups, accounts and folders that are on every machine."""
    return load("redaction", KnownWords)
