"""Tell a user who is busy elsewhere that something long is over."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QWidget

_SHOWN = 10_000  # milliseconds


def call(window: QWidget, text: str) -> None:
    """Have the window's entry in the task bar ask for attention, and show a message where the desktop has a place.

    Nothing happens while the user is at the window.
    """
    if window.isActiveWindow() and not window.isMinimized():
        return
    QApplication.alert(window)
    from PySide6.QtWidgets import QSystemTrayIcon  # not before the first window

    if not (QSystemTrayIcon.isSystemTrayAvailable() and QSystemTrayIcon.supportsMessages()):
        return
    sign = QSystemTrayIcon(QApplication.windowIcon(), window)

    def raise_window() -> None:
        window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
        window.raise_()
        window.activateWindow()

    sign.messageClicked.connect(raise_window)
    sign.activated.connect(raise_window)
    sign.show()
    sign.showMessage(QApplication.applicationDisplayName(), text, QApplication.windowIcon(), _SHOWN)
    QTimer.singleShot(_SHOWN, sign, sign.deleteLater)
