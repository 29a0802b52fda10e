"""The Edge TPU: which runtime a compiler asks for, and what it can compute."""

import functools

from checks.knowledge import Row, Table


class EdgeTpuCompiler(Row):
    """A release of the compiler. ``change``: the number that it writes into files. ``runtime``: what these ask for."""

    version: str
    change: int
    runtime: int


class EdgeTpuOperator(Row):
    """An operator that can run on the Edge TPU. ``is_heavy``: most of a network's time goes into such operators."""

    name: str
    limit: str = ""
    is_heavy: bool = False


class EdgeTpuTable(Table):
    sram_mb: int
    compiler: tuple[EdgeTpuCompiler, ...]
    operator: tuple[EdgeTpuOperator, ...]


@functools.cache
def edgetpu_operators() -> dict[str, EdgeTpuOperator]:
    """The operators by name."""
    return {row.name: row for row in EdgeTpuTable.read().operator}


def compilers_for(runtime: int) -> tuple[str, ...]:
    """The releases of the compiler whose files ask for a version of the runtime by default."""
    return tuple(dict.fromkeys(row.version for row in EdgeTpuTable.read().compiler if row.runtime == runtime))


def compiler_release(change: int) -> EdgeTpuCompiler | None:
    """The release that was built from a change; None for others, such as nightly ones."""
    return next((row for row in EdgeTpuTable.read().compiler if row.change == change), None)
