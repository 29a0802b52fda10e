"""What still reads and what converts files of formats of the past."""

import functools

from checks.knowledge import Row, Table


class Way(Row):
    """The way out of a format: programs, as they are called."""

    format: str
    reads: tuple[str, ...]
    converts: tuple[str, ...]

    @property
    def details(self) -> dict[str, str]:
        """It as details of a model file."""
        programs_of = {"read-by": self.reads, "converted-by": self.converts}
        return {key: "; ".join(programs) for key, programs in programs_of.items() if programs}


class ModelConvertersTable(Table):
    way: tuple[Way, ...]


@functools.cache
def way_out(format_id: str) -> Way | None:
    """The way out of a format; None for one that needs none."""
    rows = ModelConvertersTable.read().way
    return next((row for row in rows if row.format == format_id), None)
