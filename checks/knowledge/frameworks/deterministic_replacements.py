"""What to take instead of an operation that deterministic mode refuses."""

from __future__ import annotations

import functools

import msgspec

from checks.knowledge import Table, load


class Replacement(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One advice for some operations of computations.toml."""

    operations: tuple[str, ...]
    en: str
    ja: str

    def of(self, language: str) -> str:
        """The advice in "en" or "ja"."""
        return self.ja if language == "ja" else self.en


class ReplacementTable(Table, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """resources/knowledge/deterministic_replacements.toml."""

    row: tuple[Replacement, ...]


@functools.cache
def deterministic_replacements() -> ReplacementTable:
    """The table, read once."""
    return load("deterministic_replacements", ReplacementTable)


def replacement(operation: str, language: str) -> str:
    """What to take instead of an operation, in "en" or "ja"; "" where nothing is known."""
    return next((row.of(language) for row in deterministic_replacements().row if operation in row.operations), "")
