"""The one question that would decide, as a dialogue: answers to choose from, or a field for what comes back."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from wizard.pages.text_box import TextBox
from wizard.widgets.labels import filled, plain_label
from wizard.widgets.wrap_layout import WrapLayout

if TYPE_CHECKING:
    from wizard.pages.page import Page
    from wizard.report.content.asking import QuestionView


class AskPanel(QFrame):
    """Shown where the text of a ticket leaves something open. An answer is judged at once, and can be taken back.

    Where no answer of the table decides, what is worth asking stands here, and what comes back is judged with the rest.
    """

    def __init__(self, page: Page) -> None:
        super().__init__(page)
        self.setObjectName("card")
        self.setProperty("tone", "warning")
        self._page = page
        self._asked: QuestionView | None = None
        heading = plain_label("cardTitle")
        page.bind(heading.setText, "ask-title")
        self.question = plain_label("", selectable=True)
        self.why = plain_label("muted", selectable=True)
        self.choices: list[QPushButton] = []
        self._choices = QWidget()
        self.text = TextBox()
        self.text.setFixedHeight(64)
        page.bind(self.text.setPlaceholderText, "ask-hint")
        page.bind(self.text.setAccessibleName, "ask-hint")
        self.add = page.button("ask-add", self._add)
        self.unknown = page.button("ask-unknown", functools.partial(self._answer, ""), "ask-unknown-means")
        self.undo = page.button("ask-undo", page.work.take_answer_back, "ask-undo-means")
        self.text.edited.connect(self._follow)
        page.case.changed.connect(self._follow)
        self.text.long_pasted.connect(lambda text: page.work.shorten(text, self.text.add))
        self._field = QWidget()
        line = filled(QHBoxLayout(self._field), self.text, margins=(0, 0, 0, 0), spacing=8)
        line.addWidget(self.add)
        acts = filled(QHBoxLayout(), self.unknown, self.undo, spacing=8)
        acts.addStretch(1)
        self._layout = filled(QVBoxLayout(self), heading, self.question, self.why, margins=(16, 12, 16, 12), spacing=6)
        filled(self._layout, self._choices, self._field)
        self._layout.addLayout(acts)
        self.hide()

    def show_questions(self, asking: Sequence[QuestionView], others: Sequence[str], *, is_answered: bool) -> None:
        """Ask the first of ``asking``, else show ``others``; nothing where there is none and nothing was answered.

        ``is_answered``: an answer is there that can be taken back.
        """
        self._asked = next(iter(asking), None)
        first, *more = others or ("",)
        shown = "\n".join(f"•  {question}" for question in others) if more else first
        shown = self._asked.text if self._asked else shown or self._page.case.say("ask-nothing-more")
        if shown != self.question.text():
            self.text.clear()
        self.question.setText(shown)
        self.why.setText(self._asked.why if self._asked else "")
        self.why.setVisible(self._asked is not None)
        self._show_choices(self._asked.choices if self._asked else ())
        self._field.setVisible(not self.choices and bool(self._asked or others))
        self.unknown.setVisible(self._asked is not None)
        self.undo.setVisible(is_answered)
        self.setVisible(bool(self._asked or others) or is_answered)
        self._follow()

    def _show_choices(self, choices: Sequence[tuple[str, str]]) -> None:
        had_focus = any(button.hasFocus() for button in self.choices)
        fresh = QWidget()
        self.choices = [QPushButton(text.replace("&", "&&")) for _, text in choices]
        for button, (name, text) in zip(self.choices, choices, strict=True):
            button.setAccessibleName(text)
            button.setAccessibleDescription(self.question.text())
            button.clicked.connect(functools.partial(self._answer, name))
        fresh.setLayout(WrapLayout(*self.choices))
        fresh.setVisible(bool(choices))
        self._layout.replaceWidget(self._choices, fresh)
        self._choices.deleteLater()
        self._choices = fresh
        if had_focus and self.choices:
            self.choices[0].setFocus()

    def _follow(self) -> None:
        is_free = not self._page.case.busy
        self.add.setEnabled(bool(self.text.toPlainText().strip()) and is_free)
        for button in (*self.choices, self.unknown, self.undo):
            button.setEnabled(is_free)

    def _answer(self, choice: str, *_: object) -> None:
        if self._asked is not None and not self._page.case.busy:
            self._page.work.answer(self._asked.id, choice=choice)

    def _add(self) -> None:
        more, case = self.text.toPlainText().strip(), self._page.case
        if not more or case.busy:
            return
        if self._asked is not None and not self._asked.fits(more) and not self._asked.tells(more):
            self.why.setText(case.say("ask-no-answer"))
            self.why.show()
            return
        self.text.clear()
        if self._asked is not None:
            self._page.work.answer(self._asked.id, text=more)
        else:
            case.answer(text="\n\n".join(filter(None, (case.answers.text, more))))
            self._page.work.diagnose()
