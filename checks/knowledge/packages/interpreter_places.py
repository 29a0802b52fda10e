"""Where tools keep Python interpreters and environments."""

from __future__ import annotations

import functools

import msgspec

from checks.knowledge import Table, load


class ToolPlaces(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Path patterns of one tool on some systems; the head of the table explains how they are written."""

    found_by: str
    systems: tuple[str, ...]
    paths: tuple[str, ...]
    source: str


class JupyterPlaces(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Folders of Jupyter's data, which hold kernels/<name>/kernel.json."""

    systems: tuple[str, ...]
    paths: tuple[str, ...]
    source: str


class InterpreterPlaces(Table, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """resources/knowledge/interpreter_places.toml."""

    place: tuple[ToolPlaces, ...]
    jupyter: tuple[JupyterPlaces, ...]


@functools.cache
def interpreter_places() -> InterpreterPlaces:
    """The whole table."""
    return load("interpreter_places", InterpreterPlaces)
