"""The list of cases: each saves itself, opens with a click, is named, found, deleted and brought back."""

import re
from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QApplication, QInputDialog, QMenu, QMessageBox
from pytestqt.qtbot import QtBot
from support.cases_list import drop, paste, wait_for
from support.played_engine import TOO_OLD, VENV, Engine, case

from checks.history.cases import Cases, Verdicts
from wizard.case_model import CaseModel
from wizard.flow import TICKET, Step
from wizard.jobs.background import Work
from wizard.pages.report import ReportPage
from wizard.window.case_list import CaseList
from wizard.window.main_window import Window

LEFT = Qt.MouseButton.LeftButton
ERROR = "RuntimeError: CUDA error: no kernel image is available for execution on the device"
OTHER = "ModuleNotFoundError: No module named 'torch'"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cases:
    """Where the cases of the test go."""
    monkeypatch.setenv("NAOSU_HISTORY", str(tmp_path / "kept"))
    return Cases(tmp_path / "kept" / "cases")


@pytest.fixture
def shown(store: Cases, window: Window) -> CaseList:
    return window._rail.cases


def titles(shown: CaseList) -> list[str]:
    texts = (shown.list.item(row).data(Qt.ItemDataRole.AccessibleTextRole) for row in range(shown.list.count()))
    return [re.split("[,、]", text)[0] for text in texts]


def examined(qtbot: QtBot, window: Window, engine: Engine) -> None:
    window.case.set_symptom("not-on-gpu")
    window.go(Step.TARGET)
    qtbot.waitUntil(lambda: bool(window.case.answers.target))
    engine.tell_all(TOO_OLD)
    with qtbot.waitSignal(window.work.finished_run):
        window.run()
    qtbot.waitUntil(lambda: window.step is Step.REPORT)


def test_at_first_there_are_none(shown: CaseList) -> None:
    assert not shown.list.isVisible()
    assert not shown.search.isVisible()
    assert "saved here" in shown._empty.text()


def test_a_ticket_saves_itself(qtbot: QtBot, window: Window, shown: CaseList, store: Cases) -> None:
    paste(window, ERROR)
    wait_for(qtbot, shown, lambda headings: len(headings) == 1)
    assert [heading.is_ticket for heading in store.headings()] == [True]
    assert shown.list.currentRow() == 0  # it is the one that is shown
    assert window.case.lost_by_quitting() == ""


def test_tickets_of_which_nobody_knows_the_cause_are_told_apart(qtbot: QtBot, window: Window, shown: CaseList) -> None:
    for number, text in enumerate(("\n  My model is slow since Monday.\nHelp", "It does not do what it did. " * 9), 1):
        window.begin()
        paste(window, text)
        wait_for(qtbot, shown, lambda headings, number=number: len(headings) == number)
    assert {heading.named("ja") for heading in window.case.headings} >= {"My model is slow since Monday."}
    assert all(len(heading.named("en")) < 100 for heading in window.case.headings)


def test_an_examination_saves_itself_and_nothing_is_lost_by_quitting(
    qtbot: QtBot, window: Window, shown: CaseList, engine: Engine
) -> None:
    examined(qtbot, window, engine)
    wait_for(qtbot, shown, lambda headings: len(headings) == 1)
    assert "NVIDIA driver" in titles(shown)[0]
    qtbot.waitUntil(lambda: window.case.lost_by_quitting() == "")


def test_checked_again_it_is_the_same_case(
    qtbot: QtBot, window: Window, shown: CaseList, engine: Engine, store: Cases
) -> None:
    examined(qtbot, window, engine)
    wait_for(qtbot, shown, lambda headings: len(headings) == 1)
    engine.tell_all()
    with qtbot.waitSignal(window.work.finished_run):
        window.again()
    wait_for(qtbot, shown, lambda headings: len(headings) == 1 and headings[0].shown == 2)
    assert store.versions(store.headings()[0].id) == (1, 2)


def test_one_that_was_broken_off_takes_no_place(
    qtbot: QtBot, window: Window, shown: CaseList, engine: Engine, store: Cases
) -> None:
    examined(qtbot, window, engine)
    wait_for(qtbot, shown, lambda headings: len(headings) == 1)
    window.again()
    with qtbot.waitSignal(window.work.finished_run):
        window.work.cancel()
    (name,) = (heading.id for heading in store.headings())
    qtbot.waitUntil(lambda: store.versions(name) == (1, 2))
    assert store.read(name).complete


def test_an_earlier_result_of_a_case_opens(qtbot: QtBot, window: Window, shown: CaseList, store: Cases) -> None:
    first = msgspec.structs.replace(case(), created="2026-11-23T10:01:00+00:00")
    heading = store.add(first, Verdicts({"en": "In order."}, "clear"))
    store.add_version(heading.id, case(TOO_OLD, symptom="not-on-gpu"), Verdicts({"en": "Too old."}, "blocking"))
    with qtbot.waitSignal(window.work.cases.listed):
        window.work.cases.list()
    window.work.cases.open(heading.id)
    qtbot.waitUntil(lambda: window.case.case_id == heading.id, timeout=20_000)
    menu = QMenu()
    qtbot.addWidget(menu)
    shown._add_versions(menu, window.case.headings[0])
    (part,) = (action.menu() for action in menu.actions())
    latest, earlier = part.actions()
    assert latest.text().endswith("(latest)")
    earlier.trigger()
    qtbot.waitUntil(lambda: window.case.case is not None and window.case.case.created == first.created, timeout=20_000)
    assert "earlier result" in window._notice.text.text()
    qtbot.mouseClick(window._notice.act, LEFT)
    qtbot.waitUntil(lambda: window.case.case is not None and window.case.case.created != first.created, timeout=20_000)
    assert window.case.notice is None


def test_what_is_done_with_an_earlier_result_leaves_the_latest(qtbot: QtBot, window: Window, store: Cases) -> None:
    first = msgspec.structs.replace(case(), created="2026-11-23T10:01:00+00:00")
    name = store.add(first, Verdicts({"en": "In order."}, "clear")).id
    latest = store.add_version(name, case(TOO_OLD), Verdicts({"en": "Too old."}, "blocking"))
    jobs = window.work.cases
    with qtbot.waitSignal(jobs.listed):
        jobs.list()
    with qtbot.waitSignal(jobs.opened, timeout=20_000):
        jobs.open(name, 1)
    assert window.case.case is not None
    jobs.keep_again(window.case.case)  # its remedies were tried
    with qtbot.waitSignal(jobs.listed):
        jobs.list()
    assert store.headings() == window.case.headings == (latest,)
    again = msgspec.structs.replace(case(), created="2026-11-25T10:01:00+00:00")
    window.case.run_began()
    assert window.case.case_before is None  # it was not the last examination
    window.case.run_ended(again)
    jobs.keep(again)
    qtbot.waitUntil(lambda: window.case.headings[0].shown == 3, timeout=20_000)
    with qtbot.waitSignal(jobs.opened, timeout=20_000):
        jobs.open(name, 1)  # of which the one that is shown has become another
    assert window.case.case.created == first.created


def test_an_earlier_result_stays_one_beyond_a_report_that_was_opened(
    qtbot: QtBot, window: Window, store: Cases, tmp_path: Path
) -> None:
    first = msgspec.structs.replace(case(), created="2026-11-23T10:01:00+00:00")
    name = store.add(first, Verdicts({"en": "In order."}, "clear")).id
    latest = store.add_version(name, case(TOO_OLD), Verdicts({"en": "Too old."}, "blocking"))
    jobs = window.work.cases
    with qtbot.waitSignal(jobs.listed):
        jobs.list()
    with qtbot.waitSignal(jobs.opened, timeout=20_000):
        jobs.open(name, 1)
    window.case.show_opened(case(TOO_OLD), tmp_path / "sent.json")
    assert window.case.version is None
    window.case.show_own()
    assert window.case.case is not None
    jobs.keep_again(window.case.case)
    with qtbot.waitSignal(jobs.listed):
        jobs.list()
    assert store.headings() == (latest,)


def test_of_one_result_there_are_no_earlier_ones(window: Window, shown: CaseList, store: Cases, qtbot: QtBot) -> None:
    heading = store.add(case(), Verdicts({"en": "In order."}, "clear"))
    menu = QMenu()
    qtbot.addWidget(menu)
    shown._add_versions(menu, heading)
    assert menu.isEmpty()


def test_what_another_window_has_done_is_seen_when_one_comes_back(
    qtbot: QtBot, window: Window, shown: CaseList, store: Cases
) -> None:
    with qtbot.waitSignal(window.work.cases.listed):
        window.work.cases.list()
    store.add(case(), Verdicts({"en": "In order."}, "clear"))
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    QApplication.sendEvent(window, QEvent(QEvent.Type.ActivationChange))
    wait_for(qtbot, shown, lambda headings: len(headings) == 1)


def test_a_click_opens_one(qtbot: QtBot, window: Window, shown: CaseList) -> None:
    paste(window, ERROR)
    wait_for(qtbot, shown, lambda headings: len(headings) == 1)
    window.begin()
    paste(window, OTHER)
    wait_for(qtbot, shown, lambda headings: len(headings) == 2)
    kernel = next(row for row in range(2) if window.case.headings[row].has("kernel image"))
    with qtbot.waitSignal(window.work.cases.opened, timeout=20_000):
        qtbot.mouseClick(shown.list.viewport(), LEFT, pos=shown.list.visualItemRect(shown.list.item(kernel)).center())
    assert window.step is Step.REPORT
    assert window.case.answers.text == ERROR
    assert window.case.answers.symptom == TICKET
    assert window.case.opened is None
    page = window.page(Step.REPORT)
    assert isinstance(page, ReportPage)
    assert page._here.isVisible()
    qtbot.mouseClick(page._next, LEFT)  # and nothing of it is in the next
    assert window.case.answers.text == ""


def test_an_examination_opens_with_its_python(
    qtbot: QtBot, window: Window, shown: CaseList, store: Cases, engine: Engine
) -> None:
    heading = store.add(case(TOO_OLD, symptom="not-on-gpu"), Verdicts({"en": "Too old."}, "blocking"))
    with qtbot.waitSignal(window.work.cases.listed):
        window.work.cases.list()
    assert titles(shown) == ["Too old."]
    with qtbot.waitSignal(window.work.cases.opened, timeout=20_000):
        window.work.cases.open(heading.id)
    assert window.case.answers.target == VENV.path
    assert window.case.answers.symptom == "not-on-gpu"
    page = window.page(Step.REPORT)
    assert isinstance(page, ReportPage)
    assert page._again.isVisible()
    engine.tell_all()
    with qtbot.waitSignal(window.work.finished_run):
        qtbot.mouseClick(page._again, LEFT)
    wait_for(qtbot, shown, lambda headings: headings[0].shown == 2)


def test_two_dropped_texts_are_two_cases_until_somebody_says_otherwise(
    qtbot: QtBot, window: Window, shown: CaseList, tmp_path: Path
) -> None:
    first, second = tmp_path / "first.log", tmp_path / "second.log"
    first.write_text(ERROR)
    second.write_text(OTHER)
    drop(window, first, second)
    wait_for(qtbot, shown, lambda headings: len(headings) == 2)
    qtbot.waitUntil(window._notice.act.isVisible)
    assert window.case.case is not None
    assert [sent.name for sent in window.case.case.facts.logs] == ["first.log"]
    with qtbot.waitSignal(window.work.finished_opening, timeout=20_000):
        qtbot.mouseClick(window._notice.act, LEFT)
    assert [sent.name for sent in window.case.case.facts.logs] == ["first.log", "second.log"]
    wait_for(qtbot, shown, lambda headings: len(headings) == 1)


def test_it_is_named_and_found(qtbot: QtBot, window: Window, shown: CaseList, store: Cases) -> None:
    for number in range(7):
        store.add(
            msgspec.structs.replace(case(), created=f"2026-11-23T10:0{number}:00+00:00"),
            Verdicts({"en": f"Case {number}.", "ja": f"診断{number}"}, "clear"),
        )
    with qtbot.waitSignal(window.work.cases.listed):
        window.work.cases.list()
    assert titles(shown) == [f"Case {number}." for number in reversed(range(7))]
    assert shown.search.isVisible()
    shown.list.setCurrentRow(0)
    shown.rename_action.trigger()
    (dialog,) = window.findChildren(QInputDialog)
    assert dialog.textValue() == "Case 6."
    dialog.setTextValue("Customer 4711")
    dialog.accept()
    wait_for(qtbot, shown, lambda headings: headings[0].title == "Customer 4711")
    shown.search.setText("4711 customer")
    assert titles(shown) == ["Customer 4711"]
    shown.search.setText("no such words")
    assert titles(shown) == []
    assert "No case" in shown._empty.text()
    shown.search.clear()
    window.case.set_language("ja")
    window.retranslate()
    assert titles(shown)[1] == "診断5"


def test_after_a_click_the_keyboard_stays_in_the_list(
    qtbot: QtBot, window: Window, shown: CaseList, store: Cases
) -> None:
    store.add(case(), Verdicts({"en": "In order."}, "clear"))
    with qtbot.waitSignal(window.work.cases.listed):
        window.work.cases.list()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    shown.list.setFocus()
    with qtbot.waitSignal(window.work.cases.opened, timeout=20_000):
        qtbot.mouseClick(shown.list.viewport(), LEFT, pos=shown.list.visualItemRect(shown.list.item(0)).center())
    assert shown.list.hasFocus()
    qtbot.keyClick(shown.list, Qt.Key.Key_F2)
    assert window.findChildren(QInputDialog)


def test_a_search_of_before_hides_no_new_case(qtbot: QtBot, window: Window, shown: CaseList, store: Cases) -> None:
    store.add(case(), Verdicts({"en": "In order."}, "clear"))
    with qtbot.waitSignal(window.work.cases.listed):
        window.work.cases.list()
    shown.search.setText("order")
    assert titles(shown) == ["In order."]
    paste(window, ERROR)
    wait_for(qtbot, shown, lambda headings: len(headings) == 2)
    assert len(titles(shown)) == 2
    assert shown.search.text() == ""


def test_deleted_and_brought_back(qtbot: QtBot, window: Window, shown: CaseList, store: Cases) -> None:
    store.add(case(), Verdicts({"en": "In order."}, "clear"))
    with qtbot.waitSignal(window.work.cases.listed):
        window.work.cases.list()
    window.activateWindow()
    shown.list.setFocus()
    qtbot.waitUntil(shown.list.hasFocus)
    shown.list.setCurrentRow(0)
    qtbot.keyClick(shown.list, Qt.Key.Key_Delete)
    wait_for(qtbot, shown, lambda headings: not headings)
    assert window.case.notice is not None
    assert "In order." in window.case.sentence(window.case.notice)
    qtbot.mouseClick(window._notice.act, LEFT)
    wait_for(qtbot, shown, lambda headings: len(headings) == 1)
    assert len(store.headings()) == 1


def test_all_are_deleted_after_a_question(qtbot: QtBot, window: Window, shown: CaseList, store: Cases) -> None:
    store.add(case(), Verdicts({"en": "In order."}, "clear"))
    with qtbot.waitSignal(window.work.cases.listed):
        window.work.cases.list()
    window.menus.history.read()
    window.menus.history.delete_action.trigger()
    (box,) = window.findChildren(QMessageBox)
    assert box.defaultButton().text() == "Keep them"
    next(button for button in box.buttons() if button.text() == "Delete all").click()
    wait_for(qtbot, shown, lambda headings: not headings)
    assert list(store.folder.iterdir()) == []


def test_the_answer_that_was_copied_marks_the_ticket(qtbot: QtBot, window: Window, shown: CaseList) -> None:
    paste(window, ERROR)
    wait_for(qtbot, shown, lambda headings: len(headings) == 1)
    page = window.page(Step.REPORT)
    assert isinstance(page, ReportPage)
    qtbot.waitUntil(lambda: window.step is Step.REPORT)
    with qtbot.waitSignal(window.work.rendered, timeout=20_000):
        qtbot.mouseClick(page._reply, LEFT)
    qtbot.mouseClick(page.reply.copy, LEFT)
    wait_for(qtbot, shown, lambda headings: headings[0].is_answered)


def test_the_menu_of_one(qtbot: QtBot, window: Window, shown: CaseList) -> None:
    paste(window, ERROR)
    wait_for(qtbot, shown, lambda headings: len(headings) == 1)
    shown._show_menu(shown.list.visualItemRect(shown.list.item(0)).center())
    (menu,) = shown.findChildren(QMenu)
    assert [action.text() for action in menu.actions()] == ["Open", "Rename…", "Answered", "Delete"]
    menu.close()
    shown.answered_action.trigger()
    wait_for(qtbot, shown, lambda headings: headings[0].is_answered)


def test_one_that_another_window_deleted(qtbot: QtBot, window: Window, shown: CaseList, store: Cases) -> None:
    heading = store.add(case(), Verdicts({"en": "In order."}, "clear"))
    with qtbot.waitSignal(window.work.cases.listed):
        window.work.cases.list()
    store.delete(heading.id)
    window.work.cases.open(heading.id)
    qtbot.waitUntil(lambda: window.case.notice is not None)
    assert window.case.notice is not None
    assert "no longer there" in window.case.sentence(window.case.notice)
    wait_for(qtbot, shown, lambda headings: not headings)
    assert not window.case.busy


def test_a_damaged_one_says_so_and_stays(qtbot: QtBot, window: Window, shown: CaseList, store: Cases) -> None:
    heading = store.add(case(), Verdicts({"en": "In order."}, "clear"))
    (store.folder / heading.id / "001.case").write_bytes(b"cut")
    with qtbot.waitSignal(window.work.cases.listed):
        window.work.cases.list()
    window.work.cases.open(heading.id)
    qtbot.waitUntil(lambda: window.case.notice is not None)
    assert window.case.notice is not None
    assert "damaged" in window.case.sentence(window.case.notice)
    assert titles(shown) == ["In order."]


def test_a_full_disk_is_told_and_the_report_is_shown(
    qtbot: QtBot, window: Window, shown: CaseList, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("checks.history.cases.write_whole", full)
    paste(window, ERROR)
    qtbot.waitUntil(lambda: window.case.notice is not None, timeout=20_000)
    assert window.case.notice is not None
    assert "No space left" in window.case.sentence(window.case.notice)
    assert window.step is Step.REPORT


def test_who_wants_nothing_remembered_has_no_list(qtbot: QtBot, model: CaseModel, work: Work) -> None:
    window = Window(model, work)  # NAOSU_HISTORY is "off" in the tests
    qtbot.addWidget(window)
    with qtbot.waitSignal(work.cases.listed):
        work.cases.list()
    assert "not saved" in window._rail.cases._empty.text()
    paste(window, ERROR)
    qtbot.waitUntil(lambda: window.step is Step.REPORT, timeout=20_000)
    assert window.case.headings == ()
    assert window.case.notice is None
