"""ncnn's layers, by name and by number."""

from __future__ import annotations

import functools

import msgspec

from checks.knowledge import Table, load


class NcnnLayer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A kind of layer. ``since``: the first release with it ("20220729"); ``weights``: it reads some from the .bin."""

    name: str
    since: str
    weights: bool = False


class NcnnLayersTable(Table, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """resources/knowledge/ncnn_layers.toml. The place of a layer is its number."""

    layer: tuple[NcnnLayer, ...]


@functools.cache
def ncnn_layers_table() -> NcnnLayersTable:
    """The table."""
    return load("ncnn_layers", NcnnLayersTable)


@functools.cache
def ncnn_layers() -> dict[str, NcnnLayer]:
    """The layers by name."""
    return {row.name: row for row in ncnn_layers_table().layer}
