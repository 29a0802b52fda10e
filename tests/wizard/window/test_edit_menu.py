"""The Edit menu acts on the text that has the keyboard, else on what was done with cases."""

from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot
from support.cases_list import wait_for
from support.played_engine import case

from checks.history.cases import Cases, Heading, Verdicts
from wizard.flow import Step
from wizard.pages.symptom import SymptomPage
from wizard.pages.text_box import TextBox
from wizard.window.case_list import CaseList
from wizard.window.edit_menu import EditMenu
from wizard.window.main_window import Window


@pytest.fixture
def text(qtbot: QtBot, window: Window) -> TextBox:
    """The field of the first page, with the keyboard in it."""
    page = window.page(Step.SYMPTOM)
    assert isinstance(page, SymptomPage)
    window.activateWindow()
    page.text.setFocus()
    qtbot.waitUntil(page.text.hasFocus)
    return page.text


def can(menu: EditMenu) -> set[str]:
    """What the open menu offers."""
    menu.aboutToShow.emit()
    enabled = {name for name, action in menu.acts.items() if action.isEnabled()}
    menu.aboutToHide.emit()
    assert all(action.isEnabled() for action in menu.acts.values())  # for the keys
    return enabled


def test_a_text_is_edited(window: Window, text: TextBox) -> None:
    edit = window.menus.edit
    QGuiApplication.clipboard().clear()
    assert can(edit) == {"all"}
    text.insertPlainText("It fails.")
    assert can(edit) == {"undo", "all"}
    edit.acts["all"].trigger()
    edit.acts["cut"].trigger()
    assert text.toPlainText() == ""
    assert QGuiApplication.clipboard().text() == "It fails."
    edit.acts["undo"].trigger()
    assert text.toPlainText() == "It fails."
    assert can(edit) == {"undo", "redo", "paste", "all"}
    text.selectAll()
    assert can(edit) == set(edit.acts)


def test_where_the_menu_has_the_keyboard_it_acts_on_what_had_it(window: Window, text: TextBox) -> None:
    text.insertPlainText("It fails.")
    window.menuBar().setFocus()
    window.menus.edit.acts["all"].trigger()
    assert text.textCursor().selectedText() == "It fails."


@pytest.fixture
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot, window: Window) -> CaseList:
    """A list of three cases."""
    monkeypatch.setenv("NAOSU_HISTORY", str(tmp_path / "kept"))
    store = Cases(tmp_path / "kept" / "cases")
    for number in range(3):
        store.add(case(), Verdicts({"en": f"Case {number}."}, "clear"))
    with qtbot.waitSignal(window.work.cases.listed):
        window.work.cases.list()
    return window._rail.cases


def named(headings: tuple[Heading, ...]) -> set[str]:
    return {heading.named("en") for heading in headings}


def test_what_was_done_with_cases_is_undone_and_done_again(qtbot: QtBot, window: Window, shown: CaseList) -> None:
    edit, jobs = window.menus.edit, window.work.cases
    heading = window.case.headings[0]
    jobs.rename(heading.id, "Mine")
    wait_for(qtbot, shown, lambda headings: "Mine" in named(headings))
    jobs.delete(heading.id)
    wait_for(qtbot, shown, lambda headings: len(headings) == 2)
    edit.aboutToShow.emit()
    assert edit.acts["undo"].text() == "&Undo deleting a case"
    edit.aboutToHide.emit()
    edit.acts["undo"].trigger()
    wait_for(qtbot, shown, lambda headings: "Mine" in named(headings))
    assert window.case.notice is None  # that it was deleted
    edit.acts["undo"].trigger()
    wait_for(qtbot, shown, lambda headings: heading.named("en") in named(headings))
    edit.acts["redo"].trigger()
    wait_for(qtbot, shown, lambda headings: "Mine" in named(headings))


def test_to_undo_what_was_brought_back_otherwise_does_nothing(qtbot: QtBot, window: Window, shown: CaseList) -> None:
    name = window.case.headings[0].id
    window.work.cases.delete(name)
    wait_for(qtbot, shown, lambda headings: len(headings) == 2)
    window._notice.act.click()
    wait_for(qtbot, shown, lambda headings: len(headings) == 3)
    window.menus.edit.acts["undo"].trigger()
    assert window.case.notice is None
    assert len(window.case.headings) == 3


def test_what_could_not_be_done_leaves_nothing_to_undo(
    qtbot: QtBot, window: Window, shown: CaseList, tmp_path: Path
) -> None:
    jobs, first, second = window.work.cases, *(heading.id for heading in window.case.headings[:2])
    jobs.mark(second, answered=True)
    wait_for(qtbot, shown, lambda headings: any(heading.is_answered for heading in headings))
    Cases(tmp_path / "kept" / "cases").remove(first)  # another window was quicker
    jobs.delete(first)
    wait_for(qtbot, shown, lambda headings: len(headings) == 2)
    assert window.case.notice is not None
    assert jobs.undo.undoText() == "cases-undo-mark"
    jobs.undo.undo()
    wait_for(qtbot, shown, lambda headings: not any(heading.is_answered for heading in headings))


def test_what_is_undone_at_once_is_undone(qtbot: QtBot, window: Window, shown: CaseList) -> None:
    name = window.case.headings[0].id
    jobs = window.work.cases
    with jobs._turn:  # something else is being saved
        jobs.delete(name)
        jobs.undo.undo()
    with qtbot.waitSignal(jobs.listed, timeout=20_000):
        jobs.list()
    assert name in {heading.id for heading in window.case.headings}


def test_the_case_that_is_shown_is_the_one_that_came_back(qtbot: QtBot, window: Window, shown: CaseList) -> None:
    name, jobs = window.case.headings[0].id, window.work.cases
    with qtbot.waitSignal(jobs.opened, timeout=20_000):
        jobs.open(name)
    jobs.delete(name)
    qtbot.waitUntil(lambda: window.case.case_id == "", timeout=20_000)
    jobs.undo.undo()
    qtbot.waitUntil(lambda: window.case.case_id == name, timeout=20_000)


def test_a_cell_is_copied(window: Window, at_target: Window) -> None:
    table = window.page(Step.TARGET)._table  # type: ignore[attr-defined]
    window.activateWindow()
    table.setFocus()
    table.setCurrentCell(0, 0)
    QGuiApplication.clipboard().clear()
    assert can(window.menus.edit) == {"copy"}
    window.menus.edit.acts["copy"].trigger()
    assert QGuiApplication.clipboard().text() == table.item(0, 0).text()
    window.menus.edit.acts["all"].trigger()
    assert len(table.selectionModel().selectedRows()) == 1


def test_deleted_cases_are_brought_back_also_after_a_restart(qtbot: QtBot, window: Window, shown: CaseList) -> None:
    menu = window.menus.deleted
    menu.aboutToShow.emit()
    assert [action.isEnabled() for action in menu.actions()] == [False]
    heading = Cases(_folder()).rename(window.case.headings[0].id, "too old " * 20)
    Cases(_folder()).delete(heading.id)  # by a window that is closed by now
    with qtbot.waitSignal(window.work.cases.listed):
        window.work.cases.list()
    menu.aboutToShow.emit()
    (action,) = menu.actions()
    assert action.text().startswith("Bring back: too old too old")
    assert action.text().endswith(f"({heading.changed[:10]})")
    action.trigger()
    wait_for(qtbot, shown, lambda headings: len(headings) == 3)


def _folder() -> Path:
    from checks.history.cases import cases_folder

    folder = cases_folder()
    assert folder is not None
    return folder
