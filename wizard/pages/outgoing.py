"""What leaves this computer: the report as others will read it. What is hidden is marked, and taken back or added to.

What is chosen here holds for the case that is shown, until the next one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QSplitter,
    QTableWidget,
    QTableWidgetItem,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from wizard.desktop import theme
from wizard.widgets.labels import escaped_tip, filled, plain_label
from wizard.words import words

if TYPE_CHECKING:
    from checks.sharing.redact import Hidden
    from wizard.jobs.reports import Outgoing
    from wizard.pages.page import Page

_PLACEHOLDER = re.compile(r"<[a-z]+-\d+>")
_MOST_MARKS = 5_000  # of a text; more would take the window's time
_SEEN = 4  # characters of a key by which its owner knows it
_HIDDEN, _VALUE, _SHOWN = range(3)


class OutgoingDialog(QDialog):
    """``ask`` is called with what the user wants besides: words to hide, and values to keep; :meth:`take` shows it."""

    def __init__(
        self,
        page: Page,
        hide: tuple[str, ...],
        keep: tuple[str, ...],
        ask: Callable[[tuple[str, ...], tuple[str, ...]], object],
    ) -> None:
        super().__init__(page)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._say, self._language, self._ask = page.case.say, page.case.language, ask
        self.hide_words, self.keep = hide, keep
        self.setWindowTitle(self._say("outgoing-title"))
        self.resize(980, 640)
        self.sentence = plain_label("heading")
        self.table = QTableWidget(0, 3)
        self.table.setHorizontalHeaderLabels([self._say(f"outgoing-{name}") for name in ("what", "value", "shown")])
        self.table.setAccessibleName(self._say("outgoing-title"))
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setTabKeyNavigation(False)
        self.table.setShowGrid(False)
        self.table.verticalHeader().hide()
        heads = self.table.horizontalHeader()
        heads.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        heads.setSectionResizeMode(_VALUE, QHeaderView.ResizeMode.Stretch)
        heads.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        heads.setHighlightSections(False)
        self.table.itemChanged.connect(self._changed)
        self.table.currentCellChanged.connect(lambda row, *_: self._show_place(row))
        self.text = QPlainTextEdit(readOnly=True)
        self.text.setTabChangesFocus(True)
        self.text.setAccessibleName(self._say("outgoing-text"))
        self.word = QLineEdit()
        self.word.setPlaceholderText(self._say("outgoing-word"))
        self.word.setAccessibleName(self._say("outgoing-word"))
        self.word.returnPressed.connect(self._add)
        self.add = QPushButton(self._say("outgoing-add"))
        self.add.setAutoDefault(False)
        self.add.clicked.connect(self._add)
        self.done_button = QPushButton(self._say("outgoing-close"))
        self.done_button.setObjectName("primary")
        self.done_button.setAutoDefault(False)
        self.done_button.clicked.connect(self.accept)
        self._hidden: tuple[Hidden, ...] = ()
        self._lay_out()
        ask(hide, keep)

    def _lay_out(self) -> None:
        left = QWidget()
        adding = filled(QHBoxLayout(), self.word, self.add, spacing=8)
        column = filled(QVBoxLayout(left), self.table, margins=(0, 0, 0, 0), spacing=8)
        column.addLayout(adding)
        both = QSplitter(Qt.Orientation.Horizontal)
        both.addWidget(left)
        both.addWidget(self.text)
        both.setSizes([430, 520])
        both.setChildrenCollapsible(False)
        end = QHBoxLayout()
        end.addWidget(plain_label("small", self._say("outgoing-secrets")), 1)
        end.addWidget(self.done_button)
        body = filled(QVBoxLayout(self), self.sentence, margins=(20, 16, 20, 16), spacing=10)
        body.addWidget(plain_label("intro", self._say("outgoing-intro")))
        body.addWidget(both, 1)
        body.addLayout(end)

    def take(self, outgoing: Outgoing) -> None:
        """Show the text, and what is hidden in it; what was taken back stays in the list."""
        taken_back = [one for one in self._hidden if one.value in self.keep]
        now = [one for one in outgoing.hidden if one.value not in self.keep]
        self._hidden = (*now, *(one for one in taken_back if one not in now))
        count = len(now)
        self.sentence.setText(self._say("outgoing-count", count=count) if count else self._say("outgoing-nothing"))
        self.table.blockSignals(True)
        self.table.setRowCount(len(self._hidden))
        for row, one in enumerate(self._hidden):
            self._fill(row, one)
        self.table.blockSignals(False)
        place = self.text.verticalScrollBar().value()
        self.text.setPlainText(outgoing.text)
        self.text.verticalScrollBar().setValue(place)
        self._mark(outgoing.text)

    def _fill(self, row: int, one: Hidden) -> None:
        what = QTableWidgetItem(words(f"report.kind-{one.kind}", self._language))
        what.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
        what.setCheckState(Qt.CheckState.Unchecked if one.value in self.keep else Qt.CheckState.Checked)
        if one.kind != "secret":  # which is never taken back
            what.setFlags(what.flags() | Qt.ItemFlag.ItemIsUserCheckable)
        self.table.setItem(row, _HIDDEN, what)
        value = one.value if one.kind != "secret" else f"{one.value[:_SEEN]}…"
        for column, text in ((_VALUE, value), (_SHOWN, one.shown)):
            item = QTableWidgetItem(text)
            item.setToolTip(escaped_tip(text))
            self.table.setItem(row, column, item)

    def _mark(self, text: str) -> None:
        form = QTextCharFormat()
        form.setBackground(QColor(theme.colour("mark", self.palette())))
        marks, place, units = [], 0, 0  # Qt counts a character beyond the first plane as two
        for match in _PLACEHOLDER.finditer(text):
            units += match.start() - place + sum(character > "\uffff" for character in text[place : match.start()])
            place = match.start()
            cursor = QTextCursor(self.text.document())
            cursor.setPosition(units)
            cursor.setPosition(units + len(match[0]), QTextCursor.MoveMode.KeepAnchor)
            mark = QTextEdit.ExtraSelection()
            mark.cursor, mark.format = cursor, form
            marks.append(mark)
            if len(marks) == _MOST_MARKS:
                break
        self.text.setExtraSelections(marks)

    def _show_place(self, row: int) -> None:
        """Where the chosen value stands first."""
        if 0 <= row < len(self._hidden):
            one = self._hidden[row]
            self.text.moveCursor(QTextCursor.MoveOperation.Start)
            self.text.find(one.value if one.value in self.keep else one.shown)
            self.text.centerCursor()

    def _changed(self, item: QTableWidgetItem) -> None:
        one = self._hidden[item.row()]
        is_hidden = item.checkState() is Qt.CheckState.Checked
        if item.column() != _HIDDEN or is_hidden == (one.value not in self.keep):
            return
        if one.kind == "word" and not is_hidden:
            self.hide_words = tuple(word for word in self.hide_words if word.casefold() != one.value.casefold())
            self._hidden = tuple(other for other in self._hidden if other is not one)
        elif is_hidden:
            self.keep = tuple(value for value in self.keep if value != one.value)
        else:
            self.keep = (*self.keep, one.value)
        self._ask(self.hide_words, self.keep)

    def _add(self) -> None:
        word = self.word.text().strip()
        if word and word not in self.hide_words:
            self.hide_words = (*self.hide_words, word)
            self._ask(self.hide_words, self.keep)
        self.word.clear()
