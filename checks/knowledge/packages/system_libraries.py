"""Which package of the operating system holds a library."""

from checks.knowledge import Row, Table


class SystemLibrary(Row):
    """A library by the start of its file name, and its package for apt and for dnf."""

    library: str
    apt: str
    dnf: str
    source: str


class SystemLibraries(Table):
    row: tuple[SystemLibrary, ...]


def package_of_library(file_name: str) -> SystemLibrary | None:
    """The row of a library ("libGL.so.1"); None where the table does not know it."""
    return next((row for row in SystemLibraries.read().row if file_name.startswith(row.library)), None)


def packages_of_libraries() -> frozenset[str]:
    """The packages of the operating system that the table names."""
    return frozenset(name for row in SystemLibraries.read().row for name in (row.apt, row.dnf))


def names_of_libraries() -> frozenset[str]:
    """What the table calls them: starts of file names, and the names by which packages look for some: "PortAudio"."""
    return frozenset(row.library for row in SystemLibraries.read().row)
