"""Write the answer to whoever sent a ticket: seen and changed before it is copied."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QFrame, QHBoxLayout, QPlainTextEdit, QVBoxLayout

from checks.languages import LANGUAGES, languages
from wizard.desktop import settings
from wizard.report.prints.reply import language_of, plain
from wizard.widgets.labels import filled, plain_label
from wizard.words import area

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QPushButton

    from wizard.pages.page import Page

_SOON = 1_000  # milliseconds without a key, after which what was written is saved


class ReplyPanel(QFrame):
    """The answer as text. ``ask`` is called with the language in which it is wanted; :meth:`take` shows it."""

    def __init__(self, page: Page, ask: Callable[[str], object], copy: Callable[[str, QPushButton], object]) -> None:
        super().__init__(page)
        self.setObjectName("card")
        self._page, self._ask, self._copy = page, ask, copy
        heading = plain_label("cardTitle")
        page.bind(heading.setText, "reply-title")
        self.text = QPlainTextEdit()
        self.text.setTabChangesFocus(True)
        self.text.setMinimumHeight(220)
        page.bind(self.text.setAccessibleName, "reply-title")
        self.language = QComboBox()
        for code in LANGUAGES:
            self.language.addItem(languages()[code].name, code)
            if f"reply-language-{code}" in area("window"):
                page.bind(functools.partial(self._name, code), f"reply-language-{code}")
        page.bind(self.language.setAccessibleName, "reply-language")
        self.language.activated.connect(lambda: self._ask(self.language.currentData()))
        self.copy = page.button("reply-copy", self._copied)
        self.copy.setObjectName("primary")
        self.close_button = page.button("reply-close", self.hide)
        self.anew = page.button("reply-anew", self._write_anew, "reply-anew-means")
        self.markdown = QCheckBox()
        self.markdown.setChecked(settings.writes_markdown())
        page.bind_button(self.markdown, "reply-markdown", "reply-markdown-means")
        self.markdown.toggled.connect(self._write_otherwise)
        self._source = ""  # the answer in Markdown
        self._written = ""  # by us, as it is shown
        self._kept = ""  # as it was saved last
        self._shown_in = ""  # the language of the text that is shown
        self._of = ""  # when the case was made that it answers
        self._soon = QTimer(self, singleShot=True, interval=_SOON)
        self._soon.timeout.connect(self.keep)
        self.text.textChanged.connect(self._changed)
        page.case.left.connect(self.keep)  # while its case is still the one that is shown
        line = filled(QHBoxLayout(), self.copy, self.language, self.markdown, self.anew, spacing=8)
        line.addStretch(1)
        line.addWidget(self.close_button)
        filled(QVBoxLayout(self), heading, self.text, line, margins=(16, 12, 16, 12), spacing=8)
        self.hide()

    def begin(self, ticket: str) -> None:
        """Ask for the answer, in the language of the ticket."""
        self.language.setCurrentIndex(self.language.findData(language_of(ticket, self._page.case.language)))
        self._ask(self.language.currentData())

    def take(self, text: str, language: str) -> None:
        """Show the answer in this language, as its writer left it where that was changed."""
        self.keep()
        case = self._page.case.case
        self._source, self._shown_in, self._of = text, language, case.created if case is not None else ""
        self.language.setCurrentIndex(self.language.findData(language))  # another one may have been chosen meanwhile
        self._written = self._in_its_form()
        self._kept = self._page.work.cases.reply(language, self._of)
        self._show(self._kept or self._written)
        self.show()
        self.text.setFocus()
        QTimer.singleShot(0, self, self._show_whole)  # when it has its place

    def _in_its_form(self) -> str:
        return self._source if self.markdown.isChecked() else plain(self._source)

    def _write_otherwise(self, markdown: bool) -> None:
        """In the other form; what its writer has changed stays as it is."""
        settings.remember_markdown(markdown)
        is_ours = self.text.toPlainText() == self._written
        self._written = self._in_its_form()
        if is_ours:
            self._show(self._written)
        self._changed()

    def _show(self, text: str) -> None:
        self.text.blockSignals(True)
        self.text.setPlainText(text)
        self.text.blockSignals(False)
        self._soon.stop()
        self.anew.setVisible(text != self._written)

    def _changed(self) -> None:
        self.anew.setVisible(self.text.toPlainText() != self._written)
        self._soon.start()

    def keep(self) -> None:
        """Save what its writer has changed, if it is not saved already."""
        self._soon.stop()
        text = self.text.toPlainText()
        own = "" if text == self._written else text
        if self._shown_in and own != self._kept and self._page.work.cases.keep_reply(self._shown_in, own, self._of):
            self._kept = own

    def forget(self) -> None:
        """Nothing of it belongs to the next case, or to what the present one has become."""
        self.keep()
        self._show("")
        self._source = self._written = self._kept = self._shown_in = ""
        self.hide()

    def _write_anew(self) -> None:
        cursor = self.text.textCursor()  # so that it can be undone
        cursor.select(cursor.SelectionType.Document)
        cursor.insertText(self._written)
        self.text.setFocus()

    def hideEvent(self, event: QHideEvent) -> None:
        """Also where the window is closed."""
        self.keep()
        super().hideEvent(event)

    def _show_whole(self) -> None:
        self._page.scroller.ensureWidgetVisible(self, 0, 0)

    def _name(self, code: str, text: str) -> None:
        self.language.setItemText(self.language.findData(code), text)

    def _copied(self) -> None:
        self._copy(self.text.toPlainText(), self.copy)
        self._page.work.cases.was_answered()
