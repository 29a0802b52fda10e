"""The menu of the remembered examinations: the switch, and "forget all"."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QMessageBox, QWidget

from wizard.case_model import CaseModel, Notice

if TYPE_CHECKING:  # loaded when the menu is opened, not before the first window
    from checks.history.store import Store


class HistoryMenu(QMenu):
    """What is in it is read each time it opens: the command line has the same switch."""

    def __init__(self, case: CaseModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._case = case
        self.keep_action = QAction(self)
        self.keep_action.setCheckable(True)
        self.keep_action.triggered.connect(self._switch)
        self.forget_action = QAction(self)
        self.forget_action.triggered.connect(self._ask)
        self.addAction(self.keep_action)
        self.addAction(self.forget_action)
        self.aboutToShow.connect(self.read)

    def retranslate(self) -> None:
        """Its words in the present language."""
        self.setTitle(self._case.say("menu-history"))
        self.keep_action.setText(self._case.say("menu-history-keep"))
        self.forget_action.setText(self._case.say("menu-history-forget"))

    def read(self) -> None:
        """Show what holds now."""
        store = _store()
        self.keep_action.setEnabled(store is not None)
        self.keep_action.setChecked(store is not None and store.is_on)
        self.forget_action.setEnabled(store is not None and bool(store.numbers()))

    def _switch(self, on: bool) -> None:
        store = _store()
        if store is not None:
            self._done(lambda: store.switch(on=on), lambda _: Notice(f"history-{'on' if on else 'off'}", {}, False))
        self.read()

    def _ask(self) -> None:
        store = _store()
        if store is None:
            return
        count = len(store.numbers())
        title, question = self._case.say("history-forget-title"), self._case.say("history-forget", count=count)
        box = QMessageBox(QMessageBox.Icon.Question, title, question, parent=self.parentWidget())
        keep = box.addButton(self._case.say("history-forget-no"), QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(keep)
        box.addButton(self._case.say("history-forget-yes"), QMessageBox.ButtonRole.DestructiveRole).clicked.connect(
            self.forget
        )
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.open()

    def forget(self) -> None:
        """Forget all of them."""
        store = _store()
        if store is not None:
            self._done(store.forget_all, lambda count: Notice("history-forgotten", {"count": count}, False))

    def _done(self, act: Callable[[], object], notice: Callable[[object], Notice]) -> None:
        try:
            done = act()
        except OSError as error:
            self._case.set_notice(Notice("history-trouble", {"detail": error.strerror or error}))
        else:
            self._case.set_notice(notice(done))


def _store() -> Store | None:
    from checks.history.store import Store, default_folder

    folder = default_folder()
    return None if folder is None else Store(folder)
