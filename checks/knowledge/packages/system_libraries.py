"""Which package of the operating system holds a library."""

from __future__ import annotations

import functools

import msgspec

from checks.knowledge import Table, load


class SystemLibrary(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A library by the start of its file name, and its package for apt and for dnf."""

    library: str
    apt: str
    dnf: str
    source: str


class SystemLibraries(Table, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """resources/knowledge/system_libraries.toml."""

    row: tuple[SystemLibrary, ...]


@functools.cache
def system_libraries() -> SystemLibraries:
    """The libraries and their packages."""
    return load("system_libraries", SystemLibraries)


def package_of_library(file_name: str) -> SystemLibrary | None:
    """The row of a library ("libGL.so.1"); None where the table does not know it."""
    return next((row for row in system_libraries().row if file_name.startswith(row.library)), None)
