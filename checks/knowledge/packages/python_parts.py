"""Which modules of the standard library a Python may lack because of how it was built or packed."""

import functools

from checks.knowledge import Row, Table


class Part(Row):
    """``apt``, ``dnf``, ``brew``: what to install before building; ``own``: the package of the system's own Python."""

    modules: tuple[str, ...]
    apt: str
    dnf: str
    brew: str
    own: str = ""
    own_dnf: str = ""


class PythonParts(Table):
    """resources/knowledge/packages/python_parts.toml."""

    part: tuple[Part, ...]


def part_of(module: str) -> Part | None:
    """The row of a module ("_ctypes", "tkinter.ttk"); None where every Python has it."""
    first = module.partition(".")[0]
    return next((row for row in PythonParts.read().part if first in row.modules), None)


@functools.cache
def packages_of_parts() -> frozenset[str]:
    """The packages of the operating system that the table names."""
    rows = PythonParts.read().part
    return frozenset(name for row in rows for name in (row.apt, row.dnf, row.brew, row.own, row.own_dnf) if name)
