"""Whatever can be operated has a name for a screen reader, in both languages, on every page; and it shows its focus."""

import pytest
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QProgressBar,
    QWidget,
)
from pytestqt.qtbot import QtBot
from support.played_engine import TOO_OLD, Engine

from wizard.flow import STEPS, Step
from wizard.pages.report import ReportPage
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
    assert header.accessibleName() == "The NVIDIA driver is too old for torch 2.6.0+cu124"
    assert "95" in header.accessibleDescription()
    assert TOO_OLD.confidence == 0.95


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
