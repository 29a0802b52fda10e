"""Keras: the layers it brings, and what in a file which Keras refuses."""

import functools
from collections.abc import Iterable

import msgspec
from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

from checks.facts.versions import release
from checks.knowledge import Row, Table


class Generation(Row):
    """Files of a format by one generation of Keras that other versions refuse whole."""

    format: str
    written_by: int
    refused: str
    error: str


class Argument(Row):
    """A class, or an argument of it, that some versions of Keras do not know."""

    class_: str = msgspec.field(name="class")
    name: str = ""
    refused: str

    @property
    def shown(self) -> str:
        """As details name it: "LSTM(time_major)"."""
        return f"{self.class_}({self.name})" if self.name else self.class_


class Trait(Row):
    """A shape of a description that some versions of Keras do not read."""

    name: str
    refused: str
    meaning: str


class Code(Row):
    """Which versions of Keras refuse the Python code in a file of a format."""

    format: str
    refused: str


class Layers(Row):
    """The classes that a generation of Keras brings."""

    generation: int
    names: str


class KerasTable(Table):
    generation: tuple[Generation, ...]
    argument: tuple[Argument, ...]
    trait: tuple[Trait, ...]
    code: tuple[Code, ...]
    layers: tuple[Layers, ...]


@functools.cache
def _known() -> frozenset[str]:
    return frozenset(name for row in KerasTable.read().layers for name in row.names.split())


@functools.cache
def _arguments() -> dict[str, tuple[Argument, ...]]:
    found: dict[str, tuple[Argument, ...]] = {}
    for row in KerasTable.read().argument:
        found[row.class_] = (*found.get(row.class_, ()), row)
    return found


def is_keras_class(name: str) -> bool:
    """Whether Keras itself brings, or brought, a layer of this name."""
    return name in _known()


def refusable(class_name: str, arguments: Iterable[str]) -> tuple[Argument, ...]:
    """What of a class with these arguments not every Keras takes."""
    passed = set(arguments)
    return tuple(row for row in _arguments().get(class_name, ()) if not row.name or row.name in passed)


def refused_by(version: str, shown: Iterable[str]) -> tuple[str, ...]:
    """Which of the things that a file names a version of Keras refuses."""
    rules = [(row.shown, row.refused) for row in KerasTable.read().argument]
    rules += [(row.name, row.refused) for row in KerasTable.read().trait]
    bad = {name for name, refused in rules if is_within(version, refused)}
    return tuple(name for name in shown if name in bad)


def refused_generation(format_id: str, written_by: int, version: str) -> Generation | None:
    """The row that says that a version of Keras refuses files of this format and generation; None where none does."""
    return next(
        (
            row
            for row in KerasTable.read().generation
            if row.format == format_id and row.written_by == written_by and is_within(version, row.refused)
        ),
        None,
    )


def refuses_code(format_id: str, version: str) -> bool:
    """Whether a version of Keras loads a file of this format with Python code in it only on request."""
    return any(row.format == format_id and is_within(version, row.refused) for row in KerasTable.read().code)


def least_keras_3(shown: Iterable[str]) -> str:
    """The first Keras 3 that knows all of these things ("3.13"); "3" where they ask for nothing newer."""
    features = set(shown)
    table = KerasTable.read()
    news = [row.refused for row in table.argument if row.shown in features]
    news += [row.refused for row in table.trait if row.name in features]
    limits = (limit.removeprefix(">=3,<") for limit in news if limit.startswith(">=3,<"))
    return max(limits, key=release, default="3")


def is_within(version: str, specifier: str) -> bool:
    """Whether a version meets a specifier; what is no version meets none."""
    try:
        return SpecifierSet(specifier).contains(Version(version), prereleases=True)
    except InvalidVersion:
        return False
