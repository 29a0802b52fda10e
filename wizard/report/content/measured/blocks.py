"""Measurements as a print shows them: sentences, tables, plots. Data only; every print draws them in its own way."""

from __future__ import annotations

from dataclasses import dataclass, replace

_FEW_ABSENT = 3  # rows of what was not measured that a table keeps
_MANY_ROWS = 4  # from which on a column that is empty throughout tells nothing
_EMPTY = ("", "–")
_MANY_BRIEF = 6  # rows from which on it pays to print them in few words
FEW_ROWS = 12  # of a table that is shown whole where room is scarce
SYMBOLS = {"blocking": "×", "warning": "!", "note": "i", "clear": "✓", "open": "?", "absent": "–", "": ""}


@dataclass(frozen=True)
class MeasuredRow:
    """A row of a table. ``state``: "blocking", "warning", "note", "clear", "open", "absent"; "" for plain figures.

    A print shows the state as a symbol before the row; a cell says in words what it is.
    """

    cells: tuple[str, ...]
    state: str = ""
    brief: str = ""  # where it tells nothing unusual: all that its group does not say, in few words
    group: str = ""  # what can be said of this and other such rows


@dataclass(frozen=True)
class MeasuredTable:
    """A table. ``numeric``: the columns, counted from 0, that hold figures, to be set to the right."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[MeasuredRow, ...]
    numeric: tuple[int, ...] = ()
    note: str = ""

    @property
    def is_long(self) -> bool:
        """Whether it takes more room than it is worth to somebody who only looks over the report."""
        return len(self.rows) > FEW_ROWS

    @property
    def has_states(self) -> bool:
        """Whether some row has one."""
        return any(row.state for row in self.rows)

    @property
    def left_out(self) -> tuple[str, ...]:
        """What was not measured, by the names of the rows, where there are too many of them to print each."""
        absent = tuple(row.cells[0] for row in self.rows if row.state == "absent")
        return absent if len(absent) > _FEW_ABSENT else ()

    @property
    def printed(self) -> tuple[MeasuredRow, ...]:
        """The rows of a print that names those left out in one sentence."""
        return tuple(row for row in self.rows if row.state != "absent") if self.left_out else self.rows

    @property
    def in_brief(self) -> dict[str, tuple[str, ...]]:
        """Where there are many rows that tell nothing unusual: each in few words, by what can be said of a group."""
        briefly = [row for row in self.rows if row.brief]
        if len(briefly) < _MANY_BRIEF:
            return {}
        return {
            group: tuple(row.brief for row in briefly if row.group == group)
            for group in dict.fromkeys(row.group for row in briefly)
        }

    @property
    def telling(self) -> tuple[MeasuredRow, ...]:
        """The rows that are read first: of a long table those that tell of a trouble, as many as fit."""
        if len(self.printed) <= FEW_ROWS:
            return self.printed
        return tuple(row for row in self.rows if row.state in ("blocking", "warning"))[:FEW_ROWS]


def trimmed(table: MeasuredTable) -> MeasuredTable:
    """The table without the columns in which none of many rows has anything."""
    kept = [
        index
        for index in range(len(table.columns))
        if len(table.printed) < _MANY_ROWS or any(row.cells[index] not in _EMPTY for row in table.printed)
    ]
    if len(kept) == len(table.columns):
        return table
    return replace(
        table,
        columns=tuple(table.columns[index] for index in kept),
        rows=tuple(replace(row, cells=tuple(row.cells[index] for index in kept)) for row in table.rows),
        numeric=tuple(place for place, index in enumerate(kept) if index in table.numeric),
    )


def in_full(table: MeasuredTable) -> MeasuredTable:
    """The table without the rows that are printed in brief."""
    return trimmed(replace(table, rows=tuple(row for row in table.rows if not row.brief))) if table.in_brief else table


@dataclass(frozen=True)
class Series:
    """A line or a set of bars. Points whose ``y`` is None are gaps."""

    name: str
    x: tuple[float, ...]
    y: tuple[float | None, ...]


@dataclass(frozen=True)
class Plot:
    """A plot. ``kind``: "lines", "points" or "bars" (then ``categories`` name the places on the x axis).

    Where a line goes through places with names, these are its ``categories``, too: 0 is the first.

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
