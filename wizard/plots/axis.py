"""An axis of a plot in the window: round numbers of a scale, or names, with their exponents raised."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from wizard.plots.scale import Label, Scale, Tick, plain

_ENDS = 15  # logical pixels by which a number may reach beyond the end
_RAISED = 0.75  # size of an exponent


class ScaleAxis(pg.AxisItem):  # type: ignore[misc]
    """An axis with the round numbers of a scale, or with names. Exponents are raised."""

    def __init__(self, side: str) -> None:
        super().__init__(side, maxTickLength=-3, showValues=True)
        self._scale: Scale | list[Tick] = []
        self._rules: QColor | None = None
        self._ink = QColor("black")
        self._ticks: dict[str, Label] = {}
        self.enableAutoSIPrefix(False)

    def show_scale(self, scale: Scale | Sequence[Tick], ink: QColor, rules: QColor | None, font: QFont) -> None:
        """Of which scale, in which colour; ``rules``: the colour of the lines across the ground, None for no lines."""
        self._scale = scale if isinstance(scale, Scale) else list(scale)
        self._rules, self._ink = rules, ink
        self.setPen(cosmetic(QPen(ink, 1)))
        self.setTextPen(QPen(ink))
        self.setTickFont(font)
        self.setGrid(255 if rules is not None else False)
        self.setStyle(autoExpandTextSpace=True, tickTextOffset=5)
        self.picture = None
        self.update()

    def boundingRect(self) -> QRectF:
        """With room for the numbers at its ends, which pyqtgraph leaves out where lines go across the ground."""
        room: QRectF = super().boundingRect()
        return room.adjusted(-_ENDS, -_ENDS, _ENDS, _ENDS)

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, list[float]]]:  # noqa: N803
        """The numbers of the range that is seen."""
        wanted = max(2, round(size / (80 if self.orientation == "bottom" else 42)))
        low, high = min(minVal, maxVal), max(minVal, maxVal)
        if isinstance(self._scale, Scale):
            found = self._scale.ticks(low, high, wanted) if high > low else []
        else:
            found = [tick for tick in self._scale if low <= tick.place <= high]
        self._now = [tick.label for tick in found]
        return [(1.0, [tick.place for tick in found])]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:  # noqa: ARG002
        """Their labels on one line, by which pyqtgraph measures the room."""
        strings = [_elided(plain(label)) for label in self._now]
        self._ticks = dict(zip(strings, self._now, strict=True))
        return strings

    def drawPicture(self, painter: QPainter, axis: tuple[Any, ...], ticks: Sequence[Any], texts: Sequence[Any]) -> None:
        """The lines as they are found, the labels with their exponents raised."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        if self._rules is None:
            painter.setPen(axis[0])
            painter.drawLine(*axis[1:])
        for _, start, end in ticks:
            painter.setPen(cosmetic(QPen(self._rules if self._rules is not None else self._ink, 1)))
            painter.drawLine(start, end)
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing, True)
        painter.setPen(self._ink)
        font = self.style["tickFont"] or painter.font()
        for area, flags, text in texts:
            label = self._ticks.get(text, ())
            if not any(piece.raised for piece in label):
                painter.setFont(font)
                painter.drawText(area, int(flags), text)
                continue
            _draw_raised(painter, QRectF(area), flags, label, font)


def _draw_raised(painter: QPainter, area: QRectF, flags: int, label: Label, font: QFont) -> None:
    small = QFont(font)
    small.setPointSizeF(font.pointSizeF() * _RAISED)
    widths = [QFontMetricsF(small if piece.raised else font).horizontalAdvance(piece.text) for piece in label]
    x = area.right() - sum(widths) if flags & int(Qt.AlignmentFlag.AlignRight) else area.center().x() - sum(widths) / 2
    line = area.center().y() + QFontMetricsF(font).ascent() / 2 - QFontMetricsF(font).descent() / 2
    for piece, width in zip(label, widths, strict=True):
        painter.setFont(small if piece.raised else font)
        painter.drawText(QPointF(x, line - (QFontMetricsF(font).ascent() * 0.38 if piece.raised else 0)), piece.text)
        x += width


def _elided(name: str) -> str:
    return name if len(name) <= 44 else f"{name[:43]}…"


def cosmetic(pen: QPen) -> QPen:
    """The pen, as wide on every scale."""
    pen.setCosmetic(True)
    return pen
