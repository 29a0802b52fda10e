"""What still reads and what converts files of formats of the past."""

from __future__ import annotations

import functools

import msgspec

from checks.knowledge import Table, load


class Way(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The way out of a format: programs, as they are called."""

    format: str
    reads: tuple[str, ...]
    converts: tuple[str, ...]

    @property
    def details(self) -> dict[str, str]:
        """It as details of a model file."""
        told = {"read-by": self.reads, "converted-by": self.converts}
        return {key: "; ".join(programs) for key, programs in told.items() if programs}


class ModelConvertersTable(Table, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """resources/knowledge/model_converters.toml."""

    way: tuple[Way, ...]


@functools.cache
def way_out(format_id: str) -> Way | None:
    """The way out of a format; None for one that needs none."""
    rows = load("model_converters", ModelConvertersTable).way
    return next((row for row in rows if row.format == format_id), None)
