"""What stands on a page: paragraphs, code and tables, each of a known height, drawn and split over pages.

A heading stays with what follows, a paragraph leaves no single line behind, and a table repeats its head.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

from PySide6.QtGui import QPagedPaintDevice

from wizard.report.pdf.structure import Part
from wizard.report.pdf.text import MARK_BAR, MARKED, PAPER_GREY, Run, SetText, Sheet, Style, set_text

_T = TypeVar("_T")


@dataclass(kw_only=True)
class Block:
    """Something on a page. ``before`` and ``after``: space around it, dropped at a page's top.

    ``anchor``: level and title in the outline. ``floats``: it may go behind what follows it in its section.
    ``follows``: it belongs to what stands before it, and no picture comes between. ``part``: what it is in the
    structure, the same one for what is split over pages.
    """

    before: float = 0
    after: float = 8
    keep_with_next: bool = False
    anchor: tuple[int, str] | None = None
    floats: bool = False
    follows: bool = False
    part: Part = field(default_factory=lambda: Part("P"), compare=False, repr=False)

    def height(self, width: float) -> float:
        """Its height when set in this width."""
        raise NotImplementedError

    def draw(self, sheet: Sheet, x: float, y: float, width: float) -> None:
        """Draw it with its upper left corner there."""
        raise NotImplementedError

    def split(self, width: float, available: float) -> tuple[Block, Block] | None:  # noqa: ARG002 - of those that can
        """The part that fits, and the rest; None where it cannot be split there."""
        return None


class Remembered:
    """Keeps what was set in a width: a block is measured several times before it is drawn."""

    def __init__(self) -> None:
        self._kept: dict[float, Any] = {}

    def keep(self, width: float, value: Any) -> None:
        """Keep what was set elsewhere."""
        self._kept[width] = value

    def get(self, width: float, make: Callable[[], _T]) -> _T:
        """What ``make`` returns, called once per width."""
        if width not in self._kept:
            self._kept[width] = make()
        kept: _T = self._kept[width]
        return kept


def body_of(part: Part) -> Part:
    """Where the text of a part belongs: that of an entry of a list is its body."""
    return part.child("LBody") if part.kind == "LI" else part


def draw_label(sheet: Sheet, part: Part, text: SetText, x: float, y: float) -> None:
    """The mark in the margin: of an entry of a list its label, else decoration."""
    with sheet.inside(part.child("Lbl") if part.kind == "LI" else None):
        text.draw(sheet, x, y)


@dataclass
class Paragraph(Block):
    """Flowing text. ``mark`` stands in the margin of ``indent`` before the first line; in a list it is its label."""

    runs: Sequence[Run]
    device: QPagedPaintDevice
    indent: float = 0
    mark: Run | None = None
    after: float = field(default=4, kw_only=True)
    first: int = 0  # of the lines, those of this part
    count: int | None = None
    _kept: Remembered = field(default_factory=Remembered, init=False, repr=False)

    def _set(self, width: float) -> SetText:
        return self._kept.get(width, lambda: SetText(self.runs, width - self.indent, self.device))

    @property
    def _lines(self) -> slice:
        return slice(self.first, None if self.count is None else self.first + self.count)

    def height(self, width: float) -> float:
        """The height of its lines."""
        text = self._set(width)
        return len(text.lines[self._lines]) * text.leading

    def draw(self, sheet: Sheet, x: float, y: float, width: float) -> None:
        """Draw the lines, and the mark before the first."""
        if self.mark is not None and not self.first:
            draw_label(sheet, self.part, set_text([self.mark], self.indent, self.device), x, y)
        with sheet.inside(body_of(self.part)):
            self._set(width).draw(sheet, x + self.indent, y, self._lines)

    def split(self, width: float, available: float) -> tuple[Block, Block] | None:
        """Between lines, leaving two on each side."""
        text = self._set(width)
        count = len(text.lines[self._lines])
        fit = min(int(available / text.leading), count - 2)
        if fit < 2:
            return None
        rest = replace(self, first=self.first + fit, count=count - fit, before=0, anchor=None)
        return replace(self, count=fit, after=0), rest


@dataclass
class Code(Block):
    """Text to paste or a log: monospaced, on grey, long lines wrapped with a hanging indent.

    ``marked``: which of its lines stand out. ``is_pasted``: it is set smaller where that keeps each of its lines in
    one, for what is copied from a line that was wrapped is two.
    """

    source: list[str]
    device: QPagedPaintDevice
    indent: float = 0
    after: float = field(default=5, kw_only=True)
    mark: Run | None = None
    marked: frozenset[int] = frozenset()
    is_pasted: bool = False
    _kept: Remembered = field(default_factory=Remembered, init=False, repr=False)

    PADDING, STYLE = 5.0, Style(size=7.4, mono=True, leading=1.3)
    SMALLER = (6.8, 6.2, 5.6, 5.0)

    def _set(self, width: float) -> list[SetText]:
        inner = width - self.indent - 2 * self.PADDING

        def lines(style: Style) -> list[SetText]:
            return [SetText([Run(line or " ", style)], inner, self.device, hanging=12) for line in self.source]

        def best() -> list[SetText]:
            usual = lines(self.STYLE)
            sizes = self.SMALLER if self.is_pasted and _is_wrapped(usual) else ()
            smaller = (lines(replace(self.STYLE, size=size)) for size in sizes)
            return next((found for found in smaller if not _is_wrapped(found)), usual)

        return self._kept.get(width, best)

    def height(self, width: float) -> float:
        """Its lines and the padding."""
        return sum(text.height for text in self._set(width)) + 2 * self.PADDING

    def draw(self, sheet: Sheet, x: float, y: float, width: float) -> None:
        """Draw the grey ground, then the lines."""
        left, inner = x + self.indent, width - self.indent
        sheet.fill(left, y, inner, self.height(width), PAPER_GREY, radius=3)
        y += self.PADDING
        if self.mark is not None:
            draw_label(sheet, self.part, set_text([self.mark], self.indent, self.device), x, y - 1)
        body = body_of(self.part).child("P") if self.part.kind == "LI" else self.part
        for number, text in enumerate(self._set(width)):
            if number in self.marked:
                sheet.fill(left, y, inner, text.height, MARKED)
                sheet.fill(left, y, 2, text.height, MARK_BAR)
            with sheet.inside(Part("Code", body)):
                text.draw(sheet, left + self.PADDING, y)
            y += text.height

    def split(self, width: float, available: float) -> tuple[Block, Block] | None:
        """Between two lines of the source."""
        used, fit = 2 * self.PADDING, 0
        for text in self._set(width):
            if used + text.height > available:
                break
            used += text.height
            fit += 1
        if not fit or fit >= len(self.source):
            return None
        marked = frozenset(number - fit for number in self.marked if number >= fit)
        return replace(self, source=self.source[:fit], after=0), replace(
            self, source=self.source[fit:], before=0, mark=None, marked=marked
        )


def _is_wrapped(lines: Sequence[SetText]) -> bool:
    return any(len(text.lines) > 1 for text in lines)


Cell = Sequence[Run]
_HEADS = {scope: f"/O/Table/Scope/{scope}" for scope in ("Column", "Row")}


@dataclass(frozen=True)
class _SetRow:
    """A row that was set: its cells, and what stands below them."""

    cells: Sequence[SetText]
    below: Sequence[SetText]

    @cached_property
    def beside(self) -> float:
        """The height of the cells."""
        return max(text.height for text in self.cells)

    @cached_property
    def height(self) -> float:
        """All of it."""
        return self.beside + sum(text.height for text in self.below)


@dataclass
class Table(Block):
    """Rows of cells. ``shares`` of the width per column; ``head`` is repeated on every page.

    ``numeric``: the columns, counted from 0, whose cells stand at the right. ``below``: for each row what stands under
    its cells over the whole width, because it is too long for a column; nothing for a table without such rows.
    """

    rows: Sequence[Sequence[Cell]]
    shares: Sequence[float]
    device: QPagedPaintDevice
    head: Sequence[Cell] = ()
    numeric: Sequence[int] = ()
    below: Sequence[Sequence[Cell]] = ()
    padding: float = 1.8  # above and below each row
    part: Part = field(default_factory=lambda: Part("Table"), kw_only=True, compare=False, repr=False)
    _kept: Remembered = field(default_factory=Remembered, init=False, repr=False)

    is_rest: bool = False  # of a table that began on the page before

    GAP, WHOLE, INDENT = 8.0, 100.0, 12.0

    def _columns(self, width: float) -> list[tuple[float, float]]:
        total, columns, offset = sum(self.shares), [], 0.0
        for share in self.shares:
            columns.append((offset, width * share / total - self.GAP))
            offset += width * share / total
        return columns

    def _set(self, width: float) -> list[_SetRow]:
        def rows() -> list[_SetRow]:
            columns = self._columns(width)

            def row(cells: Sequence[Cell], below: Sequence[Cell] = ()) -> _SetRow:
                return _SetRow(
                    [set_text(cell, column, self.device) for cell, (_, column) in zip(cells, columns, strict=True)],
                    [set_text(cell, width - self.INDENT, self.device) for cell in below],
                )

            below = self.below or [()] * len(self.rows)
            heads = [row(self.head)] if self.head else []
            return [*heads, *(row(*both) for both in zip(self.rows, below, strict=True))]

        return self._kept.get(width, rows)

    def height(self, width: float) -> float:
        """All rows and the head."""
        return sum(row.height + 2 * self.padding for row in self._set(width))

    def draw(self, sheet: Sheet, x: float, y: float, width: float) -> None:
        """Draw row by row, a thin line under each."""
        for number, row in enumerate(self._set(width)):
            y += self.padding
            is_head = bool(self.head) and not number
            parts = self._parts(row, is_head=is_head)
            for part in filter(None, parts):  # also those of empty cells, so that each row has as many
                sheet.structure.join(part)
            for column, (text, (offset, wide)) in enumerate(zip(row.cells, self._columns(width), strict=True)):
                left = max(0.0, wide - text.natural_width) if column in self.numeric else 0.0
                with sheet.inside(parts[column]):
                    text.draw(sheet, x + offset + left, y)
            y += row.beside
            for text in row.below:
                with sheet.inside(self._part_below(parts)):
                    text.draw(sheet, x + self.INDENT, y)
                y += text.height
            y += self.padding
            sheet.rule(x, y, width, thickness=0.8 if self.head and not number else 0.4)

    def _parts(self, row: _SetRow, *, is_head: bool) -> list[Part | None]:
        """What the cells of a row are. The head is said once, and is decoration where the table goes on."""
        if is_head and self.is_rest:
            return [None] * len(row.cells)
        if self.part.kind == "L":
            entry = Part("LI", self.part)
            return [entry.child("LBody" if column else "Lbl") for column in range(len(row.cells))]
        line = Part("TR", self.part)
        if is_head:
            return [Part("TH", line, attributes=_HEADS["Column"]) for _ in row.cells]
        names = self._names()
        return [
            Part("TH", line, attributes=_HEADS["Row"]) if column in names and not text.is_empty else Part("TD", line)
            for column, text in enumerate(row.cells)
        ]

    def _names(self) -> Sequence[int]:
        """The columns whose cells say what stands beside them."""
        if not self.head:
            return range(0, len(self.shares), 2)
        return [number for number, cell in enumerate(self.head) if any(run.text for run in cell)][:1]

    def _part_below(self, parts: Sequence[Part | None]) -> Part:
        """What stands below a row: a row of its own, which is one cell."""
        if self.part.kind == "L" and parts[0] is not None and parts[0].within is not None:
            return parts[0].within.child("LBody")
        spanned = f"/O/Table/ColSpan {len(parts)}" if len(parts) > 1 else ""
        return Part("TD", Part("TR", self.part), attributes=spanned)

    def split(self, width: float, available: float) -> tuple[Block, Block] | None:
        """Between two rows, with at least two on each side; a short table stays whole."""
        rows = self._set(width)
        heights = [row.height + 2 * self.padding for row in rows]
        heads = 1 if self.head else 0
        used, fit = sum(heights[:heads]), 0
        for height in heights[heads:]:
            if used + height > available:
                break
            used += height
            fit += 1
        fit = min(fit, len(self.rows) - 2)
        if fit < 2 or (sum(heights) < self.WHOLE and not self.is_rest):
            return None
        first = replace(self, rows=self.rows[:fit], below=self.below[:fit], after=0)
        rest = replace(self, rows=self.rows[fit:], below=self.below[fit:], before=0, is_rest=True)
        # The rows are set already: a long table would be set anew for each of its pages.
        first._kept.keep(width, rows[: heads + fit])
        rest._kept.keep(width, [*rows[:heads], *rows[heads + fit :]])
        return first, rest


@dataclass
class Drawn(Block):
    """A block that one function draws and another measures."""

    measure: Callable[[float], float]
    paint: Callable[[Sheet, float, float, float], None]

    def height(self, width: float) -> float:
        """As the function says."""
        return self.measure(width)

    def draw(self, sheet: Sheet, x: float, y: float, width: float) -> None:
        """As the function does."""
        self.paint(sheet, x, y, width)
