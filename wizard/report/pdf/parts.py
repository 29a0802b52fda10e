"""What the pages of the PDF are made of: headings, paragraphs, items, cells. The colours of the states."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPagedPaintDevice, QPen, QPolygonF

from wizard.report.content.step_labels import is_address
from wizard.report.pdf.typeset import DOTS, INK, SOFT, Block, Cell, Paragraph, Run, SetText, Sheet, Style, visible
from wizard.words import words

COLORS = {
    "blocking": ("#b3261e", "#fdf1f0"),
    "warning": ("#8a5a00", "#fdf6e7"),
    "note": ("#0b57a4", "#eef5fc"),
    "clear": ("#1b7f3b", "#eef8f1"),
    "incomplete": ("#57606a", "#f4f6f8"),
    "nothing-run": ("#57606a", "#f4f6f8"),
}
STATE_COLORS = {
    "blocking": COLORS["blocking"][0],
    "warning": COLORS["warning"][0],
    "clear": COLORS["clear"][0],
    "note": INK,
    "open": SOFT,
    "absent": SOFT,
}
LINK = "#0b57a4"
CELL_LIMIT = 600  # characters of one value that are printed
BODY = Style()


class Parts:
    """The parts in one language, for one device."""

    def __init__(self, device: QPagedPaintDevice, language: str) -> None:
        self.device = device
        self.language = language

    def said(self, key: str) -> str:
        """A text of the report."""
        return words(f"report.{key}", self.language)

    def paragraph(
        self,
        text: str,
        style: Style = BODY,
        *,
        mark: str = "",
        indent: float = 0,
        keep: bool = False,
        after: float = 3,
    ) -> Paragraph:
        """Text in one style."""
        return Paragraph(
            [Run(visible(text), style)],
            self.device,
            indent=indent,
            mark=Run(mark, replace(style, bold=True)) if mark else None,
            keep_with_next=keep,
            after=after,
        )

    def heading(self, key: str) -> Block:
        """One of the headings of the report."""
        return self.heading_of(self.said(f"heading-{key}"), level=0)

    def heading_of(self, title: str, level: int) -> Paragraph:
        """A heading that stands in the outline, too."""
        size, before = ((13.0, 13.0), (10.5, 8.0))[min(level, 1)]
        style = Style(size=size, bold=True, leading=1.35)
        return Paragraph(
            [Run(visible(title), style)],
            self.device,
            before=before,
            after=5.0 if level == 0 else 3.0,
            keep_with_next=True,
            anchor=(level, visible(title)),
        )

    def item(self, text: str, mark: str, color: str, detail: str = "") -> Paragraph:
        """A line of a list behind its mark."""
        runs = [Run(visible(text))]
        if detail:
            runs.append(Run(f"  {visible(detail)[:CELL_LIMIT]}", Style(size=8.5, color=SOFT)))
        return Paragraph(runs, self.device, indent=15, mark=Run(mark, Style(bold=True, color=color)), after=1.5)

    def label(self, key: str) -> Paragraph:
        """A small heading within a finding."""
        style = Style(size=9, bold=True, color=SOFT)
        return Paragraph([Run(self.said(key), style)], self.device, before=5, after=2, keep_with_next=True)

    def head(self, *columns: str) -> list[Cell]:
        """The head of a table."""
        style = Style(size=8, bold=True, color=SOFT)
        return [[Run(self.said(f"column-{column}"), style)] for column in columns]


def link(text: str, address: str) -> Run:
    """Text that is a link, if the address is one."""
    return Run(visible(text), Style(size=8.5, color=LINK), link=address if is_address(address) else "")


def short(text: str) -> str:
    """A value on one line, the beginning of one without end."""
    shown = visible(text)
    return shown if len(shown) <= CELL_LIMIT else f"{shown[:CELL_LIMIT]} …"


def value(text: str) -> Cell:
    """The same as a cell."""
    return [Run(short(text), Style(size=8.5))]


def sign(sheet: Sheet, device: QPagedPaintDevice, state: str, symbol: str, x: float, y: float, size: float) -> None:
    """A disc with its sign in white: drawn for the cross and the tick, so that no font can lack them."""
    sheet.fill(x, y, size, size, COLORS[state][0], radius=size / 2)
    shapes = {
        "×": (((0.33, 0.33), (0.67, 0.67)), ((0.67, 0.33), (0.33, 0.67))),
        "✓": (((0.28, 0.52), (0.44, 0.68), (0.73, 0.35)),),
        "–": (((0.3, 0.5), (0.7, 0.5)),),
    }
    if symbol in shapes:
        pen = QPen(QColor("#ffffff"), size * 0.1 * DOTS)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        sheet.painter.setPen(pen)
        sheet.painter.setBrush(Qt.BrushStyle.NoBrush)
        for points in shapes[symbol]:
            sheet.painter.drawPolyline(
                QPolygonF([QPointF((x + a * size) * DOTS, (y + b * size) * DOTS) for a, b in points])
            )
        return
    text = SetText([Run(symbol, Style(size=size * 0.68, bold=True, color="#ffffff", leading=1.0))], size, device)
    text.draw(sheet, x + (size - text.natural_width) / 2, y + (size - text.height) / 2)
