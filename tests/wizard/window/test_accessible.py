"""Whatever can be operated has a name for a screen reader, in both languages, on every page; and it shows its focus."""

import pytest
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot
from support.played_engine import TOO_OLD, Engine

from wizard.case_model import Notice
from wizard.flow import STEPS, Step
from wizard.pages.report import ReportPage
from wizard.report.content.document import document_of
from wizard.report.content.report import build
from wizard.widgets.disclosure import Disclosure
from wizard.window.main_window import Window

OPERATED = (QAbstractButton, QAbstractItemView, QComboBox, QLineEdit, QPlainTextEdit, QProgressBar)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_control_has_a_name(
    qtbot: QtBot, at_report: Window, engine: Engine, script: object, language: str
) -> None:
    at_report.case.set_language(language)
    at_report.case.add_files([script])
    for step in STEPS:
        at_report.go(step)
        unfold_all(at_report)
        nameless = [widget for widget in operated(at_report) if not name_of(widget)]
        assert not nameless, step


def test_cards_say_what_they_mean(window: Window) -> None:
    cards = [widget for widget in operated(window) if type(widget).__name__ in {"ChoiceCard", "ActionCard"}]
    assert len(cards) == 8
    assert all(card.accessibleDescription() for card in cards)


def test_a_finding_says_its_weight(at_report: Window) -> None:
    page = at_report.page(Step.REPORT)
    assert isinstance(page, ReportPage)
    header = next(iter(page._folds.values())).header
    assert header.accessibleName() == "The NVIDIA driver is too old for torch 2.6.0+cu124, collapsed"
    header.click()
    assert header.accessibleName() == "The NVIDIA driver is too old for torch 2.6.0+cu124, expanded"
    assert "95" in header.accessibleDescription()
    assert TOO_OLD.confidence == 0.95


@pytest.mark.parametrize("language", ["en", "ja"])
def test_only_what_is_chosen_is_a_check_box(at_report: Window, script: object, language: str) -> None:
    """A step, or what shows and hides a part, is a button, and says in words how it stands."""
    at_report.case.set_language(language)
    at_report.case.add_files([script])
    for step in STEPS:
        at_report.go(step)
        buttons = [widget for widget in operated(at_report) if isinstance(widget, QPushButton)]
        assert {QAccessible.queryAccessibleInterface(button).role() for button in buttons} == {QAccessible.Role.Button}
    here = at_report._rail.steps[Step.REPORT]
    assert at_report.case.say("step-here") in name_of(here)
    assert here.property("here") is True


def test_a_disclosure_says_whether_it_is_open(window: Window) -> None:
    button = Disclosure(window.case.say)
    button.setText("&More")
    assert name_of(button) == "More, collapsed"
    button.click()
    assert (name_of(button), button.isChecked()) == ("More, expanded", True)
    button.setText("&Other")
    assert name_of(button) == "Other, expanded"


def test_the_choices_say_what_they_are_of(at_report: Window) -> None:
    """On Linux the name of a combo box is its value, so that its label has to say what it is."""
    for step in STEPS:
        at_report.go(step)
        for box in (widget for widget in operated(at_report) if isinstance(widget, QComboBox)):
            assert box.accessibleName() or any(label.buddy() is box for label in at_report.findChildren(QLabel))


def test_progress_verdict_and_notices_are_said(
    qtbot: QtBot, at_target: Window, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    for module in ("wizard.pages.run", "wizard.pages.report", "wizard.window.notice_bar"):
        monkeypatch.setattr(f"{module}.announce", lambda _, text: said.append(text))
    at_target.go_next()
    qtbot.waitUntil(lambda: at_target.step is Step.RUN)
    engine.tell_all(TOO_OLD)
    qtbot.waitUntil(lambda: at_target.step is Step.REPORT)
    report = document_of(build(at_target.case.case, "en"))
    assert f"{report.verdict.word}. {report.verdict.sentence}" in said
    assert at_target.case.say("run-running") in said or at_target.case.say("run-preparing") in said
    at_target.case.set_notice(Notice("error-ours", {"error": "x"}))
    assert at_target.case.sentence(at_target.case.notice) == said[-1]


def operated(window: Window) -> list[QWidget]:
    inner = {"qt_scrollarea_viewport", "qt_spinbox_lineedit"}
    return [
        widget
        for kind in OPERATED
        for widget in window.findChildren(kind)
        if widget.isVisible() and widget.objectName() not in inner and not isinstance(widget.parent(), OPERATED)
    ]


def name_of(widget: QWidget) -> str:
    interface = QAccessible.queryAccessibleInterface(widget)
    return interface.text(QAccessible.Text.Name) if interface is not None else ""


def unfold_all(window: Window) -> None:
    for fold in getattr(window.page(window.step), "_folds", {}).values():
        fold.unfold()
