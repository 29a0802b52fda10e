"""OpenVINO: the first release that reads a version of the IR, an operator set, a number type."""

import functools

from checks.knowledge import Row, Table


class IrVersion(Row):
    """A version of the IR. ``dropped``: the first release that no longer reads it."""

    version: int
    first: str
    dropped: str | None = None


class OperatorSet(Row):
    """An operator set, and the release that it came with."""

    name: str
    first: str


class IrType(Row):
    """A number type: its name in the IR, and as NumPy and ml_dtypes spell it."""

    name: str
    dtype: str
    bits: int
    first: str | None = None


class OpenVinoTable(Table):
    ir: tuple[IrVersion, ...]
    opset: tuple[OperatorSet, ...]
    dtype: tuple[IrType, ...]


def ir_version(version: int) -> IrVersion | None:
    """The row of a version of the IR; None where the table has none."""
    return next((row for row in OpenVinoTable.read().ir if row.version == version), None)


@functools.cache
def opsets() -> dict[str, str]:
    """Operator set -> the release that it came with."""
    return {row.name: row.first for row in OpenVinoTable.read().opset}


@functools.cache
def ir_types() -> dict[str, IrType]:
    """The number types, by their name in the IR."""
    return {row.name: row for row in OpenVinoTable.read().dtype}
