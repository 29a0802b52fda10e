"""Model file formats: how far each is bound to its environment, what reads it, whether loading it can run code."""

from __future__ import annotations

import functools

import msgspec

from checks.facts import Binding
from checks.knowledge import Table, load
from checks.knowledge.ai_packages import ai_packages


class ModelFormat(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One format. ``bound_to``, ``runs_code`` and ``group`` are ids of resources/translations/models.toml.

    ``group``: "free" (moves between machines), "bound" (made for one environment). ``readers``: programs that load it,
    by the names of the fields of Frameworks where they are one, else by package or program. ``retired``: the year of
    the last release of the framework that wrote it, for formats of the past.
    """

    id: str
    name: str
    extensions: tuple[str, ...] = ()
    group: str
    dependence: str
    bound_to: tuple[str, ...] = ()
    runs_code: str  # "no", "yes", "device", "unless-safe"
    readers: tuple[str, ...] = ()
    retired: int | None = None
    source: str = ""

    @property
    def bindings(self) -> tuple[Binding, ...]:
        """What every file of the format is bound to, as facts without a value."""
        return tuple(Binding(kind=each) for each in self.bound_to)


class Reader(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A program among the ``readers`` of the formats that comes as a Python distribution, and under which names."""

    id: str
    packages: tuple[str, ...]


class ModelFormatsTable(Table, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """resources/knowledge/model_formats.toml."""

    format: tuple[ModelFormat, ...]
    reader: tuple[Reader, ...]


@functools.cache
def model_formats_table() -> ModelFormatsTable:
    """The table."""
    return load("model_formats", ModelFormatsTable)


@functools.cache
def _by_id() -> dict[str, ModelFormat]:
    return {row.id: row for row in model_formats_table().format}


def model_format(format_id: str) -> ModelFormat | None:
    """The row of a format; None where the table has none."""
    return _by_id().get(format_id)


def is_named_as_model(name: str) -> bool:
    """Whether a name ends as the files of a format do."""
    return name.lower().endswith(_endings())


@functools.cache
def _endings() -> tuple[str, ...]:
    return tuple({each.lower() for row in model_formats_table().format for each in row.extensions})


@functools.cache
def distributions_of(reader: str) -> tuple[str, ...]:
    """The distributions (normalised names) that bring a reader; () where it is no Python package."""
    rows = ((row.id, row.packages) for row in model_formats_table().reader)
    frameworks = ((row.name, row.packages) for row in ai_packages().framework)
    return next((packages for name, packages in (*rows, *frameworks) if name == reader), ())
