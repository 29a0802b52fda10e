"""Ask which served model is to be asked: its address above all, and say before what will be sent there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QCheckBox, QComboBox, QFileDialog, QGridLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from wizard.desktop.folders import last_folder, remember
from wizard.evidence_files import Kind
from wizard.flow import EFFORTS, SERVED
from wizard.widgets.labels import filled, plain_label
from wizard.widgets.wrap_layout import WrapLayout

if TYPE_CHECKING:
    from wizard.pages.page import Page

_FIELDS = ("url", "model", "key")
_PAUSE = 250  # milliseconds after the last letter until it is said what will be sent


class ServedPanel(QWidget):
    """The questions about a served model."""

    def __init__(self, page: Page) -> None:
        super().__init__(page)  # shown without a parent it would be a window of its own
        self._page, self._case = page, page.case
        layout = filled(QVBoxLayout(self), margins=(0, 0, 0, 0), spacing=10)
        grid = QGridLayout()
        grid.setSpacing(8)
        grid.setColumnStretch(1, 1)
        self.url, self.model, self.key = QLineEdit(), QLineEdit(), QLineEdit()
        for row, (name, field) in enumerate(zip(_FIELDS, (self.url, self.model, self.key), strict=True)):
            label = QLabel()
            label.setBuddy(field)
            page.bind(label.setText, f"served-{name}")
            page.bind(field.setAccessibleName, f"served-{name}")
            page.bind(field.setPlaceholderText, f"served-{name}-hint")
            field.textEdited.connect(self._typed)
            grid.addWidget(label, row, 0)
            grid.addWidget(field, row, 1)
        label, self.effort = QLabel(), QComboBox()
        label.setBuddy(self.effort)
        page.bind(label.setText, "served-effort")
        self.effort.addItems(list(EFFORTS))
        self.effort.activated.connect(self._typed)
        grid.addWidget(label, len(_FIELDS), 0)
        grid.addWidget(self.effort, len(_FIELDS), 1)
        self.deterministic = QCheckBox()
        page.bind(self.deterministic.setText, "served-deterministic")
        self.deterministic.clicked.connect(self._typed)
        self.add = page.button("served-prompts", self._choose, "served-prompts-means")
        self.clear = page.button("served-prompts-clear", lambda: self._case.answer(prompts=()))
        self._prompts, self.announced = plain_label("muted"), plain_label("small")
        layout.addLayout(grid)
        filled(layout, self.deterministic, WrapLayout(self.add, self.clear), self._prompts, self.announced)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(_PAUSE)
        self._later.timeout.connect(self._announce)

    def refresh(self) -> None:
        """Show the answers, where a served model is the question."""
        answers = self._case.answers
        self.setVisible(answers.symptom == SERVED)
        if answers.symptom != SERVED:
            return
        shown = (answers.url, answers.served_model, answers.key_variable)
        for field, text in zip((self.url, self.model, self.key), shown, strict=True):
            if field.text() != text:
                field.setText(text)
        for index, effort in enumerate(EFFORTS):
            self.effort.setItemText(index, self._case.say(f"served-effort-{effort}"))
        self.effort.setCurrentIndex(
            EFFORTS.index(answers.effort_taken if answers.effort_taken in EFFORTS else "standard")
        )
        self.deterministic.setChecked(answers.is_deterministic)
        names = self._case.listed(answers.prompts)
        self._prompts.setText(self._case.say("served-prompts-own" if names else "served-prompts-ours", names=names))
        self.clear.setVisible(bool(names))
        self._later.start()

    def take(self, paths: list[Path]) -> None:
        """Texts that were dropped are prompts."""
        self._case.answer(prompts=tuple(dict.fromkeys((*self._case.answers.prompts, *paths))))

    def _typed(self) -> None:
        self._case.answer(
            url=self.url.text(),
            served_model=self.model.text(),
            key_variable=self.key.text(),
            effort=EFFORTS[self.effort.currentIndex()],
            is_deterministic=self.deterministic.isChecked(),
        )

    def _choose(self) -> None:
        title = self._case.say("served-prompts-title")
        paths, _ = QFileDialog.getOpenFileNames(self, title, last_folder(Kind.LOG.value))
        if paths:
            remember(Kind.LOG.value, Path(paths[0]))
            self.take(list(map(Path, paths)))

    def _announce(self) -> None:
        """Say what will be sent; what is wrong with the answers is said there, too, once an address stands there."""
        if not self._case.answers.url.strip():
            self.announced.setText("")
            return
        from checks.engine.served.address import RequestError
        from wizard.jobs.served import request_of
        from wizard.report.content.measured.served import announcement
        from wizard.words import words

        language = self._case.language
        try:
            self.announced.setText(" ".join(announcement(request_of(self._case.answers), language)))
        except RequestError as error:
            self.announced.setText(words(f"served.{error.key}", language, **error.values))
