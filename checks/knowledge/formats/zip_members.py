"""What the names of an archive's members tell of its format."""

import functools
import re
from collections.abc import Sequence

from checks.knowledge import Row, Table


class MembersRow(Row):
    """``names``: a regular expression over the names, one per line. ``formats``: the first where no more is known.

    ``counts``: one member tells of all weights, so that their number is known where that one is whole.
    """

    formats: tuple[str, ...]
    names: str
    counts: bool = False


class ZipMembersTable(Table):
    """The first row that fits decides."""

    row: tuple[MembersRow, ...]


@functools.cache
def _patterns() -> tuple[tuple[re.Pattern[str], MembersRow], ...]:
    return tuple((re.compile(row.names), row) for row in ZipMembersTable.read().row)


def row_of_members(names: Sequence[str]) -> MembersRow | None:
    """What archives with such members are; None where the names say nothing."""
    text = "\n".join(names)
    return next((row for pattern, row in _patterns() if pattern.search(text)), None)
