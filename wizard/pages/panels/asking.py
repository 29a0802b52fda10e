"""The questions that would decide, with a field for what comes back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout

from wizard.pages.text_box import TextBox
from wizard.widgets.labels import filled, plain_label

if TYPE_CHECKING:
    from wizard.pages.page import Page


class AskPanel(QFrame):
    """Shown where the text of a ticket leaves something open. What is put in is judged together with it."""

    def __init__(self, page: Page) -> None:
        super().__init__(page)
        self.setObjectName("card")
        self.setProperty("tone", "warning")
        self._page = page
        heading = plain_label("cardTitle")
        page.bind(heading.setText, "ask-title")
        self.question = plain_label("", selectable=True)
        self.text = TextBox()
        self.text.setFixedHeight(64)
        page.bind(self.text.setPlaceholderText, "ask-hint")
        page.bind(self.text.setAccessibleName, "ask-hint")
        self.add = page.button("ask-add", self._add)
        self.text.edited.connect(self._follow)
        page.case.changed.connect(self._follow)
        self.text.long_pasted.connect(lambda text: page.work.shorten(text, self.text.add))
        line = filled(QHBoxLayout(), self.text, spacing=8)
        line.addWidget(self.add)
        filled(QVBoxLayout(self), heading, self.question, line, margins=(16, 12, 16, 12), spacing=6)
        self.hide()

    def show_questions(self, questions: Sequence[str]) -> None:
        """Ask these; nothing where there is none."""
        first, *others = questions or ("",)
        asked = "\n".join(f"•  {question}" for question in questions) if others else first
        if asked != self.question.text():
            self.text.clear()
        self.question.setText(asked)
        self.setVisible(bool(asked))
        self._follow()

    def _follow(self) -> None:
        self.add.setEnabled(bool(self.text.toPlainText().strip()) and not self._page.case.busy)

    def _add(self) -> None:
        more, case = self.text.toPlainText().strip(), self._page.case
        if more and not case.busy:
            case.answer(text="\n\n".join(filter(None, (case.answers.text, more))))
            self.text.clear()
            self._page.work.diagnose()
