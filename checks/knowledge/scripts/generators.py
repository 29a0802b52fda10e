"""Random generators: which calls draw from them and which seed them."""

import functools
import re
from collections.abc import Iterable

from checks.knowledge import Row, Table


class Generator(Row):
    """``draws``, ``initial``: names, "*" for any end. ``unless``: an argument by which a call has its own generator."""

    id: str
    seed: str
    draws: tuple[str, ...]
    initial: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()


class Seeder(Row):
    names: tuple[str, ...]
    generators: tuple[str, ...]


class GeneratorsTable(Table):
    generator: tuple[Generator, ...]
    seeder: tuple[Seeder, ...]


@functools.lru_cache(maxsize=50_000)
def drawn_by(meaning: str) -> tuple[Generator, bool] | None:
    """The generator from which a call draws, and whether that only gives first weights; None: from none."""
    if not meaning or meaning[0] in "@?" or meaning.startswith("builtins."):
        return None
    for generator, draws, initial in _compiled():
        if draws.fullmatch(meaning):
            return generator, False
        if initial.fullmatch(meaning):
            return generator, True
    return None


@functools.lru_cache(maxsize=50_000)
def seeded_by(meaning: str) -> frozenset[str]:
    """The ids of the generators that a call seeds; "*" for all."""
    return frozenset(name for row, names in _seeders() if names.fullmatch(meaning) for name in row)


@functools.cache
def generator_of(name: str) -> Generator:
    """The generator of an id."""
    return next(row for row in GeneratorsTable.read().generator if row.id == name)


@functools.cache
def _compiled() -> tuple[tuple[Generator, re.Pattern[str], re.Pattern[str]], ...]:
    rows = GeneratorsTable.read().generator
    return tuple((row, any_of(row.draws), any_of(row.initial)) for row in rows)


@functools.cache
def _seeders() -> tuple[tuple[tuple[str, ...], re.Pattern[str]], ...]:
    table = GeneratorsTable.read()
    own = [((row.id,), any_of([row.seed])) for row in table.generator]
    return (*own, *((row.generators, any_of(row.names)) for row in table.seeder))


def any_of(names: Iterable[str]) -> re.Pattern[str]:
    """A pattern for any of these names, in which "*" stands for any characters but dots."""
    told = "|".join(re.escape(name).replace(r"\*", r"[^.]*") for name in names)
    return re.compile(told or r"(?!)")
