"""What people expect of any program: it remembers its size, language and theme, fits small screens, and goes on."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PySide6.QtCore import QSettings, Qt, QUrl
from PySide6.QtGui import QAccessible, QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel, QMessageBox, QPushButton
from pytestqt.qtbot import QtBot
from support.played_engine import VENV, Engine

from checks.engine import events
from checks.history.drafts import Draft, Drafts
from wizard.case_model import CaseModel
from wizard.desktop import attention, settings, theme
from wizard.flow import Step
from wizard.jobs.background import Work
from wizard.pages.evidence import EvidencePage
from wizard.window.main_window import Window

LEFT = Qt.MouseButton.LeftButton


def another(qtbot: QtBot) -> Window:
    """The window of the next start."""
    case = CaseModel(settings.language(("en", "ja")) or "en")
    window = Window(case, Work(case))
    qtbot.addWidget(window)
    window.restore()
    return window


def test_size_language_and_theme_are_remembered(qtbot: QtBot, window: Window) -> None:
    window.resize(760, 640)
    window.menus._language_acts["ja"].trigger()
    window.menus._theme_acts["dark"].trigger()
    window.close()
    after = another(qtbot)
    assert (after.width(), after.height()) == (760, 640)
    assert after.case.language == "ja"
    assert after.menus._theme_acts["dark"].isChecked()
    after.menus._theme_acts["system"].trigger()
    assert settings.theme() == "system"


def test_the_language_of_the_rail_is_remembered_too(window: Window) -> None:
    window._rail.language_asked.emit("ja")
    assert window.case.language == "ja"
    assert settings.language(("en", "ja")) == "ja"


@pytest.mark.parametrize("value", ["xx", 7, ["en"], ""])
def test_odd_settings_are_left_out(qtbot: QtBot, dressed: object, value: object) -> None:
    stored = QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, "naosu", "naosu")
    for key in ("language", "theme", "geometry"):
        stored.setValue(f"window/{key}", value)
    stored.sync()
    assert settings.language(("en", "ja")) is None
    assert settings.theme() == "system"
    assert settings.geometry() is None
    assert another(qtbot).width() > 0


def test_a_settings_file_of_rubbish(qtbot: QtBot, dressed: object) -> None:
    stored = QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, "naosu", "naosu")
    path = Path(stored.fileName())
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bytes(range(256)) * 40)
    assert another(qtbot).width() > 0


@pytest.mark.parametrize(("width", "height"), [(1024, 660), (1093, 574), (853, 560), (427, 260)])
@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_page_fits(qtbot: QtBot, at_report: Window, width: int, height: int, language: str) -> None:
    """1024x700, 1366x768 at 125 %, 1280x900 at 150 % and at 300 %, less what the system's bars take."""
    at_report.case.set_language(language)
    at_report.retranslate()
    at_report.resize(width, height)
    for step in (Step.SYMPTOM, Step.EVIDENCE, Step.TARGET, Step.RUN, Step.REPORT):
        at_report.go(step)
        QGuiApplication.sendPostedEvents()
        qtbot.waitUntil(lambda: (at_report.width(), at_report.height()) == (width, height))
        for button in (at_report.back, at_report.next):
            if button.isVisible():
                corner = button.mapTo(at_report, button.rect().bottomRight())
                assert at_report.rect().contains(corner), (step, button.text())
        scroller = at_report.page(step).scroller
        if width > 500:  # on a smaller screen what does not fit is scrolled to
            assert scroller.widget().minimumSizeHint().width() <= scroller.viewport().width(), step


def test_a_page_keeps_its_width_when_more_is_shown(window: Window) -> None:
    scroller = window.page(Step.SYMPTOM).scroller
    window.resize(1100, 1400)
    QGuiApplication.processEvents()
    assert scroller.verticalScrollBar().maximum() == 0
    before = scroller.viewport().width()
    window.resize(1100, 400)
    QGuiApplication.processEvents()
    assert scroller.verticalScrollBar().maximum() > 0
    assert scroller.viewport().width() == before


def test_a_screen_reader_may_ask_for_parts_that_are_not_there(window: Window) -> None:
    parts = QAccessible.queryAccessibleInterface(window.page(Step.SYMPTOM).scroller)
    assert parts.child(0) is not None
    assert [parts.child(parts.childCount() + number) for number in range(3)] == [None, None, None]
    window.go(Step.EVIDENCE)  # the parts of the other page are hidden now
    assert [parts.child(number) is None for number in range(parts.childCount())] == [False] * parts.childCount()


def test_the_task_bar_says_how_far_it_is_and_when_it_is_over(
    qtbot: QtBot, at_target: Window, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    alerts: list[object] = []
    monkeypatch.setattr(QApplication, "alert", alerts.append)
    monkeypatch.setattr(at_target, "isActiveWindow", lambda: False)
    at_target.go_next()
    at_target.case.take(events.Progress(share=0.424, remaining=None))
    assert "(42 %)" in at_target.windowTitle()
    engine.tell_all()
    qtbot.waitUntil(lambda: at_target.step is Step.REPORT)
    assert alerts == [at_target]
    assert "%" not in at_target.windowTitle()


def test_whoever_is_at_the_window_is_not_called(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    alerts: list[object] = []
    monkeypatch.setattr(QApplication, "alert", alerts.append)
    monkeypatch.setattr(window, "isActiveWindow", lambda: True)
    attention.call(window, "Done.")
    assert alerts == []


def test_f5_checks_again(qtbot: QtBot, at_report: Window, engine: Engine) -> None:
    assert at_report.menus.again.isEnabled()
    engine.tell_all()
    with qtbot.waitSignal(at_report.work.finished_run):
        at_report.menus.again.trigger()
    at_report.case.was_kept()
    at_report.begin()
    assert not at_report.menus.again.isEnabled()


@pytest.mark.parametrize("language", ["en", "ja"])
def test_help_and_about(window: Window, language: str) -> None:
    window.case.set_language(language)
    window.retranslate()
    window.menus.how.trigger()
    window.menus.about.trigger()
    texts = [box.informativeText() for box in window.findChildren(QMessageBox)]
    assert any("F5" in text for text in texts)
    assert any("2026-" in text for text in texts)  # how old what it knows is


def test_words_are_found_also_in_what_is_folded(qtbot: QtBot, at_report: Window) -> None:
    at_report.menus.find.trigger()
    bar = at_report._find
    assert bar is not None
    bar.field.setText("470.256.02")
    qtbot.keyClick(bar.field, Qt.Key.Key_Return)
    assert bar._none.isHidden()
    assert isinstance(bar._marked, QLabel)
    assert bar._marked.selectedText() == "470.256.02"
    page = at_report.page(Step.REPORT)
    opened = [key for key, fold in page._folds.items() if fold.header.isChecked()]
    for _ in range(5):
        bar.go_on()
    assert len([key for key, fold in page._folds.items() if fold.header.isChecked()]) > len(opened)
    assert not page._folds["about"].header.isChecked()  # what has none stays folded
    bar.field.setText("no such words")
    bar.go_on()
    assert bar._none.isVisible()
    at_report.case.set_language("ja")
    at_report.retranslate()
    assert bar.next.text() == "次へ"
    qtbot.keyClick(bar.field, Qt.Key.Key_Escape)
    assert not bar.isVisible()


def test_what_was_exported_is_shown_in_its_folder(
    qtbot: QtBot, at_report: Window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)
    at_report.work.export(tmp_path / "report.json", "json", "a4", hide=())
    button: QPushButton = at_report._notice.act
    qtbot.waitUntil(button.isVisible, timeout=20_000)
    qtbot.mouseClick(button, LEFT)
    assert [url.toLocalFile() for url in opened] == [str(tmp_path)]


def test_reports_that_were_saved_or_opened_are_offered_again(qtbot: QtBot, at_report: Window, tmp_path: Path) -> None:
    menu, paths = at_report.menus.recent, [tmp_path / f"{name}&.json" for name in "ab"]
    menu.aboutToShow.emit()
    assert [action.isEnabled() for action in menu.actions()] == [False]
    for path in paths:
        at_report.work.export(path, "json", "a4", hide=())
        qtbot.waitUntil(path.exists, timeout=20_000)
        qtbot.waitUntil(lambda: at_report.case.is_free, timeout=20_000)
    with qtbot.waitSignal(at_report.work.finished_opening, timeout=20_000):
        at_report.work.open(paths[0])
    menu.aboutToShow.emit()
    assert [action.text().split()[0] for action in menu.actions()[:2]] == ["a&&.json", "b&&.json"]
    paths[0].unlink()
    menu.aboutToShow.emit()
    first, *_, clear = menu.actions()
    assert first.text().startswith("b&&.json")
    with qtbot.waitSignal(at_report.work.finished_opening, timeout=20_000):
        first.trigger()
    assert at_report.case.opened == paths[1]
    clear.trigger()
    menu.aboutToShow.emit()
    assert [action.isEnabled() for action in menu.actions()] == [False]


def test_of_a_long_path_the_name_and_the_last_folders_are_seen(at_report: Window, tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / ("a" * 90) / "customer 17" / "report.json"
    path.parent.mkdir(parents=True)
    at_report.work.export(path, "json", "a4", hide=())
    qtbot.waitUntil(path.exists, timeout=20_000)
    qtbot.waitUntil(lambda: at_report.case.is_free, timeout=20_000)
    menu = at_report.menus.recent
    menu.aboutToShow.emit()
    name, _, folder = menu.actions()[0].text().partition("  —  ")
    assert (name, folder[0], len(folder)) == ("report.json", "…", 60)
    assert folder.endswith("a/customer 17")


@pytest.fixture
def drafts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Drafts:
    monkeypatch.setenv("NAOSU_HISTORY", str(tmp_path / "kept"))
    return Drafts(tmp_path / "kept" / "drafts")


def test_a_killed_examination_is_gone_on_with(qtbot: QtBot, window: Window, drafts: Drafts) -> None:
    drafts.folder.mkdir(parents=True)
    left = Draft(symptom="not-on-gpu", text="slow since Monday", target=VENV.path, started=1.0)
    (drafts.folder / "1.draft").write_bytes(msgspec.json.encode(left))
    window.offer_to_go_on()
    qtbot.waitUntil(window._notice.act.isVisible)
    qtbot.mouseClick(window._notice.act, LEFT)
    assert window.step is Step.TARGET
    assert window.case.answers.symptom == "not-on-gpu"
    assert window.case.answers.text == "slow since Monday"
    assert window.case.answers.target == VENV.path


def test_a_program_that_was_watched_is_offered_again(qtbot: QtBot, window: Window, drafts: Drafts) -> None:
    drafts.folder.mkdir(parents=True)
    left = Draft(symptom="does-not-start", command="python train.py", folder="/data", seconds=600, started=1.0)
    (drafts.folder / "1.draft").write_bytes(msgspec.json.encode(left))
    window.offer_to_go_on()
    qtbot.waitUntil(window._notice.act.isVisible)
    assert "python train.py" in window._notice.text.text()
    qtbot.mouseClick(window._notice.act, LEFT)
    assert window.step is Step.EVIDENCE
    page = window.page(Step.EVIDENCE)
    assert isinstance(page, EvidencePage)
    shown = (page.watch.command.text(), page.watch._folder.text(), page.watch._time.currentData())
    assert shown == ("python train.py", "/data", 600)
    assert not window.case.is_watching  # it runs when the user says so


def test_what_is_examined_is_noted_without_its_secrets(
    qtbot: QtBot, at_target: Window, engine: Engine, drafts: Drafts
) -> None:
    at_target.case.set_text("it fails; password=hunter2hunter2")

    def notes() -> list[Path]:
        return list(drafts.folder.glob("*.draft")) if drafts.folder.exists() else []

    at_target.go_next()
    qtbot.waitUntil(lambda: bool(notes()) and bool(notes()[0].read_bytes()))
    assert b"hunter2" not in notes()[0].read_bytes()
    engine.tell_all()
    qtbot.waitUntil(lambda: at_target.step is Step.REPORT)
    qtbot.waitUntil(lambda: not notes())


def test_who_quits_on_purpose_is_not_asked_to_go_on(qtbot: QtBot, at_target: Window, drafts: Drafts) -> None:
    at_target.go_next()
    qtbot.waitUntil(lambda: drafts.folder.exists() and bool(list(drafts.folder.glob("*.draft"))))
    at_target._quit()
    assert list(drafts.folder.glob("*.draft")) == []


def test_a_report_that_is_kept_nowhere_is_not_left_without_a_question(qtbot: QtBot, at_report: Window) -> None:
    at_report.begin()  # NAOSU_HISTORY is "off" in the tests
    assert at_report.step is Step.REPORT
    (box,) = at_report.findChildren(QMessageBox)
    assert "neither saved nor copied" in box.text()
    box.defaultButton().click()
    assert at_report.case.case is not None
    at_report.case.was_kept()
    at_report.begin()
    assert at_report.step is Step.SYMPTOM


def test_a_text_that_is_pasted_on_a_report_is_a_new_case(qtbot: QtBot, at_report: Window) -> None:
    at_report.case.was_kept()
    QGuiApplication.clipboard().setText("ModuleNotFoundError: No module named 'torch'")
    at_report.activateWindow()
    qtbot.waitUntil(at_report.isActiveWindow)
    with qtbot.waitSignal(at_report.work.finished_opening, timeout=20_000):
        qtbot.keyClick(at_report.page(Step.REPORT).first_focus(), Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert at_report.case.answers.text.startswith("ModuleNotFoundError")


def test_a_program_of_another_case_is_not_started_again(window: Window) -> None:
    window._choose("does-not-start")
    page = window.page(Step.EVIDENCE)
    assert isinstance(page, EvidencePage)
    page.watch.command.setText("python train.py")
    window.begin()
    window._choose("does-not-start")
    assert page.watch.command.text() == ""


@pytest.mark.parametrize("name", ["dark", "light"])
def test_a_theme_that_the_system_does_not_have(dressed: object, name: str) -> None:
    before = QGuiApplication.palette()
    try:
        theme.choose(name)
        assert theme.is_dark(QGuiApplication.palette()) is (name == "dark")
        theme.choose("system")
    finally:
        QGuiApplication.setPalette(before)


def test_nothing_was_left(window: Window, drafts: Drafts, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[Any] = []

    def at_once(function: Callable[[], Any], done: Callable[[Any], object], _: object) -> None:
        done(function())

    monkeypatch.setattr(window.work.cases, "_start", at_once)
    window.work.cases.find_left(lambda *left: taken.append(left))
    assert taken == []
