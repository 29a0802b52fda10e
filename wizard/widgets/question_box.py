"""A question before something is lost: who presses Enter without reading loses nothing."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget


def ask_before(
    parent: QWidget, say: Callable[[str], str], title: str, text: str, words: tuple[str, str], act: Callable[[], object]
) -> None:
    """Ask, and do it on a word. ``title``, ``text`` and ``words`` (leave it, do it) are keys for ``say``."""
    from PySide6.QtWidgets import QMessageBox  # not before the first window

    leave, do = words
    box = QMessageBox(QMessageBox.Icon.Question, say(title), say(text), parent=parent)
    box.setDefaultButton(box.addButton(say(leave), QMessageBox.ButtonRole.RejectRole))
    box.addButton(say(do), QMessageBox.ButtonRole.DestructiveRole).clicked.connect(act)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.open()
