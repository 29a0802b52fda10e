"""A frame that takes dropped files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QFrame, QWidget

from wizard.desktop.dropped import dropped_files


class DropZone(QFrame):
    """A frame that takes dropped files."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("drop")
        self.setAcceptDrops(True)
        self.on_files: Callable[[list[Path]], None] = lambda _: None

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Light up when files are above."""
        if dropped_files(event.mimeData()):
            event.acceptProposedAction()
            self._light("true")

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """Go dark again."""
        super().dragLeaveEvent(event)
        self._light("false")

    def dropEvent(self, event: QDropEvent) -> None:
        """Take the files."""
        self._light("false")
        event.acceptProposedAction()
        self.on_files(dropped_files(event.mimeData()))

    def _light(self, over: str) -> None:
        self.setProperty("over", over)
        self.style().unpolish(self)
        self.style().polish(self)
