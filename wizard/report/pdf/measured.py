"""What was measured, on the pages of the PDF."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtGui import QPagedPaintDevice

from wizard.report.content.measured.blocks import SYMBOLS, MeasuredSection, MeasuredTable, Plot, in_full
from wizard.report.content.measured.line import left_out_line
from wizard.report.pdf.columns import Columns
from wizard.report.pdf.fitted_table import fitted
from wizard.report.pdf.plot import PlotBlock
from wizard.report.pdf.typeset import INK, SOFT, Block, Cell, Paragraph, Run, Style, visible
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
_SOFT = Style(size=8.0, color=SOFT)
_BRIEF, _BRIEF_BOLD = Style(size=7.5, leading=1.35), Style(size=7.5, leading=1.35, bold=True)
_MANY = 6  # columns, from which on they are set in smaller type


def measured_blocks(sections: tuple[MeasuredSection, ...], device: QPagedPaintDevice, language: str) -> Iterator[Block]:
    """A heading for all, and section by section."""
    if not sections:
        return
    yield _title(words("report.heading-measured", language), 0, device)
    for section in sections:
        yield from section_blocks(section, device, language, level=1)


def section_blocks(
    section: MeasuredSection, device: QPagedPaintDevice, language: str, *, level: int = 0
) -> Iterator[Block]:
    """One section under a heading of this level: what it says, its plots, its tables."""
    yield _title(section.title, level, device)
    for sentence in section.sentences:
        yield Paragraph([Run(visible(sentence))], device, after=3)
    yield from _plots(section.plots, device, language)
    for table in section.tables:
        yield from _table(table, device, language)


def _plots(plots: tuple[Plot, ...], device: QPagedPaintDevice, language: str) -> Iterator[Block]:
    """Those of lines and bars over the whole width; of points, which are many of one kind, two beside each other."""
    points = [PlotBlock(plot, device, language) for plot in plots if plot.kind == "points"]
    for first in range(0, len(points), 2):
        yield Columns(points[first : first + 2], floats=True) if first + 1 < len(points) else points[first]
    yield from (PlotBlock(plot, device, language) for plot in plots if plot.kind != "points")


def _title(text: str, level: int, device: QPagedPaintDevice) -> Block:
    size, before = ((13.0, 13.0), (10.5, 8.0))[level]
    return Paragraph(
        [Run(visible(text), Style(size=size, bold=True, leading=1.35))],
        device,
        before=before,
        after=3.0,
        keep_with_next=True,
        anchor=(level, visible(text)),
    )


def _table(table: MeasuredTable, device: QPagedPaintDevice, language: str) -> Iterator[Block]:
    if table.title:
        head = [Run(visible(table.title), Style(size=9.5, bold=True))]
        yield Paragraph(head, device, before=4, after=2, keep_with_next=True)
    briefly, table = table.in_brief, in_full(table)
    shift = 1 if table.has_states else 0
    size = 8.0 if len(table.columns) <= _MANY else 7.2
    head_style = Style(size=size - 0.4, bold=True, color=SOFT)
    heads: list[Cell] = [
        *[[Run("", head_style)]] * shift,
        *([Run(visible(each), head_style)] for each in table.columns),
    ]
    rows: list[list[Cell]] = []
    for row in table.printed:
        symbol = Run(SYMBOLS[row.state], Style(size=size, bold=True, color=STATE_COLORS[row.state]))
        style = Style(size=size, color=SOFT if row.state == "absent" else INK)
        rows.append([*[[symbol]] * shift, *([Run(visible(cell), style)] for cell in row.cells)])
    if rows:
        numeric = tuple(column + shift for column in table.numeric)
        after = 3 if table.note or table.left_out or briefly else 8
        yield fitted(heads, rows, device, numeric=numeric, after=after)
    for group, rows_there in briefly.items():
        listed = [Run(f"{visible(group)}:  ", _BRIEF_BOLD), Run(visible(" · ".join(rows_there)), _BRIEF)]
        yield Paragraph(listed, device, after=4, follows=True)
    for line in (left_out_line(table, language), table.note):
        if line:
            yield Paragraph([Run(visible(line), _SOFT)], device, after=6, follows=True)
