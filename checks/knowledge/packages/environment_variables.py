"""The environment variables that a probe may read, and no others."""

from __future__ import annotations

import functools

import msgspec

from checks.knowledge import Table, load


class Group(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Variables of one topic, and where they are documented."""

    topic: str
    source: str
    names: tuple[str, ...]


class EnvironmentVariableTable(Table, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """resources/knowledge/environment_variables.toml."""

    group: tuple[Group, ...]


@functools.cache
def environment_variables() -> EnvironmentVariableTable:
    """The allow list, by topic."""
    return load("environment_variables", EnvironmentVariableTable)


@functools.cache
def allowed_names() -> tuple[str, ...]:
    """All names of the allow list, in the table's order."""
    return tuple(name for group in environment_variables().group for name in group.names)
