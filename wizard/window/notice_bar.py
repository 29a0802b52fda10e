"""The bar below the pages that says in one sentence what went wrong, or well."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton

from wizard.case_model import CaseModel, Notice
from wizard.desktop import icons, theme
from wizard.widgets.announce import announce
from wizard.widgets.labels import filled, plain_label


class NoticeBar(QFrame):
    """Shows the model's notice until it is closed; hidden where there is none."""

    def __init__(self, case: CaseModel) -> None:
        super().__init__()
        self._case = case
        self.setObjectName("notice")
        line = filled(QHBoxLayout(self), margins=(14, 8, 8, 8), spacing=10)
        self._symbol = QLabel()
        self._symbol.setFixedSize(20, 20)
        self.text = plain_label("", selectable=True)
        self.act = QPushButton()
        self.act.clicked.connect(self._act)
        self.close_button = QPushButton()
        self.close_button.setObjectName("flat")
        self.close_button.clicked.connect(lambda: case.tell(None))
        line.addWidget(self._symbol, 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(self.text, 1)
        line.addWidget(self.act, 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(self.close_button, 0, Qt.AlignmentFlag.AlignTop)
        self.hide()

    def show_notice(self, notice: Notice | None) -> None:
        """Show a notice in the present language and palette, or nothing."""
        self.setVisible(notice is not None)
        if notice is None:
            return
        sentence = self._case.sentence(notice)
        if sentence != self.text.text():
            self.text.setText(sentence)
            announce(self, sentence)
        self.act.setVisible(notice.act is not None)
        if notice.act is not None:
            self.act.setText(self._case.say(notice.act[0]))
            self.act.setEnabled(self._case.is_free)  # it may begin another case
        tone, symbol = ("blocking", "state-found") if notice.is_error else ("note", "state-note")
        tint = theme.colour(tone, self.window().palette())
        self._symbol.setPixmap(icons.pixmap(symbol, tint, 20, self.devicePixelRatioF()))
        if self.property("tone") != tone:
            self.setProperty("tone", tone)
            self.style().unpolish(self)
            self.style().polish(self)

    def _act(self) -> None:
        notice = self._case.notice
        if notice is not None and notice.act is not None:
            self._case.tell(None)
            notice.act[1]()

    def retranslate(self) -> None:
        """Show the button in the present language."""
        self.close_button.setText(self._case.say("notice-close"))
