"""The start of the window, and its end by a signal."""

import os
import signal
import subprocess
import sys

import pytest
from PySide6.QtCore import QLocale, QTimer
from PySide6.QtWidgets import QApplication, QDialogButtonBox
from pytestqt.qtbot import QtBot

from wizard.window.app import closing_on_signals, telling_faults, with_japanese
from wizard.window.main_window import Window
from wizard.window.qt_words import translate_standard_buttons

# What is too heavy to be loaded before the first window is seen, and the engine, which needs none before.
_HEAVY = (
    "numpy",
    "torch",
    "pyqtgraph",
    "pypdf",
    "psutil",
    "pynvml",
    "checks.causes.registry",
    "checks.engine.examination",
    "checks.sharing.case",
    "msgspec",
)


def test_nothing_heavy_is_loaded_before_the_first_window_nor_plots_without_one() -> None:
    code = (
        "import importlib, sys, wizard.__main__\n"
        "for name in wizard.__main__.BEFORE_QT:\n"
        "    importlib.import_module(name)\n"
        "print([name for name in sys.modules if name.startswith('PySide6')])\n"
        "from wizard.window.app import make_application\n"
        "from wizard.case_model import CaseModel\n"
        "from wizard.window.main_window import Window\n"
        "from wizard.jobs.background import Work\n"
        "application = make_application()\n"
        "case = CaseModel()\n"
        "window = Window(case, Work(case))\n"
        "window.show()\n"
        "application.processEvents()\n"
        f"print([name for name in {_HEAVY!r} if name in sys.modules])\n"
        "import wizard.pages.report, wizard.pages.run, wizard.pages.block_view\n"  # plots take half a second more
        "print([name for name in ('pyqtgraph', 'numpy') if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["[]", "[]", "[]"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no signal to itself in this way")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_closes(qtbot: QtBot, number: signal.Signals) -> None:
    closed: list[bool] = []
    before = signal.getsignal(number)
    with closing_on_signals(lambda: closed.append(True)):
        os.kill(os.getpid(), number)
        qtbot.waitUntil(lambda: bool(closed))
    assert signal.getsignal(number) is before


def test_the_words_of_qt_follow_the_language(qtbot: QtBot, dressed: QApplication) -> None:
    def cancel() -> str:
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        qtbot.addWidget(box)
        return box.button(QDialogButtonBox.StandardButton.Cancel).text()

    before = QLocale()
    try:
        translate_standard_buttons("ja")
        assert "キャンセル" in cancel()
        translate_standard_buttons("en")
        assert "Cancel" in cancel()
    finally:
        QLocale.setDefault(before)


def test_the_font_is_extended_once(dressed: QApplication) -> None:
    font = dressed.font()
    assert with_japanese(font).families() == font.families()


def test_a_fault_in_a_slot_is_told_in_the_window(qtbot: QtBot, window: Window) -> None:
    def broken() -> None:
        raise ZeroDivisionError("oops")

    printed: list[object] = []
    before, sys.excepthook = sys.excepthook, lambda *fault: printed.append(fault[0])
    try:
        with telling_faults(window.case):
            QTimer.singleShot(0, broken)
            qtbot.waitUntil(lambda: window.case.notice is not None)
    finally:
        sys.excepthook = before
    assert printed == [ZeroDivisionError]
    assert window._notice.isVisible()
    assert "ZeroDivisionError: oops" in window._notice.text.text()


def test_a_fault_that_is_told_again_and_again_is_told_once(window: Window) -> None:
    def broken() -> None:
        sys.excepthook(ValueError, ValueError("again"), None)

    before, sys.excepthook = sys.excepthook, lambda *_: None
    window.case.changed.connect(broken)
    try:
        with telling_faults(window.case):
            sys.excepthook(KeyError, KeyError("first"), None)
    finally:
        window.case.changed.disconnect(broken)
        sys.excepthook = before
    assert "first" in window._notice.text.text()
