"""What was measured, on the pages of the PDF."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtGui import QFontMetricsF, QPagedPaintDevice

from wizard.plots.paper import PlotBlock
from wizard.report.measured import SYMBOLS, MeasuredSection, MeasuredTable
from wizard.report.typeset import DOTS, INK, SOFT, Block, Cell, Paragraph, Run, Style, Table, visible
from wizard.words import words

STATE_COLORS = {
    "blocking": "#b3261e",
    "warning": "#8a5a00",
    "clear": "#1b7f3b",
    "note": "#0b57a4",
    "open": SOFT,
    "absent": SOFT,
    "": INK,
}
_SMALL, _SOFT = Style(size=8.5), Style(size=8.5, color=SOFT)
_HEAD = Style(size=8, bold=True, color=SOFT)
_ROOM = 480.0  # points across a page
_AROUND, _NARROWEST, _STEP = 10.0, 40.0, 4.0  # points of a column


def measured_blocks(sections: tuple[MeasuredSection, ...], device: QPagedPaintDevice, language: str) -> Iterator[Block]:
    """A heading for all, and section by section what it says, its plots, its tables."""
    if not sections:
        return
    yield _title(words("report.heading-measured", language), 0, device)
    for section in sections:
        yield _title(section.title, 1, device)
        for sentence in section.sentences:
            yield Paragraph([Run(visible(sentence))], device, keep_with_next=bool(section.plots))
        for plot in section.plots:
            yield PlotBlock(plot, device, language)
        for table in section.tables:
            yield from _table(table, device)


def _title(text: str, level: int, device: QPagedPaintDevice) -> Block:
    size, before = ((14.0, 16.0), (11.0, 10.0))[level]
    return Paragraph(
        [Run(visible(text), Style(size=size, bold=True, leading=1.35))],
        device,
        before=before,
        after=4.0,
        keep_with_next=True,
        anchor=(level, visible(text)),
    )


def _table(table: MeasuredTable, device: QPagedPaintDevice) -> Iterator[Block]:
    if table.title:
        head = [Run(visible(table.title), Style(size=9.5, bold=True))]
        yield Paragraph(head, device, before=4, after=2, keep_with_next=True)
    shift = 1 if table.has_states else 0
    heads: list[Cell] = [*[[Run("", _HEAD)]] * shift, *([Run(visible(each), _HEAD)] for each in table.columns)]
    rows: list[list[Cell]] = []
    for row in table.rows:
        symbol = Run(SYMBOLS[row.state], Style(size=8.5, bold=True, color=STATE_COLORS[row.state]))
        style = _SOFT if row.state == "absent" else _SMALL
        rows.append([*[[symbol]] * shift, *([Run(visible(cell), style)] for cell in row.cells)])
    if rows:
        numeric = tuple(column + shift for column in table.numeric)
        after = 3 if table.note else 8
        shares = _shares([heads, *rows], device)
        yield Table(rows, shares, device, head=heads, after=after, numeric=numeric)
    if table.note:
        yield Paragraph([Run(visible(table.note), _SOFT)], device, after=8)


def _shares(rows: list[list[Cell]], device: QPagedPaintDevice) -> list[float]:
    """To each column what its longest cell asks for; where that is too much, the widest give way."""
    wanted = [max(_wide(cell, device) for cell in column) + _AROUND for column in zip(*rows, strict=True)]
    widest = max(wanted)
    while sum(min(each, widest) for each in wanted) > _ROOM and widest > _NARROWEST:
        widest -= _STEP
    return [min(each, widest) for each in wanted]


def _wide(cell: Cell, device: QPagedPaintDevice) -> float:
    return sum(QFontMetricsF(run.style.font(), device).horizontalAdvance(run.text) for run in cell) / DOTS
