"""Nothing of one case gets into another, and no key or late answer acts on another one than the user means."""

import threading
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot
from support.cases_list import drop, paste, urls, wait_for
from support.played_engine import TOO_OLD, Engine, case

from checks.facts import ProgramRun
from checks.facts.case import Case
from checks.history.cases import Cases, Heading, Verdicts
from checks.history.drafts import Drafts
from wizard.case_model import Notice
from wizard.flow import Answers, Step
from wizard.jobs.reports import diagnosed
from wizard.pages.report import ReportPage
from wizard.pages.symptom import SymptomPage
from wizard.window.case_list import CaseList
from wizard.window.main_window import Window

LEFT = Qt.MouseButton.LeftButton
ERROR = "RuntimeError: CUDA error: no kernel image is available for execution on the device"
VAGUE = "my results differ from run to run with numpy sometimes"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cases:
    monkeypatch.setenv("NAOSU_HISTORY", str(tmp_path / "kept"))
    return Cases(tmp_path / "kept" / "cases")


@pytest.fixture
def shown(store: Cases, window: Window) -> CaseList:
    return window._rail.cases


@pytest.fixture
def three(qtbot: QtBot, window: Window, shown: CaseList, store: Cases) -> tuple[Heading, ...]:
    """Three cases in the list, which has the keyboard."""
    for number in range(3):
        store.add(case(), Verdicts({"en": f"Case {number}."}, "clear"))
    with qtbot.waitSignal(window.work.cases.listed):
        window.work.cases.list()
    window.activateWindow()
    shown.list.setFocus()
    qtbot.waitUntil(shown.list.hasFocus)
    return window.case.headings


def report(window: Window) -> ReportPage:
    page = window.page(Step.REPORT)
    assert isinstance(page, ReportPage)
    return page


def test_whoever_wants_nothing_to_go_out_is_not_asked_again(window: Window) -> None:
    window.case.answer(offline=True, text="It fails.")
    window.begin()
    assert window.case.answers == Answers(target=window.case.answers.target, offline=True)


def test_to_dismiss_a_sentence_ends_nothing_that_is_being_done(qtbot: QtBot, window: Window) -> None:
    window.case.tell(Notice("history-on", is_error=False))
    window.case.set_busy("busy-diagnosing")
    qtbot.mouseClick(window._notice.close_button, LEFT)
    assert window.case.notice is None
    assert window.case.busy == "busy-diagnosing"
    assert not window.menus.new.isEnabled()


def test_to_delete_ends_nothing_that_is_being_done(
    qtbot: QtBot, window: Window, shown: CaseList, three: tuple[Heading, ...]
) -> None:
    window.work.cases.delete(three[0].id)
    window.case.set_busy("busy-diagnosing")
    wait_for(qtbot, shown, lambda headings: len(headings) == 2)
    assert window.case.busy == "busy-diagnosing"


def test_no_offer_is_taken_while_something_is_done(qtbot: QtBot, window: Window) -> None:
    taken: list[bool] = []
    window.case.tell(Notice("draft-left", is_error=False, act=("draft-go-on", lambda: taken.append(True))))
    window.case.set_busy("busy-diagnosing")
    qtbot.mouseClick(window._notice.act, LEFT)
    assert not taken
    window.case.set_busy("")
    qtbot.mouseClick(window._notice.act, LEFT)
    assert taken


def test_what_is_refused_of_a_drop_is_told_beside_the_answer(
    qtbot: QtBot, window: Window, shown: CaseList, tmp_path: Path
) -> None:
    text, other = tmp_path / "first.log", tmp_path / "other.log"
    text.write_text(ERROR)
    other.write_bytes(b"\x00\x01\x02" * 200)
    drop(window, text, other)
    assert window.case.busy == "busy-diagnosing"
    qtbot.waitUntil(lambda: window.step is Step.REPORT, timeout=20_000)
    assert window.case.notice is not None
    assert "other.log" in window.case.sentence(window.case.notice)


def test_a_watched_program_goes_into_no_case_of_the_list(
    qtbot: QtBot, window: Window, three: tuple[Heading, ...]
) -> None:
    window.case.program_runs = (ProgramRun(command=("python", "of-another.py")),)
    window.case.local_program = "ollama"
    with qtbot.waitSignal(window.work.cases.opened, timeout=20_000):
        window.work.cases.open(three[0].id)
    assert window.case.program_runs == ()
    assert window.case.local_program == ""


def test_what_was_typed_for_one_ticket_is_not_in_the_next(qtbot: QtBot, window: Window, shown: CaseList) -> None:
    paste(window, VAGUE)
    wait_for(qtbot, shown, lambda headings: len(headings) == 1)
    page = report(window)
    page.asking.text.setPlainText("of the first customer")
    page.words.setText("Tanaka")
    page.redact.setChecked(False)
    window.begin()
    paste(window, VAGUE + " too")
    wait_for(qtbot, shown, lambda headings: len(headings) == 2)
    assert page.asking.text.toPlainText() == ""
    assert page.words_to_hide == ()  # and private values are hidden again


def test_words_to_hide_stay_for_the_same_case(qtbot: QtBot, window: Window, shown: CaseList) -> None:
    paste(window, VAGUE)
    wait_for(qtbot, shown, lambda headings: len(headings) == 1)
    page = report(window)
    page.words.setText("Tanaka")
    page.asking.text.setPlainText("torch 2.6.0")
    with qtbot.waitSignal(window.work.finished_opening, timeout=20_000):
        page.asking.add.click()
    assert page.words_to_hide == ("Tanaka",)


def test_a_report_that_was_opened_meanwhile_does_not_take_the_name(
    qtbot: QtBot, window: Window, shown: CaseList
) -> None:
    own = case(TOO_OLD)
    window.case.run_ended(own)
    window.work.cases.keep(own)
    window.case.show_opened(case(), Path("/sent/report.json"))
    wait_for(qtbot, shown, lambda headings: len(headings) == 1)
    assert window.case.case_id == ""
    assert window.case.lost_by_quitting() == ""
    window.case.show_own()
    assert window.case.case_id == window.case.headings[0].id


def test_many_texts_are_judged_one_by_one(
    qtbot: QtBot, window: Window, shown: CaseList, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [tmp_path / f"{number}.log" for number in range(6)]
    for path in paths:
        path.write_text(ERROR)
    running: list[int] = []
    most: list[int] = []

    def judged(answers: Answers) -> Case:
        running.append(1)
        most.append(len(running))
        try:
            return diagnosed(answers)
        finally:
            running.pop()

    monkeypatch.setattr("wizard.jobs.lots.diagnosed", judged)
    drop(window, *paths)
    wait_for(qtbot, shown, lambda headings: len(headings) == 6)
    assert max(most) == 1


def test_what_is_joined_early_leaves_no_part_behind(
    qtbot: QtBot, window: Window, shown: CaseList, store: Cases, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [tmp_path / f"{number}.log" for number in range(4)]
    for path in paths:
        path.write_text(ERROR)
    third, goes_on = threading.Event(), threading.Event()

    def judged(answers: Answers) -> Case:
        if answers.given[0].path == paths[2]:
            third.set()
            goes_on.wait(20)
        return diagnosed(answers)

    monkeypatch.setattr("wizard.jobs.lots.diagnosed", judged)
    drop(window, *paths)
    qtbot.waitUntil(third.is_set, timeout=20_000)
    wait_for(qtbot, shown, lambda headings: len(headings) == 2)
    with qtbot.waitSignal(window.work.finished_opening, timeout=20_000):
        qtbot.mouseClick(window._notice.act, LEFT)
    goes_on.set()
    qtbot.waitUntil(lambda: not window.work.threads.running, timeout=20_000)
    wait_for(qtbot, shown, lambda headings: len(headings) == 1)
    assert len(store.headings()) == 1
    assert store.deleted() == ()  # nobody deleted anything


def test_what_happens_behind_a_menu_does_not_select_another_case(
    qtbot: QtBot, window: Window, shown: CaseList, three: tuple[Heading, ...], store: Cases
) -> None:
    with qtbot.waitSignal(window.work.cases.opened, timeout=20_000):
        window.work.cases.open(three[0].id)
    shown.list.setCurrentRow(2)
    window.case.changed.emit()  # something was found out in the background
    window.case.set_headings(window.case.headings)
    shown.delete_action.trigger()
    wait_for(qtbot, shown, lambda headings: len(headings) == 2)
    assert three[2] not in window.case.headings
    assert window.case.case_id == three[0].id


def test_after_a_deletion_the_keyboard_is_on_the_next_one(
    qtbot: QtBot, window: Window, shown: CaseList, three: tuple[Heading, ...]
) -> None:
    shown.list.setCurrentRow(1)
    qtbot.keyClick(shown.list, Qt.Key.Key_Delete)
    wait_for(qtbot, shown, lambda headings: len(headings) == 2)
    assert shown._chosen() == three[2]
    assert shown.list.hasFocus()


def test_a_new_case_selects_none(qtbot: QtBot, window: Window, shown: CaseList, three: tuple[Heading, ...]) -> None:
    with qtbot.waitSignal(window.work.cases.opened, timeout=20_000):
        window.work.cases.open(three[1].id)
    assert shown._chosen() == three[1]
    window.begin()
    assert shown._chosen() is None


def test_a_screen_reader_hears_what_is_answered(
    qtbot: QtBot, window: Window, shown: CaseList, store: Cases, three: tuple[Heading, ...]
) -> None:
    window.work.cases.mark(three[0].id, answered=True)
    wait_for(qtbot, shown, lambda headings: any(heading.is_answered for heading in headings))
    row = next(row for row, heading in enumerate(window.case.headings) if heading.is_answered)
    interface = QAccessible.queryAccessibleInterface(shown.list)
    assert "answered" in interface.child(row).text(QAccessible.Text.Name)


def test_copied_files_are_pasted_as_files(qtbot: QtBot, window: Window, shown: CaseList, tmp_path: Path) -> None:
    text = tmp_path / "a log with spaces.log"
    text.write_text(ERROR)
    page = window.page(Step.SYMPTOM)
    assert isinstance(page, SymptomPage)
    page.text.insertFromMimeData(urls(text))
    assert page.text.toPlainText() == ""
    wait_for(qtbot, shown, lambda headings: len(headings) == 1)
    assert window.case.case is not None
    assert [sent.name for sent in window.case.case.facts.logs] == [text.name]


@pytest.mark.parametrize(("text", "is_judged"), [("GPUが使えません", True), ("再現性", False), ("torch", False)])
def test_japanese_is_answered_at_once_too(qtbot: QtBot, window: Window, text: str, is_judged: bool) -> None:
    paste(window, text)
    assert bool(window.case.busy) is is_judged


def test_the_answer_is_seen_whole_where_it_fits(qtbot: QtBot, window: Window) -> None:
    window.resize(1024, 700)
    paste(window, ERROR)
    qtbot.waitUntil(lambda: window.step is Step.REPORT, timeout=20_000)
    page = report(window)
    qtbot.mouseClick(page._reply, LEFT)
    qtbot.waitUntil(page.reply.isVisible, timeout=20_000)
    button: QPushButton = page.reply.copy
    qtbot.waitUntil(lambda: not button.visibleRegion().isEmpty())


def test_a_note_goes_though_remembering_was_switched_off(
    qtbot: QtBot, window: Window, shown: CaseList, store: Cases, engine: Engine
) -> None:
    drafts = store.folder.parent / "drafts"
    window.case.set_symptom("not-on-gpu")
    window.go(Step.TARGET)
    qtbot.waitUntil(lambda: bool(window.case.answers.target))
    window.run()
    qtbot.waitUntil(lambda: drafts.is_dir() and any(drafts.glob("*.draft")))
    window.menus.history._switch(False)
    with qtbot.waitSignal(window.work.finished_run):
        window.work.cancel()
    qtbot.waitUntil(lambda: not any(drafts.iterdir()))
    assert Drafts(drafts).left() is None


def test_find_survives_a_page_that_is_filled_anew(qtbot: QtBot, at_report: Window) -> None:
    at_report.menus.find.trigger()
    bar = at_report._find
    assert bar is not None
    bar.field.setText("driver")
    bar.go_on()
    page = report(at_report)
    page.repaint_states()  # the theme was switched
    qtbot.wait(1)  # what was shown before is gone
    for _ in range(40):
        bar.go_on()
    assert bar._none.isHidden()


def test_escape_closes_the_search_and_cancels_nothing(qtbot: QtBot, at_target: Window, engine: Engine) -> None:
    at_target.run()
    at_target.menus.find.trigger()
    bar = at_target._find
    assert bar is not None
    at_target.activateWindow()
    bar.field.setFocus()
    qtbot.waitUntil(bar.field.hasFocus)
    stopped: list[bool] = []
    at_target.menus.cancel.triggered.connect(lambda: stopped.append(True))
    qtbot.keyClick(bar.field, Qt.Key.Key_Escape)
    assert bar.isHidden()
    assert not stopped


def test_enter_on_dismiss_closes_the_search(qtbot: QtBot, at_report: Window) -> None:
    at_report.menus.find.trigger()
    bar = at_report._find
    assert bar is not None
    at_report.activateWindow()
    bar.field.setText("driver")
    bar.close_button.setFocus()
    qtbot.waitUntil(bar.close_button.hasFocus)
    qtbot.keyClick(bar.close_button, Qt.Key.Key_Return)
    assert bar.isHidden()


@pytest.mark.parametrize("key", ["", "not-on-gpu"])
def test_the_first_page_is_empty_when_a_case_is_answered(
    qtbot: QtBot, window: Window, shown: CaseList, key: str
) -> None:
    paste(window, ERROR)
    wait_for(qtbot, shown, lambda headings: len(headings) == 1)
    window.go(Step.SYMPTOM)
    page = window.page(Step.SYMPTOM)
    assert isinstance(page, SymptomPage)
    assert page.text.toPlainText() == ""
    page.text.setPlainText(VAGUE)  # of the next customer
    assert window.case.answers.text == ERROR  # and no part of the case that is shown
    window.case.changed.emit()
    if key:
        qtbot.mouseClick(page.cards[key], LEFT)
        assert window.case.case is None
    else:
        qtbot.mouseClick(page.answer, LEFT)
        wait_for(qtbot, shown, lambda headings: len(headings) == 2)
    assert window.case.answers.text == VAGUE


def test_new_empties_what_was_typed(qtbot: QtBot, window: Window, shown: CaseList) -> None:
    paste(window, ERROR)
    wait_for(qtbot, shown, lambda headings: len(headings) == 1)
    window.go(Step.SYMPTOM)
    page = window.page(Step.SYMPTOM)
    assert isinstance(page, SymptomPage)
    page.text.setPlainText(VAGUE)
    window.begin()
    assert page.text.toPlainText() == ""
    assert not page.answer.isEnabled()


def test_a_model_that_is_dropped_on_the_first_page_is_another_case(
    qtbot: QtBot, window: Window, shown: CaseList, tmp_path: Path
) -> None:
    paste(window, ERROR)
    wait_for(qtbot, shown, lambda headings: len(headings) == 1)
    model = tmp_path / "model.onnx"
    model.write_bytes(b"\x08\x08")
    window.go(Step.SYMPTOM)
    drop(window, model)
    assert [given.path for given in window.case.answers.given] == [model]
    assert window.case.case_id == ""
    assert window.case.answers.text == ""


def test_of_a_long_list_the_older_ones_are_searched_for(
    window: Window, shown: CaseList, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wizard.window.case_list._MOST_ROWS", 3)
    headings = (Heading(id=str(number), created="", changed="", title=f"Case {number}") for number in range(5))
    window.case.set_headings(tuple(headings))
    assert shown.list.count() == 3
    assert shown._more.text().startswith("2 older")
    shown.search.setText("case 4")
    assert shown.list.count() == 1
    assert not shown._more.isVisible()


def test_new_selects_none_though_the_list_has_the_keyboard(
    qtbot: QtBot, window: Window, shown: CaseList, three: tuple[Heading, ...]
) -> None:
    with qtbot.waitSignal(window.work.cases.opened, timeout=20_000):
        window.work.cases.open(three[1].id)
    shown.list.setFocus()
    qtbot.waitUntil(shown.list.hasFocus)
    window.begin()
    assert shown._chosen() is None


def test_delete_acts_on_nothing_that_is_not_seen_to_be_chosen(
    qtbot: QtBot, window: Window, shown: CaseList, three: tuple[Heading, ...]
) -> None:
    assert shown.list.selectedItems() == []
    assert shown.list.currentRow() == 0  # Qt's, where the keyboard comes in
    shown.delete_action.trigger()
    assert not window.work.threads.running


def test_no_report_is_opened_over_a_program_that_is_watched(window: Window, tmp_path: Path) -> None:
    window.case.watch_began()
    window.work.open(tmp_path / "report.json")
    assert not window.case.busy
    assert not window.work.threads.running


def test_all_can_be_deleted_when_none_is_saved_any_more(
    qtbot: QtBot, window: Window, shown: CaseList, store: Cases, three: tuple[Heading, ...]
) -> None:
    window.menus.history._switch(False)
    wait_for(qtbot, shown, lambda headings: not headings)
    window.menus.history.read()
    assert window.menus.history.delete_action.isEnabled()
    window.work.cases.delete_all()
    qtbot.waitUntil(lambda: not list(store.folder.iterdir()))


def test_a_long_text_that_comes_too_early_is_not_lost_without_a_word(window: Window) -> None:
    window.case.set_busy("busy-exporting")
    paste(window, "a line of a log\n" * 10_000)
    assert window.case.busy == "busy-exporting"
    assert window.case.notice is not None
    assert "again" in window.case.sentence(window.case.notice)
