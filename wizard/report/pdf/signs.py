"""The colours of the states, and the round sign that stands for one: colour is never the only sign."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPagedPaintDevice, QPen, QPolygonF

from wizard.report.pdf.text import DOTS, INK, SOFT, Run, Sheet, Style, set_text

COLORS = {  # of the sign, and of the ground behind it
    "blocking": ("#b3261e", "#fdf1f0"),
    "warning": ("#8a5a00", "#fdf6e7"),
    "note": ("#0b57a4", "#eef5fc"),
    "clear": ("#1b7f3b", "#eef8f1"),
    "incomplete": ("#57606a", "#f4f6f8"),
    "nothing-run": ("#57606a", "#f4f6f8"),
}
STATE_COLORS = {**{state: color for state, (color, _) in COLORS.items()}, "crashed": "#b3261e", "": INK}


def color_of(state: str) -> str:
    """The colour of what is in a state; what is open, absent or asked for is grey."""
    return STATE_COLORS.get(state, SOFT)


def sign(sheet: Sheet, device: QPagedPaintDevice, state: str, symbol: str, x: float, y: float, size: float) -> None:
    """A disc with its sign in white: drawn for the cross and the tick, so that no font can lack them."""
    with sheet.inside(None):  # a word beside it says the same
        _draw(sheet, device, state, symbol, x, y, size)


def _draw(sheet: Sheet, device: QPagedPaintDevice, state: str, symbol: str, x: float, y: float, size: float) -> None:
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
    text = set_text([Run(symbol, Style(size=size * 0.68, bold=True, color="#ffffff", leading=1.0))], size, device)
    text.draw(sheet, x + (size - text.natural_width) / 2, y + (size - text.height) / 2)
