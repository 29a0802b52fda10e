"""Core ML: which system reads which specification, and the numbers that stand for kinds of models, layers and types."""

import functools

from checks.knowledge import Row, Table


class Specification(Row):
    """A version of the format, and the lowest systems that read it. ``opset``, ``mil``: of ML programs, both names."""

    version: int
    systems: dict[str, str]
    opset: str = ""
    mil: str = ""


class Kind(Row):
    """A kind of model, by its field."""

    number: int
    name: str


class Layer(Row):
    """A layer of neural networks, by its field. ``weights``: the ways to the fields that hold its numbers."""

    number: int
    name: str
    weights: tuple[tuple[int, ...], ...] = ()


class NumberType(Row):
    """A number type, as NumPy and ml_dtypes spell it."""

    number: int
    name: str
    bits: int


class CoreMlTable(Table):
    """The oldest specification comes first."""

    specification: tuple[Specification, ...]
    kind: tuple[Kind, ...]
    layer: tuple[Layer, ...]
    dtype: tuple[NumberType, ...]


@functools.cache
def kinds() -> dict[int, str]:
    """The kinds of models, by field."""
    return {row.number: row.name for row in CoreMlTable.read().kind}


@functools.cache
def layers() -> dict[int, Layer]:
    """The layers, by field."""
    return {row.number: row for row in CoreMlTable.read().layer}


@functools.cache
def number_types() -> dict[int, NumberType]:
    """The number types, by number."""
    return {row.number: row for row in CoreMlTable.read().dtype}


def specification(version: int) -> Specification | None:
    """The row of a version; None where the table has none."""
    return next((row for row in CoreMlTable.read().specification if row.version == version), None)


def specification_of_opset(name: str) -> Specification | None:
    """The row with which an operator set came, by either of its names ("CoreML7", "ios17")."""
    return next((row for row in CoreMlTable.read().specification if name and name in (row.opset, row.mil)), None)
