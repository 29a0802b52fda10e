"""The box for pasted text: an error, a log, in a font of one width, without wrapping."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, Signal
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QPlainTextEdit

from wizard.evidence_files import kept


class TextBox(QPlainTextEdit):
    """A box for pasted text that takes plain text only, and of a very long one what matters."""

    pasted = Signal()  # a whole text came in at once

    def __init__(self) -> None:
        super().__init__()
        self.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)  # wrapping megabytes would block the window
        self.setTabChangesFocus(True)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste, cut before it enters the document: a hundred megabytes would block the window."""
        if source.hasText():
            self.insertPlainText(kept(source.text()))
            self.pasted.emit()

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Text, but no dropped files: those belong to the window, or to the list below."""
        return source.hasText() and not source.hasUrls()
