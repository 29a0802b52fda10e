"""A table of files, and below it the page of the chosen one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QIcon, QPixmap, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from wizard.report.content.blocks import Block, Files, Table
from wizard.widgets.labels import card, escaped_tip, filled, plain_label
from wizard.widgets.long_text import value_text

_MOST_ROWS = 8  # that the table shows without scrolling
_LOWEST_ROW = 22  # logical pixels
_WIDTHS = (210, 140, 110, 80, 80)  # logical pixels of the columns; the last one takes what is left


class FilesView(QWidget):
    """Of a single file only its page is shown. ``pictures``: the symbol of each state in the present colours.

    ``fill`` fills a layout with blocks.
    """

    def __init__(
        self, files: Files, pictures: Mapping[str, QPixmap], fill: Callable[[QVBoxLayout, Iterable[Block]], None]
    ) -> None:
        super().__init__()
        self._pages = files.pages
        self._fill = fill
        self._layout = filled(QVBoxLayout(self), margins=(0, 0, 0, 0), spacing=10)
        self.table = QTreeWidget()
        self.table.setAccessibleName(files.name)
        self._fill_table(files.table, pictures)
        self._layout.addWidget(self.table)
        for note in files.notes:
            self._layout.addWidget(value_text(note, "small"))
        self.page = QWidget()
        self._layout.addWidget(self.page)
        self.table.setVisible(len(files.pages) > 1)
        self.table.currentItemChanged.connect(self._show)
        first = self.table.topLevelItem(0)
        if first is not None:
            self.table.setCurrentItem(first)

    def _fill_table(self, rows: Table, pictures: Mapping[str, QPixmap]) -> None:
        table = self.table
        table.setColumnCount(len(rows.columns))
        table.setHeaderLabels(list(rows.columns))
        table.setRootIsDecorated(False)
        table.setUniformRowHeights(True)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        for index, row in enumerate(rows.rows):
            item = QTreeWidgetItem(table, list(row.cells))
            item.setData(0, Qt.ItemDataRole.UserRole, index)
            item.setIcon(len(rows.columns) - 1, QIcon(pictures[row.state]))
            for column, text in enumerate(row.full_cells):  # what a narrow column cuts
                item.setToolTip(column, escaped_tip(text))
        header = table.header()
        header.setStretchLastSection(True)
        for column, wide in enumerate(_WIDTHS):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
            table.setColumnWidth(column, wide)
        self._fit_height()

    def _fit_height(self) -> None:
        """As high as its rows, but of many no more than a few: the page of the chosen one shall be seen."""
        rows = min(len(self._pages), _MOST_ROWS)
        inside = self.table.header().sizeHint().height() + rows * max(self.table.sizeHintForRow(0), _LOWEST_ROW)
        self.table.setFixedHeight(inside + 2 * self.table.frameWidth() + 4)

    def changeEvent(self, event: QEvent) -> None:
        """Another style or font makes other rows."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.StyleChange, QEvent.Type.FontChange):
            self._fit_height()

    def showEvent(self, event: QShowEvent) -> None:
        """The style sheet is known only when it is shown."""
        super().showEvent(event)
        self._fit_height()

    def _show(self, item: QTreeWidgetItem | None, _before: QTreeWidgetItem | None = None) -> None:
        if item is None:
            return
        section = self._pages[item.data(0, Qt.ItemDataRole.UserRole)]
        frame, layout = card()
        frame.setAccessibleName(section.title)
        layout.addWidget(plain_label("cardTitle", section.title))
        self._fill(layout, section.blocks)
        self._layout.replaceWidget(self.page, frame)
        self.page.hide()
        self.page.deleteLater()
        self.page = frame
