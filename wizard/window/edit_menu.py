"""The menu with which texts are edited and what was done with cases is taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QMenu,
    QMenuBar,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)
from shiboken6 import isValid

if TYPE_CHECKING:
    from wizard.window.main_window import Window

_KEYS = {
    "undo": QKeySequence.StandardKey.Undo,
    "redo": QKeySequence.StandardKey.Redo,
    "cut": QKeySequence.StandardKey.Cut,
    "copy": QKeySequence.StandardKey.Copy,
    "paste": QKeySequence.StandardKey.Paste,
    "all": QKeySequence.StandardKey.SelectAll,
}
_TEXTS = (QLineEdit, QPlainTextEdit, QTextEdit)


class EditMenu(QMenu):
    """Acts on the text that had the keyboard; where none had, undo and redo act on the cases.

    A text takes these keys itself. All actions stay enabled while the menu is closed: a disabled one has no key.
    """

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        self._stack = window.work.cases.undo
        self._last: QWidget | None = None
        self.acts = {name: self._action(name) for name in _KEYS}
        acts = list(self.acts.values())
        self.addActions(acts[:2])
        self.addSeparator()
        self.addActions(acts[2:])
        self.addSeparator()
        self.aboutToShow.connect(self._show_state)
        self.aboutToHide.connect(self._enable_all)
        QApplication.instance().focusChanged.connect(self._focused)  # type: ignore[union-attr]

    def _action(self, name: str) -> QAction:
        action = QAction(self._window)
        action.setShortcuts(QKeySequence.keyBindings(_KEYS[name]))
        action.triggered.connect(lambda: self._act(name))
        return action

    def retranslate(self) -> None:
        """Its words in the present language."""
        say = self._window.case.say
        self.setTitle(say("menu-edit"))
        for name, action in self.acts.items():
            action.setText(say(f"menu-{name}"))

    # --- what it acts on

    def _focused(self, _: QWidget | None, now: QWidget | None) -> None:
        if isValid(self) and now is not None and not isinstance(now, (QMenu, QMenuBar)):
            self._last = now

    @property
    def _text(self) -> Any:
        """The text that has the keyboard, or had it before the menu took it."""
        widget = self._last
        if widget is None or not isValid(widget) or not widget.isVisible() or widget.window() is not self._window:
            return None
        if isinstance(widget, QComboBox):
            return widget.lineEdit()
        return widget if isinstance(widget, (*_TEXTS, QLabel, QAbstractItemView)) else None

    def _can(self, name: str) -> bool:
        text = self._text
        is_field = isinstance(text, _TEXTS) and not text.isReadOnly()
        match name:
            case "undo" | "redo":
                return self._changes_text(name) or getattr(self._stack, f"can{name.title()}")()
            case "copy":
                return text is not None and self._has_selection(text)
            case "cut":
                return is_field and self._has_selection(text)
            case "paste":
                return bool(QGuiApplication.clipboard().text()) and (is_field or self._window.takes_paste)
            case _:
                return isinstance(text, _TEXTS) or (isinstance(text, QAbstractItemView) and _takes_many(text))

    @staticmethod
    def _has_selection(text: Any) -> bool:
        if isinstance(text, (QPlainTextEdit, QTextEdit)):
            return text.textCursor().hasSelection()
        if isinstance(text, QAbstractItemView):
            return bool(text.currentIndex().data())
        return bool(text.hasSelectedText())

    def _changes_text(self, name: str) -> bool:
        text = self._text
        if isinstance(text, QLineEdit):
            return text.isUndoAvailable() if name == "undo" else text.isRedoAvailable()
        if isinstance(text, (QPlainTextEdit, QTextEdit)):
            document = text.document()
            return document.isUndoAvailable() if name == "undo" else document.isRedoAvailable()
        return False

    def _act(self, name: str) -> None:
        text = self._text
        if name in ("undo", "redo"):
            getattr(text if self._changes_text(name) else self._stack, name)()
        elif name == "paste" and (not isinstance(text, _TEXTS) or text.isReadOnly()):
            self._window.paste()
        elif name == "copy" and isinstance(text, QLabel):
            QGuiApplication.clipboard().setText(text.selectedText())
        elif isinstance(text, QAbstractItemView):
            self._act_on_rows(text, name)
        elif isinstance(text, _TEXTS):
            getattr(text, "selectAll" if name == "all" else name)()

    @staticmethod
    def _act_on_rows(view: QAbstractItemView, name: str) -> None:
        """What Qt does in a table or list on these keys, which the menu takes from it."""
        if name == "copy" and (text := view.currentIndex().data()):
            QGuiApplication.clipboard().setText(str(text))
        elif name == "all" and _takes_many(view):
            view.selectAll()

    def _show_state(self) -> None:
        say = self._window.case.say
        for name, action in self.acts.items():
            action.setEnabled(self._can(name))
            if name in ("undo", "redo"):
                key = "" if self._changes_text(name) else getattr(self._stack, f"{name}Text")()
                what = say(key) if key else ""
                action.setText(say(f"menu-{name}-what", what=what) if what else say(f"menu-{name}"))

    def _enable_all(self) -> None:
        for action in self.acts.values():
            action.setEnabled(True)


def _takes_many(view: QAbstractItemView) -> bool:
    modes = QAbstractItemView.SelectionMode
    return view.selectionMode() not in (modes.NoSelection, modes.SingleSelection)
