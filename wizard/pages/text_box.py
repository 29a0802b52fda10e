"""The box for pasted text: an error, a log, in a font of one width, without wrapping."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, QTimer, Signal
from PySide6.QtGui import QFontDatabase, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit

from wizard.desktop.dropped import dropped_files
from wizard.evidence_files import SHORT, unicode

_PIECE = 32_000  # characters that are put in at once: a megabyte would block the window


class TextBox(QPlainTextEdit):
    """A box for plain text. ``edited`` after each change of its text, ``pasted`` when a whole one came in at once.

    Of a long one that is pasted ``long_pasted`` tells; what matters of it comes back by :meth:`add`. ``files_pasted``
    with the paths of copied files.
    """

    edited = Signal()
    pasted = Signal()
    long_pasted = Signal(str)
    files_pasted = Signal(list)

    def __init__(self) -> None:
        super().__init__()
        self.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)  # wrapping megabytes would block the window
        self.setTabChangesFocus(True)
        self._coming = ""  # what is still to be put in
        self._tells = False  # whether its end is told as that of a paste
        self.textChanged.connect(self._changed)

    def _changed(self) -> None:
        if not self._coming:
            self.edited.emit()

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste plain text, or hand on files."""
        files = dropped_files(source)
        text = source.text() if source.hasText() else ""
        if files:  # of which the text would be their addresses
            self.files_pasted.emit(files)
        elif len(text) >= SHORT:
            self.long_pasted.emit(text)
        elif text:
            self.insertPlainText(unicode(text))
            self.pasted.emit()

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Text, but no dropped files: those belong to the window, or to the list below."""
        return source.hasText() and not source.hasUrls()

    def add(self, text: str) -> None:
        """Put in a long text that was pasted, in pieces, so that the window stays alive."""
        self._begin(text, tells=True)

    def show_text(self, text: str) -> None:
        """Show another text than before."""
        if len(text) < SHORT:
            self._coming = ""
            self.setPlainText(text)
        else:
            self._coming = text  # its pieces are no edits, nor is the end of the old one
            self.clear()
            self._begin(text, tells=False)

    def _begin(self, text: str, *, tells: bool) -> None:
        self._coming, self._tells = text, tells
        self.setReadOnly(True)
        self._put_in()

    def _put_in(self) -> None:
        piece, rest = self._coming[:_PIECE], self._coming[_PIECE:]
        if not self._coming:  # another text was shown meanwhile
            self.setReadOnly(False)
            return
        if not rest:
            self._coming = ""
            self.setReadOnly(False)
        self.insertPlainText(piece) if self._tells else self._append(piece)
        if rest:
            self._coming = rest
            QTimer.singleShot(0, self, self._put_in)
        elif self._tells:
            self.pasted.emit()

    def _append(self, piece: str) -> None:
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(piece)
