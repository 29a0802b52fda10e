"""What to take instead of an operation that deterministic mode refuses."""

from checks.knowledge import Row, Table


class Replacement(Row):
    """One advice for some operations of computations.toml."""

    operations: tuple[str, ...]
    en: str
    ja: str

    def of(self, language: str) -> str:
        """The advice in "en" or "ja"."""
        return self.ja if language == "ja" else self.en


class ReplacementTable(Table):
    row: tuple[Replacement, ...]


def replacement(operation: str, language: str) -> str:
    """What to take instead of an operation, in "en" or "ja"; "" where nothing is known."""
    return next((row.of(language) for row in ReplacementTable.read().row if operation in row.operations), "")
