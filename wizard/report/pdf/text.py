"""Text and paper: styles, runs of text set in a width, and the sheet on which they are drawn.

Lengths are points (1/72 inch). Qt draws on a device of 720 dots per inch, so one point is ten of its units.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

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

from checks.visible import visible as in_line
from wizard.report.pdf.structure import Part, Structure
from wizard.report.pdf.tags import MARK

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


class _Made(threading.local):
    """What was made of styles and runs, each once; Qt does not share a font between threads that run at once."""

    def __init__(self) -> None:
        self.fonts: dict[Style, QFont] = {}
        self.formats: dict[Style, QTextCharFormat] = {}
        self.texts: WeakKeyDictionary[QPagedPaintDevice, dict[tuple[tuple[Run, ...], float], SetText]] = (
            WeakKeyDictionary()
        )

    def font(self, style: Style) -> QFont:
        if style not in self.fonts:
            self.fonts[style] = style.font()
        return self.fonts[style]

    def format(self, style: Style) -> QTextCharFormat:
        if style not in self.formats:
            made = self.formats[style] = QTextCharFormat()
            made.setFont(self.font(style))
            made.setForeground(QColor(style.color))
        return self.formats[style]


_made = _Made()


@dataclass(frozen=True)
class Run:
    """A piece of text in one style. ``link`` makes it a link."""

    text: str
    style: Style = Style()
    link: str = ""


@dataclass
class Sheet:
    """One page while it is drawn: where a block draws, and what it leaves for the PDF's links and structure.

    What is drawn outside of every part is decoration.
    """

    painter: QPainter
    structure: Structure = field(default_factory=Structure)
    links: list[tuple[QRectF, str]] = field(default_factory=list)
    part: Part | None = None

    def __post_init__(self) -> None:
        self.structure.begin_page()

    @contextmanager
    def inside(self, part: Part | None) -> Iterator[None]:
        """Text that is drawn meanwhile belongs to this part; None: it is decoration."""
        before, self.part = self.part, part
        yield
        self.part = before

    def mark(self, part: Part | None) -> None:
        """What is drawn next belongs to this part. The mark paints nothing, and goes when the file is written."""
        if self.structure.begin(part):
            self.painter.drawRect(QRectF(*MARK, 0, 0))

    def mark_drawing(self) -> None:
        """What is drawn next are lines and fills."""
        self.mark(self.part if self.part is not None and self.part.is_figure else None)

    def fill(self, x: float, y: float, width: float, height: float, color: str, radius: float = 0) -> None:
        """A filled rectangle."""
        self.mark_drawing()
        self.painter.setPen(Qt.PenStyle.NoPen)
        self.painter.setBrush(QColor(color))
        self.painter.drawRoundedRect(_scaled(x, y, width, height), radius * DOTS, radius * DOTS)

    def rule(self, x: float, y: float, width: float, color: str = LINE, thickness: float = 0.5) -> None:
        """A horizontal line."""
        self.mark_drawing()
        self.painter.setPen(QPen(QColor(color), thickness * DOTS))
        self.painter.drawLine(QPointF(x * DOTS, y * DOTS), QPointF((x + width) * DOTS, y * DOTS))


class SetText:
    """Runs of text set in a width: lines with their heights. The base of paragraphs, cells and code."""

    def __init__(self, runs: Sequence[Run], width: float, device: QPagedPaintDevice, hanging: float = 0) -> None:
        self._layout = QTextLayout(
            "".join(run.text for run in runs), _made.font(runs[0].style if runs else Style()), device
        )
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self._layout.setTextOption(option)
        self._layout.setFormats(list(_formats(runs)))
        self._runs = runs
        self._has_links = any(run.link for run in runs)
        self._hanging = hanging
        self.lines: list[QTextLine] = []
        self.leading = max((run.style.size * run.style.leading for run in runs), default=0.0)
        self._layout.beginLayout()
        while (line := self._layout.createLine()).isValid():
            line.setLineWidth(max(1.0, width - (hanging if self.lines else 0)) * DOTS)
            self.lines.append(line)
        self._layout.endLayout()

    @property
    def is_empty(self) -> bool:
        """Whether nothing is drawn."""
        return not self._layout.text()

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
        part = sheet.part.child("Link") if self._has_links and sheet.part is not None else sheet.part
        if not self.is_empty:
            sheet.mark(part)
        for number, line in enumerate(self.lines[lines]):
            left = x + (self._hanging if line.lineNumber() else 0)
            top = y + number * self.leading + (self.leading - line.height() / DOTS) / 2
            line.setPosition(QPointF(0, 0))
            line.draw(sheet.painter, QPointF(left * DOTS, top * DOTS))
            self._draw_space(sheet.painter, line, left, top)
            if self._has_links:
                for link in self._links_of(line, left, y + number * self.leading):
                    sheet.links.append(link)
                    if part is not None:
                        sheet.structure.link(part)

    def _draw_space(self, painter: QPainter, line: QTextLine, left: float, top: float) -> None:
        """The space at which a line was broken: without it what is copied or read aloud has the two words as one."""
        end = line.textStart() + line.textLength()
        if line.lineNumber() + 1 < len(self.lines) and self._layout.text()[end - 1 : end] == " ":
            painter.setFont(self._layout.font())
            at = QPointF(left * DOTS + line.naturalTextWidth(), top * DOTS + line.ascent())
            painter.drawText(at, " ")

    def _links_of(self, line: QTextLine, left: float, top: float) -> Iterator[tuple[QRectF, str]]:
        start, end = line.textStart(), line.textStart() + line.textLength()
        position = 0
        for run in self._runs:
            first, last = max(position, start), min(position + _length(run.text), end)
            position += _length(run.text)
            if run.link and first < last:
                x1, x2 = (_x_of(line, at) / DOTS for at in (first, last))
                yield QRectF(left + x1, top, x2 - x1, self.leading), run.link


def set_text(runs: Sequence[Run], width: float, device: QPagedPaintDevice) -> SetText:
    """The same runs in the same width are set once for a device: cells and heads say the same again and again."""
    known = _made.texts.setdefault(device, {})
    key = (tuple(runs), width)
    if key not in known:
        known[key] = SetText(runs, width, device)
    return known[key]


def _length(text: str) -> int:
    """The length as Qt counts: UTF-16 units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _x_of(line: QTextLine, position: int) -> float:
    found: Any = line.cursorToX(position)  # PySide's own stub is silent here: it gives (x, position)
    return float(found[0])


def _formats(runs: Sequence[Run]) -> Iterator[QTextLayout.FormatRange]:
    position = 0
    for run in runs:
        range_ = QTextLayout.FormatRange()
        range_.start, range_.length, range_.format = position, _length(run.text), _made.format(run.style)
        position += range_.length
        yield range_


def visible(text: str) -> str:
    """Text on one line, without characters that move or hide others."""
    return in_line(" ".join(text.split()))


def visible_lines(text: str) -> list[str]:
    """The lines of a code or log, likewise."""
    lines = (line.expandtabs(4).rstrip() for line in text.splitlines())
    return [in_line(line if len(line) <= LINE_LIMIT else f"{line[:LINE_LIMIT]} …") for line in lines]


def _scaled(x: float, y: float, width: float, height: float) -> QRectF:
    return QRectF(x * DOTS, y * DOTS, width * DOTS, height * DOTS)
