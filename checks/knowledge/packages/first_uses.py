"""What to try of a package whose import says little: it loads its parts late, or reads the surroundings in use."""

from __future__ import annotations

import functools

from checks.knowledge import Row, Table


class FirstUse(Row):
    """One line that stands for the first use of any of these distributions; of none: for one of Python itself."""

    packages: tuple[str, ...]
    statement: str
    source: str


class FirstUses(Table):
    """resources/knowledge/packages/first_uses.toml."""

    use: tuple[FirstUse, ...]


@functools.cache
def first_uses() -> dict[str, str]:
    """Distribution (normalised name) -> the statement that stands for its first use."""
    return {package: row.statement for row in FirstUses.read().use for package in row.packages}


@functools.cache
def uses_of_python() -> tuple[str, ...]:
    """What is tried of any Python."""
    return tuple(row.statement for row in FirstUses.read().use if not row.packages)
