"""Ask what happened: one card per symptom, and a way to open a report that somebody sent."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QGridLayout, QWidget

from wizard.case_model import CaseModel
from wizard.flow import MODELS, SYMPTOMS, TICKET
from wizard.pages.cards import ICON, ActionCard, ChoiceCard
from wizard.pages.page import Page
from wizard.work import Work


class SymptomPage(Page):
    """The step that asks: what happened."""

    name = "symptom"
    open_asked = Signal()  # the user wants to choose a report to open

    def __init__(self, case: CaseModel, work: Work, parent: QWidget | None = None) -> None:
        super().__init__(case, work, parent)
        grid = QGridLayout()
        grid.setSpacing(10)
        self._group = QButtonGroup(self)
        self._cards: dict[str, ChoiceCard] = {}
        for index, symptom in enumerate((*SYMPTOMS, MODELS, TICKET)):
            each = ChoiceCard(symptom)
            self.bind(each.set_title, f"symptom-{symptom}")
            self.bind(each.set_sentence, f"symptom-{symptom}-means")
            self.tint(each.set_icon, symptom, "accent", ICON)
            self._group.addButton(each)
            self._cards[symptom] = each
            grid.addWidget(each, index // 2, index % 2)
        self._open = ActionCard()
        self.bind(self._open.set_title, "symptom-open")
        self.bind(self._open.set_sentence, "symptom-open-means")
        self.tint(self._open.set_icon, "open-report", "muted", ICON)
        grid.addWidget(self._open, len(self._cards) // 2, len(self._cards) % 2)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(1, 1)
        self.body.addLayout(grid)
        self.body.addStretch(1)
        self._group.buttonToggled.connect(self._chosen)
        self._open.clicked.connect(self.open_asked)
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
