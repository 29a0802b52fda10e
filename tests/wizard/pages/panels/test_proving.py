"""The remedies are tried on a click, the report says what came of it, and it can be stopped."""

import sys
from pathlib import Path

import msgspec
import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot
from support.failing_program import kept_from_starting

from checks.facts.case import Case
from wizard.flow import Step
from wizard.pages.panels.proving import ProvingPanel
from wizard.pages.report import ReportPage
from wizard.window.main_window import Window

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="remedies are tried on Linux and macOS so far")


@pytest.fixture
def failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    return kept_from_starting(tmp_path, monkeypatch)


def shown(window: Window, case: Case) -> ProvingPanel:
    window.case.run_began()
    window.case.run_ended(case)
    window.go(Step.REPORT)
    page = window.page(Step.REPORT)
    assert isinstance(page, ReportPage)
    return page.proving


def texts(window: Window) -> str:
    page = window.page(Step.REPORT)
    return "\n".join(label.text() for label in page.findChildren(QLabel) if label.isVisibleTo(page))


def test_a_click_tries_the_remedies_and_the_report_says_what_came_of_it(
    qtbot: QtBot, window: Window, failed: Case
) -> None:
    panel = shown(window, failed)
    assert panel.isVisibleTo(window)
    panel.start.click()
    assert panel.stop.isVisibleTo(window)
    assert not panel.start.isVisibleTo(window)
    assert window.case.lost_by_quitting() == "quit-while-proving"
    qtbot.waitUntil(lambda: not window.case.is_proving, timeout=30_000)
    qtbot.waitUntil(lambda: "Proven here: the program failed before" in texts(window))
    assert not panel.isVisibleTo(window), "there is nothing left to try"
    assert not window.case.notice
    window.case.set_language("ja")
    qtbot.waitUntil(lambda: "ここで実証済み: 以前は失敗していたプログラムが" in texts(window))


def test_a_stop_keeps_the_report(qtbot: QtBot, window: Window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    endless = kept_from_starting(tmp_path, monkeypatch, "import signal\nsignal.pause()")
    panel = shown(window, endless)
    panel.start.click()
    qtbot.waitUntil(lambda: "starting it again" in texts(window), timeout=20_000)
    panel.stop.click()
    qtbot.waitUntil(lambda: not window.case.is_proving, timeout=30_000)
    assert panel.isVisibleTo(window)
    assert panel.start.isVisibleTo(window)
    assert window.case.case is not None
    assert [proof.reason for proof in window.case.case.facts.proofs] == ["stopped"]
    qtbot.waitUntil(lambda: "Not tried here: it was stopped" in texts(window))
    assert [finding.cause for finding in window.case.case.findings] == ["environment-variable-invalid"]


def test_nothing_is_offered_where_nothing_failed_or_a_report_was_sent(window: Window, failed: Case) -> None:
    fine = msgspec.structs.replace(failed, facts=msgspec.structs.replace(failed.facts, runs=()))
    assert not shown(window, fine).isVisibleTo(window)
    sent = msgspec.structs.replace(failed, facts=msgspec.structs.replace(failed.facts, here=False))
    assert not shown(window, sent).isVisibleTo(window)
    window.case.show_opened(failed, Path("sent.json"))
    page = window.page(Step.REPORT)
    assert isinstance(page, ReportPage)
    assert not page.proving.isVisibleTo(window)
