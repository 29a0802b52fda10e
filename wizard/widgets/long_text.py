"""Text that must never widen the page: commands, paths and whatever else has no place to break a line at."""

from __future__ import annotations

import math
import re

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QFocusEvent, QResizeEvent, QTextOption, QWheelEvent
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QSizePolicy, QWidget

from wizard.widgets.labels import plain_label, shortened

_UNBREAKABLE = re.compile(r"[^\s/\-\u3000-\u9fff\uff00-\uffef]{36,}")  # Qt breaks at spaces, "/", "-" and in Japanese


class LongText(QPlainTextEdit):
    """Read-only plain text that breaks its lines anywhere if it must, as high as its text, and copied as it is."""

    def __init__(self, text: str, look: str, name: str) -> None:
        super().__init__(text)
        self.setObjectName(look)
        self.setAccessibleName(name)
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # the button beside it is what the keyboard goes to
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(0)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def minimumSizeHint(self) -> QSize:
        """It can become narrow."""
        return QSize(80, 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """As high as the lines are many."""
        super().resizeEvent(event)
        self._fit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """All of the text is shown, so the wheel is meant for the page."""
        event.ignore()

    def changeEvent(self, event: QEvent) -> None:
        """Another font has other lines."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Nothing stays selected that is no longer worked with."""
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:  # its own menu, which copies
            cursor = self.textCursor()
            cursor.clearSelection()
            self.setTextCursor(cursor)

    def _fit(self) -> None:
        # A line with characters of another font, as Japanese ones in code, is higher than the others.
        block, high = self.document().firstBlock(), 0.0
        while block.isValid():
            high += self.blockBoundingRect(block).height()
            block = block.next()
        around = self.height() - self.viewport().height()
        self.setFixedHeight(math.ceil(high) + 1 + max(around, 0))  # at the pixel, the last line counts as hidden


def value_text(text: str, look: str = "") -> QWidget:
    """A value to read and to select: a label, or what can break its lines anywhere where that is needed."""
    if _UNBREAKABLE.search(text):
        return LongText(shortened(text), look or "value", shortened(text))
    return plain_label(look, text, selectable=True)
