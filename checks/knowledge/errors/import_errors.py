"""How import errors are worded, and which cause a text alone shows.

One table for every check that reads an error text, so that one text never counts for two causes: the first row that
matches decides.
"""

import functools
import re
from collections.abc import Iterator

import msgspec

from checks.knowledge import Row, Table

LINE_LIMIT = 2000  # characters of one line that are searched
LINES_LIMIT = 400  # lines of one text that are searched; the last ones, where an exception stands


class ImportErrorText(Row):
    """One wording. ``pattern`` is searched in single lines; ``certainty`` is the share of right verdicts, 0 to 1.

    ``in_warnings``: the framework may only warn with these words and go on, and it is trouble all the same.
    ``requirement``: what to install instead, where the words alone tell it ("protobuf<3.21").
    ``variables``: the environment variables one of which the words are about, where they do not name it.
    ``limit``: the limit of the process that they show ("open_files"). ``fit``: a value that such a variable takes.
    """

    id: str
    cause: str
    pattern: str
    certainty: float
    sources: tuple[str, ...]
    in_warnings: bool = False
    requirement: str = ""
    variables: tuple[str, ...] = ()
    limit: str = ""
    fit: str = ""


class ImportErrors(Table):
    row: tuple[ImportErrorText, ...]


class Recognised(msgspec.Struct, frozen=True):
    """A row that a text matches: the line, stripped, and the named groups that took part."""

    row: ImportErrorText
    line: str
    groups: dict[str, str]


@functools.cache
def _compiled() -> tuple[tuple[ImportErrorText, re.Pattern[str]], ...]:
    return tuple((row, re.compile(row.pattern)) for row in ImportErrors.read().row)


@functools.cache
def fits() -> frozenset[str]:
    """The values that rows name for the variables that they are about."""
    return frozenset(row.fit for row in ImportErrors.read().row if row.fit)


@functools.lru_cache(maxsize=512)  # every cause asks for the same texts
def recognise(text: str) -> Recognised | None:
    """The row that explains a text: the earliest in the table that any line matches; None if none does."""
    lines = [line[:LINE_LIMIT].strip() for line in text.splitlines()[-LINES_LIMIT:]]
    return next(_matches(lines), None)


def _matches(lines: list[str]) -> Iterator[Recognised]:
    for row, pattern in _compiled():
        for line in lines:
            found = pattern.search(line)
            if found is not None:
                groups = {name: value for name, value in found.groupdict().items() if value is not None}
                yield Recognised(row, line, groups)
