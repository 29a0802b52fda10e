"""The application around the window: style, Qt's own translations, the icon, the start."""

from __future__ import annotations

import signal
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QSocketNotifier, QTimer
from PySide6.QtGui import QFont, QFontDatabase, QIcon
from PySide6.QtWidgets import QApplication

from checks.sharing.files import remove_left_parts
from wizard.case_model import CaseModel, Notice
from wizard.desktop import garbage, icons, settings, theme
from wizard.desktop.folders import EXPORT, last_folder
from wizard.jobs.background import Work
from wizard.stop_signals import asked_to_end
from wizard.window.half_done import offer_undo
from wizard.window.main_window import Window
from wizard.window.menus import LANGUAGE_NAMES

_LATER = 500  # milliseconds after which nobody still waits for the first window
_PAINTED = 100  # milliseconds after which the first window was painted: until then nothing takes the time for that
# Seconds until another thread leaves the interpreter to one that waits. Building a page, Qt calls dozens of methods in
# Python; with the 5 ms of Python each of them may wait so long for what judges beside it. First answer, on two cores
# that had five times too much to do, 2026-11-24: longest pause 190 to 230 ms with 5 ms, 90 to 105 with this.
_SWITCH = 0.0005


def run_window(arguments: Sequence[str] = (), language: str | None = None) -> int:
    """Show the wizard until its window is closed. The first argument is a report to open.

    ``language``: "en" or "ja"; None = the system's.
    """
    application = make_application()
    theme.choose(settings.theme())
    case = CaseModel(language or settings.language(tuple(LANGUAGE_NAMES)))
    work = Work(case)
    window = Window(case, work)
    window.restore()
    window.show()
    QTimer.singleShot(_PAINTED, work.cases.list)
    if not arguments:  # the offer is made once, and would go when the report is shown
        QTimer.singleShot(_PAINTED, window.offer_to_go_on)
    QTimer.singleShot(_LATER, window.prepare)
    QTimer.singleShot(_PAINTED, lambda: garbage.collect_here(application))
    QTimer.singleShot(_PAINTED, lambda: remove_left_parts(Path(last_folder(EXPORT))))
    QTimer.singleShot(_PAINTED, lambda: work.mending.find_half_done(lambda *left: offer_undo(window, *left)))
    if arguments:
        QTimer.singleShot(0, lambda: work.open(Path(arguments[0])))
    with closing_on_signals(window.close), telling_faults(case):
        status = application.exec()
    work.shutdown()
    return status


@contextmanager
def telling_faults(case: CaseModel) -> Iterator[None]:
    """Show our own faults in the window: nobody looks at the terminal, if there is one."""
    before = sys.excepthook
    telling = False

    def tell(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        nonlocal telling
        before(kind, error, trace)
        if telling:  # to tell it may fail for the same reason
            return
        telling = True
        try:
            case.set_notice(Notice("error-ours", {"error": f"{kind.__name__}: {error}"}))
        finally:
            telling = False

    sys.excepthook = tell
    try:
        yield
    finally:
        sys.excepthook = before


@contextmanager
def closing_on_signals(close: Callable[[], object]) -> Iterator[None]:
    """Close on Ctrl+C in the terminal, when that is closed, and on a polite kill, so that no probe is left behind.

    Python handles a signal only while it runs; the event loop is woken for that through a socket.
    """
    waking, woken = socket.socketpair()
    waking.setblocking(False)
    notifier = QSocketNotifier(woken.fileno(), QSocketNotifier.Type.Read)
    notifier.activated.connect(lambda: woken.recv(64))
    before_fd = signal.set_wakeup_fd(waking.fileno(), warn_on_full_buffer=False)
    try:
        with asked_to_end(close):
            yield
    finally:
        signal.set_wakeup_fd(before_fd)
        notifier.setEnabled(False)
        waking.close()
        woken.close()


# Gothic fonts of macOS, Windows and Linux, after the system's own font. Left to itself the system mixes weights, and
# takes Chinese shapes of the characters where no Japanese locale is set.
_JAPANESE_FONTS = (
    "Hiragino Sans",
    "Yu Gothic UI",
    "Meiryo UI",
    "BIZ UDPGothic",
    "Noto Sans CJK JP",
    "Noto Sans JP",
    "IPAexGothic",
)
# The first font sets the distance of the lines. Where a Linux system names none ("Sans Serif"), it may be a Japanese
# font, some of which leave no space between the lines at all.
_LATIN_FONTS = ("Noto Sans", "Ubuntu", "Cantarell", "DejaVu Sans", "Liberation Sans")


def with_japanese(font: QFont) -> QFont:
    """The system's font, with Japanese characters from a Japanese font."""
    first = font.families()
    if font.family().lower() in {"", "sans", "sans serif", "sans-serif"}:
        first = [name for name in _LATIN_FONTS if QFontDatabase.hasFamily(name)][:1] or first
    both = QFont(font)
    both.setFamilies(list(dict.fromkeys([*first, *_JAPANESE_FONTS])))
    return both


def make_application() -> QApplication:
    """The one QApplication, set up."""
    sys.setswitchinterval(_SWITCH)
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
