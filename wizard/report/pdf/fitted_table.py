"""Tables whose columns are as wide as their cells ask for; what is too long for a column stands below its row."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QFontMetricsF, QPagedPaintDevice

from wizard.report.pdf.structure import Part
from wizard.report.pdf.text import DOTS, SOFT, Run, Style
from wizard.report.pdf.typeset import Cell, Table
from wizard.report.text_columns import unbroken

_ROOM = 480.0  # points across a page
_AROUND, _STEP = 10.0, 4.0  # points of a column
_NAME = 92.0  # points that the name of a row gets before it breaks
_LONGEST_WORD = 20  # characters
_SHARE = 2.5  # a cell that would take so many times its part of the width on one line stands below its row

_LEAST_LONG = 190.0  # points on one line that are never too much


def fitted(
    head: Sequence[Cell],
    rows: Sequence[Sequence[Cell]],
    device: QPagedPaintDevice,
    *,
    numeric: Sequence[int] = (),
    after: float = 8,
    part: Part | None = None,
) -> Table:
    """The table. Its first column that has a name holds what each row is about, and stays."""
    named = _named(head)
    longest = max(_LEAST_LONG, _SHARE * _ROOM / len(head))
    widths = _Widths(device)
    is_long = [[place > named and widths.cell(cell) > longest for place, cell in enumerate(row)] for row in rows]
    kept = [
        place
        for place in range(len(head))
        if place <= named
        or not rows
        or not all(flags[place] or not _text(row[place]) for flags, row in zip(is_long, rows, strict=True))
    ]
    below = [
        [_labelled(head[place], cell) for place, cell in enumerate(row) if flags[place]]
        for flags, row in zip(is_long, rows, strict=True)
    ]
    beside = [
        [[Run("")] if flags[place] else row[place] for place in kept] for flags, row in zip(is_long, rows, strict=True)
    ]
    heads = [head[place] for place in kept]
    return Table(
        beside,
        _shares([heads, *beside], widths),
        device,
        head=heads,
        after=after,
        numeric=tuple(at for at, place in enumerate(kept) if place in numeric),
        below=below if any(below) else (),
        part=part or Part("Table"),
    )


def _named(head: Sequence[Cell]) -> int:
    """The column behind the symbols."""
    return next((index for index, cell in enumerate(head) if _text(cell)), 0)


def _text(cell: Cell) -> str:
    return "".join(run.text for run in cell)


def _labelled(head: Cell, cell: Cell) -> Cell:
    """What stands below a row says of which column it is."""
    style = Style(size=cell[0].style.size, color=SOFT)
    return [Run(f"{_text(head)}:  ", style), *cell] if _text(head) else cell


def _shares(rows: Sequence[Sequence[Cell]], widths: _Widths) -> list[float]:
    """To each column what its longest cell asks for; where that is too much, the widest give way to their words."""
    columns = list(zip(*rows, strict=True))
    wanted = [max(map(widths.cell, column)) + _AROUND for column in columns]
    if sum(wanted) <= _ROOM:
        return wanted
    least = [min(wide, max(map(widths.word, column)) + _AROUND) for wide, column in zip(wanted, columns, strict=True)]
    named = _named(rows[0])
    least[named] = max(least[named], min(wanted[named], _NAME))
    widest = max(wanted)
    while widest > 0 and sum(_kept(wanted, least, widest)) > _ROOM:
        widest -= _STEP
    return _kept(wanted, least, widest)


def _kept(wanted: list[float], least: list[float], widest: float) -> list[float]:
    return [max(min(wide, widest), narrow) for wide, narrow in zip(wanted, least, strict=True)]


class _Widths:
    """What texts take on one line of a device, in points."""

    def __init__(self, device: QPagedPaintDevice) -> None:
        self._device = device
        self._metrics: dict[Style, QFontMetricsF] = {}
        self._runs: dict[tuple[str, Style], float] = {}

    def _run(self, text: str, style: Style) -> float:
        if (text, style) not in self._runs:
            if style not in self._metrics:
                self._metrics[style] = QFontMetricsF(style.font(), self._device)
            self._runs[text, style] = self._metrics[style].horizontalAdvance(text)
        return self._runs[text, style]

    def cell(self, cell: Cell) -> float:
        """All of it."""
        return sum(self._run(run.text, run.style) for run in cell) / DOTS

    def word(self, cell: Cell) -> float:
        """Its longest word; Japanese breaks between any two characters, and what is longer than a word too."""
        words_there = (word for run in cell for word in unbroken(run.text))
        longest = max(words_there, key=len, default="")[:_LONGEST_WORD]
        return self._run(longest, cell[0].style) / DOTS if longest and cell else 0.0
