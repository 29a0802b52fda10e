"""ncnn's layers, by name and by number."""

import functools

from checks.knowledge import Row, Table


class NcnnLayer(Row):
    """A kind of layer. ``since``: the first release with it ("20220729"); ``weights``: it reads some from the .bin."""

    name: str
    since: str
    weights: bool = False


class NcnnLayersTable(Table):
    """The place of a layer is its number."""

    layer: tuple[NcnnLayer, ...]


@functools.cache
def ncnn_layers() -> dict[str, NcnnLayer]:
    """The layers by name."""
    return {row.name: row for row in NcnnLayersTable.read().layer}
