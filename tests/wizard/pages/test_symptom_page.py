"""The first page."""

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from support.played_engine import Engine

from wizard.case_model import CaseModel
from wizard.flow import MODELS, SYMPTOMS
from wizard.jobs.background import Work
from wizard.pages.symptom import SymptomPage


@pytest.fixture
def page(qtbot: QtBot, model: CaseModel, work: Work, engine: Engine) -> SymptomPage:
    page = SymptomPage(model, work)
    qtbot.addWidget(page)
    page.show()
    return page


def test_nothing_is_chosen_at_first(page: SymptomPage) -> None:
    assert not any(card.isChecked() for card in page._cards.values())


@pytest.mark.parametrize("symptom", [*SYMPTOMS, MODELS])
def test_a_click_anywhere_on_the_card_answers(qtbot: QtBot, page: SymptomPage, symptom: str) -> None:
    card = page._cards[symptom]
    qtbot.mouseClick(card, Qt.MouseButton.LeftButton, pos=card.rect().bottomRight() / 2)
    assert page.case.answers.symptom == symptom
    assert [name for name, each in page._cards.items() if each.isChecked()] == [symptom]


def test_the_answer_of_the_model_is_shown(page: SymptomPage) -> None:
    page.case.set_symptom("results-change")
    assert page._cards["results-change"].isChecked()
    assert page.first_focus() is page._cards["results-change"]


def test_open_asks(qtbot: QtBot, page: SymptomPage) -> None:
    with qtbot.waitSignal(page.open_asked):
        qtbot.mouseClick(page._open, Qt.MouseButton.LeftButton)


def test_no_words_are_cut(qtbot: QtBot, page: SymptomPage) -> None:
    for language in ("en", "ja"):
        page.case.set_language(language)
        page.retranslate()
        for width in (560, 900):
            page.resize(width, 600)
            qtbot.waitUntil(lambda: all(fits(card) for card in page._cards.values()))


def fits(card: object) -> bool:
    sentence = card._sentence
    return sentence.height() >= sentence.heightForWidth(sentence.width())
