"""How the series of a plot are told apart: by colour, and without it by symbol, dashes and hatching."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainterPath, QPolygonF

# (light, dark). Told apart by those who see no red and green as well (simulated), and readable on a page and a card.
_COLOURS = (
    ("#0b57a4", "#8ab4f8"),
    ("#b3401e", "#ff9e80"),
    ("#00705a", "#66d9b3"),
    ("#8a3d8f", "#e09be8"),
    ("#7a5200", "#ffcf70"),
    ("#3d4450", "#c9d1d9"),
)
# Strokes and gaps as multiples of the line's width; () is a whole line.
DASHES: tuple[tuple[float, ...], ...] = ((), (6, 3), (1.5, 2.5), (8, 3, 1.5, 3), (3, 2))
_HATCHES = (
    Qt.BrushStyle.SolidPattern,
    Qt.BrushStyle.BDiagPattern,
    Qt.BrushStyle.NoBrush,
    Qt.BrushStyle.FDiagPattern,
    Qt.BrushStyle.DiagCrossPattern,
    Qt.BrushStyle.HorPattern,
)
_SLOPES: dict[Qt.BrushStyle, tuple[tuple[float, float], ...]] = {  # directions of the lines of a hatching
    Qt.BrushStyle.BDiagPattern: ((1, -1),),
    Qt.BrushStyle.FDiagPattern: ((1, 1),),
    Qt.BrushStyle.DiagCrossPattern: ((1, -1), (1, 1)),
    Qt.BrushStyle.HorPattern: ((1, 0),),
}


def colour_of(number: int, *, dark: bool) -> QColor:
    """The colour of a series."""
    return QColor(_COLOURS[number % len(_COLOURS)][dark])


def dashes_of(number: int) -> tuple[float, ...]:
    """The dashes of its line; they change with the colour, and again when the colours begin anew."""
    return DASHES[(number + number // len(_COLOURS)) % len(DASHES)]


def is_filled(number: int) -> bool:
    """Whether its symbols are filled: when the symbols begin anew, they are empty."""
    return number // len(_symbols()) % 2 == 0


def hatch_of(number: int) -> Qt.BrushStyle:
    """How its bars are filled."""
    return _HATCHES[number % len(_HATCHES)]


def brush_of(number: int, *, dark: bool) -> QBrush:
    """The same as a brush."""
    return QBrush(colour_of(number, dark=dark), hatch_of(number))


def symbol_of(number: int) -> QPainterPath:
    """Its symbol, one unit wide, around the origin."""
    return _symbols()[number % len(_symbols())]


@functools.cache
def _symbols() -> tuple[QPainterPath, ...]:
    disc = QPainterPath()
    disc.addEllipse(QRectF(-0.5, -0.5, 1, 1))
    square = _closed((-0.44, -0.44), (0.44, -0.44), (0.44, 0.44), (-0.44, 0.44))
    triangle = _closed((0, -0.55), (0.52, 0.38), (-0.52, 0.38))
    diamond = _closed((0, -0.62), (0.62, 0), (0, 0.62), (-0.62, 0))
    below = _closed((0, 0.55), (0.52, -0.38), (-0.52, -0.38))
    star = _closed(*_star())
    return disc, square, triangle, diamond, below, star


def _star() -> list[tuple[float, float]]:
    turns = [math.pi * index / 5 - math.pi / 2 for index in range(10)]
    lengths = [0.62 if index % 2 == 0 else 0.26 for index in range(10)]
    return [(length * math.cos(turn), length * math.sin(turn)) for turn, length in zip(turns, lengths, strict=True)]


def _closed(*points: tuple[float, float]) -> QPainterPath:
    path = QPainterPath()
    path.addPolygon(QPolygonF([QPointF(x, y) for x, y in points]))
    path.closeSubpath()
    return path


def hatching(area: QRectF, style: Qt.BrushStyle, gap: float) -> Sequence[tuple[QPointF, QPointF]]:
    """The lines of a hatching, drawn as lines so that they stay sharp on paper. They reach beyond the area."""
    lines = []
    for across, down in _SLOPES.get(style, ()):
        reach = area.height() if down else 0.0
        count = int((area.width() + area.height()) / gap) + 1 if down else int(area.height() / gap)
        for number in range(1, count + 1):
            if not down:
                y = area.top() + number * gap
                lines.append((QPointF(area.left(), y), QPointF(area.right(), y)))
                continue
            start = area.left() - reach + number * gap
            top, bottom = (area.top(), area.bottom()) if down > 0 else (area.bottom(), area.top())
            lines.append((QPointF(start, top), QPointF(start + reach * across, bottom)))
    return lines
