"""TensorFlow.js: the operators and layers that it knows, and what its backends lack."""

import functools
from collections.abc import Iterable

from checks.facts.versions import release
from checks.knowledge import Row, Table


class Added(Row):
    """Operators that a release was the first to know."""

    release: str
    operators: str


class Lacking(Row):
    """Operators for which a backend has no kernel."""

    backend: str
    operators: str


class TfJsTable(Table):
    newest: str
    layers: str
    added: tuple[Added, ...]
    lacking: tuple[Lacking, ...]


@functools.cache
def _releases() -> dict[str, str]:
    return {name: row.release for row in TfJsTable.read().added for name in row.operators.split()}


@functools.cache
def _layers() -> frozenset[str]:
    return frozenset(TfJsTable.read().layers.split())


def is_tfjs_operator(name: str) -> bool:
    """Whether the newest release knows a TensorFlow operator."""
    return name in _releases()


def is_tfjs_layer(name: str) -> bool:
    """Whether the newest release knows a Keras layer."""
    return name in _layers()


def tfjs_of_operators(names: Iterable[str]) -> str:
    """The first release that was seen to know all of these operators; "" where none is known."""
    return max((_releases().get(name, "") for name in names), key=release, default="")


def lacking_backends(names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Backend -> which of these operators it has no kernel for."""
    operators = list(names)
    found = {row.backend: row.operators.split() for row in TfJsTable.read().lacking}
    lacks = {backend: tuple(name for name in operators if name in without) for backend, without in found.items()}
    return {backend: missing for backend, missing in lacks.items() if missing}
