"""An installed AI program is chosen in the window, and examined without a Python."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from checks.facts import LocalProgram
from wizard.flow import Step
from wizard.pages.evidence import EvidencePage
from wizard.pages.panels.program_list import InstalledList
from wizard.window.main_window import Window

OLLAMA = LocalProgram(name="Ollama", path="/usr/bin/ollama", backend="cpu", devices=())


@pytest.fixture
def panel(qtbot: QtBot, window: Window, monkeypatch: pytest.MonkeyPatch) -> InstalledList:
    monkeypatch.setattr("wizard.jobs.background.installed", lambda: (OLLAMA,))
    window.case.set_symptom("not-on-gpu")
    window.go(Step.EVIDENCE)
    qtbot.waitUntil(lambda: bool(window.case.interpreters))
    page = window.page(Step.EVIDENCE)
    assert isinstance(page, EvidencePage)
    page.watch.apps.click()
    return page.watch.installed


def test_it_lists_what_is_installed(qtbot: QtBot, panel: InstalledList) -> None:
    assert panel.isVisible()
    qtbot.waitUntil(lambda: panel.table.topLevelItemCount() == 1)
    item = panel.table.topLevelItem(0)
    assert item is not None
    assert item.text(0) == "Ollama"
    assert panel.choose.isEnabled()


def test_another_language_fills_the_rows_anew(qtbot: QtBot, panel: InstalledList, window: Window) -> None:
    qtbot.waitUntil(lambda: panel.table.topLevelItemCount() == 1)
    item = panel.table.topLevelItem(0)
    assert item is not None
    english = item.text(1)
    window.case.set_language("ja")
    assert item.text(1) not in ("", english)
    assert item.isSelected()


def test_nothing_found_says_what_to_do(qtbot: QtBot, panel: InstalledList, monkeypatch: pytest.MonkeyPatch) -> None:
    qtbot.waitUntil(lambda: panel.table.topLevelItemCount() == 1)
    monkeypatch.setattr("wizard.jobs.background.installed", tuple)
    panel.ask()
    qtbot.waitUntil(lambda: panel.table.topLevelItemCount() == 0)
    assert not panel.table.isVisible()
    assert not panel.choose.isEnabled()


def test_choosing_one_examines_it_and_no_python(qtbot: QtBot, panel: InstalledList, window: Window) -> None:
    qtbot.waitUntil(lambda: panel.table.topLevelItemCount() == 1)
    panel.choose.click()
    assert window.step is Step.RUN
    assert window.case.is_running
    assert window.case.local_program == ""  # the next examination is about something else again
