"""The menu of the remembered examinations: the switch, "forget all", and what is said where that fails."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from checks.history.store import Snapshot, Store
from wizard.case_model import CaseModel
from wizard.jobs.background import Work
from wizard.window.history_menu import HistoryMenu
from wizard.window.main_window import Window


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("NAOSU_HISTORY", str(tmp_path / "history"))
    return Store(tmp_path / "history")


@pytest.fixture
def menu(qtbot: QtBot, store: Store) -> HistoryMenu:
    case = CaseModel()
    window = Window(case, Work(case))
    qtbot.addWidget(window)
    window.menus.history.read()
    return window.menus.history


def said(menu: HistoryMenu) -> str:
    case = menu._case
    return case.sentence(case.notice) if case.notice else ""


@pytest.mark.parametrize("language", ["en", "ja"])
def test_it_speaks(menu: HistoryMenu, language: str) -> None:
    menu._case.set_language(language)
    assert menu.title()
    assert menu.keep_action.text()
    assert menu.forget_action.text()


def test_the_switch_is_the_command_lines(menu: HistoryMenu, store: Store) -> None:
    assert menu.keep_action.isChecked()
    menu.keep_action.trigger()
    assert not store.is_on
    assert not menu.keep_action.isChecked()
    assert said(menu)
    store.switch(on=True)
    menu.read()
    assert menu.keep_action.isChecked()


def test_all_are_forgotten_after_a_question(menu: HistoryMenu, store: Store, qtbot: QtBot) -> None:
    assert not menu.forget_action.isEnabled()
    store.add(Snapshot(created="2026-01-01T00:00:00+00:00"))
    menu.read()
    menu.forget_action.trigger()
    (box,) = menu.parentWidget().findChildren(QMessageBox)
    assert store.numbers() == (1,)
    box.buttons()[0].click()
    assert store.numbers() == (1,), "who does not say so forgets nothing"
    menu.forget()
    assert store.numbers() == ()
    assert "1" in said(menu)


def test_what_cannot_be_changed_is_said(menu: HistoryMenu, store: Store) -> None:
    store.folder.write_text("a file where a folder should be")
    menu.keep_action.trigger()
    assert menu._case.notice is not None
    assert menu._case.notice.is_error


def test_nothing_is_offered_where_the_variable_says_off(menu: HistoryMenu, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NAOSU_HISTORY", "off")
    menu.read()
    assert not menu.keep_action.isEnabled()
    assert not menu.keep_action.isChecked()
