"""Ask what is wrong: a field for whatever was printed, which is answered at once; or a sentence, or a tool."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Signal, SignalInstance
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from wizard.case_model import CaseModel
from wizard.desktop.folders import last_folder, remember
from wizard.evidence_files import Kind, unicode
from wizard.flow import MODELS, SERVED, SYMPTOMS, TICKET
from wizard.jobs.background import Work
from wizard.pages.page import Page
from wizard.pages.text_box import TextBox
from wizard.widgets.cards import ICON, SMALL_ICON, ActionCard
from wizard.widgets.labels import filled, plain_label
from wizard.widgets.wrap_layout import WrapLayout

_EVERYTHING = "everything"
_TOOLS = (MODELS, SERVED, "open", "compare", "another", "desk")
_TOOL_ICONS = {"open": "open-report", "compare": "compare-reports", "desk": "ticket"}
_SMALL = 18  # logical pixels of the icon of a tool
_FEWEST = 3  # words of a pasted text that can be judged: less is on the way to one
_JAPANESE = re.compile(r"[\u3041-\u30ff\u4e00-\u9fff]")  # which is written without spaces
_SHORTEST = 6  # such letters


class SymptomPage(Page):
    """The first page."""

    name = "symptom"
    open_asked = Signal()  # the user wants to choose a report to open
    compare_asked = Signal()  # or two of them
    another_asked = Signal()  # or to check another machine
    desk_asked = Signal()  # or to look at many tickets
    files_chosen = Signal(list)  # paths to be taken as if they were dropped
    chosen = Signal(str)  # one of flow.SYMPTOMS, MODELS or SERVED

    def __init__(self, case: CaseModel, work: Work, parent: QWidget | None = None) -> None:
        super().__init__(case, work, parent)
        self._add_field(work)
        self._add_sentences()
        self._add_tools()
        self.body.addStretch(1)
        case.changed.connect(self.refresh)
        case.left.connect(self._left)
        self.refresh()

    def _add_field(self, work: Work) -> None:
        self.text = TextBox()
        self.text.setMinimumHeight(120)
        self.text.setMaximumHeight(190)
        self.bind(self.text.setPlaceholderText, "symptom-text-hint")
        self.bind(self.text.setAccessibleName, "symptom-text")
        self.bind(self.text.setAccessibleDescription, "symptom-text-hint")
        self.answer = self.button("symptom-answer", self._answer)
        self.answer.setObjectName("primary")
        self.files = self.button("symptom-files", self._choose)
        self._text_seen = ""  # what stands in the box; a text may have megabytes
        self._text_given: str | None = ""  # what the model has given it
        left = filled(QVBoxLayout(), self.text, WrapLayout(self.answer, self.files), spacing=8)
        self.watch, self.check = ActionCard(), ActionCard()
        for card, key, icon in ((self.watch, "watch", "start-program"), (self.check, _EVERYTHING, _EVERYTHING)):
            self.bind(card.set_title, f"symptom-{key}")
            self.bind(card.set_sentence, f"symptom-{key}-means")
            self.tint(card.set_icon, icon, "accent", ICON)
        right = filled(QVBoxLayout(), self.watch, self.check, spacing=10)
        right.addStretch(1)
        line = filled(QHBoxLayout(), spacing=14)
        line.addLayout(left, 3)
        line.addLayout(right, 2)
        self.body.addLayout(line)
        self.text.edited.connect(self._typed)
        self.text.long_pasted.connect(lambda text: work.shorten(text, self.text.add))
        self.text.pasted.connect(self._pasted)
        self.text.files_pasted.connect(self.files_chosen)
        self.watch.clicked.connect(lambda: self.chosen.emit(SYMPTOMS[0]))
        self.check.clicked.connect(lambda: self.chosen.emit(_EVERYTHING))

    def _add_sentences(self) -> None:
        heading = plain_label("heading")
        self.bind(heading.setText, "symptom-sentences")
        self.body.addWidget(heading)
        grid = QGridLayout()
        grid.setSpacing(8)
        self.cards: dict[str, ActionCard] = {}
        for index, symptom in enumerate(symptom for symptom in SYMPTOMS if symptom != _EVERYTHING):
            card = ActionCard(icon=SMALL_ICON)
            self.bind(card.set_title, f"symptom-{symptom}")
            self.bind(card.setToolTip, f"symptom-{symptom}-means")
            self.bind(card.setAccessibleDescription, f"symptom-{symptom}-means")
            self.tint(card.set_icon, symptom, "accent", SMALL_ICON)
            card.clicked.connect(functools.partial(self.chosen.emit, symptom))
            self.cards[symptom] = card
            grid.addWidget(card, index // 2, index % 2)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(1, 1)
        self.body.addLayout(grid)

    def _add_tools(self) -> None:
        heading = plain_label("heading")
        self.bind(heading.setText, "symptom-tools")
        acts: dict[str, Callable[[], object] | SignalInstance] = {
            MODELS: lambda: self.chosen.emit(MODELS),
            SERVED: lambda: self.chosen.emit(SERVED),
            "open": self.open_asked,
            "compare": self.compare_asked,
            "another": self.another_asked,
            "desk": self.desk_asked,
        }
        self.tools: dict[str, QPushButton] = {}
        for tool in _TOOLS:
            button = self.button(f"symptom-{tool}", acts[tool], f"symptom-{tool}-means")
            self.tint(button.setIcon, _TOOL_ICONS.get(tool, tool), "accent", _SMALL)
            self.tools[tool] = button
        self.body.addWidget(heading)
        self.body.addLayout(WrapLayout(*self.tools.values()))

    def _typed(self) -> None:
        self._text_seen = unicode(self.text.toPlainText())
        if self.case.case is None:
            self._text_given = self._text_seen
            self.case.set_text(self._text_seen)
        else:  # it is for the next case
            self.refresh()

    @property
    def text_of_next(self) -> str:
        """What was typed here while the report of another case is there."""
        return self._text_seen if self.case.case is not None else ""

    def _left(self) -> None:
        self._text_given = None

    def _pasted(self) -> None:
        """What was pasted is answered at once; a word on the way to a text is not."""
        if len(self._text_seen.split()) >= _FEWEST or len(_JAPANESE.findall(self._text_seen)) >= _SHORTEST:
            self._answer()

    def _answer(self) -> None:
        """Judge the text as a case of its own."""
        if self._text_seen.strip() and not self.case.busy:
            self.case.begin(symptom=TICKET, text=self._text_seen)
            self.work.diagnose()

    def _choose(self) -> None:
        from PySide6.QtWidgets import QFileDialog  # not before the first window

        paths, _ = QFileDialog.getOpenFileNames(self, self.case.say("symptom-files-title"), last_folder(Kind.LOG.value))
        if paths:
            remember(Kind.LOG.value, Path(paths[0]))
            self.files_chosen.emit(list(map(Path, paths)))

    def refresh(self) -> None:
        """Show the text of the case until it is answered: then the box is for the next one, and empty."""
        given = self.case.answers.text if self.case.case is None else ""
        if given not in (self._text_given, self._text_seen):
            self._text_seen = given
            self.text.show_text(given)
        self._text_given = given
        self.answer.setEnabled(bool(self._text_seen.strip()) and not self.case.busy)

    def first_focus(self) -> QWidget | None:
        """The sentence that was chosen, or the field."""
        return self.cards.get(self.case.answers.symptom, self.text)
