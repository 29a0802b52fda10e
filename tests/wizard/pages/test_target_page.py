"""The third page."""

from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot
from support.played_engine import INTERPRETERS, SYSTEM, VENV

from checks.engine.plans.compute import BUDGET
from checks.facts import InterpreterFacts
from wizard.case_model import CaseModel, Search
from wizard.evidence_files import Kind
from wizard.flow import MODELS, Step, is_complete
from wizard.jobs.background import Work
from wizard.pages.target import TargetPage


@pytest.fixture
def page(qtbot: QtBot, model: CaseModel, work: Work) -> TargetPage:
    page = TargetPage(model, work)
    qtbot.addWidget(page)
    page.show()
    return page


@pytest.fixture
def found(qtbot: QtBot, page: TargetPage) -> TargetPage:
    page.start()
    qtbot.waitUntil(lambda: page.case.search is Search.DONE)
    return page


def cells(page: TargetPage) -> list[list[str]]:
    table = page._table
    return [[table.item(row, column).text() for column in range(4)] for row in range(table.rowCount())]


def test_that_nothing_is_run_is_only_asked_about_models(found: TargetPage) -> None:
    assert not found._read_only.isVisible()
    found.case.set_symptom(MODELS)
    assert found._read_only.isVisible()
    assert "time limit" in found.intro.text()
    found._read_only.click()
    assert found.case.answers.only_reads
    hidden = (found._table, found._chosen, found._state, found._file, found._folder, found._again)
    assert not any(widget.isVisible() for widget in hidden)
    assert found.first_focus() is found._read_only
    found._read_only.click()
    assert all(widget.isVisible() for widget in hidden)
    assert found.case.answers.target == VENV.path


@pytest.mark.parametrize("language", ["en", "ja"])
def test_that_models_are_run_again_is_asked_where_they_are_the_question(found: TargetPage, language: str) -> None:
    found.case.set_language(language)
    found.retranslate()
    assert not found._repeat.isVisible()
    found.case.set_symptom(MODELS)
    assert found._repeat.isVisible()
    assert found._repeat.text()
    found._repeat.click()
    assert found.case.answers.repeats
    found._read_only.click()
    assert not found._repeat.isVisible()
    assert not found.case.answers.repeats


def test_with_an_input_models_are_always_run_again(found: TargetPage) -> None:
    found.case.set_symptom(MODELS)
    found.case.add_files([Path("net.onnx")], Kind.MODEL)
    found.case.add_files([Path("x.npy")], Kind.INPUT)
    assert (found._repeat.isChecked(), found._repeat.isEnabled()) == (True, False)
    found.case.remove_file(Path("x.npy"))
    assert (found._repeat.isChecked(), found._repeat.isEnabled()) == (False, True)


def test_busy_then_found(qtbot: QtBot, page: TargetPage) -> None:
    assert not page._busy.isVisible()
    page.start()
    assert page._busy.isVisible()
    assert page._state.text() == "Looking for Python interpreters…"
    assert not page._file.isEnabled()
    qtbot.waitUntil(lambda: page.case.search is Search.DONE)
    assert not page._busy.isVisible()
    assert page._file.isEnabled()
    assert cells(page) == [
        ["Virtual environment", "3.11.7", "torch 2.6.0+cu124", VENV.path],
        ["System", "3.12.3", "none", SYSTEM.path],
    ]


def test_our_own_python_is_named_as_such(found: TargetPage) -> None:
    """Nobody should take it for the environment of the program that fails."""
    own = msgspec.structs.replace(VENV, path="/opt/naosu/bin/python", found_by=("PATH", "naosu"))
    assert found._texts(own)[0] == "Naosu's own"


def test_the_likely_one_is_chosen(found: TargetPage) -> None:
    assert found.case.answers.target == VENV.path
    assert found._table.currentRow() == 0
    assert VENV.path in found._chosen.text()


def test_another_row(qtbot: QtBot, found: TargetPage) -> None:
    found._table.setFocus()
    qtbot.keyClick(found._table, Qt.Key.Key_Down)
    assert found.case.answers.target == SYSTEM.path


def test_searched_once_and_again_when_asked(qtbot: QtBot, found: TargetPage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wizard.jobs.background.interpreters_here", lambda *_: ((SYSTEM,), SYSTEM.path))
    found.start()
    assert found.case.search is Search.DONE
    qtbot.mouseClick(found._again, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: found.case.interpreters == (SYSTEM,))
    assert found.case.answers.target == SYSTEM.path  # the one before is gone


def test_the_likely_one_first_then_those_with_frameworks(
    qtbot: QtBot, page: TargetPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()  # the real order
    bare = msgspec.structs.replace(SYSTEM, path="/usr/bin/python3.11")
    other = msgspec.structs.replace(VENV, path="/opt/other/bin/python", found_by=("PATH",))
    monkeypatch.setattr("checks.interpreters.find_interpreters", lambda places: (bare, SYSTEM, other, VENV))
    mine = msgspec.structs.replace(bare, path="/opt/mine/python", found_by=("chosen",))
    page.case.add_interpreter(mine)
    page.work.search()
    qtbot.waitUntil(lambda: page.case.search is Search.DONE)
    assert [row[3] for row in cells(page)] == [mine.path, VENV.path, other.path, bare.path, SYSTEM.path]
    assert page.case.answers.target == mine.path
    assert page._table.currentRow() == 0


def test_none_found(qtbot: QtBot, page: TargetPage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wizard.jobs.background.interpreters_here", lambda *_: ((), None))
    page.start()
    qtbot.waitUntil(lambda: page.case.search is Search.DONE)
    assert "No Python interpreter was found" in page._state.text()
    assert not page._table.isVisible()
    assert page.first_focus() is page._file


def test_a_search_that_breaks_off(qtbot: QtBot, page: TargetPage, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise OSError("the disk is gone")

    monkeypatch.setattr("wizard.jobs.background.interpreters_here", broken)
    page.start()
    qtbot.waitUntil(page._problem.isVisible)
    assert "the disk is gone" in page._problem.text()
    assert page._again.isEnabled()


@pytest.mark.parametrize(
    "problem", ["missing", "not-python", "unreadable", "not-executable", "base-missing", "installer-alias"]
)
@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_path_that_is_no_interpreter(
    qtbot: QtBot, found: TargetPage, monkeypatch: pytest.MonkeyPatch, problem: str, language: str
) -> None:
    monkeypatch.setattr(
        "wizard.jobs.background.interpreter_at", lambda path: InterpreterFacts(path=str(path), problem=problem)
    )
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: ("/tmp/notes.txt", ""))
    found.case.set_language(language)
    found._choose_file()
    qtbot.waitUntil(found._problem.isVisible)
    assert "/tmp/notes.txt" in found._problem.text()
    assert found.case.answers.target == VENV.path  # what was chosen before stays


def test_a_real_file_that_is_no_interpreter(qtbot: QtBot, found: TargetPage, script: Path) -> None:
    found.work.choose(script)
    qtbot.waitUntil(found._problem.isVisible)
    assert "is not a Python interpreter" in found._problem.text()


def test_a_real_folder_without_an_interpreter(qtbot: QtBot, found: TargetPage, tmp_path: Path) -> None:
    found.work.choose(tmp_path)
    qtbot.waitUntil(found._problem.isVisible)
    assert "There is no Python interpreter in" in found._problem.text()


def test_a_chosen_file_is_the_target_and_stays_in_the_list(
    qtbot: QtBot, found: TargetPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = msgspec.structs.replace(SYSTEM, path="/opt/mine/python", found_by=("chosen",))
    monkeypatch.setattr("wizard.jobs.background.interpreter_at", lambda path: mine)
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: "/opt/mine")
    found._choose_folder()
    qtbot.waitUntil(lambda: found.case.answers.target == mine.path)
    found.work.search()
    qtbot.waitUntil(lambda: found.case.search is Search.DONE)
    assert found.case.interpreters == (mine, *INTERPRETERS)
    assert found.case.answers.target == mine.path


def test_not_read_is_not_none(page: TargetPage) -> None:
    unread = InterpreterFacts(path="/x/python", kind="venv")
    broken = InterpreterFacts(path="/y/python", kind="venv", problem="base-missing")
    page.case.search_ended((unread, broken), None)
    assert [row[1:3] for row in cells(page)] == [["not read", "not read"], ["not read", "not usable"]]


def test_a_path_cannot_become_markup(page: TargetPage) -> None:
    path = "/tmp/<img src=http://example.invalid/x.png>/python"
    page.case.search_ended((msgspec.structs.replace(VENV, path=path),), path)
    assert "<img" not in page._table.item(0, 3).toolTip()
    assert page._chosen.textFormat() is Qt.TextFormat.PlainText


def test_japanese(found: TargetPage) -> None:
    found.case.set_language("ja")
    found.retranslate()
    assert cells(found)[0][0] == "仮想環境"
    assert found._table.horizontalHeaderItem(3).text() == "場所"


@pytest.mark.parametrize(
    ("symptom", "is_asked"), [("results-change", True), ("everything", True), ("not-on-gpu", False), (MODELS, False)]
)
def test_how_long_may_be_computed_is_asked_where_something_is(found: TargetPage, symptom: str, is_asked: bool) -> None:
    found.case.set_symptom(symptom)
    assert found._effort_part.isVisible() is is_asked


def test_the_effort_is_chosen_by_mouse_or_key_and_kept(qtbot: QtBot, found: TargetPage) -> None:
    found.case.set_symptom("results-differ")
    assert found._efforts["standard"].isChecked()
    qtbot.mouseClick(found._efforts["thorough"], Qt.MouseButton.LeftButton)
    assert found.case.answers.effort == "thorough"
    qtbot.keyClick(found._efforts["thorough"], Qt.Key.Key_Left)
    assert found.case.answers.effort == "standard"
    found._efforts["quick"].click()
    found.case.set_symptom("not-on-gpu")
    found.case.set_symptom("results-differ")
    assert found._efforts["quick"].isChecked()


def test_everything_is_looked_at_without_computing_unless_that_is_chosen(found: TargetPage) -> None:
    found.case.set_symptom("everything")
    assert found._efforts["none"].isVisible()
    assert found._efforts["none"].isChecked()
    assert found.case.answers.effort_taken == "none"
    found.case.set_symptom("results-change")  # where computing is the question
    assert not found._efforts["none"].isVisible()
    assert found._efforts["standard"].isChecked()
    found.case.set_symptom("everything")
    assert found.case.answers.effort_taken == "none"
    found._efforts["standard"].click()
    assert found.case.answers.effort_taken == "standard"


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_effort_says_how_long_it_takes_and_what_it_gives(found: TargetPage, language: str) -> None:
    found.case.set_language(language)
    found.retranslate()
    for effort, seconds in BUDGET.items():
        card = found._efforts[effort]
        number = str(round(seconds)) if seconds < 60 else str(round(seconds / 60))
        assert number in card.accessibleName()
        assert card.accessibleDescription()


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_length_of_the_load_test_is_chosen_by_key_and_kept(qtbot: QtBot, found: TargetPage, language: str) -> None:
    assert not found._loads[0].isVisible()
    found.case.set_symptom("results-change")
    assert found._loads[0].isVisible()
    assert found._loads[0].isChecked()
    found._loads[0].setFocus()
    qtbot.keyClick(found._loads[0], Qt.Key.Key_Right)
    qtbot.keyClick(found._loads[60], Qt.Key.Key_Right)
    assert found.case.answers.load == 600
    assert found.case.answers.effort_taken == "standard"  # a group of its own
    found.case.set_language(language)
    found.retranslate()
    assert found._loads[600].isChecked()
    assert found._loads[600].text() == {"en": "10 minutes", "ja": "10分"}[language]
    assert found._loads[600].accessibleName() != found._loads[600].text()  # it says of what


def test_our_own_python_for_want_of_another_is_said_beside_the_list(
    qtbot: QtBot, found: TargetPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "most likely" in found._state.text()
    assert not found._own.isVisible()
    own = msgspec.structs.replace(VENV, path="/opt/naosu/bin/python", found_by=("PATH", "naosu"))
    monkeypatch.setattr("wizard.jobs.background.interpreters_here", lambda *_: ((own, SYSTEM), own.path))
    found.work.search()
    qtbot.waitUntil(lambda: found.case.answers.target == own.path)
    assert "most likely" not in found._state.text()
    assert "Naosu's own" in found._own.text()
    assert found._own.isVisible()
    found.case.set_target(SYSTEM.path)
    assert not found._own.isVisible()
    found.case.add_interpreter(msgspec.structs.replace(own, found_by=("chosen", "naosu")))
    assert not found._own.isVisible()  # who chose it by hand meant it


def test_what_was_chosen_by_hand_is_scrolled_into_view(qtbot: QtBot, found: TargetPage) -> None:
    many = tuple(msgspec.structs.replace(SYSTEM, path=f"/opt/{number}/bin/python") for number in range(60))
    found.case.search_ended(many, many[-1].path)
    qtbot.waitUntil(lambda: found._table.verticalScrollBar().value() > 0)
    mine = msgspec.structs.replace(VENV, path="/opt/mine/bin/python", found_by=("chosen", "folder"))
    found.case.add_interpreter(mine)
    qtbot.waitUntil(lambda: found._table.verticalScrollBar().value() == 0)
    assert found._table.currentRow() == 0


@pytest.mark.parametrize("language", ["en", "ja"])
def test_what_lies_beside_a_script_is_offered_and_not_chosen(
    qtbot: QtBot, page: TargetPage, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    monkeypatch.undo()  # the real choice
    monkeypatch.setattr("checks.interpreters.find_interpreters", lambda places: (VENV, SYSTEM))
    monkeypatch.setattr("checks.interpreters.owner_of", lambda interpreter: "mallory")
    page.case.set_language(language)
    page.case.answer(symptom="not-on-gpu")
    page.work.search()
    qtbot.waitUntil(lambda: page.case.search is Search.DONE)
    assert (page.case.answers.target, page._table.selectedItems()) == ("", [])
    assert not is_complete(Step.TARGET, page.case.answers, page.case.progress)
    assert page._offered.isVisible()
    assert all(part in page._offered.text() for part in (VENV.path, "mallory"))
    assert [row[3] for row in cells(page)] == [VENV.path, SYSTEM.path]
    page._table.selectRow(0)
    assert page.case.answers.target == VENV.path
    assert not page._offered.isVisible()


def test_beside_a_script_the_active_environment_is_chosen(
    qtbot: QtBot, page: TargetPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    active = msgspec.structs.replace(SYSTEM, path="/active/bin/python", found_by=("VIRTUAL_ENV",))
    monkeypatch.setattr("checks.interpreters.find_interpreters", lambda places: (VENV, active, SYSTEM))
    page.work.search()
    qtbot.waitUntil(lambda: page.case.search is Search.DONE)
    assert page.case.answers.target == active.path


@pytest.mark.parametrize("language", ["en", "ja"])
def test_what_belongs_to_another_user_is_shown_with_its_owner_and_not_chosen(
    qtbot: QtBot, page: TargetPage, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    monkeypatch.undo()
    monkeypatch.setattr("checks.interpreters.find_interpreters", lambda places: (VENV, SYSTEM))
    monkeypatch.setattr("checks.interpreters.owner_of", lambda interpreter: "mallory")
    for place in ("", ".target"):
        monkeypatch.setattr(f"checks.interpreters{place}.is_of_another", lambda interpreter: interpreter is VENV)
    page.case.set_language(language)
    page.work.search()
    qtbot.waitUntil(lambda: page.case.search is Search.DONE)
    assert page.case.answers.target == SYSTEM.path
    assert "mallory" in cells(page)[0][0]
    assert "mallory" not in cells(page)[1][0]
    assert VENV.path in page._offered.text()
    page.work.choose(Path("/"))  # a folder; what is in it belongs to another user
    qtbot.waitUntil(page._problem.isVisible)
    assert VENV.path in page._problem.text()
    assert page.case.answers.target == SYSTEM.path


def test_the_package_index_is_asked_unless_somebody_objects(qtbot: QtBot, found: TargetPage) -> None:
    assert found._offline.isVisible()
    assert not found.case.answers.offline
    qtbot.keyClick(found._offline, Qt.Key.Key_Space)
    assert found.case.answers.offline
    found.case.set_symptom("models")
    found._read_only.setChecked(True)
    assert not found._offline.isVisible(), "what is only read has no remedies to install"
