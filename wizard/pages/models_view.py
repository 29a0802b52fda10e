"""The model files of a report: a table, and below it the page of the chosen one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QIcon, QPixmap, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QGridLayout,
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from wizard.pages.long_text import value_text
from wizard.widgets.labels import card, escaped_tip, plain_label
from wizard.words import words

if TYPE_CHECKING:
    from wizard.report.content.compared_models import ComparisonRow, ComparisonView
    from wizard.report.content.model_files import ModelView, VerdictRow

_COLUMNS = ("name", "format", "size", "dependence", "verdict")
_MOST_ROWS = 8  # that the table shows without scrolling
_LOWEST_ROW = 22  # logical pixels
_TOP = Qt.AlignmentFlag.AlignTop


class ModelsView(QWidget):
    """Of a single file only its page is shown. ``pictures``: the symbol of each state in the present colours."""

    def __init__(self, models: tuple[ModelView, ...], language: str, pictures: Mapping[str, QPixmap]) -> None:
        super().__init__()
        self._models = models
        self._language = language
        self._pictures = pictures
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(10)
        self.table = QTreeWidget()
        self._fill_table()
        self._layout.addWidget(self.table)
        if len(models) > 1:
            from wizard.report.content.model_files import table_notes  # late: it loads what reads model files

            for note in table_notes(models, language):
                self._layout.addWidget(value_text(note, "small"))
        self.page = QWidget()
        self._layout.addWidget(self.page)
        self.table.setVisible(len(models) > 1)
        self.table.currentItemChanged.connect(self._show)
        first = self.table.topLevelItem(0)
        if first is not None:
            self.table.setCurrentItem(first)

    def _words(self, key: str, **values: object) -> str:
        return words(f"models.{key}", self._language, **values)

    def _fill_table(self) -> None:
        table = self.table
        table.setColumnCount(len(_COLUMNS))
        table.setHeaderLabels([self._words(f"column-{key}") for key in _COLUMNS])
        table.setAccessibleName(self._words("heading"))
        table.setRootIsDecorated(False)
        table.setUniformRowHeights(True)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        for index, model in enumerate(self._models):
            cells = [model.name, f"{model.format} {model.version}".strip(), model.size, model.dependence, model.word]
            item = QTreeWidgetItem(table, cells)
            item.setData(0, Qt.ItemDataRole.UserRole, index)
            item.setIcon(len(_COLUMNS) - 1, QIcon(self._pictures[model.state]))
            for column, text in enumerate((model.path, *cells[1:])):  # what a narrow column cuts
                item.setToolTip(column, escaped_tip(text))
        header = table.header()
        header.setStretchLastSection(True)
        for column, wide in enumerate((230, 150, 80, 80)):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
            table.setColumnWidth(column, wide)
        self._fit_height()

    def _fit_height(self) -> None:
        """As high as its rows, but of many no more than a few: the page of the chosen one shall be seen."""
        rows = min(len(self._models), _MOST_ROWS)
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
        """Build the page of the chosen file in the place of the one before."""
        if item is None:
            return
        model = self._models[item.data(0, Qt.ItemDataRole.UserRole)]
        frame, layout = card()
        frame.setAccessibleName(model.name)
        layout.addWidget(plain_label("cardTitle", self._words("heading-file", name=model.name, format=model.format)))
        if model.problem:
            layout.addWidget(plain_label("tone-blocking", f"{model.symbol} {model.problem}", selectable=True))
        if model.verdicts:
            layout.addWidget(plain_label("heading", self._words("heading-verdicts")))
            layout.addLayout(self._verdicts(model.verdicts))
        for section in model.sections:
            layout.addWidget(plain_label("heading", section.title))
            layout.addLayout(_grid([(row.label, row.value) for row in section.rows]))
        self._layout.replaceWidget(self.page, frame)
        self.page.hide()
        self.page.deleteLater()
        self.page = frame

    def _verdicts(self, rows: tuple[VerdictRow, ...]) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(6)
        for index, each in enumerate(rows):
            symbol = plain_label()
            symbol.setPixmap(self._pictures[each.state])
            symbol.setFixedWidth(18)
            grid.addWidget(symbol, index, 0, _TOP)
            grid.addWidget(value_text(each.runtime), index, 1, _TOP)
            grid.addWidget(value_text(each.word), index, 2, _TOP)
            grid.addWidget(value_text(each.detail, "small"), index, 3, _TOP)
        for column, stretch in ((1, 3), (2, 3), (3, 6)):
            grid.setColumnStretch(column, stretch)
        return grid


def _grid(rows: list[tuple[str, str]]) -> QGridLayout:
    grid = QGridLayout()
    grid.setHorizontalSpacing(16)
    grid.setVerticalSpacing(4)
    for index, (name, value) in enumerate(rows):
        grid.addWidget(plain_label("muted", name), index, 0, _TOP)
        grid.addWidget(value_text(value), index, 1, _TOP)
    grid.setColumnStretch(0, 1)
    grid.setColumnStretch(1, 3)
    return grid


def fill_comparison(layout: QVBoxLayout, comparison: ComparisonView, language: str) -> None:
    """Two model files side by side."""
    columns = (words("models.column-what", language), comparison.first, comparison.second)
    if comparison.rows:
        layout.addLayout(_columns(comparison.rows, columns))
    layout.addWidget(plain_label("heading", comparison.weights, selectable=True))
    if comparison.tensors:
        keys = ("tensor", "difference", "face")
        layout.addLayout(_columns(comparison.tensors, [words(f"models.column-{key}", language) for key in keys]))


def _columns(rows: Sequence[ComparisonRow], heads: Sequence[str]) -> QGridLayout:
    grid = QGridLayout()
    grid.setHorizontalSpacing(16)
    grid.setVerticalSpacing(4)
    for column, head in enumerate(heads):
        grid.addWidget(plain_label("muted", head), 0, column, _TOP)
        grid.setColumnStretch(column, 1)
    for index, each in enumerate(rows, 1):
        for column, text in enumerate((each.what, each.first, each.second)):
            grid.addWidget(value_text(text), index, column, _TOP)
    return grid
