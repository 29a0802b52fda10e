"""The whole walk through the window: by buttons, by keyboard, cancelled, twice, in both languages, and its end."""

import re
import shutil
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QColor, QDragEnterEvent, QDropEvent, QPalette
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QFileDialog, QLabel, QMessageBox, QPushButton
from pytestqt.qtbot import QtBot
from support.played_engine import TOO_OLD, VENV, Engine, case

from checks.engine.events import Finished, Planned, ProbeStarted
from checks.sharing.case import CaseError
from wizard.case_model import Notice
from wizard.evidence_files import Kind
from wizard.flow import STEPS, TICKET, Step
from wizard.pages.symptom import SymptomPage
from wizard.pages.target import TargetPage
from wizard.window.main_window import Window

RECORDED = Path(__file__).parents[2] / "recordings" / "models"
LEFT = Qt.MouseButton.LeftButton


def test_first_page(window: Window) -> None:
    assert window.step is Step.SYMPTOM
    assert not window.next.isEnabled()
    assert not window.back.isEnabled()
    assert not window.cancel.isVisible()
    assert [step for step in STEPS if step in window._pages] == [Step.SYMPTOM]  # the others are built when needed


def test_the_whole_walk(qtbot: QtBot, at_report: Window, engine: Engine) -> None:
    (request,) = engine.requests
    assert (request.target, request.answers.symptom) == (VENV.path, "not-on-gpu")
    assert at_report.case.case == case(TOO_OLD)
    for step in (Step.RUN, Step.TARGET, Step.EVIDENCE, Step.SYMPTOM):
        qtbot.mouseClick(at_report.back, LEFT)
        assert at_report.step is step
    at_report.go(Step.REPORT)
    assert at_report.step is Step.REPORT


def test_by_keyboard_alone(qtbot: QtBot, window: Window, engine: Engine, qapp: QApplication) -> None:
    def press(key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        widget = qapp.focusWidget() or window
        qtbot.keyClick(widget, key, modifier)

    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    for _ in range(10):  # over the field and what stands beside it
        if (qapp.focusWidget() or window).accessibleName() == "It runs, but not on the GPU":
            break
        press(Qt.Key.Key_Tab)
    press(Qt.Key.Key_Space)
    assert window.case.answers.symptom == "not-on-gpu"
    qtbot.waitUntil(lambda: window.step is Step.EVIDENCE)
    press(Qt.Key.Key_N, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: window.step is Step.TARGET)  # a button that is pressed by its letter is seen to go down
    qtbot.waitUntil(window.next.isEnabled)
    press(Qt.Key.Key_R, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: window.step is Step.RUN)
    engine.tell(Planned(probes={"torch": 3.0}, checks=()), ProbeStarted("torch"))
    with qtbot.waitSignal(window.work.finished_run):
        press(Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: window.step is Step.REPORT)
    press(Qt.Key.Key_B, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: window.step is Step.RUN)


def test_enter_presses(qtbot: QtBot, window: Window) -> None:
    page = window.page(Step.SYMPTOM)
    assert isinstance(page, SymptomPage)
    card = page.cards["not-on-gpu"]
    card.setFocus()
    qtbot.keyClick(card, Qt.Key.Key_Return)
    assert window.case.answers.symptom == "not-on-gpu"
    assert window.step is Step.EVIDENCE
    window.back.setFocus()
    qtbot.keyClick(window.back, Qt.Key.Key_Enter)
    assert window.step is Step.SYMPTOM


def test_ctrl_enter_answers_what_was_typed(qtbot: QtBot, window: Window) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    page = window.page(Step.SYMPTOM)
    assert isinstance(page, SymptomPage)
    page.text.setPlainText("ModuleNotFoundError: No module named 'torch'")
    with qtbot.waitSignal(window.work.finished_opening, timeout=20_000):
        qtbot.keyClick(page.text, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert window.step is Step.REPORT


def test_another_sentence_after_a_report_is_another_case(at_report: Window) -> None:
    """Else the text of the last case would be judged in the next."""
    at_report.case.set_text("of the first")
    at_report.go(Step.SYMPTOM)
    page = at_report.page(Step.SYMPTOM)
    assert isinstance(page, SymptomPage)
    page.chosen.emit("not-on-gpu")  # the same: on with the same case
    assert at_report.case.answers.text == "of the first"
    page.chosen.emit("results-change")
    assert at_report.case.answers.text == ""
    assert at_report.case.case is None
    assert at_report.case.answers.target == VENV.path


@pytest.mark.parametrize(("effort", "computes"), [("", False), ("quick", True)])
def test_check_this_computer_computes_only_when_asked(
    qtbot: QtBot, window: Window, engine: Engine, effort: str, computes: bool
) -> None:
    window.case.set_symptom("everything")
    window.case.answer(effort=effort)
    window.go(Step.TARGET)
    qtbot.waitUntil(lambda: bool(window.case.answers.target))
    engine.tell_all()
    with qtbot.waitSignal(window.work.finished_run):
        window.run()
    assert engine.requests[0].compute is computes
    assert engine.requests[0].answers.effort in ("quick", "standard")


def test_check_this_computer_needs_one_step_more(window: Window) -> None:
    page = window.page(Step.SYMPTOM)
    assert isinstance(page, SymptomPage)
    page.check.click()
    assert window.case.answers.symptom == "everything"
    assert window.step is Step.TARGET


def test_a_new_case_is_empty(at_report: Window) -> None:
    at_report.case.set_text("of the first")
    at_report.case.was_kept()
    at_report.menus.new.trigger()
    assert at_report.step is Step.SYMPTOM
    assert (at_report.case.answers.symptom, at_report.case.answers.text) == ("", "")
    assert at_report.case.case is None
    assert not at_report.menus.export.isEnabled()


def test_tab_leads_through_the_page_then_the_buttons_then_the_rail(
    qtbot: QtBot, window: Window, qapp: QApplication
) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    reached = []
    for _ in range(19):
        focus = qapp.focusWidget()
        assert focus is not None
        reached.append(focus.accessibleName() or (focus.text() if isinstance(focus, QPushButton) else ""))
        qtbot.keyClick(focus, Qt.Key.Key_Tab)
    assert reached == [
        "Error text, log or question",
        "&Choose files…",
        "Let Naosu start my program",
        "Check this computer",
        "It does not start",
        "It runs, but not on the GPU",
        "It works elsewhere, not here",
        "It stopped after a change",
        "The result changes from run to run",
        "The result differs between places",
        "Look into &model files…",
        "Ask a &served model…",
        "&Open a report…",
        "Compare &two reports…",
        "Check a&nother machine…",
        "Man&y tickets…",
        "Step 1: What happened, you are here",
        "New",
        "&Language / 言語",
    ]
    assert qapp.focusWidget() is window.page(Step.SYMPTOM).first_focus()


def test_tab_reaches_what_is_inside_a_finding(qtbot: QtBot, at_report: Window, qapp: QApplication) -> None:
    at_report.activateWindow()
    qtbot.waitUntil(at_report.isActiveWindow)
    reached = []
    for _ in range(30):
        focus = qapp.focusWidget()
        assert focus is not None
        reached.append(focus.accessibleName() or (focus.text() if isinstance(focus, QPushButton) else ""))
        qtbot.keyClick(focus, Qt.Key.Key_Tab)
    copy = next(i for i, name in enumerate(reached) if name.startswith("Copy: "))
    reached = reached[copy:] + reached[:copy]
    export = reached.index("Export &PDF…")
    finding = reached.index("The NVIDIA driver is too old for torch 2.6.0+cu124, collapsed")
    facts = reached.index("All facts, collapsed")
    assert 0 < export < finding < facts < reached.index("&Back")


def test_cancel_keeps_what_is_done(qtbot: QtBot, at_target: Window, engine: Engine) -> None:
    at_target.go_next()
    assert at_target.cancel.isVisible()
    assert not at_target.back.isVisible()
    engine.tell(Planned(probes={"torch": 3.0}, checks=()), ProbeStarted("torch"))
    qtbot.waitUntil(
        lambda: at_target.case.running.probes["torch"].state == "running" if at_target.case.running.probes else False
    )
    with qtbot.waitSignal(at_target.work.finished_run):
        qtbot.mouseClick(at_target.cancel, LEFT)
    qtbot.waitUntil(lambda: at_target.step is Step.REPORT)
    assert at_target.case.case is not None
    assert not at_target.case.case.complete


def test_a_fault_of_ours_keeps_the_answers(qtbot: QtBot, at_target: Window, engine: Engine) -> None:
    engine.tell(RuntimeError("oops"))
    at_target.go_next()
    qtbot.waitUntil(lambda: not at_target.case.is_running)
    assert at_target.case.notice is not None
    assert "RuntimeError: oops" in at_target.case.sentence(at_target.case.notice)
    assert at_target.case.answers.target == VENV.path
    assert at_target.back.isEnabled()


def test_check_again_shows_what_changed(qtbot: QtBot, at_report: Window, engine: Engine) -> None:
    engine.tell_all()
    with qtbot.waitSignal(at_report.work.finished_run):
        at_report.run()
    assert at_report.case.case_before == case(TOO_OLD)
    assert at_report.case.case == case()
    assert engine.requests[0] == engine.requests[1]


@pytest.mark.parametrize(("symptom", "effort"), [("results-change", "thorough"), ("does-not-start", "standard")])
def test_the_engine_is_told_how_long_it_may_compute(
    qtbot: QtBot, at_target: Window, engine: Engine, symptom: str, effort: str
) -> None:
    at_target.case.set_symptom(symptom)
    at_target.case.answer(effort="thorough")
    engine.tell_all()
    with qtbot.waitSignal(at_target.work.finished_run):
        at_target.run()
    assert engine.requests[0].answers.effort == effort


@pytest.mark.parametrize(("symptom", "load"), [("results-change", 600), ("does-not-start", None)])
def test_the_engine_is_told_how_long_the_load_test_is(
    qtbot: QtBot, at_target: Window, engine: Engine, symptom: str, load: int | None
) -> None:
    at_target.case.set_symptom(symptom)
    at_target.case.answer(load=600)
    engine.tell_all()
    with qtbot.waitSignal(at_target.work.finished_run):
        at_target.run()
    assert engine.requests[0].load == load


def test_what_changed_is_seen_beside_the_last_whole_examination(
    qtbot: QtBot, at_report: Window, engine: Engine
) -> None:
    """A cancelled one has not reached everything: what it did not find may have been there."""
    engine.tell(Finished(case(complete=False)))
    with qtbot.waitSignal(at_report.work.finished_run):
        at_report.run()
    engine.tell_all()
    with qtbot.waitSignal(at_report.work.finished_run):
        at_report.run()
    assert at_report.case.case_before == case(TOO_OLD)


def test_no_run_begins_while_a_report_is_opened(
    qtbot: QtBot, at_target: Window, engine: Engine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Else the report that was asked for would be gone as soon as the run ends."""
    read = threading.Event()
    monkeypatch.setattr("wizard.jobs.background.opened", lambda path: case(TOO_OLD) if read.wait(20) else None)
    at_target.work.open(tmp_path / "first.json")
    assert not at_target.next.isEnabled()
    assert not drag(at_target, tmp_path / "second.json").isAccepted()
    at_target.work.open(tmp_path / "second.json")
    at_target.run()
    assert not at_target.case.is_running
    assert at_target.step is Step.TARGET
    with qtbot.waitSignal(at_target.work.finished_opening):
        read.set()
    assert at_target.case.opened == tmp_path / "first.json"
    assert at_target.step is Step.REPORT
    assert not engine.requests


def test_the_title_names_the_page(qtbot: QtBot, at_report: Window) -> None:
    assert at_report.windowTitle() == "Report – Naosu"
    at_report.go(Step.SYMPTOM)
    assert at_report.windowTitle() == "What is wrong? – Naosu"
    at_report.case.set_language("ja")
    assert at_report.windowTitle() == "どうしましたか? – Naosu"


def test_running_twice_at_once_is_once(qtbot: QtBot, at_target: Window, engine: Engine) -> None:
    at_target.run()
    at_target.run()
    engine.tell_all(TOO_OLD)
    with qtbot.waitSignal(at_target.work.finished_run):
        pass
    assert len(engine.requests) == 1


def test_closing_cancels_and_waits(at_target: Window) -> None:
    at_target.go_next()
    thread = at_target.work._engine
    assert thread is not None
    assert thread.isRunning()
    at_target.close()
    assert thread.isRunning()  # until the user says that what was found may be lost
    (box,) = at_target.findChildren(QMessageBox)
    next(button for button in box.buttons() if button.text() == "&Quit").click()
    assert thread.isFinished()
    assert not at_target.isVisible()


def test_what_went_well_is_not_said_on_the_next_page(window: Window) -> None:
    window.case.run_ended(case(TOO_OLD))
    window.go(Step.REPORT)
    for is_error in (False, True):
        window.case.set_notice(Notice("written", {"path": "a.pdf", "count": 0}, is_error))
        window.go(Step.REPORT)
        assert window.case.notice is not None  # on the same page it stays
        window.go(Step.SYMPTOM if window.step is not Step.SYMPTOM else Step.REPORT)
        assert (window.case.notice is not None) is is_error
        window.go(Step.REPORT)


def test_a_notice_moves_nothing_that_somebody_is_about_to_click(at_report: Window) -> None:
    def places(step: Step) -> dict[QAbstractButton, QPoint]:
        QApplication.processEvents()
        page = at_report.page(step)
        buttons = [*page.findChildren(QAbstractButton), at_report.back, at_report.next]
        return {button: button.mapTo(at_report, QPoint()) for button in buttons if button.isVisible()}

    for step in (Step.SYMPTOM, Step.EVIDENCE, Step.REPORT):
        at_report.go(step)
        assert not at_report._notice.isVisible()
        before = places(step)
        at_report.case.set_notice(Notice("written", {"path": "a.pdf", "count": 0}, is_error=False))
        assert at_report._notice.isVisible()
        assert places(step) == before
        assert len(before) > 3


def test_who_goes_back_loses_nothing(at_target: Window) -> None:
    at_target.go_next()
    at_target.close()
    (box,) = at_target.findChildren(QMessageBox)
    next(button for button in box.buttons() if button.text() == "&Back").click()
    assert at_target.isVisible()
    assert at_target.case.is_running


@pytest.mark.parametrize("language", ["en", "ja"])
def test_enter_loses_nothing(qtbot: QtBot, window: Window, language: str) -> None:
    window.case.set_language(language)
    window.case.run_ended(case(TOO_OLD))
    window.close()
    (box,) = window.findChildren(QMessageBox)
    qtbot.waitUntil(box.isVisible)
    qtbot.keyClick(box, Qt.Key.Key_Return)
    assert not box.isVisible()
    assert window.isVisible()


def test_quit_by_the_keyboard(qtbot: QtBot, window: Window) -> None:
    window.case.run_ended(case(TOO_OLD))
    window.close()
    (box,) = window.findChildren(QMessageBox)
    with qtbot.waitActive(box):  # shortcuts are those of the window in front
        box.activateWindow()
    QTest.keyClick(box.windowHandle(), Qt.Key.Key_Q, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: not window.isVisible())


@pytest.mark.parametrize("is_kept", [True, False])
def test_a_report_that_was_neither_saved_nor_copied_is_asked_about(window: Window, is_kept: bool) -> None:
    window.case.run_ended(case(TOO_OLD))
    if is_kept:
        window.case.was_kept()
    window.close()
    assert window.isVisible() is not is_kept
    assert bool(window.findChildren(QMessageBox)) is not is_kept


def test_a_report_that_came_out_of_a_file_is_in_the_file(window: Window, tmp_path: Path) -> None:
    window.case.show_opened(case(TOO_OLD), tmp_path / "sent.pdf")
    window.close()
    assert not window.isVisible()


def test_a_dropped_report_opens_from_anywhere(
    qtbot: QtBot, window: Window, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    sent = tmp_path / "sent.pdf"
    monkeypatch.setattr("wizard.jobs.background.opened", lambda path: case(TOO_OLD))
    with qtbot.waitSignal(window.work.finished_opening):
        drop(window, sent)
    assert window.step is Step.REPORT
    assert window.case.opened == sent
    window.go_back()
    assert window.step is Step.SYMPTOM


def test_what_a_drop_may_be(window: Window, tmp_path: Path) -> None:
    def is_taken(*names: str) -> bool:  # an event that is shown by a failing assertion takes the process along
        return drag(window, *(tmp_path / name for name in names)).isAccepted()

    (tmp_path / "folder").mkdir()
    assert is_taken("a.pdf")
    assert is_taken("error.log")
    assert is_taken("model.onnx", "other.tflite", "folder")
    assert is_taken("a.pdf", "model.onnx", "train.py")
    assert not is_taken()


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_json_file_of_something_else_is_named_and_changes_nothing(
    qtbot: QtBot, window: Window, tmp_path: Path, language: str
) -> None:
    window.case.set_language(language)
    (tmp_path / "foreign.json").write_text('{"name": "settings"}')
    drop(window, tmp_path / "foreign.json")
    qtbot.waitUntil(
        lambda: window.case.notice is not None, timeout=60_000
    )  # the first look at a model loads every reader
    assert "foreign.json" in window._notice.text.text()
    assert "Naosu" in window._notice.text.text()
    assert (window.step, window.case.answers.symptom, window.case.answers.given) == (Step.SYMPTOM, "", ())
    assert not window.case.busy
    drop(window, tmp_path / "foreign.json", tmp_path / "model.onnx")  # the rest is taken
    qtbot.waitUntil(lambda: window.step is Step.EVIDENCE)
    assert [file.path.name for file in window.case.answers.given] == ["model.onnx"]
    assert "foreign.json" in window._notice.text.text()


def test_a_json_file_that_is_a_model_is_one(qtbot: QtBot, window: Window) -> None:
    drop(window, RECORDED / "tfjs" / "made" / "uint8" / "model.json")
    qtbot.waitUntil(lambda: window.step is Step.EVIDENCE)
    assert [file.path.name for file in window.case.answers.given] == ["model.json"]
    assert window.case.notice is None


def test_a_json_file_may_be_the_log_of_a_ticket(window: Window, tmp_path: Path) -> None:
    (tmp_path / "log.json").write_text('{"error": "CUDA out of memory"}')
    window.case.set_symptom(TICKET)
    drop(window, tmp_path / "log.json")
    assert [file.kind for file in window.case.answers.given] == [Kind.LOG]


def test_of_more_than_two_reports_none_is_opened(window: Window, tmp_path: Path) -> None:
    drop(window, tmp_path / "a.pdf", tmp_path / "b.pdf", tmp_path / "c.pdf")
    assert window.case.notice is not None
    assert "a.pdf, b.pdf, c.pdf" in window.case.sentence(window.case.notice)
    assert window.step is Step.SYMPTOM


def test_several_kinds_are_kept_until_it_is_said_what_happened(window: Window, tmp_path: Path) -> None:
    (tmp_path / "error.log").write_text("RuntimeError")
    drop(window, tmp_path / "model.onnx", tmp_path / "error.log", tmp_path / "train.py")
    assert window.case.answers.symptom == ""
    assert [file.kind for file in window.case.answers.given] == [Kind.MODEL, Kind.LOG, Kind.SCRIPT]
    assert window.case.notice is not None
    assert not window.case.notice.is_error
    assert "model.onnx, error.log, train.py" in window.case.sentence(window.case.notice)
    assert window.step is Step.SYMPTOM


def test_each_kind_goes_to_its_place_where_it_is_known_what_happened(window: Window, tmp_path: Path) -> None:
    window.case.set_symptom("works-elsewhere")
    drop(window, tmp_path / "model.onnx", tmp_path / "error.log", tmp_path / "sent.pdf")
    assert [file.kind for file in window.case.answers.given] == [Kind.MODEL, Kind.LOG, Kind.REPORT]
    assert window.step is Step.EVIDENCE
    assert window.case.notice is None


def test_what_does_not_belong_to_the_question_is_named(window: Window, tmp_path: Path) -> None:
    (tmp_path / "error.log").write_text("RuntimeError")
    drop(window, tmp_path / "model.onnx")
    drop(window, tmp_path / "other.tflite", tmp_path / "error.log")
    assert [file.path.name for file in window.case.answers.given] == ["model.onnx", "other.tflite"]
    assert window.case.notice is not None
    assert "error.log" in window.case.sentence(window.case.notice)


def test_models_are_only_read(qtbot: QtBot, window: Window, tmp_path: Path) -> None:
    """From the drop to the report, without an interpreter."""
    shutil.copy(RECORDED / "onnx" / "abs.onnx", tmp_path / "model.onnx")
    drop(window, tmp_path / "model.onnx")
    window.go_next()
    page = window.page(Step.TARGET)
    assert isinstance(page, TargetPage)
    page._read_only.setFocus()
    qtbot.keyClick(page._read_only, Qt.Key.Key_Space)
    assert window.next.text() == "&Read the files"
    window.go_next()
    qtbot.waitUntil(lambda: window.step is Step.REPORT, timeout=20_000)
    case = window.case.case
    assert case is not None
    assert case.complete
    assert case.facts.target is None
    assert case.facts.probes is None
    assert [model.format for model in case.facts.models] == ["onnx"]


def test_dropped_models_are_looked_into(window: Window, tmp_path: Path) -> None:
    drop(window, tmp_path / "model.onnx", tmp_path / "other.tflite")
    assert window.case.answers.symptom == "models"
    assert [file.path.name for file in window.case.answers.given] == ["model.onnx", "other.tflite"]
    assert window.step is Step.EVIDENCE


def test_dropped_models_belong_to_the_question_that_was_asked(window: Window, tmp_path: Path) -> None:
    window.case.set_symptom("not-on-gpu")
    drop(window, tmp_path / "model.onnx")
    assert window.case.answers.symptom == "not-on-gpu"


def test_no_report_is_opened_while_it_runs(qtbot: QtBot, at_target: Window, tmp_path: Path) -> None:
    at_target.go_next()
    assert not drag(at_target, tmp_path / "a.pdf").isAccepted()
    assert not at_target.menus.open.isEnabled()


def test_a_damaged_report_is_one_sentence(
    qtbot: QtBot, at_report: Window, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def damaged(path: Path) -> None:
        raise CaseError("case-damaged", "unexpected end")

    monkeypatch.setattr("wizard.jobs.background.opened", damaged)
    at_report.work.open(tmp_path / "bad.json")
    qtbot.waitUntil(lambda: at_report.case.notice is not None)
    assert at_report._notice.isVisible()
    assert at_report.case.case == case(TOO_OLD)  # what was there is not lost
    qtbot.mouseClick(at_report._notice.close_button, LEFT)
    assert not at_report._notice.isVisible()


def test_languages_at_run_time(qtbot: QtBot, at_report: Window) -> None:
    english = texts(at_report)
    at_report._rail.language.setCurrentIndex(at_report._rail.language.findData("ja"))
    at_report._rail.language.activated.emit(1)
    qtbot.waitUntil(lambda: "すべての情報" in texts(at_report))
    same = english & texts(at_report)
    assert not {text for text in same if text not in SAME and any(map(str.isalpha, text))}
    at_report.case.set_language("en")
    qtbot.waitUntil(lambda: texts(at_report) == english)


# Values, names and commands, which no language changes.
SAME = {
    "Naosu",
    "470.256.02",
    "525.60.13",
    "12.4",
    "NVML",
    "the target's torch",
    "CUDA and drivers",
    "torch 2.6.0+cu124",
}


def texts(window: Window) -> set[str]:
    """What the buttons and labels of the whole window say, but for commands and links."""
    found = {
        widget.text()
        for kind in (QAbstractButton, QLabel)
        for widget in window.findChildren(kind)
        if widget.isVisible()
    }
    return {text for text in found if text and not re.search(r"://|sudo|nvidia-smi", text)}


def test_dark_and_light(qtbot: QtBot, window: Window, qapp: QApplication) -> None:
    light = window.styleSheet()
    before = qapp.palette()
    try:
        qapp.setPalette(QPalette(QColor("#2b2d30"), QColor("#1f2123")))
        qtbot.waitUntil(lambda: window.styleSheet() != light)
    finally:
        qapp.setPalette(before)
    qtbot.waitUntil(lambda: window.styleSheet() == light)


def test_about(qtbot: QtBot, window: Window) -> None:
    window.menus.introduce()
    box = window.findChild(QMessageBox)
    assert isinstance(box, QMessageBox)
    assert "Naosu" in box.text()
    box.close()


def urls(*paths: Path) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return data


def drag(window: Window, *paths: Path) -> QDragEnterEvent:
    data = urls(*paths)
    event = QDragEnterEvent(QPoint(5, 5), Qt.DropAction.CopyAction, data, LEFT, Qt.KeyboardModifier.NoModifier)
    event.ignore()
    window.dragEnterEvent(event)
    return event


def drop(window: Window, *paths: Path) -> None:
    data = urls(*paths)
    window.dropEvent(QDropEvent(QPoint(5, 5), Qt.DropAction.CopyAction, data, LEFT, Qt.KeyboardModifier.NoModifier))


def test_open_by_the_menu(qtbot: QtBot, window: Window, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    sent = tmp_path / "sent.json"
    monkeypatch.setattr("wizard.jobs.background.opened", lambda path: case(TOO_OLD))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: ("", ""))
    window.menus.open.trigger()  # and cancelled
    assert window.step is Step.SYMPTOM
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(sent), ""))
    with qtbot.waitSignal(window.work.finished_opening):
        window.menus.open.trigger()
    assert window.case.opened == sent


@pytest.mark.parametrize(("action", "kind"), [("save", "naosu.json"), ("export", "pdf")])
def test_save_by_the_menu(
    qtbot: QtBot, at_report: Window, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, action: str, kind: str
) -> None:
    asked = []

    def answer(dialog: QFileDialog) -> bool:
        asked.append((dialog.defaultSuffix(), Path(dialog.selectedFiles()[0]).name))
        dialog.setDirectory(str(tmp_path))
        dialog.selectFile("mine")
        return True

    monkeypatch.setattr(QFileDialog, "exec", answer)
    getattr(at_report.menus, action).trigger()
    qtbot.waitUntil(lambda: at_report.case.notice is not None, timeout=20_000)
    assert asked == [(kind, f"naosu-driver-too-old-for-cuda-2026-11-20.{kind}")]
    assert (tmp_path / f"mine.{kind}").is_file()
    assert str(tmp_path / f"mine.{kind}") in at_report._notice.text.text()


def test_nothing_to_save_before_a_report(window: Window) -> None:
    assert not window.menus.save.isEnabled()
    assert not window.menus.export.isEnabled()
    window.files.ask_save()  # no dialog that would wait for an answer
