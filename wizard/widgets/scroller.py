"""The area in which a page scrolls: its bar keeps its place, and screen readers may ask for any of its parts."""

from __future__ import annotations

import functools

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface, QPaintEvent
from PySide6.QtWidgets import QAccessibleWidget, QScrollArea, QScrollBar


class Scroller(QScrollArea):
    """Scrolls one widget, which has its whole width. Nothing in it moves sideways when there is more to show."""

    def __init__(self) -> None:
        super().__init__()
        _make_askable()
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setVerticalScrollBar(_QuietBar(self))
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)


class _QuietBar(QScrollBar):
    """Draws nothing while all is shown."""

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw it where it is of use."""
        if self.maximum() > self.minimum():
            super().paintEvent(event)


@functools.cache
def _make_askable() -> None:
    """Answer for scrollers in Qt's place.

    Screen readers ask for the parts of an area by number. Qt's own answer for scroll areas (6.11) reads behind the end
    of a list where a part has gone meanwhile, as whenever another page is shown, and that ends the whole program
    (seen 2026-11-23 in a session with AT-SPI). For any other widget it looks first.
    """

    def answering(name: str, thing: QObject) -> QAccessibleInterface | None:
        return QAccessibleWidget(thing) if name == Scroller.__name__ and isinstance(thing, Scroller) else None

    QAccessible.installFactory(answering)
