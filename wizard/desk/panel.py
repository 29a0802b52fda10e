"""One ticket beside the list: what was found in it, and what can be done with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from wizard.case_model import CaseModel
from wizard.widgets.announce import announce
from wizard.widgets.labels import emptied, filled, plain_label
from wizard.widgets.long_text import value_text
from wizard.widgets.scroller import Scroller
from wizard.widgets.wrap_layout import WrapLayout

if TYPE_CHECKING:
    from checks.desk.views import Row
    from wizard.jobs.desk import Answer

_COPIED_FOR = 2000  # milliseconds


class TicketPanel(Scroller):
    """``open_asked``, ``answer_asked`` and ``alike_asked`` with the ticket that is shown."""

    open_asked = Signal(object)
    answer_asked = Signal(object)
    alike_asked = Signal(object)

    def __init__(self, case: CaseModel) -> None:
        super().__init__()
        self._say, self._case = case.say, case
        self.row: Row | None = None
        self.title, self.where, self.cause = (plain_label(name, selectable=True) for name in ("cardTitle", "small", ""))
        self._lines = QWidget()
        self.open = QPushButton()
        self.open.clicked.connect(lambda: self.open_asked.emit(self.row))
        self.write = QPushButton()
        self.write.setObjectName("primary")
        self.write.clicked.connect(lambda: self.answer_asked.emit(self.row))
        self.alike = QPushButton()
        self.alike.clicked.connect(lambda: self.alike_asked.emit(self.row))
        self.for_whom = plain_label("small")
        self.text = QPlainTextEdit()
        self.text.setTabChangesFocus(True)
        self.text.setMinimumHeight(200)
        self.copy = QPushButton()
        self.copy.clicked.connect(self._copied)
        self._answer = QFrame()
        self._answer.setObjectName("card")
        copying = filled(QHBoxLayout(), self.copy)
        copying.addStretch(1)
        filled(QVBoxLayout(self._answer), self.for_whom, self.text, copying, margins=(12, 10, 12, 10), spacing=8)
        column = QWidget()
        column.setObjectName("column")
        acts = WrapLayout(self.write, self.open, self.alike)
        parts = (self.title, self.where, self.cause, self._lines, acts, self._answer)
        filled(QVBoxLayout(column), *parts, margins=(16, 12, 16, 12), spacing=10).addStretch(1)
        filled(QVBoxLayout(self._lines), margins=(0, 0, 0, 0), spacing=4)
        self.setWidget(column)
        self.show_row(None)

    def show_row(self, row: Row | None) -> None:
        """Another ticket, or none."""
        is_other = row is None or self.row is None or row.key != self.row.key
        self.row = row
        for widget in (self.where, self.cause, self._lines, self.open, self.write, self.alike):
            widget.setVisible(row is not None)
        if is_other:
            self._answer.hide()
        if row is None:
            self.title.setText(self._say("desk-choose"))
        else:
            self._fill(row)

    def _fill(self, row: Row) -> None:
        from checks.desk.views import is_named
        from wizard.report.content.many.desk import cause_words

        say = self._say
        self.title.setText(row.title or row.number or row.source)
        places = (row.number, row.source, row.created[:10], row.url)
        self.where.setText(say("list-separator").join(dict.fromkeys(filter(None, places))))
        cause = cause_words(row.cause, row.confidence, row.state, self._case.language)
        sure = f"{round(row.confidence * 100)} %"
        self.cause.setText(say("desk-cause-sure", cause=cause, sure=sure) if is_named(row.cause) else cause)
        layout = self._lines.layout()
        if layout is not None:
            emptied(layout)
            for line in row.lines:
                layout.addWidget(value_text(f"> {line}", "muted"))
        is_of_group = row.is_decided and row.alike > 1
        self.alike.setVisible(row.alike > 1)
        self.alike.setText(say("desk-alike", count=row.alike))
        self.open.setText(say("desk-open-case"))
        self.write.setText(say("desk-write-all", count=row.alike) if is_of_group else say("desk-write"))
        self.write.setEnabled(row.state != "unread")
        self.open.setEnabled(row.state != "unread")
        self.copy.setText(say("desk-copy"))

    def take(self, answer: Answer) -> None:
        """Show an answer, to be changed and copied."""
        self.for_whom.setText(
            self._say("desk-for-all", count=answer.count) if answer.count > 1 else self._say("desk-for-one")
        )
        self.text.setAccessibleName(self.for_whom.text())
        self.text.setPlainText(answer.text)
        self._answer.show()
        self.text.setFocus()
        QTimer.singleShot(0, self, lambda: self.ensureWidgetVisible(self._answer, 0, 0))  # when it has its place

    def _copied(self) -> None:
        QGuiApplication.clipboard().setText(self.text.toPlainText())
        said = self._say("report-copied")
        self.copy.setMinimumWidth(self.copy.width())
        self.copy.setText(said)
        announce(self.copy, said)
        QTimer.singleShot(_COPIED_FOR, self, lambda: self.copy.setText(self._say("desk-copy")))
