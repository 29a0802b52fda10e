"""Another machine is checked by one file: saved here, run there, and its answer dropped on the window."""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication
from PySide6.QtWidgets import QFileDialog, QLabel
from pytestqt.qtbot import QtBot

from checks.engine.portable.archive import archive
from checks.engine.portable.command import NAME
from wizard.case_model import CaseModel
from wizard.flow import Step
from wizard.pages.symptom import SymptomPage
from wizard.window.main_window import Window
from wizard.window.other_machine import OtherMachine

RECORDED = Path(__file__).parents[2] / "recordings" / "portable" / "linux-torch-cpu.json"


def opened(window: Window) -> OtherMachine:
    return window.findChildren(OtherMachine)[-1]


def drop(window: Window, *paths: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    none, left = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
    window.dropEvent(QDropEvent(QPoint(5, 5), Qt.DropAction.CopyAction, data, left, none))


def test_from_the_first_page_and_the_menu(qtbot: QtBot, window: Window) -> None:
    page = window.page(Step.SYMPTOM)
    assert isinstance(page, SymptomPage)
    qtbot.mouseClick(page.tools["another"], Qt.MouseButton.LeftButton)
    assert opened(window).isVisible()
    opened(window).close()
    window.menus.another.trigger()
    assert opened(window).isVisible()


def test_the_line_is_copied(qtbot: QtBot, window: Window) -> None:
    window.files.ask_another()
    dialog = opened(window)
    assert dialog.line.text() == f"python3 {NAME} --compute quick -o naosu-answer.json"
    dialog.computes.setChecked(False)
    qtbot.mouseClick(dialog.copy, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == f"python3 {NAME} -o naosu-answer.json"


def test_the_probe_is_saved(qtbot: QtBot, window: Window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    window.files.ask_another()
    dialog = opened(window)
    for path, told in ((tmp_path / NAME, "Saved:"), (tmp_path / "none" / NAME, "Not saved:")):
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, path=path: (str(path), ""))
        qtbot.mouseClick(dialog.save, Qt.MouseButton.LeftButton)
        assert dialog.told.text().startswith(told)
    assert (tmp_path / NAME).read_bytes() == archive()


@pytest.mark.parametrize("language", ["en", "ja"])
def test_it_speaks_the_language_of_the_window(model: CaseModel, window: Window, language: str) -> None:
    model.set_language(language)
    window.files.ask_another()
    dialog = opened(window)
    assert (dialog.windowTitle() == "別のマシンを調べる") == (language == "ja")


def test_the_answer_is_dropped(qtbot: QtBot, window: Window) -> None:
    drop(window, RECORDED)
    qtbot.waitUntil(lambda: window.step is Step.REPORT and window.case.case is not None)
    assert window.case.case is not None
    assert window.case.case.facts.target == "/home/user/venv/bin/python"


def test_two_answers_are_compared(qtbot: QtBot, window: Window, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text(json.dumps(json.loads(RECORDED.read_text())))
    drop(window, RECORDED, other)
    qtbot.waitUntil(lambda: window.step is Step.REPORT and window.case.case is not None)
    text = "\n".join(label.text() for label in window.page(Step.REPORT).findChildren(QLabel))
    assert "other.json" in text
