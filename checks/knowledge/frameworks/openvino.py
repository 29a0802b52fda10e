"""OpenVINO: the first release that reads a version of the IR, an operator set, a number type."""

from __future__ import annotations

import functools

import msgspec

from checks.knowledge import Table, load


class IrVersion(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A version of the IR. ``dropped``: the first release that no longer reads it."""

    version: int
    first: str
    dropped: str | None = None


class OperatorSet(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An operator set, and the release that it came with."""

    name: str
    first: str


class IrType(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A number type: its name in the IR, and as NumPy and ml_dtypes spell it."""

    name: str
    dtype: str
    bits: int
    first: str | None = None


class OpenVinoTable(Table, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """resources/knowledge/openvino.toml."""

    ir: tuple[IrVersion, ...]
    opset: tuple[OperatorSet, ...]
    dtype: tuple[IrType, ...]


@functools.cache
def openvino_table() -> OpenVinoTable:
    """The table."""
    return load("openvino", OpenVinoTable)


def ir_version(version: int) -> IrVersion | None:
    """The row of a version of the IR; None where the table has none."""
    return next((row for row in openvino_table().ir if row.version == version), None)


@functools.cache
def opsets() -> dict[str, str]:
    """Operator set -> the release that it came with."""
    return {row.name: row.first for row in openvino_table().opset}


@functools.cache
def ir_types() -> dict[str, IrType]:
    """The number types, by their name in the IR."""
    return {row.name: row for row in openvino_table().dtype}
