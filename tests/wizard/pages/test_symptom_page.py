"""The first page."""

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot
from support.played_engine import Engine

from wizard.case_model import CaseModel
from wizard.flow import MODELS, SYMPTOMS, TICKET
from wizard.jobs.background import Work
from wizard.pages.symptom import SymptomPage

LEFT = Qt.MouseButton.LeftButton
ERROR = "RuntimeError: CUDA error: no kernel image is available for execution on the device"


@pytest.fixture
def page(qtbot: QtBot, model: CaseModel, work: Work, engine: Engine) -> SymptomPage:
    page = SymptomPage(model, work)
    qtbot.addWidget(page)
    page.show()
    return page


def paste(page: SymptomPage, text: str) -> None:
    data = QMimeData()
    data.setText(text)
    page.text.insertFromMimeData(data)


def test_the_field_has_the_keyboard_at_first(page: SymptomPage) -> None:
    assert page.first_focus() is page.text
    assert not page.answer.isEnabled()


def test_what_is_pasted_is_answered_at_once(qtbot: QtBot, page: SymptomPage) -> None:
    with qtbot.waitSignal(page.work.finished_opening, timeout=20_000):
        paste(page, ERROR)
    assert page.case.answers.symptom == TICKET
    assert page.case.case is not None
    assert page.case.case.findings[0].cause == "build-lacks-newer-gpu-arch"


def test_what_is_typed_is_answered_on_a_word(qtbot: QtBot, page: SymptomPage) -> None:
    qtbot.keyClicks(page.text, "no kernel image is available")
    assert page.case.case is None
    assert not page.case.busy
    with qtbot.waitSignal(page.work.finished_opening, timeout=20_000):
        qtbot.mouseClick(page.answer, LEFT)


@pytest.mark.parametrize("text", ["", "   \n", "torch 2.9"])
def test_a_word_or_two_are_not_answered_by_themselves(page: SymptomPage, text: str) -> None:
    paste(page, text)
    assert not page.case.busy


def test_a_new_text_is_a_new_case(qtbot: QtBot, page: SymptomPage) -> None:
    with qtbot.waitSignal(page.work.finished_opening, timeout=20_000):
        paste(page, ERROR)
    page.case.set_case_id("20261123-000000-abcdef")
    page.text.selectAll()
    with qtbot.waitSignal(page.work.finished_opening, timeout=20_000):
        paste(page, "ModuleNotFoundError: No module named 'torch'")
    assert page.case.case_id == ""
    assert "kernel image" not in page.case.answers.text


@pytest.mark.parametrize("symptom", [symptom for symptom in SYMPTOMS if symptom != "everything"])
def test_a_click_anywhere_on_a_sentence_chooses_it(qtbot: QtBot, page: SymptomPage, symptom: str) -> None:
    card = page.cards[symptom]
    with qtbot.waitSignal(page.chosen, check_params_cb=lambda chosen: chosen == symptom):
        qtbot.mouseClick(card, LEFT, pos=card.rect().bottomRight() / 2)


def test_the_two_ways_beside_the_field(qtbot: QtBot, page: SymptomPage) -> None:
    for card, symptom in ((page.watch, "does-not-start"), (page.check, "everything")):
        with qtbot.waitSignal(page.chosen, check_params_cb=lambda chosen, symptom=symptom: chosen == symptom):
            qtbot.mouseClick(card, LEFT)


def test_the_answer_of_the_model_is_shown(page: SymptomPage) -> None:
    page.case.set_symptom("results-change")
    assert page.first_focus() is page.cards["results-change"]
    page.case.set_text("from a case of the list")
    assert page.text.toPlainText() == "from a case of the list"


def test_the_tools(qtbot: QtBot, page: SymptomPage) -> None:
    with qtbot.waitSignal(page.open_asked):
        qtbot.mouseClick(page.tools["open"], LEFT)
    with qtbot.waitSignal(page.compare_asked):
        qtbot.mouseClick(page.tools["compare"], LEFT)
    with qtbot.waitSignal(page.chosen, check_params_cb=lambda chosen: chosen == MODELS):
        qtbot.mouseClick(page.tools[MODELS], LEFT)


def test_files_are_chosen(qtbot: QtBot, page: SymptomPage, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    log = tmp_path / "error.log"
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([str(log)], ""))
    with qtbot.waitSignal(page.files_chosen, check_params_cb=lambda paths: paths == [log]):
        qtbot.mouseClick(page.files, LEFT)


def test_no_words_are_cut(qtbot: QtBot, page: SymptomPage) -> None:
    cards = (page.watch, page.check, *page.cards.values())
    for language in ("en", "ja"):
        page.case.set_language(language)
        page.retranslate()
        for width in (560, 900):
            page.resize(width, 600)
            qtbot.waitUntil(lambda: all(fits(card) for card in cards))


def fits(card: object) -> bool:
    labels = (label for label in (card._title, card._sentence) if label.isVisible())
    return all(label.height() >= label.heightForWidth(label.width()) for label in labels)
