"""Darknet's layers."""

from __future__ import annotations

import functools

from checks.knowledge import Table, load


class DarknetLayersTable(Table, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """resources/knowledge/darknet_layers.toml. ``fork``: what only AlexeyAB's Darknet and its heirs know."""

    original: tuple[str, ...]
    fork: tuple[str, ...]


@functools.cache
def darknet_layers() -> DarknetLayersTable:
    """The table."""
    return load("darknet_layers", DarknetLayersTable)
