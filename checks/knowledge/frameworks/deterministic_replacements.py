"""What to take instead of an operation that deterministic mode refuses."""

from checks.knowledge import Table, Worded


class Replacement(Worded):
    """One advice for some operations of computations.toml."""

    operations: tuple[str, ...]


class ReplacementTable(Table):
    row: tuple[Replacement, ...]


def replacement(operation: str, language: str) -> str:
    """What to take instead of an operation, in "en" or "ja"; "" where nothing is known."""
    return next((row.of(language) for row in ReplacementTable.read().row if operation in row.operations), "")
