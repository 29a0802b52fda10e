"""A table of figures in the window."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRect, Qt
from PySide6.QtGui import QFont, QFontMetrics, QIcon, QPixmap, QResizeEvent, QTextLayout, QTextOption, QWheelEvent
from PySide6.QtWidgets import QAbstractItemView, QTableWidget, QTableWidgetItem

from wizard.report.text_columns import unbroken
from wizard.widgets.labels import escaped_tip

if TYPE_CHECKING:
    from wizard.report.content.blocks import Table

Say = Callable[..., str]

_HIGHEST, _LITTLE = 460, 140  # logical pixels of rows that a table shows, and more where it is all that is left
_NARROWEST, _STEP, _PADDING = 60, 8, 22  # of a column
_NAME = 130  # of the column that says what each row is about
_GAP, _AROUND, _ENDLESS = 16, 10, 1 << 20  # beside a symbol; above and below the text of a row; no limit


class TableView(QTableWidget):
    """A table of figures. The state of a row is a symbol before it, and a word for a screen reader."""

    def __init__(self, table: Table, pictures: Mapping[str, QPixmap], say: Say) -> None:
        super().__init__(len(table.rows), len(table.columns))
        self.setAccessibleName(table.title)
        self.setAccessibleDescription(table.note)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self._heads = table.columns
        self.verticalHeader().hide()
        self.horizontalHeader().setHighlightSections(False)
        for number, row in enumerate(table.rows):
            for column, cell in enumerate(row.cells):
                item = QTableWidgetItem(cell)
                item.setTextAlignment(_side(table, column))
                item.setToolTip(escaped_tip(cell))
                if row.state and not column:
                    item.setIcon(QIcon(pictures[row.state]))
                    spoken = say("measured-state", name=cell, state=say(f"measured-state-{row.state}"))
                    item.setData(Qt.ItemDataRole.AccessibleTextRole, spoken)
                self.setItem(number, column, item)
        for column, name in enumerate(table.columns):
            head = QTableWidgetItem(name)
            head.setTextAlignment(_side(table, column))
            head.setToolTip(escaped_tip(name))
            self.setHorizontalHeaderItem(column, head)

    def _fit(self) -> None:
        """Columns as wide as their cells, or the widest narrower and their text on more lines; then the rows.

        No column is narrower than its longest word: where that is too much for the window, the table is scrolled.
        """
        bar = self.verticalScrollBar()
        room = self.viewport().width() + (bar.width() if bar.isVisibleTo(self) else 0)
        widths, rows = self._fitted(room)
        is_scrolled = rows > _HIGHEST + _LITTLE
        if is_scrolled:
            room -= bar.sizeHint().width()
            widths, rows = self._fitted(room)
        scroll = self.horizontalScrollBar().sizeHint().height() if sum(widths) > room else 0
        above = self.horizontalHeader().sizeHint().height()
        self.setFixedHeight((_HIGHEST if is_scrolled else rows) + above + 2 * self.frameWidth() + scroll + 2)

    def _fitted(self, room: int) -> tuple[list[int], int]:
        """Fit the columns and rows into a width: how wide the columns are then, and how high all rows."""
        wanted = [self._wide(column, whole=True) for column in range(self.columnCount())]
        least = [self._wide(column, whole=False) for column in range(self.columnCount())]
        widest = max(wanted, default=0)
        while sum(_kept(wanted, least, widest)) > room and widest > _NARROWEST:
            widest -= _STEP
        widths = _kept(wanted, least, widest)
        for column, wide in enumerate(widths):
            self.setColumnWidth(column, wide)
            head = self.horizontalHeaderItem(column)
            if head is not None:
                head.setText(_broken(self._heads[column], wide - _PADDING + 4, self._head_font()))
        for number in range(self.rowCount()):
            self.setRowHeight(number, self._high(number, widths))
        return widths, sum(self.rowHeight(number) for number in range(self.rowCount()))

    def _head_font(self) -> QFont:
        font = QFont(self.horizontalHeader().font())
        font.setBold(True)  # as the theme has it
        return font

    def _cells(self, column: int) -> Iterator[tuple[str, int]]:
        """The texts of a column, each with the room that its symbol takes."""
        for number in range(self.rowCount()):
            item = self.item(number, column)
            if item is not None:
                yield item.text(), 0 if item.icon().isNull() else self.iconSize().width() + _GAP

    def _wide(self, column: int, *, whole: bool) -> int:
        """What the longest text of a column takes on one line; or its longest word."""

        def width(text: str, metrics: QFontMetrics) -> int:
            parts = [text] if whole else unbroken(text)
            return max(map(metrics.horizontalAdvance, parts), default=0)

        cells = [width(text, self.fontMetrics()) + symbol for text, symbol in self._cells(column)]
        head = width(self._heads[column], QFontMetrics(self._head_font()))
        floor = _NARROWEST if whole else min(_NARROWEST if column else _NAME, self._wide(column, whole=True))
        return max([floor, head + _PADDING, *(cell + _PADDING for cell in cells)])

    def _high(self, number: int, widths: Sequence[int]) -> int:
        metrics, flags = self.fontMetrics(), int(Qt.TextFlag.TextWordWrap)
        highest = metrics.height()
        for column, wide in enumerate(widths):
            item = self.item(number, column)
            if item is not None:
                symbol = 0 if item.icon().isNull() else self.iconSize().width() + _GAP
                area = QRect(0, 0, max(1, wide - symbol - _PADDING), _ENDLESS)
                highest = max(highest, metrics.boundingRect(area, flags, item.text()).height())
        return highest + _AROUND

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


def _side(table: Table, column: int) -> Qt.AlignmentFlag:
    """Figures stand at the right, below each other's digits."""
    side = Qt.AlignmentFlag.AlignRight if column in table.numeric else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


def _kept(wanted: Sequence[int], least: Sequence[int], widest: int) -> list[int]:
    """The widths of the columns; the first, which says what a row is about, may be twice as wide as the others."""
    most = (widest * (1 if column else 2) for column in range(len(wanted)))
    return [max(min(wide, limit), narrow) for wide, limit, narrow in zip(wanted, most, least, strict=True)]


def _broken(text: str, wide: int, font: QFont) -> str:
    """The text on as many lines as it takes: a head of a table does not break its lines by itself."""
    layout = QTextLayout(text, font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    lines = []
    layout.beginLayout()
    while (line := layout.createLine()).isValid():
        line.setLineWidth(max(1, wide))
        lines.append(text[line.textStart() : line.textStart() + line.textLength()].strip())
    layout.endLayout()
    return "\n".join(lines)
