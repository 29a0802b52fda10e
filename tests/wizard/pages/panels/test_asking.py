"""The one question as a dialogue: answered by a button or a paste, judged at once, taken back."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from support.cases_list import paste, wait_for

from wizard.flow import Step
from wizard.pages.panels.asking import AskPanel
from wizard.pages.report import ReportPage
from wizard.window.main_window import Window

NO_GPU = "torch.cuda.is_available() returns False. What can I do?"
NUMBERS = "I trained the network yesterday with 91 percent, today only 88. I changed nothing at all."
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot, window: Window) -> AskPanel:
    monkeypatch.setenv("NAOSU_HISTORY", str(tmp_path / "kept"))
    page = window.page(Step.REPORT)
    assert isinstance(page, ReportPage)
    return page.asking


def diagnosed(qtbot: QtBot, window: Window, text: str) -> None:
    paste(window, text)
    wait_for(qtbot, window._rail.cases, lambda headings: len(headings) == 1)


def causes(window: Window) -> list[str]:
    assert window.case.case is not None
    return [finding.cause for finding in window.case.case.findings]


def asked(window: Window) -> list[tuple[str, str, bool]]:
    assert window.case.case is not None
    return [(one.question, one.choice, one.is_pasted) for one in window.case.case.facts.asked]


def test_an_output_is_pasted_judged_and_taken_back(qtbot: QtBot, window: Window, panel: AskPanel) -> None:
    diagnosed(qtbot, window, NO_GPU)
    assert "nvidia-smi" in panel.question.text()
    assert panel.why.text().startswith("The answer decides between")
    assert panel.choices == []
    assert panel.undo.isHidden()
    with qtbot.waitSignal(window.work.finished_opening, timeout=20_000):
        qtbot.mouseClick(panel.unknown, LEFT)
    assert "torch.version.cuda" in panel.question.text()
    panel.text.setPlainText("banana")
    qtbot.mouseClick(panel.add, LEFT)
    assert panel.why.text().startswith("That is no answer")
    assert panel.text.toPlainText() == "banana"
    panel.text.setPlainText("2.6.0+cpu None False")
    with qtbot.waitSignal(window.work.finished_opening, timeout=20_000):
        qtbot.mouseClick(panel.add, LEFT)
    assert causes(window)[0] == "framework-cpu-only-build"
    assert asked(window) == [("nvidia-smi", "", False), ("torch-build", "", True)]
    assert panel.text.toPlainText() == ""
    with qtbot.waitSignal(window.work.finished_opening, timeout=20_000):
        qtbot.mouseClick(panel.undo, LEFT)
    assert asked(window) == [("nvidia-smi", "", False)]
    assert "torch.version.cuda" in panel.question.text()


def test_a_choice_is_a_button_that_the_keyboard_reaches(qtbot: QtBot, window: Window, panel: AskPanel) -> None:
    diagnosed(qtbot, window, NUMBERS)
    assert len(panel.choices) == 4
    assert not panel.text.isVisible()
    first = panel.choices[0]
    assert first.focusPolicy() & Qt.FocusPolicy.TabFocus
    assert first.accessibleDescription() == panel.question.text()
    with qtbot.waitSignal(window.work.finished_opening, timeout=20_000):
        qtbot.keyClick(first, Qt.Key.Key_Space)
    assert asked(window) == [("what-differs", "runs", False)]
    assert panel.undo.isVisible()


def test_the_dialogue_speaks_japanese(qtbot: QtBot, window: Window, panel: AskPanel) -> None:
    diagnosed(qtbot, window, NUMBERS)
    window.speak("ja")
    assert panel.question.text() == "結果が異なるのは、何と何の間ですか。"
    assert panel.choices[0].text().startswith("同じマシン")
    assert panel.unknown.text() == "わからない(&D)"
