"""What was measured of one question: sentences, plots, tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QIcon, QPixmap, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeWidget, QTreeWidgetItem, QVBoxLayout

from wizard.pages.fold import Fold
from wizard.pages.long_text import value_text
from wizard.pages.page import escaped_tip, plain_label

if TYPE_CHECKING:
    from wizard.report.measured import MeasuredSection, MeasuredTable

Say = Callable[..., str]

_MOST_ROWS = 20  # that a table shows without scrolling for itself
_LOWEST_ROW = 22  # logical pixels
_WIDEST = 300  # of a column
_PADDING = 18


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


class TableView(QTreeWidget):
    """A table of figures. The state of a row is a symbol before it, and a word for a screen reader."""

    def __init__(self, table: MeasuredTable, pictures: Mapping[str, QPixmap], say: Say) -> None:
        super().__init__()
        self.setColumnCount(len(table.columns))
        self.setHeaderLabels(list(table.columns))
        self.setAccessibleName(table.title)
        self.setAccessibleDescription(table.note)
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        for row in table.rows:
            item = QTreeWidgetItem(self, list(row.cells))
            for column, cell in enumerate(row.cells):
                item.setToolTip(column, escaped_tip(cell))
            if row.state:
                item.setIcon(0, QIcon(pictures[row.state]))
                spoken = say("measured-state", name=row.cells[0], state=say(f"measured-state-{row.state}"))
                item.setData(0, Qt.ItemDataRole.AccessibleTextRole, spoken)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        head = self.headerItem()
        for column in table.numeric:
            head.setTextAlignment(column, right)
            for number in range(self.topLevelItemCount()):
                item_there = self.topLevelItem(number)
                if item_there is not None:
                    item_there.setTextAlignment(column, right)
        self._count = len(table.rows)
        self._fit()

    def _fit(self) -> None:
        """Columns as wide as their cells, the table as high as its rows, within limits."""
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for column in range(self.columnCount()):
            self.resizeColumnToContents(column)
            self.setColumnWidth(column, min(self.columnWidth(column) + _PADDING, _WIDEST))
        header.setStretchLastSection(self.columnCount() == 1)
        row = max(self.sizeHintForRow(0), _LOWEST_ROW)
        inside = header.sizeHint().height() + min(self._count, _MOST_ROWS) * row
        scroll = self.horizontalScrollBar().sizeHint().height() if self._is_too_wide() else 0
        self.setFixedHeight(inside + 2 * self.frameWidth() + 4 + scroll)

    def _is_too_wide(self) -> bool:
        return sum(self.columnWidth(column) for column in range(self.columnCount())) > self.viewport().width() > 0

    def changeEvent(self, event: QEvent) -> None:
        """Another style or font makes other rows."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.StyleChange, QEvent.Type.FontChange) and hasattr(self, "_count"):
            self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        """The style sheet is known only when it is shown."""
        super().showEvent(event)
        self._fit()
