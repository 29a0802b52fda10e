"""A row of buttons that goes on in the next line where the window is narrow."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget

GAP = 8  # logical pixels between two widgets, across and down


class WrapLayout(QLayout):
    """Widgets from left to right at their own size, in as many lines as they need."""

    def __init__(self, *widgets: QWidget) -> None:
        super().__init__()
        self._items: list[QLayoutItem] = []
        for widget in widgets:
            self.addWidget(widget)

    def addItem(self, item: QLayoutItem) -> None:
        """Add at the end."""
        self._items.append(item)

    def count(self) -> int:
        """How many items there are."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """One item; None beyond the last."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Remove one item and give it away; None beyond the last."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """It takes no more room than it needs."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """A narrow row is a high one."""
        return True

    def heightForWidth(self, width: int) -> int:
        """The height of all lines at this width."""
        return self._arrange(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:
        """Put the widgets into their places."""
        super().setGeometry(rect)
        self._arrange(rect, move=True)

    def sizeHint(self) -> QSize:
        """All widgets in one line."""
        sizes = [item.sizeHint() for item in self._items if not item.isEmpty()]
        width = sum(size.width() for size in sizes) + GAP * max(0, len(sizes) - 1)
        return QSize(width, max((size.height() for size in sizes), default=0))

    def minimumSize(self) -> QSize:
        """The widest of the widgets."""
        smallest = QSize()
        for item in self._items:
            smallest = smallest.expandedTo(item.minimumSize())
        return smallest

    def _arrange(self, rect: QRect, *, move: bool) -> int:
        shown = [item for item in self._items if not item.isEmpty()]  # without the hidden ones
        line = max((item.sizeHint().height() for item in shown), default=0)
        x, y = rect.x(), rect.y()
        for item in shown:
            size = item.sizeHint()
            if x > rect.x() and x + size.width() > rect.right() + 1:
                x, y = rect.x(), y + line + GAP
            if move:
                item.setGeometry(QRect(QPoint(x, y + (line - size.height()) // 2), size))
            x += size.width() + GAP
        return y + line - rect.y()
