"""A button that shows and hides what belongs to it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton


class Disclosure(QPushButton):
    """It stays down while all is shown. To a screen reader it says so in words.

    It is not checkable in Qt's sense: Qt calls such a button a check box, which nothing is chosen with here.
    ``title``: its name, where it has no text. ``say`` fills the words of window.toml.
    """

    toggled = Signal(bool)

    def __init__(self, say: Callable[..., str], title: str = "") -> None:
        super().__init__()
        self._say = say
        self._title = title
        self._is_open = False
        self.clicked.connect(lambda: self.setChecked(not self._is_open))
        self._tell()

    def setText(self, text: str) -> None:
        """As Qt does it."""
        super().setText(text)
        self._title = text.replace("&", "")
        self._tell()

    def isChecked(self) -> bool:
        """Whether all is shown."""
        return self._is_open

    def setChecked(self, is_open: bool) -> None:
        """Show or hide it."""
        if is_open != self._is_open:
            self._is_open = is_open
            self._tell()
            self.toggled.emit(is_open)

    def _tell(self) -> None:
        self.setAccessibleName(self._say("expanded" if self._is_open else "collapsed", name=self._title))
