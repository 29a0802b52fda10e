"""A plot in the window, drawn by pyqtgraph. Loaded only when there is a plot to show: pyqtgraph takes half a second."""

from __future__ import annotations

import html
from collections.abc import Callable

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QPixmap, QTransform
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from wizard.desktop import theme
from wizard.plots.canvas import SYMBOL, Canvas, inside_of, pen_of
from wizard.plots.chart import Drawn, chart_of
from wizard.plots.look import brush_of, colour_of, symbol_of
from wizard.plots.scale import Label, plain
from wizard.report.content.blocks import Plot
from wizard.widgets.labels import emptied, filled, plain_label
from wizard.widgets.wrap_layout import WrapLayout

Say = Callable[..., str]

_SAMPLE = 30  # logical pixels of a line in the legend


class PlotView(QWidget):
    """A plot with its title, its legend and its sentence. The arrow keys, or the mouse, read out the values.

    ``say`` gives a text of window.toml.
    """

    def __init__(self, plot: Plot, say: Say) -> None:
        super().__init__()
        self._say = say
        self._chart = chart_of(plot)
        self._drawn_for = theme.signature(self.palette())
        self._title = plain_label("cardTitle", selectable=True)
        self._legend = QWidget()
        self._legend_rows = WrapLayout()
        self._legend.setLayout(self._legend_rows)
        self._y_title = _titled()
        self._x_title = _titled()
        self._x_title.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.canvas = Canvas(self._read, self._draw)
        self._reading = plain_label("small")
        self._summary = plain_label("muted", selectable=True)
        below = (self._x_title, self._reading, self._summary)
        parts = (self._title, self._legend, self._y_title, self.canvas, *below)
        filled(QVBoxLayout(self), *parts, margins=(0, 4, 0, 8), spacing=2)
        self.show_plot(plot)

    @property
    def plot(self) -> Plot:
        """What is shown."""
        return self._chart.plot

    def show_plot(self, plot: Plot) -> None:
        """Show another plot in the same place, or the same with more values."""
        if plot == self._chart.plot and self._title.text():
            return
        self._chart = chart_of(plot)
        self._title.setText(plot.title)
        self._summary.setText(plot.summary)
        self._summary.setVisible(bool(plot.summary))
        self._read("")
        self.canvas.setAccessibleName(plot.title)
        self.canvas.setAccessibleDescription(plot.summary)
        self.canvas.setToolTip(self._say("plot-keys"))
        self._draw()

    def _read(self, words: str) -> None:
        self._reading.setText(words or self._say("plot-keys"))
        self._reading.setVisible(bool(words) or self.canvas.hasFocus())
        self.canvas.setAccessibleDescription(words or self._chart.plot.summary)

    def _draw(self) -> None:
        self._fill_legend()
        lying = self.canvas.show_chart(self._chart, self.palette(), self.font())
        plot, chart = self._chart.plot, self._chart
        across, up = (
            (chart.y.title(plot.y_label), (Label()))
            if lying
            else (
                chart.x.title(plot.x_label),
                chart.y.title(plot.y_label),
            )
        )
        for label, title in ((self._x_title, across), (self._y_title, up)):
            label.setText(_html(title))
            label.setVisible(bool(plain(title)))

    def _fill_legend(self) -> None:
        emptied(self._legend_rows)
        several = len(self._chart.series) > 1
        self._legend.setVisible(several)
        for series in self._chart.series if several else ():
            self._legend_rows.addWidget(self._sample(series))

    def _sample(self, series: Drawn) -> QWidget:
        entry = QWidget()
        picture = QLabel()
        picture.setPixmap(self._picture(series))
        name = plain_label("small", series.name)
        name.setWordWrap(False)
        filled(QHBoxLayout(entry), picture, name, margins=(0, 0, 6, 0), spacing=6)
        return entry

    def _picture(self, series: Drawn) -> QPixmap:
        ratio, dark = self.devicePixelRatioF(), theme.is_dark(self.palette())
        picture = QPixmap(round(_SAMPLE * ratio), round(14 * ratio))
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(pen_of(series.number, dark=dark))
        if self._chart.categories:
            painter.setBrush(brush_of(series.number, dark=dark))
            painter.drawRect(QRectF(4, 2, 22, 10))
        else:
            if self._chart.plot.kind == "lines":
                painter.drawLine(QPointF(0, 7), QPointF(_SAMPLE, 7))
            painter.setPen(QPen(colour_of(series.number, dark=dark), 1.4))
            painter.setBrush(inside_of(series.number, dark=dark))
            painter.drawPath(QTransform().translate(_SAMPLE / 2, 7).scale(SYMBOL, SYMBOL).map(symbol_of(series.number)))
        painter.end()
        return picture

    def changeEvent(self, event: QEvent) -> None:
        """Another palette or font: draw anew."""
        super().changeEvent(event)
        is_palette = event.type() == QEvent.Type.PaletteChange and theme.signature(self.palette()) != self._drawn_for
        if is_palette or event.type() == QEvent.Type.FontChange:
            self._drawn_for = theme.signature(self.palette())
            self._draw()


def _titled() -> QLabel:
    label = plain_label("small")
    label.setTextFormat(Qt.TextFormat.RichText)  # for exponents; its words are escaped
    return label


def _html(label: Label) -> str:
    parts = (html.escape(piece.text) for piece in label)
    return "".join(f"<sup>{part}</sup>" if piece.raised else part for piece, part in zip(label, parts, strict=True))
