"""What has been measured so far, while it runs: plots that grow, and a line for each result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon, QPixmap
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from wizard.case_model import CaseModel
from wizard.widgets.labels import escaped_tip, filled, plain_label

if TYPE_CHECKING:
    from checks.facts import Health, Measurement
    from wizard.plots.view import PlotView
    from wizard.report.content.blocks import Plot
    from wizard.run_state import Running

MOST_LINES = 500  # of the log; the report has all of it
_LOG_HEIGHT = 210  # logical pixels


class Measuring(QWidget):
    """Hidden until something is measured. ``show_measurements`` takes all that there is, each time."""

    def __init__(self, case: CaseModel) -> None:
        super().__init__()
        self._case = case
        self._shown = self._watched = 0  # measurements, and samples of loads
        self._of: object = None  # the examination whose results are shown
        self._plots: dict[tuple[str, int], PlotView] = {}
        self._heading = plain_label("heading")
        self.log = QTreeWidget()
        self.log.setRootIsDecorated(False)
        self.log.setUniformRowHeights(True)
        self.log.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.log.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.log.setColumnCount(3)
        self.log.setFixedHeight(_LOG_HEIGHT)
        header = self.log.header()
        header.setStretchLastSection(True)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for column, wide in enumerate((260, 290)):
            self.log.setColumnWidth(column, wide)
        self._load = plain_label()
        self._left_out = plain_label("small")
        self._drawings = filled(QVBoxLayout(), spacing=8)
        parts = (self._heading, self._load, self.log, self._left_out, self._drawings)
        filled(QVBoxLayout(self), *parts, margins=(0, 6, 0, 0))
        self.retranslate()
        self.hide()

    def retranslate(self) -> None:
        """Everything anew in the present language."""
        self._heading.setText(self._case.say("run-measured"))
        self.log.setHeaderLabels([self._case.say(f"run-measured-{name}") for name in ("what", "where", "result")])
        self.log.setAccessibleName(self._case.say("run-measured"))
        self._clear()

    def _clear(self) -> None:
        self.log.clear()
        self._shown = self._watched = 0
        for view in self._plots.values():
            view.hide()
            view.deleteLater()
        self._plots = {}

    def is_behind(self) -> bool:
        """Whether there is something that is not shown yet."""
        running = self._case.running
        return self._of is not running or (self._shown, self._watched) != (len(running.measurements), _samples(running))

    def show_measurements(self, pictures: Mapping[str, QPixmap]) -> None:
        """Add what came since the last time, and let the plots grow. ``pictures``: the symbol of each state."""
        if self._of is not self._case.running:
            self._of = self._case.running
            self._clear()
        measured = self._case.running.measurements
        under_load = _under_load(self._case.running)
        self.setVisible(bool(measured or under_load))
        if not self.is_behind():
            return
        fresh = [measurement for measurement in measured[self._shown :] if not measurement.is_left_out]
        self._add_lines(fresh, pictures)
        left_out = _left_out(measured)
        self._left_out.setText(self._case.say("run-measured-left-out", count=left_out))
        self._left_out.setVisible(bool(left_out))
        self._load.setText("\n".join(map(self._checked, under_load)))
        self._load.setVisible(bool(under_load))
        self._shown, self._watched = len(measured), _samples(self._case.running)
        self._draw([*measured, *under_load])

    def _checked(self, load: Health) -> str:
        last = load.samples[-1]
        values = {"seconds": round(last.second), "checked": last.checked, "wrong": last.wrong}
        return self._case.say("run-load", device=load.device, **values)

    def _add_lines(self, fresh: Sequence[Measurement], pictures: Mapping[str, QPixmap]) -> None:
        from wizard.report.content.measured.line import line_of

        bar = self.log.verticalScrollBar()
        follows = bar.value() == bar.maximum()  # who has scrolled up is reading
        for measurement in fresh[-MOST_LINES:]:
            line = line_of(measurement, self._case.language)
            item = QTreeWidgetItem(self.log, list(line.cells))
            if line.state:
                item.setIcon(2, QIcon(pictures[line.state]))
            for column, cell in enumerate(line.cells):
                item.setToolTip(column, escaped_tip(cell))
        while self.log.topLevelItemCount() > MOST_LINES:
            self.log.takeTopLevelItem(0)
        if follows:
            self.log.scrollToBottom()

    def _draw(self, measured: Sequence[Measurement]) -> None:
        for key, plot in self._grown(measured).items():
            view = self._plots.get(key)
            if view is not None:
                view.show_plot(plot)
                continue
            from wizard.plots.view import PlotView  # late: it loads pyqtgraph

            view = self._plots[key] = PlotView(plot, self._case.say)
            self._drawings.addWidget(view)

    def _grown(self, measured: Sequence[Measurement]) -> dict[tuple[str, int], Plot]:
        from checks.facts import Facts
        from checks.facts.case import Answers, Case
        from wizard.report.content.measured.sections import measured_sections

        now = Case(created="", answers=Answers(), facts=Facts(measurements=tuple(measured)), outcomes=(), findings=())
        sections = measured_sections(now, self._case.language)
        return {
            (section.id, number): plot
            for section in sections
            for number, plot in enumerate(section.plots)
            if plot.series
        }


def _samples(running: Running) -> int:
    return sum(map(len, running.watched.values()))


def _left_out(measured: Sequence[Measurement]) -> int:
    """How many are left out: what had no time at first may have some at the end."""

    def key(one: Measurement) -> tuple[object, ...]:
        return type(one), one.framework, one.device, one.operation, one.dtype, one.setting

    measured_keys = {key(measurement) for measurement in measured if not measurement.is_left_out}
    return sum(measurement.is_left_out and key(measurement) not in measured_keys for measurement in measured)


def _under_load(running: Running) -> list[Health]:
    """The loads that have not ended, as they would be reported if they ended now."""
    from checks.facts import Health

    ended = {measurement.device for measurement in running.measurements if isinstance(measurement, Health)}
    return [
        Health(operation="load", device=device, samples=tuple(samples), checked=samples[-1].checked)
        for device, samples in running.watched.items()
        if device not in ended
    ]
