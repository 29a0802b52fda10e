"""Measurements as a print shows them: sentences, tables, plots. Data only; every print draws them in its own way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from checks.case import Case


@dataclass(frozen=True)
class MeasuredRow:
    """A row of a table. ``state``: "blocking", "warning", "note", "clear", "open", "absent"; "" for plain figures."""

    cells: tuple[str, ...]
    state: str = ""


@dataclass(frozen=True)
class MeasuredTable:
    """A table. ``numeric``: the columns, counted from 0, that hold figures, to be set to the right."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[MeasuredRow, ...]
    numeric: tuple[int, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Series:
    """A line or a set of bars. Points whose ``y`` is None are gaps."""

    name: str
    x: tuple[float, ...]
    y: tuple[float | None, ...]


@dataclass(frozen=True)
class Plot:
    """A plot. ``kind``: "lines", "points" or "bars" (then ``categories`` name the places on the x axis).

    ``summary``: what it shows in one sentence, for those who cannot see it, and for prints without pictures.
    """

    title: str
    kind: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    summary: str
    categories: tuple[str, ...] = ()
    log_x: bool = False
    log_y: bool = False


@dataclass(frozen=True)
class MeasuredSection:
    """What was measured of one question."""

    id: str
    title: str
    sentences: tuple[str, ...] = ()
    tables: tuple[MeasuredTable, ...] = ()
    plots: tuple[Plot, ...] = ()


# One function per question, in the order in which the report answers them.
_SECTIONS: tuple[Callable[[Case, str], MeasuredSection | None], ...] = ()


def measured_sections(case: Case, language: str) -> tuple[MeasuredSection, ...]:
    """Everything that was measured, in words of one language; nothing where nothing was."""
    found = (section(case, language) for section in _SECTIONS) if case.facts.measurements else ()
    return tuple(each for each in found if each is not None)
