"""MNN's operators, by number."""

import functools

from checks.knowledge import Row, Table


class MnnOperator(Row):
    """An operator of the schema."""

    code: int
    name: str


class MnnOperatorsTable(Table):
    operator: tuple[MnnOperator, ...]


@functools.cache
def mnn_operators() -> dict[int, str]:
    """Number -> name."""
    return {row.code: row.name for row in MnnOperatorsTable.read().operator}
