"""A plot on a page of the PDF: lines as vectors, every number as text in the fonts of the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPagedPaintDevice, QPen, QPolygonF, QTransform

from wizard.plots.chart import Bar, Chart, Drawn, Place, chart_of
from wizard.plots.look import colour_of, dashes_of, hatch_of, hatching, is_filled, symbol_of
from wizard.plots.scale import Label
from wizard.report.content.blocks import Plot
from wizard.report.pdf.structure import Part
from wizard.report.pdf.text import DOTS, LINE, SOFT, Run, SetText, Sheet, Style, set_text, visible
from wizard.report.pdf.typeset import Block
from wizard.words import words

_SMALL = Style(size=7.5, color=SOFT, leading=1.35)
_RAISED = Style(size=5.4, color=SOFT, leading=1.35)
_HIGH, _LOW = 108.0, 64.0  # points of the ground on which is drawn
_ROW, _LEAST_ROW, _MOST_ROWS = 12.0, 4.0, 520.0  # of bars that lie
_MOST_NAME = 0.42  # of the width that the names of lying bars take
_WHOLE_WIDTH = 300.0  # points from which on a plot stands alone
_GAP, _SYMBOL, _LINE = 4.0, 4.4, 1.1
_SAMPLE = 22.0  # length of the line in the legend


@dataclass
class PlotBlock(Block):
    """A plot of the whole width: its title, what its lines are, the plot itself, and its sentence."""

    plot: Plot
    device: QPagedPaintDevice
    language: str
    before: float = field(default=6, kw_only=True)
    after: float = field(default=10, kw_only=True)
    floats: bool = field(default=True, init=False)

    def __post_init__(self) -> None:
        self._chart = chart_of(self.plot)
        self.part = Part("Figure", alt=f"{self.plot.title}: {self.plot.summary}")

    # --- how high

    def height(self, width: float) -> float:
        """Everything below each other."""
        return (
            sum(text.height for text in self._above(width))
            + self._legend_height(width)
            + self._body(width)
            + sum(text.height for text in self._below(width))
        )

    def _text(self, text: str, style: Style, width: float) -> SetText:
        return set_text([Run(visible(text), style)], width, self.device)

    def _one_line(self, text: str, width: float) -> SetText:
        text_set = self._text(text, _SMALL, width)
        if len(text_set.lines) < 2:
            return text_set
        return self._text(f"{visible(text)[: text_set.lines[0].textLength() - 2]}…", _SMALL, width)

    def _above(self, width: float) -> list[SetText]:
        return [self._text(self.plot.title, Style(size=_size(9.0, width), bold=True, leading=1.4), width)]

    def _below(self, width: float) -> list[SetText]:
        found = [self._text(self.plot.summary, Style(size=_size(8.2, width), color=SOFT, leading=1.35), width)]
        if self._chart.left_out:
            left_out = words("measurements.plot-left-out", self.language, count=self._chart.left_out)
            found.append(self._text(left_out, _SMALL, width))
        return found

    def _names(self, width: float) -> list[SetText] | None:
        """The categories below their bars; None where they do not fit and the bars are to lie."""
        slot = (width - 40) / max(1, len(self._chart.categories))
        set_ = [self._text(name, _SMALL, width * _MOST_NAME) for name in self._chart.categories]
        return set_ if all(len(name.lines) == 1 and name.natural_width <= slot - 2 for name in set_) else None

    def _is_lying(self, width: float) -> bool:
        return bool(self._chart.categories) and self._names(width) is None

    def _ground_height(self, width: float) -> float:
        is_low = _is_small(width) or (self._chart.is_flat and not self._chart.categories)
        return _LOW if is_low else _HIGH

    def _row(self) -> float:
        wanted = max(_ROW, _LEAST_ROW * len(self._chart.series))
        return min(wanted, _MOST_ROWS / len(self._chart.categories))

    def _body(self, width: float) -> float:
        line = _SMALL.size * _SMALL.leading
        if self._is_lying(width):
            return self._row() * len(self._chart.categories) + 2 * line + 4
        return self._ground_height(width) + 3 * line + 6

    # --- the legend

    def _legend(self, width: float) -> list[tuple[Drawn, SetText, float, float]]:
        """The samples with their names, each with its place. A single series needs none."""
        if len(self._chart.series) < 2:
            return []
        placed, x, y = [], 0.0, 0.0
        for series in self._chart.series:
            name = self._text(series.name, _SMALL, width - _SAMPLE)
            wide = _SAMPLE + name.natural_width + 14
            if x and x + wide > width:
                x, y = 0.0, y + name.height
            placed.append((series, name, x, y))
            x += wide
        return placed

    def _legend_height(self, width: float) -> float:
        return max((y + name.height + 2 for _, name, _, y in self._legend(width)), default=0.0)

    def _draw_legend(self, sheet: Sheet, x: float, y: float, width: float) -> None:
        for series, name, left, top in self._legend(width):
            middle = y + top + name.height / 2
            if self._chart.categories:
                self._bar(sheet, series, QRectF(x + left, middle - 3.5, 14, 7))
            else:
                places = [QPointF(x + left, middle), QPointF(x + left + _SAMPLE - 6, middle)]
                if self.plot.kind == "lines":
                    self._line(sheet, series.number, places)
                self._symbol(sheet, series.number, x + left + (_SAMPLE - 6) / 2, middle)
            name.draw(sheet, x + left + _SAMPLE - 2, y + top)

    # --- the plot

    def draw(self, sheet: Sheet, x: float, y: float, width: float) -> None:
        """Draw it from above. All of it is the figure: what its sentence says is also said for it."""
        with sheet.inside(self.part):
            sheet.mark_drawing()
            self._draw(sheet, x, y, width)

    def _draw(self, sheet: Sheet, x: float, y: float, width: float) -> None:
        for text in self._above(width):
            text.draw(sheet, x, y)
            y += text.height
        self._draw_legend(sheet, x, y, width)
        y += self._legend_height(width)
        (self._draw_lying if self._is_lying(width) else self._draw_standing)(sheet, x, y, width)
        y += self._body(width)
        for text in self._below(width):
            text.draw(sheet, x, y)
            y += text.height

    def _draw_standing(self, sheet: Sheet, x: float, y: float, width: float) -> None:
        chart = self._chart
        line = _SMALL.size * _SMALL.leading
        _SetLabel(chart.y.title(self.plot.y_label), self.device).draw(sheet, x, y)
        ticks = [(tick.place, _SetLabel(tick.label, self.device)) for tick in chart.y.ticks()]
        left = max((label.width for _, label in ticks), default=0.0) + _GAP
        area = QRectF(x + left, y + line + 4, width - left - 2, self._ground_height(width))
        ground = _Ground(chart, area)
        for place, label in ticks:
            at = ground.y(place)
            sheet.rule(area.left(), at, area.width(), thickness=0.4)
            label.draw(sheet, area.left() - _GAP - label.width, at - line / 2)
        self._draw_series(sheet, ground)
        sheet.rule(area.left(), area.bottom(), area.width(), color=SOFT, thickness=0.6)
        names = self._names(width) or []
        for number, name in enumerate(names):
            name.draw(sheet, ground.x(number + 0.5) - name.natural_width / 2, area.bottom() + 1)
        if not chart.categories:
            self._draw_x(sheet, ground)
        title = _SetLabel(chart.x.title(self.plot.x_label), self.device)
        title.draw(sheet, area.right() - title.width, area.bottom() + line + 1)

    def _draw_x(self, sheet: Sheet, ground: _Ground) -> None:
        sheet.painter.setPen(QPen(QColor(SOFT), 0.6 * DOTS))
        for tick in self._chart.x.ticks():
            at = ground.x(tick.place)
            label = _SetLabel(tick.label, self.device)
            sheet.painter.drawLine(_dots(at, ground.area.bottom()), _dots(at, ground.area.bottom() + 2.5))
            label.draw(sheet, at - label.width / 2, ground.area.bottom() + 2)

    def _draw_lying(self, sheet: Sheet, x: float, y: float, width: float) -> None:
        chart = self._chart
        line = _SMALL.size * _SMALL.leading
        names = [self._one_line(name, width * _MOST_NAME) for name in chart.categories]
        left = max(name.natural_width for name in names) + _GAP
        row = self._row()
        area = QRectF(x + left, y + 2, width - left - 12, row * len(names))
        ground = _Ground(chart, area, is_lying=True)
        for tick in chart.y.ticks():
            at = ground.x(tick.place)
            sheet.painter.setPen(QPen(QColor(LINE), 0.4 * DOTS))
            sheet.painter.drawLine(_dots(at, area.top()), _dots(at, area.bottom()))
            label = _SetLabel(tick.label, self.device)
            label.draw(sheet, at - label.width / 2, area.bottom() + 1)
        for number, name in enumerate(names):
            name.draw(sheet, area.left() - _GAP - name.natural_width, ground.y(number + 0.5) - line / 2)
        self._draw_series(sheet, ground)
        title = _SetLabel(chart.y.title(self.plot.y_label), self.device)
        title.draw(sheet, area.right() - title.width, area.bottom() + line + 1)

    def _draw_series(self, sheet: Sheet, ground: _Ground) -> None:
        for series in self._chart.series:
            for bar in series.bars:
                self._bar(sheet, series, ground.bar(bar))
            if self.plot.kind == "lines":
                for places in series.lines:
                    self._line(sheet, series.number, [ground.point(place) for place in places])
            for place in series.marks:
                self._symbol(sheet, series.number, ground.x(place.x), ground.y(place.y))

    # --- the strokes

    def _pen(self, number: int, wide: float = _LINE) -> QPen:
        pen = QPen(colour_of(number, dark=False), wide * DOTS)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        return pen

    def _line(self, sheet: Sheet, number: int, points: Sequence[QPointF]) -> None:
        pen = self._pen(number)
        if dashes_of(number):
            pen.setDashPattern(list(dashes_of(number)))
        sheet.painter.setPen(pen)
        sheet.painter.drawPolyline(QPolygonF([point * DOTS for point in points]))

    def _symbol(self, sheet: Sheet, number: int, x: float, y: float) -> None:
        sheet.painter.setPen(self._pen(number, 0.8))
        sheet.painter.setBrush(colour_of(number, dark=False) if is_filled(number) else QColor("white"))
        placed = QTransform().translate(x * DOTS, y * DOTS).scale(_SYMBOL * DOTS, _SYMBOL * DOTS)
        sheet.painter.drawPath(placed.map(symbol_of(number)))

    def _bar(self, sheet: Sheet, series: Drawn, area: QRectF) -> None:
        style, number = hatch_of(series.number), series.number
        scaled = QRectF(area.topLeft() * DOTS, area.size() * DOTS)
        painter = sheet.painter
        painter.setPen(self._pen(number, 0.7))
        painter.setBrush(colour_of(number, dark=False) if style is Qt.BrushStyle.SolidPattern else QColor("white"))
        painter.drawRect(scaled)
        lines = hatching(scaled, style, 3.2 * DOTS)
        if lines:
            painter.save()
            painter.setClipRect(scaled)
            for one, other in lines:
                painter.drawLine(one, other)
            painter.restore()


class _Ground:
    """From coordinates of the chart to points of the page. Lying bars have their categories from above."""

    def __init__(self, chart: Chart, area: QRectF, *, is_lying: bool = False) -> None:
        self.area = area
        self._is_lying = is_lying
        self._across, self._up = (chart.y, chart.x) if is_lying else (chart.x, chart.y)
        self._base = chart.y.base

    def x(self, place: float) -> float:
        """From the left."""
        return self.area.left() + self.area.width() * (place - self._across.low) / (
            self._across.high - self._across.low
        )

    def y(self, place: float) -> float:
        """From above."""
        share = (place - self._up.low) / (self._up.high - self._up.low)
        return self.area.top() + self.area.height() * (share if self._is_lying else 1 - share)

    def point(self, place: Place) -> QPointF:
        """A value of a line."""
        return QPointF(self.x(place.x), self.y(place.y))

    def bar(self, bar: Bar) -> QRectF:
        """The rectangle of a bar."""
        if self._is_lying:
            return QRectF(
                QPointF(self.x(self._base), self.y(bar.start)), QPointF(self.x(bar.top), self.y(bar.end))
            ).normalized()
        return QRectF(
            QPointF(self.x(bar.start), self.y(self._base)), QPointF(self.x(bar.end), self.y(bar.top))
        ).normalized()


class _SetLabel:
    """A number or a title whose exponents are raised."""

    def __init__(self, label: Label, device: QPagedPaintDevice) -> None:
        self._parts = [
            (
                set_text([Run(piece.text.replace(" ", "\u00a0"), _RAISED if piece.raised else _SMALL)], 1000, device),
                piece.raised,
            )
            for piece in label
        ]
        self.width = sum(text.natural_width for text, _ in self._parts)

    def draw(self, sheet: Sheet, x: float, y: float) -> None:
        """With the upper left corner there."""
        for text, raised in self._parts:
            text.draw(sheet, x, y - 0.8 if raised else y)
            x += text.natural_width


def _is_small(width: float) -> bool:
    """Whether it stands beside another plot."""
    return width < _WHOLE_WIDTH


def _size(size: float, width: float) -> float:
    return size - 1 if _is_small(width) else size


def _dots(x: float, y: float) -> QPointF:
    return QPointF(x * DOTS, y * DOTS)
