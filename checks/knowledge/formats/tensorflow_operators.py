"""TensorFlow's own operators, and the release in which each came."""

import functools
from collections.abc import Iterable

from checks.facts.versions import release
from checks.knowledge import Row, Table


class Added(Row):
    """Operators that a release brought; ``release`` "" for those that are older, or whose release is not known."""

    release: str = ""
    operators: str  # names, with spaces between them


class Library(Row):
    """Operators of a package, by their names or by how these begin."""

    package: str
    begins: tuple[str, ...] = ()
    operators: str = ""


class TensorFlowOperatorsTable(Table):
    added: tuple[Added, ...]
    library: tuple[Library, ...]


@functools.cache
def _releases() -> dict[str, str]:
    return {name: row.release for row in TensorFlowOperatorsTable.read().added for name in row.operators.split()}


def is_tensorflow_operator(name: str) -> bool:
    """Whether TensorFlow itself has, or had, an operator."""
    return name in _releases()


def tensorflow_of_operators(names: Iterable[str]) -> str:
    """The first release ("2.4") that has all of these operators; "" where none of them tells."""
    return max((_releases().get(name, "") for name in names), key=release, default="")


def library_of(name: str) -> str:
    """The package that brings an operator which TensorFlow has not; "" where none is known."""
    return next(
        (
            row.package
            for row in TensorFlowOperatorsTable.read().library
            if name.startswith(row.begins) or name in row.operators.split()
        ),
        "",
    )
