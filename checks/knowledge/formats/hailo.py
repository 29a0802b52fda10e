"""Hailo executables: chips, layouts and extensions, and the HailoRT that knows them."""

from checks.knowledge import Row, Table


class Layout(Row):
    """A layout of the header, and the first HailoRT that reads it."""

    version: int
    since: str


class Chip(Row):
    """What a file is compiled for. ``runs_on``: the chips that run it."""

    number: int
    name: str
    runs_on: tuple[str, ...]
    since: str


class Extension(Row):
    """Something that a runtime must know to take a file."""

    number: int
    name: str
    since: str


class HailoTable(Table):
    layout: tuple[Layout, ...]
    chip: tuple[Chip, ...]
    extension: tuple[Extension, ...]


def hailo_chip(number: int) -> Chip | None:
    """The row of a chip; None for one that the table does not know."""
    return next((row for row in HailoTable.read().chip if row.number == number), None)


def first_hailort(layout: int, chip: int, extensions: tuple[int, ...]) -> str | None:
    """The first HailoRT that knows all of it; None if the table does not know all of it either."""
    table = HailoTable.read()
    wanted = (
        [row.since for row in table.layout if row.version == layout],
        [row.since for row in table.chip if row.number == chip],
        *([row.since for row in table.extension if row.number == extension] for extension in extensions),
    )
    if not all(wanted):
        return None
    return max((releases[0] for releases in wanted), key=lambda version: [int(part) for part in version.split(".")])
