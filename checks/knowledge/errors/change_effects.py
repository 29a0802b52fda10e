"""By which words a failure can have to do with a change of a variable, of the machine, or of the system."""

import functools
import re

from checks.facts.history import ChangeKind
from checks.knowledge import Row, Table


class Effect(Row):
    """Changes of these kinds and names can lead to failures with these words."""

    kinds: tuple[ChangeKind, ...]
    names: tuple[str, ...]
    words: tuple[str, ...]
    weight: int
    source: str


class ChangeEffects(Table):
    row: tuple[Effect, ...]


@functools.cache
def _compiled() -> tuple[tuple[Effect, re.Pattern[str], re.Pattern[str]], ...]:
    return tuple((row, re.compile("|".join(row.names)), re.compile("|".join(row.words))) for row in _rows())


def _rows() -> tuple[Effect, ...]:
    return ChangeEffects.read().row


def weight_of(kind: str, name: str, failure: str) -> int:
    """How much the words of a failure tell of a change, 0 to 100; 0: no row fits both."""
    fitting = (
        row.weight
        for row, names, words in _compiled()
        if kind in row.kinds and names.fullmatch(name) and words.search(failure)
    )
    return max(fitting, default=0)
