"""A text that was sent, as it came, with the lines that prove something marked."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QColor, QFontDatabase, QTextCursor, QTextFormat
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QVBoxLayout

# What QTextDocument takes for the end of a paragraph beside "\n" (QChar::ParagraphSeparator and frame marks): it would
# move the numbers of the lines.
_BREAKS_OF_QT = dict.fromkeys((0x2029, 0xFDD0, 0xFDD1), "\ufffd")

_FEWEST, _MOST = 3, 14  # lines that are seen at once
_PADDING = 4  # pixels, as in the stylesheet (wizard/desktop/theme.py)


def fill_text(layout: QVBoxLayout, text: str, name: str, lines: Sequence[int], mark: QColor) -> None:
    """Show a text; ``lines``: the numbers of the lines to mark in the colour ``mark``, counted from 1.

    It may have megabytes, so its lines are not broken and it scrolls for itself, to the first mark. A short one is
    shown whole.
    """
    box = QPlainTextEdit(text.translate(_BREAKS_OF_QT))
    box.setAccessibleName(name)
    box.setReadOnly(True)
    box.setTabChangesFocus(True)
    box.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
    box.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
    box.setFixedHeight(_height(box))
    box.setExtraSelections([_marked(box, line, mark) for line in lines if line <= box.blockCount()])
    if lines:
        box.setTextCursor(_start_of(box, lines[0]))
        box.centerCursor()
    layout.addWidget(box)


def _height(box: QPlainTextEdit) -> int:
    """As high as its lines are many, within limits, with room for the bar that scrolls long ones."""
    lines = min(max(box.blockCount(), _FEWEST), _MOST) * box.fontMetrics().lineSpacing()
    around = 2 * (box.frameWidth() + round(box.document().documentMargin()) + _PADDING)
    return lines + around + box.horizontalScrollBar().sizeHint().height()


def _marked(box: QPlainTextEdit, line: int, mark: QColor) -> QTextEdit.ExtraSelection:
    selection = QTextEdit.ExtraSelection()
    selection.format.setBackground(mark)
    selection.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
    selection.cursor = _start_of(box, line)
    return selection


def _start_of(box: QPlainTextEdit, line: int) -> QTextCursor:
    return QTextCursor(box.document().findBlockByNumber(line - 1))
