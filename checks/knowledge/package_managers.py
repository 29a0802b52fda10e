"""Which package manager a Linux distribution comes with."""

from __future__ import annotations

import functools

import msgspec

from checks.knowledge import Table, load


class ManagerRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A package manager and the distributions (os-release's ID) that come with it."""

    name: str
    distributions: tuple[str, ...]


class PackageManagers(Table, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """resources/knowledge/package_managers.toml."""

    manager: tuple[ManagerRow, ...]


def managers_of(distribution: str, like: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The manager of a distribution (os-release's ID and ID_LIKE), or of the first of its like; none if unknown."""
    rows = _table().manager
    names = (row.name for each in (distribution, *like) for row in rows if each in row.distributions)
    return tuple(names)[:1]


@functools.cache
def _table() -> PackageManagers:
    return load("package_managers", PackageManagers)
