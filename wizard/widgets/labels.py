"""Labels, cards and rows: the small pieces of every page. No text from outside is ever taken for markup."""

from __future__ import annotations

import html

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

LABEL_LIMIT = 20_000  # characters of a text that are shown: to break the lines of megabytes takes minutes


def plain_label(name: str = "", text: str = "", *, selectable: bool = False) -> QLabel:
    """A label that wraps and never takes its text for markup; ``name`` chooses its look in the stylesheet."""
    label = QLabel(shortened(text))
    label.setObjectName(name)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    if selectable:
        label.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
    return label


def shortened(text: str) -> str:
    """The beginning of a text that is longer than anybody reads; a report that was sent may hold anything."""
    return text if len(text) <= LABEL_LIMIT else f"{text[:LABEL_LIMIT]} …"


def escaped_tip(text: str) -> str:
    """A tool tip is shown as rich text when it looks like it; a text from outside must not decide that."""
    return f"<span>{html.escape(text)}</span>"


def card() -> tuple[QFrame, QVBoxLayout]:
    """A framed box and its layout."""
    frame = QFrame()
    frame.setObjectName("card")
    layout = QVBoxLayout(frame)
    layout.setContentsMargins(16, 14, 16, 14)
    layout.setSpacing(8)
    return frame, layout


def row(*widgets: QWidget, stretch: bool = True) -> QHBoxLayout:
    """Widgets side by side, at the left."""
    layout = QHBoxLayout()
    layout.setSpacing(8)
    for widget in widgets:
        layout.addWidget(widget)
    if stretch:
        layout.addStretch(1)
    return layout
