"""What was measured of one question: sentences, plots, tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QIcon, QPixmap, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractItemView, QTableWidget, QTableWidgetItem, QVBoxLayout

from wizard.pages.fold import Fold
from wizard.pages.long_text import value_text
from wizard.pages.page import plain_label

if TYPE_CHECKING:
    from wizard.report.measured import MeasuredSection, MeasuredTable

Say = Callable[..., str]

_HIGHEST = 460  # logical pixels of rows that a table shows without scrolling for itself
_NARROWEST, _STEP, _PADDING = 60, 8, 14  # of a column


class MeasuredWidgets:
    """Fills the layout of a section. ``pictures``: the symbol of each state; ``arrow``: that of a fold.

    ``reshaped`` is called when a fold inside has opened or closed.
    """

    def __init__(
        self,
        say: Say,
        pictures: Mapping[str, QPixmap],
        arrow: Callable[[str], QPixmap],
        reshaped: Callable[[], object],
    ) -> None:
        self._say = say
        self._pictures = pictures
        self._arrow = arrow
        self._reshaped = reshaped

    def fill(self, layout: QVBoxLayout, section: MeasuredSection) -> None:
        """Everything that was measured of one question. The first sentence stands in the head of the fold."""
        for sentence in section.sentences[1:]:
            layout.addWidget(value_text(sentence))
        if section.plots:
            from wizard.plots.view import PlotView  # late: it loads pyqtgraph

            for plot in section.plots:
                layout.addWidget(PlotView(plot, self._say))
        for table in section.tables:
            if table.is_long:
                layout.addWidget(self._folded(table))
            else:
                self._fill_table(layout, table, with_title=True)

    def _folded(self, table: MeasuredTable) -> Fold:
        fold = Fold(table.title, lambda layout: self._fill_table(layout, table, with_title=False), self._arrow)
        fold.toggled.connect(lambda _: self._reshaped())
        fold.set_subtitle(self._say("measured-rows", count=len(table.rows)))
        return fold

    def _fill_table(self, layout: QVBoxLayout, table: MeasuredTable, *, with_title: bool) -> None:
        if with_title and table.title:
            layout.addWidget(plain_label("cardTitle", table.title, selectable=True))
        if table.rows:
            layout.addWidget(TableView(table, self._pictures, self._say))
        if table.note:
            layout.addWidget(plain_label("muted", table.note, selectable=True))


class TableView(QTableWidget):
    """A table of figures. The state of a row is a symbol before it, and a word for a screen reader."""

    def __init__(self, table: MeasuredTable, pictures: Mapping[str, QPixmap], say: Say) -> None:
        super().__init__(len(table.rows), len(table.columns))
        self.setAccessibleName(table.title)
        self.setAccessibleDescription(table.note)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setTextElideMode(Qt.TextElideMode.ElideNone)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        self.horizontalHeader().setHighlightSections(False)
        for number, row in enumerate(table.rows):
            for column, cell in enumerate(row.cells):
                item = QTableWidgetItem(cell)
                item.setTextAlignment(_side(table, column))
                if row.state and not column:
                    item.setIcon(QIcon(pictures[row.state]))
                    spoken = say("measured-state", name=cell, state=say(f"measured-state-{row.state}"))
                    item.setData(Qt.ItemDataRole.AccessibleTextRole, spoken)
                self.setItem(number, column, item)
        for column, name in enumerate(table.columns):
            head = QTableWidgetItem(name)
            head.setTextAlignment(_side(table, column))
            self.setHorizontalHeaderItem(column, head)

    def _fit(self) -> None:
        """Columns as wide as their cells, or the widest narrower and their text on more lines; then the rows."""
        header = self.horizontalHeader()
        wanted = [
            max(self.sizeHintForColumn(column), header.sectionSizeHint(column)) + _PADDING
            for column in range(self.columnCount())
        ]
        room = self.viewport().width()
        widest = max(wanted)
        while sum(min(each, widest) for each in wanted) > room and widest > _NARROWEST:
            widest -= _STEP
        for column, wide in enumerate(wanted):
            self.setColumnWidth(column, min(wide, widest))
        self.resizeRowsToContents()
        rows = sum(self.rowHeight(number) for number in range(self.rowCount()))
        scroll = self.horizontalScrollBar().sizeHint().height() if sum(min(w, widest) for w in wanted) > room else 0
        self.setFixedHeight(min(rows, _HIGHEST) + header.sizeHint().height() + 2 * self.frameWidth() + scroll + 2)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width: the text takes more lines, or fewer."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Another style or font makes other rows."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.StyleChange, QEvent.Type.FontChange) and self.isVisible():
            self._fit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """What is shown whole leaves the wheel to the page."""
        if self.verticalScrollBar().maximum() > 0:
            super().wheelEvent(event)
        else:
            event.ignore()


def _side(table: MeasuredTable, column: int) -> Qt.AlignmentFlag:
    """Figures stand at the right, below each other's digits."""
    side = Qt.AlignmentFlag.AlignRight if column in table.numeric else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter
