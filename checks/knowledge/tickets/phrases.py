"""What people say in many ways, as patterns that the signatures of the causes share."""

import functools
import re

from checks.knowledge import Row, Table

_NAME = re.compile(r"\{([a-z][a-z0-9-]*)\}")


class TicketPhrase(Row):
    """One thing that people say. ``pattern`` is RE2, as in a signature."""

    id: str
    pattern: str


class TicketPhrases(Table):
    row: tuple[TicketPhrase, ...]


@functools.cache
def _expanded() -> dict[str, str]:
    known: dict[str, str] = {}
    for row in TicketPhrases.read().row:
        known[row.id] = f"(?:{_filled(row.pattern, known)})"
    return known


def expand(pattern: str) -> str:
    """The pattern with each {name} replaced by the phrase of that name.

    Raises:
        KeyError: there is no such phrase.
    """
    return _filled(pattern, _expanded())


def _filled(pattern: str, known: dict[str, str]) -> str:
    return _NAME.sub(lambda found: known[found.group(1)], pattern)
