"""Labels, cards and rows: the small pieces of every page. No text from outside is ever taken for markup."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QFrame, QLabel, QLayout, QVBoxLayout, QWidget

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
    import html  # not before the first window

    return f"<span>{html.escape(text)}</span>"


def card() -> tuple[QFrame, QVBoxLayout]:
    """A framed box and its layout."""
    frame = QFrame()
    frame.setObjectName("card")
    return frame, filled(QVBoxLayout(frame), margins=(16, 14, 16, 14), spacing=8)


_Box = TypeVar("_Box", bound=QBoxLayout)
_Margins = tuple[int, int, int, int]  # left, top, right, bottom


def filled(
    layout: _Box,
    *parts: QWidget | QLayout,
    margins: tuple[int, int, int, int] | None = None,
    spacing: int | None = None,
) -> _Box:
    """The layout with these parts in it. ``margins`` (left, top, right, bottom) and ``spacing`` in logical pixels."""
    if margins is not None:
        layout.setContentsMargins(*margins)
    if spacing is not None:
        layout.setSpacing(spacing)
    for part in parts:
        if isinstance(part, QLayout):
            layout.addLayout(part)
        else:
            layout.addWidget(part)
    return layout


def emptied(layout: QLayout) -> None:
    """Take every widget out of the layout, at once and for good."""
    while (item := layout.takeAt(0)) is not None:
        widget = item.widget()
        if widget is not None:
            widget.hide()
            widget.deleteLater()
