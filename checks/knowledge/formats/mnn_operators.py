"""MNN's operators, by number."""

from __future__ import annotations

import functools

import msgspec

from checks.knowledge import Table, load


class MnnOperator(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An operator of the schema."""

    code: int
    name: str


class MnnOperatorsTable(Table, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """resources/knowledge/mnn_operators.toml."""

    operator: tuple[MnnOperator, ...]


@functools.cache
def mnn_operators_table() -> MnnOperatorsTable:
    """The table."""
    return load("mnn_operators", MnnOperatorsTable)


@functools.cache
def mnn_operators() -> dict[int, str]:
    """Number -> name."""
    return {row.code: row.name for row in mnn_operators_table().operator}
