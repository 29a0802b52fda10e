"""The application around the window: style, Qt's own translations, the icon, the start."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtGui import QFont, QIcon
from PySide6.QtWidgets import QApplication

from wizard import icons
from wizard.case_model import CaseModel
from wizard.window import Window
from wizard.work import Work


def run_window(arguments: Sequence[str] = ()) -> int:
    """Show the wizard until its window is closed. The first argument is a report to open."""
    application = make_application()
    case = CaseModel()
    work = Work(case)
    window = Window(case, work)
    window.show()
    if arguments:
        QTimer.singleShot(0, lambda: work.open(Path(arguments[0])))
    status = application.exec()
    work.shutdown()
    return status


# Gothic fonts of macOS, Windows and Linux, after the system's own font. Left to itself the system mixes weights, and
# takes Chinese shapes of the characters where no Japanese locale is set.
_JAPANESE_FONTS = ("Hiragino Sans", "Yu Gothic UI", "Meiryo UI", "Noto Sans CJK JP", "Noto Sans JP", "IPAexGothic")


def with_japanese(font: QFont) -> QFont:
    """The system's font, with Japanese characters from a Japanese font."""
    both = QFont(font)
    both.setFamilies(list(dict.fromkeys([*font.families(), *_JAPANESE_FONTS])))
    return both


def make_application() -> QApplication:
    """The one QApplication, set up."""
    application = QApplication(sys.argv[:1])
    dress(application)
    return application


def dress(application: QApplication) -> None:
    """Name, icon, font and style. Fusion follows the palette of every system, light and dark, in the same shape."""
    application.setApplicationName("naosu")
    application.setApplicationDisplayName("Naosu")
    application.setDesktopFileName("naosu")
    application.setStyle("Fusion")
    application.setFont(with_japanese(application.font()))
    application.setWindowIcon(QIcon(str(icons.FOLDER / "naosu.svg")))
