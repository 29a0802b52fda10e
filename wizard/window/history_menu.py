"""The menu of the remembered examinations: the switch, "forget all", and "delete all cases"."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from wizard.case_model import CaseModel, Notice

if TYPE_CHECKING:  # loaded when the menu is opened, not before the first window
    from checks.history.store import Store
    from wizard.jobs.cases import CaseJobs


class HistoryMenu(QMenu):
    """What is in it is read each time it opens: the command line has the same switch."""

    def __init__(self, case: CaseModel, cases: CaseJobs, parent: QWidget) -> None:
        super().__init__(parent)
        self._case, self._cases = case, cases
        self.keep_action = QAction(self)
        self.keep_action.setCheckable(True)
        self.keep_action.triggered.connect(self._switch)
        self.forget_action = QAction(self)
        self.forget_action.triggered.connect(self._ask)
        self.addAction(self.keep_action)
        self.delete_action = QAction(self)
        self.delete_action.triggered.connect(self._ask_to_delete)
        self.addAction(self.forget_action)
        self.addAction(self.delete_action)
        self.aboutToShow.connect(self.read)

    def retranslate(self) -> None:
        """Its words in the present language."""
        self.setTitle(self._case.say("menu-history"))
        self.keep_action.setText(self._case.say("menu-history-keep"))
        self.forget_action.setText(self._case.say("menu-history-forget"))
        self.delete_action.setText(self._case.say("menu-cases-delete"))

    def read(self) -> None:
        """Show what holds now."""
        store = _store()
        self.keep_action.setEnabled(store is not None)
        self.keep_action.setChecked(store is not None and store.is_on)
        self.forget_action.setEnabled(store is not None and bool(store.numbers()))
        self.delete_action.setEnabled(bool(self._cases_saved()))

    def _cases_saved(self) -> int:
        """How many cases there are, also where none is saved any more."""
        if self._case.keeps_cases:
            return len(self._case.headings)
        from checks.history.cases import Cases, place_of_cases

        folder = place_of_cases()
        return len(Cases(folder).headings()) if folder is not None else 0

    def _switch(self, on: bool) -> None:
        store = _store()
        if store is not None:
            self._done(lambda: store.switch(on=on), lambda _: Notice(f"history-{'on' if on else 'off'}", {}, False))
            self._cases.list()
        self.read()

    def _ask(self) -> None:
        store = _store()
        if store is None:
            return
        self._question("history-forget", len(store.numbers()), self.forget)

    def _ask_to_delete(self) -> None:
        self._question("cases-delete-all", self._cases_saved(), self._cases.delete_all)

    def _question(self, key: str, count: int, act: Callable[[], object]) -> None:
        from PySide6.QtWidgets import QMessageBox  # not before the first window

        say = self._case.say
        question = say(key, count=count)
        box = QMessageBox(QMessageBox.Icon.Question, say(f"{key}-title"), question, parent=self.parentWidget())
        box.setDefaultButton(box.addButton(say(f"{key}-no"), QMessageBox.ButtonRole.RejectRole))
        box.addButton(say(f"{key}-yes"), QMessageBox.ButtonRole.DestructiveRole).clicked.connect(act)
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
            self._case.tell(Notice("history-trouble", {"detail": error.strerror or error}))
        else:
            self._case.tell(notice(done))


def _store() -> Store | None:
    from checks.history.store import Store, default_folder

    folder = default_folder()
    return None if folder is None else Store(folder)
