"""Caffe's layers."""

import functools
import re

from checks.knowledge import Row, Table


class CaffeLayer(Row):
    """A kind of layer. ``v1``: its number in old files; ``fork``: the fork that added it; ``weights``: it has some."""

    name: str
    v1: int | None = None
    fork: str = ""
    weights: bool = False


class CaffeLayersTable(Table):
    layer: tuple[CaffeLayer, ...]


@functools.cache
def caffe_layers() -> dict[str, CaffeLayer]:
    """The layers by name."""
    return {row.name: row for row in CaffeLayersTable.read().layer}


@functools.cache
def caffe_layer_names() -> dict[int, str]:
    """The names by the numbers of old files."""
    return {row.v1: row.name for row in caffe_layers().values() if row.v1 is not None}


@functools.cache
def caffe_old_names() -> dict[str, str]:
    """The names by the words that old texts have for the numbers ("INNER_PRODUCT")."""
    rows = [row for row in caffe_layers().values() if row.v1]
    apart = {re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", row.name).upper(): row.name for row in rows}
    return {**{row.name.upper(): row.name for row in rows}, **apart, "SOFTMAX_LOSS": "SoftmaxWithLoss"}
