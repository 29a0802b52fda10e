"""The environment variables that a probe may read, and no others."""

import functools

from checks.knowledge import Row, Table


class Group(Row):
    """Variables of one topic, and where they are documented."""

    topic: str
    source: str
    names: tuple[str, ...]


class EnvironmentVariableTable(Table):
    group: tuple[Group, ...]


@functools.cache
def allowed_names() -> tuple[str, ...]:
    """All names of the allow list, in the table's order."""
    return tuple(name for group in EnvironmentVariableTable.read().group for name in group.names)
