"""Ask what the user has: an error text, files, and how exact the result must be. All of it is optional."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import (
    QButtonGroup,
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from wizard.case_model import CaseModel, Notice, Search
from wizard.desktop.folders import last_folder, remember
from wizard.evidence_files import Given, Kind, input_among, kind_in_ticket, models_among, unicode
from wizard.flow import EXACTNESS, MODELS, SERVED, TICKET, WATCHABLE, asks_exactness
from wizard.jobs.background import Work
from wizard.pages.page import Page
from wizard.pages.panels.served import ServedPanel
from wizard.pages.panels.watching import WatchPanel
from wizard.pages.text_box import TextBox
from wizard.widgets.cards import ChoiceCard
from wizard.widgets.drop_zone import DropZone
from wizard.widgets.labels import emptied, filled, plain_label
from wizard.widgets.long_text import value_text
from wizard.widgets.wrap_layout import WrapLayout

MOST_ROWS = 60  # files with a row of their own: to lay out a thousand of them takes minutes
_BUTTONS = (Kind.LOG, Kind.SCRIPT, Kind.MODEL, Kind.INPUT, Kind.REPORT)


class EvidencePage(Page):
    """The step that asks: what do you have."""

    name = "evidence"

    def __init__(self, case: CaseModel, work: Work, parent: QWidget | None = None) -> None:
        super().__init__(case, work, parent)
        self.watch = WatchPanel(self)
        self.served = ServedPanel(self)
        self.body.addWidget(self.watch)
        self.body.addWidget(self.served)
        self._add_text()
        self._add_files()
        self._add_exactness()
        self.body.addStretch(1)
        case.changed.connect(self.refresh)
        self.refresh()

    def _heading(self, key: str, layout: QVBoxLayout | None = None) -> QLabel:
        label = plain_label("heading")
        self.bind(label.setText, key)
        into = layout or self.body
        into.addSpacing(6)
        into.addWidget(label)
        return label

    def _add_text(self) -> None:
        self._text_part = QWidget()
        part = filled(QVBoxLayout(self._text_part), margins=(0, 0, 0, 0), spacing=self.body.spacing())
        heading = self._heading("evidence-text", part)
        self._text = TextBox()
        self._text.setMinimumHeight(110)
        self._text.setMaximumHeight(170)
        heading.setBuddy(self._text)
        self.bind(self._text.setPlaceholderText, "evidence-text-hint")
        self.bind(self._text.setAccessibleName, "evidence-text")
        self.bind(self._text.setAccessibleDescription, "evidence-text-hint")
        limit = plain_label("small")
        self.bind(limit.setText, "evidence-limit")
        part.addWidget(self._text)
        part.addWidget(limit)
        self.body.addWidget(self._text_part)
        self._text_seen = ""  # what the box and the model agree on; a text may have megabytes
        self._text.edited.connect(self._typed)
        self._text.files_pasted.connect(lambda paths: self.work.sort_out(paths, self.take))
        self._text.long_pasted.connect(lambda text: self.work.shorten(text, self._text.add))

    def _typed(self) -> None:
        self._text_seen = unicode(self._text.toPlainText())
        self.case.set_text(self._text_seen)

    def _add_files(self) -> None:
        self._files_heading = self._heading("evidence-files")
        self.drop = DropZone()
        inside = filled(QVBoxLayout(self.drop), margins=(16, 12, 16, 12), spacing=8)
        self._drop_hint = plain_label("muted")
        picture = QLabel()
        picture.setFixedSize(22, 22)
        self.tint(picture.setPixmap, "drop", "muted", 22)
        top = filled(QHBoxLayout(), picture, spacing=10)
        top.addWidget(self._drop_hint, 1)
        inside.addLayout(top)
        buttons = WrapLayout()
        self._buttons: dict[Kind, QPushButton] = {}
        for kind in _BUTTONS:
            button = self.button(f"evidence-add-{kind.value}", functools.partial(self._choose, kind))
            self.bind(button.setAccessibleName, f"evidence-choose-{kind.value}")
            buttons.addWidget(button)
            self._buttons[kind] = button
        folder = self.button("evidence-add-folder", self._choose_folder)
        self.bind(folder.setAccessibleName, "evidence-choose-folder")
        buttons.addWidget(folder)
        self._list = filled(QVBoxLayout(), spacing=4)
        filled(inside, buttons, self._list)
        self._shown: tuple[Given, ...] = ()
        self.body.addWidget(self.drop)
        self._honest = plain_label("small")
        self.bind(self._honest.setText, "evidence-kept-only")
        self.body.addWidget(self._honest)
        self.drop.on_files = lambda paths: self.work.sort_out(paths, self.take)

    def _add_exactness(self) -> None:
        self._exactness_part = QWidget()
        part = filled(QVBoxLayout(self._exactness_part), margins=(0, 0, 0, 0), spacing=self.body.spacing())
        self._heading("evidence-exactness", part)
        why = plain_label("muted")
        self.bind(why.setText, "evidence-exactness-why")
        part.addWidget(why)
        grid = QGridLayout()
        grid.setSpacing(10)
        self._group = QButtonGroup(self)
        self._exactness: dict[str, ChoiceCard] = {}
        for index, exactness in enumerate(EXACTNESS):
            card = ChoiceCard(exactness, has_icon=False)
            self.bind(card.set_title, f"evidence-exact-{exactness or 'unknown'}")
            self.bind(card.set_sentence, f"evidence-exact-{exactness or 'unknown'}-means")
            self._group.addButton(card)
            self._exactness[exactness] = card
            grid.addWidget(card, index // 2, index % 2)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(1, 1)
        part.addLayout(grid)
        self.body.addWidget(self._exactness_part)
        self._group.buttonToggled.connect(self._exact)

    def _exact(self, button: ChoiceCard, checked: bool) -> None:
        if checked:
            self.case.answer(exactness=button.value)

    def _choose(self, kind: Kind) -> None:
        title = self.case.say(f"evidence-choose-{kind.value}")
        paths, _ = QFileDialog.getOpenFileNames(self, title, last_folder(kind.value))
        if paths:
            remember(kind.value, Path(paths[0]))
        self.take(list(map(Path, paths[:1] if kind is Kind.INPUT else paths)), kind)

    def _choose_folder(self) -> None:
        """Some formats are folders, and a folder may hold many models."""
        title = self.case.say("evidence-choose-folder")
        path = QFileDialog.getExistingDirectory(self, title, last_folder(Kind.MODEL.value))
        if path:
            remember(Kind.MODEL.value, Path(path))
            self.take([Path(path)], Kind.MODEL)

    def take(self, paths: list[Path], kind: Kind | None = None) -> None:
        """Take files as evidence, as what they are or as the kind that is named; say what is not taken.

        Of a ticket only texts are judged: a report is opened, what is neither is refused. Where models are the
        question, nothing else is looked into.
        """
        symptom = self.case.answers.symptom
        if symptom == SERVED:
            self.served.take(paths)
        elif symptom == MODELS and kind is None:
            self._take_models(paths)
        elif symptom == TICKET and kind not in (Kind.SCRIPT, Kind.MODEL, Kind.INPUT):
            self._take_ticket(paths, kind)
        else:
            self.work.give(paths, kind)

    def _take_models(self, paths: list[Path]) -> None:
        models = models_among(paths)
        self.case.add_files(models, Kind.MODEL)
        taken = set(models)
        self._refuse("evidence-refused-models", [path for path in paths if path not in taken])

    def _refuse(self, key: str, paths: list[Path]) -> None:
        if paths:
            self.case.tell(Notice(key, {"names": self.case.listed(paths)}))

    def _take_ticket(self, paths: list[Path], kind: Kind | None) -> None:
        if self.case.busy:
            return
        kinds = {path: kind_in_ticket(path) for path in paths}
        for text in (Kind.LOG, Kind.SCRIPT):
            self.case.add_files([path for path in paths if kinds[path] is text], kind or text)
        self._refuse("evidence-refused", [path for path in paths if kinds[path] is None])
        report = next((path for path in paths if kinds[path] is Kind.REPORT), None)
        if report is not None:
            self.work.open(report)

    def refresh(self) -> None:
        """Show what was given; a ticket is asked for its text, models for their files, a served one for its address."""
        symptom = self.case.answers.symptom
        intro = {symptom: f"evidence-intro-{symptom}" for symptom in (TICKET, MODELS, SERVED)}.get(
            symptom, "evidence-intro"
        )
        self.intro.setText(self.case.say(intro))
        self.watch.refresh()
        self.served.refresh()
        for part in (self._files_heading, self.drop):
            part.setVisible(symptom != SERVED)
        self._text_part.setVisible(symptom not in (MODELS, SERVED))
        self._honest.setVisible(symptom not in (MODELS, SERVED))
        self._exactness_part.setVisible(asks_exactness(symptom))
        self._drop_hint.setText(self.case.say("evidence-drop-models" if symptom == MODELS else "evidence-drop"))
        for kind, button in self._buttons.items():
            button.setVisible(symptom != MODELS or kind in (Kind.MODEL, Kind.INPUT))
        has_model = any(given.kind is Kind.MODEL for given in self.case.answers.given)
        self._buttons[Kind.INPUT].setVisible(has_model and symptom != TICKET)
        if self.case.answers.text != self._text_seen:
            self._text_seen = self.case.answers.text
            self._text.show_text(self._text_seen)
        self._exactness[self.case.answers.exactness].setChecked(True)
        if self._shown != self.case.answers.given:
            self._shown = self.case.answers.given
            self._fill_list()

    def retranslate(self) -> None:
        """The rows of the files are built anew in the present language."""
        super().retranslate()
        self._fill_list()

    def _fill_list(self) -> None:
        emptied(self._list)
        if len(self._shown) > 1:
            self._list.addWidget(self._remove_all_row())
        for given in self._shown[:MOST_ROWS]:
            self._list.addWidget(self._file_row(given))
        more = len(self._shown) - MOST_ROWS
        if more > 0:
            self._list.addWidget(plain_label("muted", self.case.say("more", count=more)))
        self.reshaped.emit()

    def _remove_all_row(self) -> QWidget:
        line = QWidget()
        layout = filled(QHBoxLayout(line), margins=(0, 0, 0, 0))
        layout.addStretch(1)
        text = self.case.say("evidence-remove-all", count=len(self._shown))
        layout.addWidget(self._remove_button(text, self.case.remove_files))
        return line

    def _remove_button(self, text: str, act: Callable[[], object]) -> QPushButton:
        button = QPushButton(text)
        button.setObjectName("flat")
        button.setIcon(self.picture("remove", "muted", 16))
        button.clicked.connect(act)
        return button

    def _file_row(self, given: Given) -> QWidget:
        line = QWidget()
        is_input = given.path == input_among(self.case.answers.given)
        kind = QLabel(self.case.say(f"evidence-kind-{'input' if is_input else given.kind.value}"))
        kind.setObjectName("cardTitle")
        name = value_text(str(given.path))
        remove = self._remove_button(self.case.say("evidence-remove"), lambda: self.case.remove_file(given.path))
        remove.setAccessibleName(self.case.say("evidence-remove-file", name=given.path.name))
        layout = filled(QHBoxLayout(line), kind, margins=(0, 0, 0, 0), spacing=10)
        layout.addWidget(name, 1)
        layout.addWidget(remove)
        return line

    def start(self) -> None:
        """Look for interpreters while the user reads; the next page shows them."""
        if self.case.search is Search.IDLE and self.case.answers.symptom not in (TICKET, SERVED):
            self.work.search()

    def first_focus(self) -> QWidget | None:
        """The command where a program can be watched, else the text box. Models are chosen."""
        if self.case.answers.symptom == SERVED:
            return self.served.url
        if self.case.answers.symptom in WATCHABLE:
            return self.watch.command
        return self._buttons[Kind.MODEL] if self.case.answers.symptom == MODELS else self._text
