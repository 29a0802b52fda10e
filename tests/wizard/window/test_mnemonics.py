"""A letter with Alt presses one control: no other one that is shown with it, and no menu, has the same."""

from collections import Counter

import pytest
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QAbstractButton, QLabel

from wizard.flow import MODELS, SERVED, TICKET, Step
from wizard.window.main_window import Window


def letters(window: Window) -> Counter[str]:
    texts = [action.text() for action in window.menuBar().actions()]
    texts += [button.text() for button in window.findChildren(QAbstractButton) if button.isVisible()]
    texts += [label.text() for label in window.findChildren(QLabel) if label.isVisible() and label.buddy() is not None]
    found = (QKeySequence.mnemonic(text).toString() for text in texts)
    return Counter(letter for letter in found if letter)


def doubled(window: Window) -> dict[str, int]:
    return {letter: count for letter, count in letters(window).items() if count > 1}


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("symptom", ["not-on-gpu", "results-change", MODELS, SERVED, TICKET])
def test_of_what_is_asked(window: Window, language: str, symptom: str) -> None:
    window.case.set_language(language)
    window.retranslate()
    assert doubled(window) == {}
    window.case.set_symptom(symptom)
    window.go(Step.EVIDENCE)
    assert doubled(window) == {}


@pytest.mark.parametrize("language", ["en", "ja"])
def test_of_the_report(at_report: Window, language: str) -> None:
    at_report.case.set_language(language)
    at_report.retranslate()
    for step in (Step.TARGET, Step.REPORT):
        at_report.go(step)
        assert doubled(at_report) == {}
