"""Ask what happened: one card per symptom, and ways to open a report that somebody sent, or two."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QGridLayout, QWidget

from wizard.case_model import CaseModel
from wizard.flow import MODELS, SYMPTOMS, TICKET
from wizard.jobs.background import Work
from wizard.pages.page import Page
from wizard.widgets.cards import ICON, ActionCard, ChoiceCard


class SymptomPage(Page):
    """The step that asks: what happened."""

    name = "symptom"
    open_asked = Signal()  # the user wants to choose a report to open
    compare_asked = Signal()  # or two of them

    def __init__(self, case: CaseModel, work: Work, parent: QWidget | None = None) -> None:
        super().__init__(case, work, parent)
        grid = QGridLayout()
        grid.setSpacing(10)
        self._group = QButtonGroup(self)
        self._cards: dict[str, ChoiceCard] = {}
        for index, symptom in enumerate((*SYMPTOMS, MODELS, TICKET)):
            card = ChoiceCard(symptom)
            self.bind(card.set_title, f"symptom-{symptom}")
            self.bind(card.set_sentence, f"symptom-{symptom}-means")
            self.tint(card.set_icon, symptom, "accent", ICON)
            self._group.addButton(card)
            self._cards[symptom] = card
            grid.addWidget(card, index // 2, index % 2)
        self._open, self._compare = ActionCard(), ActionCard()
        saved = ((self._open, "open", "open-report"), (self._compare, "compare", "compare-reports"))
        for place, (action, key, icon) in enumerate(saved, len(self._cards)):
            self.bind(action.set_title, f"symptom-{key}")
            self.bind(action.set_sentence, f"symptom-{key}-means")
            self.tint(action.set_icon, icon, "muted", ICON)
            grid.addWidget(action, place // 2, place % 2)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(1, 1)
        self.body.addLayout(grid)
        self.body.addStretch(1)
        self._group.buttonToggled.connect(self._chosen)
        self._open.clicked.connect(self.open_asked)
        self._compare.clicked.connect(self.compare_asked)
        case.changed.connect(self.refresh)
        self.refresh()

    def _chosen(self, button: ChoiceCard, checked: bool) -> None:
        if checked:
            self.case.set_symptom(button.value)

    def refresh(self) -> None:
        """Check the card of the answer."""
        chosen = self._cards.get(self.case.answers.symptom)
        if chosen is not None and not chosen.isChecked():
            chosen.setChecked(True)

    def first_focus(self) -> QWidget | None:
        """The chosen card, or the first one."""
        return self._cards.get(self.case.answers.symptom, self._cards[SYMPTOMS[0]])
