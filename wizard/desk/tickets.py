"""The list of the desk with its search, and the ticket that is chosen in it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QIcon, QPixmap, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QPushButton,
    QSplitter,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from wizard.case_model import CaseModel
from wizard.desk.panel import TicketPanel
from wizard.desk.table import STATES, TicketTable
from wizard.desktop import icons, theme
from wizard.desktop.looks import LOOKS
from wizard.jobs.desk import today
from wizard.widgets.labels import filled, plain_label

if TYPE_CHECKING:
    from checks.desk.views import Filter, Row

_SOON = 250  # milliseconds after the last key, when the list is searched
_SYMBOL, _NARROW = 16, 860  # logical pixels
_WIDE = (250, 180, 58, 60, 84, 54, 54)  # of the columns, at least
_SHARES = (700, 330)  # of the window: the list, and the ticket
_SHOWS = ("all", "undecided", "decided", "new")
_SORTS = ("urgent", "newest", "oldest", "alike", "unsure", "cause", "product")


class TicketsView(QWidget):
    """``asked`` when other tickets are wanted, ``open_asked`` with the one on which somebody pressed Enter."""

    asked = Signal()
    open_asked = Signal(object)

    def __init__(self, case: CaseModel) -> None:
        super().__init__()
        self._case = case
        self._group = 0  # the tickets that are alike to one, 0: all
        self._soon = QTimer(self, singleShot=True, interval=_SOON)
        self._soon.timeout.connect(self.asked)
        self.search = QLineEdit()
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(lambda _: self._soon.start())
        self.shown, self.sort = QComboBox(), QComboBox()
        for box, values in ((self.shown, _SHOWS), (self.sort, _SORTS)):
            for value in values:
                box.addItem("", value)
            box.activated.connect(lambda _: self.asked.emit())
        self.all_again = QPushButton()
        self.all_again.clicked.connect(lambda: self.show_group(0))
        self.rows = TicketTable(self)
        self.table = self._table()
        self.panel = TicketPanel(case)
        self.panel.alike_asked.connect(lambda row: self.show_group(row.group))
        self.empty = plain_label("muted")
        self._lay_out()

    def _table(self) -> QTableView:
        table = QTableView()
        table.setModel(self.rows)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setTabKeyNavigation(False)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.verticalHeader().hide()
        table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        table.horizontalHeader().setHighlightSections(False)
        table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        table.selectionModel().currentRowChanged.connect(self._select)
        table.activated.connect(lambda index: self.open_asked.emit(self.rows.row_at(index.row())))
        return table

    def _lay_out(self) -> None:
        left = QWidget()
        filled(QVBoxLayout(left), self.empty, self.table, margins=(0, 0, 0, 0))
        self._both = QSplitter(Qt.Orientation.Horizontal)
        self._both.addWidget(left)
        self._both.addWidget(self.panel)
        self._both.setSizes(_SHARES)
        self._both.setChildrenCollapsible(False)
        line = filled(QHBoxLayout(), spacing=8)
        line.addWidget(self.search, 1)
        filled(line, self.shown, self.sort, self.all_again)
        column = filled(QVBoxLayout(self), margins=(0, 10, 0, 0), spacing=8)
        column.addLayout(line)
        column.addWidget(self._both, 1)

    def retranslate(self) -> None:
        """All words in the present language."""
        say = self._case.say
        self.search.setPlaceholderText(say("desk-search"))
        self.search.setAccessibleName(say("desk-search"))
        self.all_again.setText(say("desk-all-again"))
        self.empty.setText(say("desk-none-found"))
        for box, name, values in ((self.shown, "show", _SHOWS), (self.sort, "sort", _SORTS)):
            box.setAccessibleName(say(f"desk-{name}"))
            box.setToolTip(say(f"desk-{name}"))
            for place, value in enumerate(values):
                box.setItemText(place, say(f"desk-{name}-{value}"))
        self.table.setAccessibleName(say("desk-tickets"))
        self.rows.language = self._case.language
        self.rows.icons = {state: QIcon(self._picture(*LOOKS[state])) for state in STATES}
        heads = self.table.horizontalHeader()
        for column, wide in enumerate(_WIDE):
            self.table.setColumnWidth(column, max(wide, heads.sectionSizeHint(column)))
        self.panel.show_row(self.panel.row)

    def _picture(self, name: str, colour: str) -> QPixmap:
        return icons.pixmap(name, theme.colour(colour, self.palette()), _SYMBOL, self.devicePixelRatioF())

    @property
    def only(self) -> Filter:
        """Which tickets are listed."""
        from checks.desk.views import WEEK, Filter

        shown = self.shown.currentData()
        state = shown if shown in ("decided", "undecided") else ""
        week = dt.date.fromisoformat(today()) - dt.timedelta(days=WEEK - 1)
        since = week.isoformat() if shown == "new" else ""
        return Filter(state=state, since=since, group=self._group, words=self.search.text().strip())

    @property
    def order(self) -> str:
        """One of checks.desk.views.SORTS."""
        order: str = self.sort.currentData()
        return order

    def show_group(self, group: int) -> None:
        """Only the tickets of one group; 0: all again."""
        self._group = group
        self.asked.emit()

    def show_rows(self, rows: Sequence[Row], count: int, *, is_growing: bool) -> None:
        """The first of so many. The ticket that is chosen stays chosen, also where it is still on its way."""
        chosen = self.panel.row
        self.rows.show_rows(rows, count)
        self.all_again.setVisible(self._group != 0)
        self.empty.setVisible(not rows)
        self.table.setVisible(bool(rows))
        place = self.rows.place_of(chosen.key) if chosen is not None else -1
        if place >= 0:
            self.table.setCurrentIndex(self.rows.index(place, 0))
        elif not is_growing:
            self.panel.show_row(None)

    def _select(self, now: QModelIndex, _: QModelIndex) -> None:
        row = self.rows.row_at(now.row()) if now.isValid() else None
        if row is not None:
            self.panel.show_row(row)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where there is no room for two columns, the ticket stands below the list."""
        super().resizeEvent(event)
        is_narrow = event.size().width() < _NARROW
        self._both.setOrientation(Qt.Orientation.Vertical if is_narrow else Qt.Orientation.Horizontal)
