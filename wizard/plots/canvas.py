"""The ground of a plot in the window, drawn by pyqtgraph: axes, lines, symbols, bars, and the reading of values."""

from __future__ import annotations

from collections.abc import Callable

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QGraphicsRectItem

from wizard.desktop import theme
from wizard.plots.axis import ScaleAxis, cosmetic
from wizard.plots.chart import Bar, Chart, Drawn, Place
from wizard.plots.look import brush_of, colour_of, dashes_of, is_filled, symbol_of
from wizard.plots.scale import Scale, Tick

_HIGH, _LOW = 210, 130  # logical pixels of the ground with its numbers
_ROW, _LEAST_ROW = 22, 9  # of bars that lie: a category, one bar of it
_AXIS = 34  # below the ground
_EDGE = 0.06  # of a low ground, left free besides the margin of its scale: that is less than half a symbol
SYMBOL = 8
_CLOSER = 0.8  # with each step of the wheel or of the plus key


class Canvas(pg.PlotWidget):  # type: ignore[misc]  # pyqtgraph has no types
    """The ground, its axes and what is drawn on it.

    ``read`` is called with the words of a value, or "" for none; ``reshaped`` when bars are to lie, or to stand again.
    """

    def __init__(self, read: Callable[[str], object], reshaped: Callable[[], object]) -> None:
        self._across, self._up = ScaleAxis("bottom"), ScaleAxis("left")
        super().__init__(axisItems={"bottom": self._across, "left": self._up}, enableMenu=False)
        self._read_out = read
        self._reshaped = reshaped
        self._chart: Chart | None = None
        self._lying = False
        self._readings: list[tuple[Drawn, Place | Bar]] = []
        self._at = -1
        self._items: list[object] = []
        self._marker = pg.ScatterPlotItem(size=SYMBOL + 6, pxMode=True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFrameShape(self.Shape.NoFrame)
        self.getPlotItem().hideButtons()
        self.getPlotItem().layout.setContentsMargins(2, 8, 12, 2)  # for the numbers at the ends of the axes
        self.getPlotItem().getViewBox().setMouseEnabled(x=False, y=False)
        self.getPlotItem().getViewBox().setDefaultPadding(0.0)
        self.setMouseTracking(True)
        for axis in (self._across, self._up):
            axis.setZValue(-1)  # the lines across the ground lie behind what is drawn

    # --- drawing

    def show_chart(self, chart: Chart, palette: QPalette, font: QFont) -> bool:
        """Draw a chart in the colours of a palette; whether its bars lie."""
        self._chart = chart
        self._readings, self._at = chart.readings(), -1
        self._lying = bool(chart.categories) and not self._names_fit(chart, font)
        dark = theme.is_dark(palette)
        self._ink = theme.colour("text", palette)
        muted, border = theme.colour("muted", palette), theme.colour("border", palette)
        self.setBackground(theme.colour("card", palette))
        small = QFont(font)
        small.setPointSizeF(font.pointSizeF() * 0.88 if font.pointSizeF() > 0 else 8.5)
        names = [Tick(number + 0.5, chart.x.title(name)) for number, name in enumerate(chart.categories)]
        of_x: Scale | list[Tick] = names if chart.categories else chart.x
        across, up = (chart.y, of_x) if self._lying else (of_x, chart.y)
        for axis, scale, rules in ((self._across, across, self._lying), (self._up, up, not self._lying)):
            axis.show_scale(scale, muted, border if rules else None, small)
        view = self.getPlotItem().getViewBox()
        view.invertY(self._lying)
        for item in self._items:
            self.removeItem(item)
        self._items = []
        for series in chart.series:
            self._draw_series(series, dark=dark)
        self._marker.setData([])
        self._add(self._marker)
        self._whole_range()
        rows = max(_ROW, _LEAST_ROW * len(chart.series)) * len(chart.categories)
        high = _LOW if chart.is_flat and not chart.categories else _HIGH
        self.setFixedHeight(rows + _AXIS if self._lying else high)
        return self._lying

    def _names_fit(self, chart: Chart, font: QFont) -> bool:
        metrics = QFontMetricsF(font)
        slot = (self.width() - 70) / len(chart.categories)
        return all(metrics.horizontalAdvance(name) * 0.9 <= slot - 4 for name in chart.categories)

    def _whole_range(self) -> None:
        chart = self._chart
        if chart is None:
            return
        across, up = (chart.y, chart.x) if self._lying else (chart.x, chart.y)
        view = self.getPlotItem().getViewBox()
        edge = (up.high - up.low) * _EDGE if chart.is_flat and not chart.categories else 0.0
        low, high = up.low - edge, up.high + edge
        view.setLimits(xMin=across.low, xMax=across.high, yMin=low, yMax=high)
        view.setRange(xRange=(across.low, across.high), yRange=(low, high), padding=0, disableAutoRange=True)

    def _add(self, item: object) -> None:
        self._items.append(item)
        self.addItem(item)

    def _draw_series(self, series: Drawn, *, dark: bool) -> None:
        chart = self._chart
        if chart is None:
            return
        pen = pen_of(series.number, dark=dark)
        for bar in series.bars:
            item = QGraphicsRectItem(self._area(bar))
            item.setPen(cosmetic(QPen(colour_of(series.number, dark=dark), 1.2)))
            item.setBrush(brush_of(series.number, dark=dark))
            self._add(item)
        if chart.plot.kind == "lines":
            for places in series.lines:
                self._add(
                    pg.PlotCurveItem(
                        [place.x for place in places], [place.y for place in places], pen=pen, antialias=True
                    )
                )
        if series.marks:
            marks = pg.ScatterPlotItem(
                [mark.x for mark in series.marks],
                [mark.y for mark in series.marks],
                symbol=symbol_of(series.number),
                size=SYMBOL,
                pen=cosmetic(QPen(colour_of(series.number, dark=dark), 1.2)),
                brush=inside_of(series.number, dark=dark),
            )
            self._add(marks)

    def _area(self, bar: Bar) -> QRectF:
        base = self._chart.y.base if self._chart else 0.0
        ends = (QPointF(base, bar.start), QPointF(bar.top, bar.end))
        if not self._lying:
            ends = (QPointF(bar.start, base), QPointF(bar.end, bar.top))
        return QRectF(*ends).normalized()

    # --- reading

    def _place(self, value: Place | Bar) -> QPointF:
        if isinstance(value, Place):
            return QPointF(value.x, value.y)
        middle = (value.start + value.end) / 2
        return QPointF(value.top, middle) if self._lying else QPointF(middle, value.top)

    def read(self, number: int) -> None:
        """Mark a value and say it."""
        if not self._readings:
            return
        self._at = min(max(number, 0), len(self._readings) - 1)
        value = self._readings[self._at][1]
        place = self._place(value)
        self._marker.setData([place.x()], [place.y()], pen=cosmetic(QPen(self._ink, 2)), brush=None)
        self._read_out(value.words)

    def _unread(self) -> None:
        self._at = -1
        self._marker.setData([])
        self._read_out("")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and right: the values; up and down: the series; plus, minus and zero: closer, farther, all of it."""
        match event.key():
            case Qt.Key.Key_Right:
                self.read(self._at + 1)
            case Qt.Key.Key_Left:
                self.read(self._at - 1)
            case Qt.Key.Key_Home:
                self.read(0)
            case Qt.Key.Key_End:
                self.read(len(self._readings) - 1)
            case Qt.Key.Key_Down:
                self._other_series(1)
            case Qt.Key.Key_Up:
                self._other_series(-1)
            case Qt.Key.Key_Plus:
                self._closer(_CLOSER)
            case Qt.Key.Key_Minus:
                self._closer(1 / _CLOSER)
            case Qt.Key.Key_0:
                self._whole_range()
            case _:
                event.ignore()
                return
        event.accept()

    def _other_series(self, step: int) -> None:
        firsts = [
            number
            for number, (series, _) in enumerate(self._readings)
            if not number or self._readings[number - 1][0] is not series
        ]
        if firsts:
            present = max((at for at, first in enumerate(firsts) if first <= self._at), default=-1)
            self.read(firsts[min(max(present + step, 0), len(firsts) - 1)])

    def _closer(self, factor: float) -> None:
        self.getPlotItem().getViewBox().scaleBy((factor, factor))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """With Ctrl closer or farther; alone it is meant for the page."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier and event.angleDelta().y():
            self._closer(_CLOSER if event.angleDelta().y() > 0 else 1 / _CLOSER)
            event.accept()
        else:
            event.ignore()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Say the value under the mouse."""
        near = self._nearest(event.position())
        if near is None:
            if self._at >= 0 and not self.hasFocus():
                self._unread()
        elif near != self._at:
            self.read(near)

    def _nearest(self, point: QPointF) -> int | None:
        view = self.getPlotItem().getViewBox()
        best, least = None, 14.0  # logical pixels
        for number, (_, value) in enumerate(self._readings):
            if isinstance(value, Bar):
                if view.mapViewToScene(self._area(value)).boundingRect().adjusted(0, -2, 0, 2).contains(point):
                    return number
                continue
            at = view.mapViewToScene(self._place(value)) - point
            far = (at.x() ** 2 + at.y() ** 2) ** 0.5
            if far < least:
                best, least = number, far
        return best

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is under the mouse any more."""
        super().leaveEvent(event)
        if not self.hasFocus():
            self._unread()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Say how the values are read."""
        super().focusInEvent(event)
        self._read_out("")
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """No value is marked any more."""
        super().focusOutEvent(event)
        self._unread()
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """With a frame while it has the keyboard."""
        super().paintEvent(event)
        if self.hasFocus():
            painter = QPainter(self.viewport())
            painter.setPen(QPen(theme.colour("accent", self.palette()), 2))
            painter.drawRect(self.viewport().rect().adjusted(1, 1, -1, -1))
            painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In another width the names of the bars may fit, or not any more."""
        super().resizeEvent(event)
        chart = getattr(self, "_chart", None)  # it is resized before it is ready
        if chart is not None and chart.categories and self._names_fit(chart, self.font()) == self._lying:
            self._reshaped()


def pen_of(number: int, *, dark: bool) -> QPen:
    """The pen of a series' line."""
    pen = cosmetic(QPen(colour_of(number, dark=dark), 1.8))
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    if dashes_of(number):
        pen.setDashPattern(list(dashes_of(number)))
    return pen


def inside_of(number: int, *, dark: bool) -> QColor:
    """What its symbols are filled with."""
    return colour_of(number, dark=dark) if is_filled(number) else QColor(Qt.GlobalColor.transparent)
