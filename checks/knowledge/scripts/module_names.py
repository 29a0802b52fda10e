"""Modules that offer the same under several names, so that a rule knows one of them."""

import functools

from checks.knowledge import Row, Table


class ModuleAlias(Row):
    name: str
    meant: str


class ModuleNames(Table):
    alias: tuple[ModuleAlias, ...]


@functools.lru_cache(maxsize=50_000)
def canonical(dotted: str) -> str:
    """A dotted name of a program ("tensorflow.keras.Model") by the one name of the table ("keras.Model")."""
    aliases = _aliases().get(dotted.partition(".")[0], ())
    for name, meant in aliases:
        if dotted == name or dotted.startswith((f"{name}.", f"{name}()")):
            return canonical(meant + dotted[len(name) :])
    return dotted


@functools.cache
def _aliases() -> dict[str, list[tuple[str, str]]]:
    """First part of a name -> its rows, the longest first."""
    found: dict[str, list[tuple[str, str]]] = {}
    for row in sorted(ModuleNames.read().alias, key=lambda row: -len(row.name)):
        found.setdefault(row.name.partition(".")[0], []).append((row.name, row.meant))
    return found
