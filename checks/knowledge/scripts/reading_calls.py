"""Calls of a program that only read or compute: tried alone, they change nothing, and show what they cannot read."""

from __future__ import annotations

import functools

from checks.knowledge import Row, Table


class ReadingCall(Row):
    """Functions that may be called alone with what the program gives them.

    ``names``: by the one name of module_names.toml, "()" stands for what a call gives. ``path``: position and keyword
    of the argument that names a file or folder. ``is_tried``: whether a call of it is worth trying by itself; others
    only stand within such calls. ``is_model``: what it names is read like a model that was given. ``instead``: the
    expression to try in its stead, with {path}; ``then``: what is added to it. ``is_of_hub``: what it names is a folder
    or else a model of a hub, which is looked for only where nothing can be downloaded. ``downloads``: it fetches what
    is not there. ``only``: keywords with the one value with which it only reads. ``package`` and ``since``: the release
    from which it only reads.
    """

    names: tuple[str, ...]
    path: tuple[int, str] | None = None
    is_tried: bool = False
    is_model: bool = False
    instead: str = ""
    then: str = ""
    is_of_hub: bool = False
    downloads: bool = False
    only: dict[str, bool | str] = {}
    package: str = ""
    since: str = ""
    source: str


class ReadingCalls(Table):
    """resources/knowledge/scripts/reading_calls.toml."""

    call: tuple[ReadingCall, ...]


@functools.cache
def _by_name() -> dict[str, ReadingCall]:
    return {name: row for row in ReadingCalls.read().call for name in row.names}


@functools.cache
def _by_end() -> tuple[tuple[str, ReadingCall], ...]:
    return tuple((name.partition("*")[2], row) for name, row in _by_name().items() if "*" in name)


def reading_call(meaning: str) -> ReadingCall | None:
    """The row of a function by what its name stands for ("numpy.load"); a row may name the end of it alone."""
    row = _by_name().get(meaning)
    if row is not None or "." not in meaning:
        return row
    package = meaning.partition(".")[0]
    for end, found in _by_end():
        if meaning.endswith(end) and found.names[0].startswith(f"{package}."):
            return found
    return None
