"""What was measured, on the pages of the PDF."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtGui import QFontMetricsF, QPagedPaintDevice

from wizard.plots.paper import PlotBlock
from wizard.report.measured import SYMBOLS, MeasuredSection, MeasuredTable
from wizard.report.measured_line import left_out_line
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
_SOFT = Style(size=8.5, color=SOFT)
_ROOM = 480.0  # points across a page
_AROUND, _STEP = 10.0, 4.0  # points of a column
_NAME = 92.0  # points that the name of a row gets before it breaks
_LONGEST_WORD = 20  # characters
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
    for left, sentence in zip(range(len(section.sentences) - 1, -1, -1), section.sentences, strict=True):
        keeps = not left and bool(section.plots)  # the last one stays with the plot, all of them need not
        yield Paragraph([Run(visible(sentence))], device, keep_with_next=keeps)
    for plot in section.plots:
        yield PlotBlock(plot, device, language)
    for table in section.tables:
        yield from _table(table, device, language)


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


def _table(table: MeasuredTable, device: QPagedPaintDevice, language: str) -> Iterator[Block]:
    if table.title:
        head = [Run(visible(table.title), Style(size=9.5, bold=True))]
        yield Paragraph(head, device, before=4, after=2, keep_with_next=True)
    shift = 1 if table.has_states else 0
    size = 8.5 if len(table.columns) <= _MANY else 7.5
    head_style = Style(size=size - 0.5, bold=True, color=SOFT)
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
        after = 3 if table.note or table.left_out else 8
        shares = _shares([heads, *rows], device)
        yield Table(rows, shares, device, head=heads, after=after, numeric=numeric)
    for line in (left_out_line(table, language), table.note):
        if line:
            yield Paragraph([Run(visible(line), _SOFT)], device, after=6)


def _shares(rows: list[list[Cell]], device: QPagedPaintDevice) -> list[float]:
    """To each column what its longest cell asks for; where that is too much, the widest give way to their words."""
    columns = list(zip(*rows, strict=True))
    wanted = [max(_wide(cell, device) for cell in column) + _AROUND for column in columns]
    least = [
        min(wide, max(_word(cell, device) for cell in column) + _AROUND)
        for wide, column in zip(wanted, columns, strict=True)
    ]
    named = next((index for index, cell in enumerate(rows[0]) if cell[0].text), 0)  # the column behind the symbols
    least[named] = max(least[named], min(wanted[named], _NAME))
    widest = max(wanted)
    while widest > 0 and sum(_kept(wanted, least, widest)) > _ROOM:
        widest -= _STEP
    return _kept(wanted, least, widest)


def _kept(wanted: list[float], least: list[float], widest: float) -> list[float]:
    return [max(min(wide, widest), narrow) for wide, narrow in zip(wanted, least, strict=True)]


def _wide(cell: Cell, device: QPagedPaintDevice) -> float:
    """The width of a cell on one line, in points."""
    return sum(QFontMetricsF(run.style.font(), device).horizontalAdvance(run.text) for run in cell) / DOTS


def _word(cell: Cell, device: QPagedPaintDevice) -> float:
    """The width of its longest word; Japanese breaks between any two characters, and what is longer than a word too."""
    words_there = (word for run in cell for word in run.text.split() if word.isascii())
    longest = max(words_there, key=len, default="")[:_LONGEST_WORD]
    return _wide([Run(longest, cell[0].style)], device) if longest and cell else 0.0
