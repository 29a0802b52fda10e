"""Find words on the page that is shown: in its sentences, texts and facts, also in what is still folded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent, QTextDocument
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItemIterator,
    QWidget,
)
from shiboken6 import isValid

from wizard.widgets.fold import Fold
from wizard.widgets.labels import filled

if TYPE_CHECKING:
    from wizard.window.main_window import Window


class FindBar(QFrame):
    """Shown by Ctrl+F; Enter goes to the next place, Escape closes it."""

    def __init__(self, window: Window) -> None:
        super().__init__()
        self._window = window
        self.setObjectName("notice")
        self.field = QLineEdit()
        self.next, self.close_button = QPushButton(), QPushButton()
        self.close_button.setObjectName("flat")
        self._none = QLabel()
        line = filled(QHBoxLayout(self), self.field, self.next, self._none, margins=(14, 6, 8, 6), spacing=8)
        line.addStretch(1)
        line.addWidget(self.close_button)
        self.field.setMinimumWidth(160)
        self.field.textChanged.connect(self._begin)
        self.next.clicked.connect(self.go_on)
        self.close_button.clicked.connect(self.leave)
        self._places: Iterator[QWidget] = iter(())
        self._page: QWidget | None = None
        self._marked: QWidget | None = None
        self.hide()

    def open(self) -> None:
        """Show it, with the keyboard in it."""
        self.show()
        self.field.setFocus()
        self.field.selectAll()
        self._begin()

    def leave(self) -> None:
        """Hide it; the keyboard goes back to the page."""
        self._mark(None)
        self.hide()
        focus = self._window.page(self._window.step).first_focus()
        if focus is not None:
            focus.setFocus()

    def event(self, event: QEvent) -> bool:
        """Escape closes the bar before it would cancel what runs."""
        is_asked = event.type() is QEvent.Type.ShortcutOverride  # whether a key is a shortcut's
        if is_asked and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter and Escape."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.leave() if self.close_button.hasFocus() else self.go_on()
        elif event.key() == Qt.Key.Key_Escape:
            self.leave()
        else:
            super().keyPressEvent(event)

    def retranslate(self) -> None:
        """Its words in the present language."""
        say = self._window.case.say
        self.field.setPlaceholderText(say("find-field"))
        self.field.setAccessibleName(say("find-field"))
        self.next.setText(say("find-next"))
        self.close_button.setText(say("notice-close"))
        self._none.setText(say("find-none"))

    def _begin(self) -> None:
        self._places = self._found(self.field.text())
        self._none.hide()

    def go_on(self) -> None:
        """Show the next place; behind the last one the first again."""
        if not self.field.text():
            return
        if self._page is not self._window.page(self._window.step):
            self._begin()
        place = next(self._places, None)
        if place is None:  # once around
            self._begin()
            place = next(self._places, None)
        self._none.setVisible(place is None)
        if place is not None:
            self._mark(place)
            self._window.page(self._window.step).scroller.ensureWidgetVisible(place, 40, 80)

    def _mark(self, place: QWidget | None) -> None:
        """Select what was found, and nothing of the place before."""
        if isinstance(self._marked, QLabel) and isValid(self._marked):
            self._marked.setSelection(-1, 0)
        self._marked = place
        if isinstance(place, QLabel) and place.textInteractionFlags() & Qt.TextInteractionFlag.TextSelectableByMouse:
            at = place.text().casefold().find(self.field.text().casefold())
            if at >= 0:
                place.setSelection(at, len(self.field.text()))

    def _found(self, sought: str) -> Iterator[QWidget]:
        """The places in the order of reading. A fold that has one is opened, the others stay as they were."""
        page = self._page = self._window.page(self._window.step)
        if not sought:
            return
        yield from self._within(page, sought)
        for fold in page.findChildren(Fold):
            if isValid(fold) and not fold.header.isChecked():  # the page may have been filled anew meanwhile
                fold.unfold()
                inside = list(self._within(fold, sought))
                if not inside:
                    fold.unfold(False)
                yield from inside

    @staticmethod
    def _within(widget: QWidget, sought: str) -> Iterator[QWidget]:
        plain = sought.casefold()
        for child in widget.findChildren(QWidget):  # of a page that is filled anew meanwhile they go
            if not isValid(child) or not child.isVisibleTo(widget):
                continue
            if isinstance(child, QLabel) and plain in child.text().casefold():
                yield child
            elif isinstance(child, QPlainTextEdit) and child.find(sought, QTextDocument.FindFlag(0)):
                child.ensureCursorVisible()
                yield child
            elif isinstance(child, QTreeWidget) and _select(child, plain):
                yield child


def _select(tree: QTreeWidget, plain: str) -> bool:
    """Select the first row that has it."""
    rows = QTreeWidgetItemIterator(tree)
    while (item := rows.value()) is not None:
        if any(plain in item.text(column).casefold() for column in range(tree.columnCount())):
            tree.setCurrentItem(item)
            tree.scrollToItem(item)
            return True
        rows += 1
    return False
