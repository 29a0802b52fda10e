"""Typesetting on pages: blocks of text, code and tables, broken over pages as a printer would.

Lengths are points (1/72 inch). Qt draws on a device of 720 dots per inch, so one point is ten of its units. A block
knows its height, draws itself, and can be split; a heading stays with what follows, a paragraph leaves no single line
behind, and a table repeats its head.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QPagedPaintDevice,
    QPainter,
    QPen,
    QTextCharFormat,
    QTextLayout,
    QTextLine,
    QTextOption,
)

DOTS = 10.0  # device units per point
LINE_LIMIT = 600  # characters of one line of a log that are printed
# Latin letters come from a Latin face, since those of Japanese faces have hardly any descenders; Japanese from those
# behind: BIZ UDPGothic first, a TrueType face made for legibility, on Windows by default and small on Linux.
_LATIN = ("Segoe UI", "Helvetica Neue", "Noto Sans", "Liberation Sans", "DejaVu Sans")
SANS = (*_LATIN, "BIZ UDPGothic", "Yu Gothic", "Hiragino Sans", "Noto Sans CJK JP", "IPAexGothic")
# In code the tilde, quotes and hyphens must be told apart at a glance; Japanese in it comes from the faces behind.
MONO = ("Cascadia Mono", "Consolas", "Menlo", "DejaVu Sans Mono", "BIZ UDGothic", "MS Gothic", "Noto Sans Mono CJK JP")
INK, SOFT, LINE, PAPER_GREY = "#1f2328", "#59636e", "#d1d9e0", "#f4f6f8"
MARKED, MARK_BAR = "#fff3b0", "#8a5a00"  # the ground of a marked line, and the bar beside it


_T = TypeVar("_T")


@dataclass(frozen=True)
class Style:
    """How text looks. ``leading`` is the distance of two base lines as a multiple of the size."""

    size: float = 8.6
    bold: bool = False
    color: str = INK
    mono: bool = False
    leading: float = 1.38

    def font(self) -> QFont:
        """The font on our device."""
        font = QFont()
        font.setFamilies(list(MONO if self.mono else SANS))
        font.setPointSizeF(self.size)
        font.setBold(self.bold)
        for feature in ("liga", "locl"):  # text copied from the PDF would lack a ligature's letters, and Noto's digits
            font.setFeature(QFont.Tag(feature), 0)
        font.setStyleHint(QFont.StyleHint.Monospace if self.mono else QFont.StyleHint.SansSerif)
        return font


@dataclass(frozen=True)
class Run:
    """A piece of text in one style. ``link`` makes it a link."""

    text: str
    style: Style = Style()
    link: str = ""


@dataclass
class Sheet:
    """One page while it is drawn: where a block draws, and what it leaves for the PDF's links."""

    painter: QPainter
    links: list[tuple[QRectF, str]] = field(default_factory=list)

    def fill(self, x: float, y: float, width: float, height: float, color: str, radius: float = 0) -> None:
        """A filled rectangle."""
        self.painter.setPen(Qt.PenStyle.NoPen)
        self.painter.setBrush(QColor(color))
        self.painter.drawRoundedRect(_scaled(x, y, width, height), radius * DOTS, radius * DOTS)

    def rule(self, x: float, y: float, width: float, color: str = LINE, thickness: float = 0.5) -> None:
        """A horizontal line."""
        self.painter.setPen(QPen(QColor(color), thickness * DOTS))
        self.painter.drawLine(QPointF(x * DOTS, y * DOTS), QPointF((x + width) * DOTS, y * DOTS))


class Block(Protocol):
    """Something that stands on a page. ``before`` and ``after``: space around it, dropped at a page's top."""

    before: float
    after: float
    keep_with_next: bool

    def height(self, width: float) -> float:
        """Its height when set in this width."""

    def draw(self, sheet: Sheet, x: float, y: float, width: float) -> None:
        """Draw it with its upper left corner there."""

    def split(self, width: float, available: float) -> tuple[Block, Block] | None:
        """The part that fits, and the rest; None where it cannot be split there."""


# --- text ------------------------------------------------------------------------------------------------------------


class SetText:
    """Runs of text set in a width: lines with their heights. The base of paragraphs, cells and code."""

    def __init__(self, runs: Sequence[Run], width: float, device: QPagedPaintDevice, hanging: float = 0) -> None:
        self._layout = QTextLayout(
            "".join(run.text for run in runs), (runs[0] if runs else Run("")).style.font(), device
        )
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self._layout.setTextOption(option)
        self._layout.setFormats(list(_formats(runs)))
        self._runs = runs
        self._hanging = hanging
        self.lines: list[QTextLine] = []
        self.leading = max((run.style.size * run.style.leading for run in runs), default=0.0)
        self._layout.beginLayout()
        while (line := self._layout.createLine()).isValid():
            line.setLineWidth(max(1.0, width - (hanging if self.lines else 0)) * DOTS)
            self.lines.append(line)
        self._layout.endLayout()

    @property
    def height(self) -> float:
        """The height of all lines."""
        return len(self.lines) * self.leading

    @property
    def natural_width(self) -> float:
        """The width of the longest line."""
        return max((line.naturalTextWidth() for line in self.lines), default=0.0) / DOTS

    def draw(self, sheet: Sheet, x: float, y: float, lines: slice = slice(None)) -> None:
        """Draw some of the lines, each in the middle of its leading, and note the links."""
        for number, line in enumerate(self.lines[lines]):
            left = x + (self._hanging if line.lineNumber() else 0)
            top = y + number * self.leading + (self.leading - line.height() / DOTS) / 2
            line.setPosition(QPointF(0, 0))
            line.draw(sheet.painter, QPointF(left * DOTS, top * DOTS))
            sheet.links.extend(self._links_of(line, left, y + number * self.leading))

    def _links_of(self, line: QTextLine, left: float, top: float) -> Iterator[tuple[QRectF, str]]:
        start, end = line.textStart(), line.textStart() + line.textLength()
        position = 0
        for run in self._runs:
            first, last = max(position, start), min(position + _length(run.text), end)
            position += _length(run.text)
            if run.link and first < last:
                x1, x2 = (_x_of(line, each) / DOTS for each in (first, last))
                yield QRectF(left + x1, top, x2 - x1, self.leading), run.link


def _length(text: str) -> int:
    """The length as Qt counts: UTF-16 units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _x_of(line: QTextLine, position: int) -> float:
    found: Any = line.cursorToX(position)  # PySide's own stub is silent here: it gives (x, position)
    return float(found[0])


def _formats(runs: Sequence[Run]) -> Iterator[QTextLayout.FormatRange]:
    position = 0
    for run in runs:
        format_ = QTextCharFormat()
        format_.setFont(run.style.font())
        format_.setForeground(QColor(run.style.color))
        made = QTextLayout.FormatRange()
        made.start, made.length, made.format = position, _length(run.text), format_
        position += made.length
        yield made


def visible(text: str) -> str:
    """Text on one line, without characters that move or hide others."""
    return "".join(_shown(each) for each in " ".join(text.split()))


def visible_lines(text: str) -> list[str]:
    """The lines of a code or log, likewise."""
    lines = (line.expandtabs(4).rstrip() for line in text.splitlines())
    return ["".join(map(_shown, line if len(line) <= LINE_LIMIT else f"{line[:LINE_LIMIT]} …")) for line in lines]


def _shown(character: str) -> str:
    return "\ufffd" if unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"} else character


class Remembered:
    """Keeps what was set in a width: a block is measured several times before it is drawn."""

    def __init__(self) -> None:
        self._kept: dict[float, Any] = {}

    def keep(self, width: float, made: Any) -> None:
        """What was made elsewhere."""
        self._kept[width] = made

    def get(self, width: float, make: Callable[[], _T]) -> _T:
        """What ``make`` gives, made once per width."""
        if width not in self._kept:
            self._kept[width] = make()
        kept: _T = self._kept[width]
        return kept


@dataclass
class Paragraph:
    """Flowing text. ``mark`` stands in the margin of ``indent`` before the first line.

    ``follows``: it belongs to what stands before it, and no picture comes between.
    """

    runs: Sequence[Run]
    device: QPagedPaintDevice
    indent: float = 0
    mark: Run | None = None
    before: float = 0
    after: float = 4
    keep_with_next: bool = False
    anchor: tuple[int, str] | None = None  # outline: level and title
    follows: bool = False
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
        self._set(width).draw(sheet, x + self.indent, y, self._lines)
        if self.mark is not None and not self.first:
            SetText([self.mark], self.indent, self.device).draw(sheet, x, y)

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
class Code:
    """Text to paste or a log: monospaced, on grey, long lines wrapped with a hanging indent.

    ``marked``: which of its lines stand out.
    """

    source: list[str]
    device: QPagedPaintDevice
    indent: float = 0
    before: float = 0
    after: float = 5
    keep_with_next: bool = False
    mark: Run | None = None
    marked: frozenset[int] = frozenset()
    _kept: Remembered = field(default_factory=Remembered, init=False, repr=False)

    PADDING, STYLE = 5.0, Style(size=7.4, mono=True, leading=1.3)

    def _set(self, width: float) -> list[SetText]:
        inner = width - self.indent - 2 * self.PADDING

        def made() -> list[SetText]:
            return [SetText([Run(line or " ", self.STYLE)], inner, self.device, hanging=12) for line in self.source]

        return self._kept.get(width, made)

    def height(self, width: float) -> float:
        """Its lines and the padding."""
        return sum(each.height for each in self._set(width)) + 2 * self.PADDING

    def draw(self, sheet: Sheet, x: float, y: float, width: float) -> None:
        """Draw the grey ground, then the lines."""
        left, inner = x + self.indent, width - self.indent
        sheet.fill(left, y, inner, self.height(width), PAPER_GREY, radius=3)
        y += self.PADDING
        if self.mark is not None:
            SetText([self.mark], self.indent, self.device).draw(sheet, x, y - 1)
        for number, text in enumerate(self._set(width)):
            if number in self.marked:
                sheet.fill(left, y, inner, text.height, MARKED)
                sheet.fill(left, y, 2, text.height, MARK_BAR)
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


# --- tables ----------------------------------------------------------------------------------------------------------

Cell = Sequence[Run]


@dataclass(frozen=True)
class _SetRow:
    """A row that was set: its cells, and what stands below them."""

    cells: Sequence[SetText]
    below: Sequence[SetText]

    @property
    def beside(self) -> float:
        """The height of the cells."""
        return max(text.height for text in self.cells)

    @property
    def height(self) -> float:
        """All of it."""
        return self.beside + sum(text.height for text in self.below)


@dataclass
class Table:
    """Rows of cells. ``shares`` of the width per column; ``head`` is repeated on every page.

    ``numeric``: the columns, counted from 0, whose cells stand at the right. ``below``: for each row what stands under
    its cells over the whole width, because it is too long for a column; nothing for a table without such rows.
    """

    rows: Sequence[Sequence[Cell]]
    shares: Sequence[float]
    device: QPagedPaintDevice
    head: Sequence[Cell] = ()
    before: float = 0
    after: float = 8
    keep_with_next: bool = False
    numeric: Sequence[int] = ()
    below: Sequence[Sequence[Cell]] = ()
    padding: float = 1.8  # above and below each row
    _kept: Remembered = field(default_factory=Remembered, init=False, repr=False)

    is_rest: bool = False  # of a table that began on the page before

    GAP, WHOLE, INDENT = 8.0, 100.0, 12.0

    def _columns(self, width: float) -> list[tuple[float, float]]:
        """(offset, width) of each column."""
        total, columns, offset = sum(self.shares), [], 0.0
        for share in self.shares:
            columns.append((offset, width * share / total - self.GAP))
            offset += width * share / total
        return columns

    def _set(self, width: float) -> list[_SetRow]:
        """The head and every row."""

        def made() -> list[_SetRow]:
            columns = self._columns(width)

            def row(cells: Sequence[Cell], below: Sequence[Cell] = ()) -> _SetRow:
                return _SetRow(
                    [SetText(cell, column, self.device) for cell, (_, column) in zip(cells, columns, strict=True)],
                    [SetText(cell, width - self.INDENT, self.device) for cell in below],
                )

            below = self.below or [()] * len(self.rows)
            heads = [row(self.head)] if self.head else []
            return [*heads, *(row(*each) for each in zip(self.rows, below, strict=True))]

        return self._kept.get(width, made)

    def height(self, width: float) -> float:
        """All rows and the head."""
        return sum(row.height + 2 * self.padding for row in self._set(width))

    def draw(self, sheet: Sheet, x: float, y: float, width: float) -> None:
        """Draw row by row, a thin line under each."""
        for number, row in enumerate(self._set(width)):
            y += self.padding
            for column, (text, (offset, wide)) in enumerate(zip(row.cells, self._columns(width), strict=True)):
                left = max(0.0, wide - text.natural_width) if column in self.numeric else 0.0
                text.draw(sheet, x + offset + left, y)
            y += row.beside
            for text in row.below:
                text.draw(sheet, x + self.INDENT, y)
                y += text.height
            y += self.padding
            sheet.rule(x, y, width, thickness=0.8 if self.head and not number else 0.4)

    def split(self, width: float, available: float) -> tuple[Block, Block] | None:
        """Between two rows, with at least two on each side; a short table stays whole."""
        made = self._set(width)
        heights = [row.height + 2 * self.padding for row in made]
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
        first._kept.keep(width, made[: heads + fit])
        rest._kept.keep(width, [*made[:heads], *made[heads + fit :]])
        return first, rest


@dataclass
class Drawn:
    """A block that a function draws, of a height that another tells."""

    measure: Callable[[float], float]
    paint: Callable[[Sheet, float, float, float], None]
    before: float = 0
    after: float = 8
    keep_with_next: bool = False
    anchor: tuple[int, str] | None = None

    def height(self, width: float) -> float:
        """As the function says."""
        return self.measure(width)

    def draw(self, sheet: Sheet, x: float, y: float, width: float) -> None:
        """As the function does."""
        self.paint(sheet, x, y, width)

    def split(self, width: float, available: float) -> tuple[Block, Block] | None:  # noqa: ARG002 - one shape
        """Never."""
        return None


# --- pages -----------------------------------------------------------------------------------------------------------


@dataclass
class Placed:
    """A block at its height on a page."""

    block: Block
    y: float


def paginate(blocks: Sequence[Block], width: float, height: float) -> list[list[Placed]]:
    """Break the blocks over pages of this height. What is too high for any page is cut by its lower edge."""
    pages: list[list[Placed]] = [[]]
    waiting = list(reversed(blocks))
    y = 0.0

    def new_page() -> None:
        nonlocal y
        pages.append([])
        y = 0.0

    while waiting:
        block = waiting.pop()
        top = y + block.before if pages[-1] else 0.0
        needed = _needed(block, waiting, width)
        if pages[-1] and top + needed > height and needed <= height:
            if _floated(block, waiting):
                continue
            new_page()
            waiting.append(block)
            continue
        is_over = top + block.height(width) > height
        parts = block.split(width, height - top) if is_over else None
        if is_over and parts is None and pages[-1]:  # what cannot begin here has more room on the next page
            new_page()
            waiting.append(block)
            continue
        if parts is not None:
            pages[-1].append(Placed(parts[0], top))
            waiting.append(parts[1])
            new_page()
            continue
        pages[-1].append(Placed(block, top))
        y = top + block.height(width) + block.after
    return pages


def _floated(block: Block, waiting: list[Block]) -> bool:
    """Whether a picture that has no room here went behind what follows it in its section, so that no page has a gap."""
    if not getattr(block, "floats", False):
        return False
    at = len(waiting) - 1
    while at > 0 and (waiting[at].keep_with_next or getattr(waiting[at - 1], "follows", False)):
        at -= 1
    passed = waiting[at:] if at >= 0 else []
    if not passed or any(getattr(each, "floats", False) or getattr(each, "anchor", None) for each in passed):
        return False
    waiting.insert(at, block)
    return True


def _needed(block: Block, waiting: Sequence[Block], width: float) -> float:
    """The least height that must be free so that the block and what it must stay with begin on one page.

    ``waiting`` are the blocks behind it, the next one last.
    """
    total, at = 0.0, len(waiting) - 1
    while block.keep_with_next and at >= 0:
        following = waiting[at]
        total += block.height(width) + block.after + following.before
        block, at = following, at - 1
    return total + _least(block, width)


_MOST_LEAST = 360.0  # two rows of a table, each of many lines


def _least(block: Block, width: float) -> float:
    """The height of the smallest first part of a block."""
    whole = block.height(width)
    step, available = 12.0, 0.0
    while available < min(whole, _MOST_LEAST):
        available += step
        if block.split(width, available) is not None:
            return available
    return whole


def _scaled(x: float, y: float, width: float, height: float) -> QRectF:
    return QRectF(x * DOTS, y * DOTS, width * DOTS, height * DOTS)
