"""Choose a program that runs already, to be looked at and left as it is."""

from __future__ import annotations

import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from wizard.report.content.fact_sheet import size
from wizard.widgets.labels import escaped_tip, filled, plain_label
from wizard.widgets.wrap_layout import WrapLayout

if TYPE_CHECKING:
    from checks.engine.watch.running import Running
    from wizard.pages.page import Page

_COLUMNS = ("running-column-program", "running-column-gpu", "running-column-memory", "running-column-command")
_WIDTHS = (150, 90, 90)  # logical pixels of the columns; the last one takes what is left
_HEIGHT = 150


class RunningList(QWidget):
    """The AI programs that run now; empty until they are asked for."""

    def __init__(self, page: Page) -> None:
        super().__init__()
        self._page = page
        self._programs: tuple[Running, ...] = ()
        self._is_looking = False
        self.table = QTreeWidget()
        self.table.setRootIsDecorated(False)
        self.table.setUniformRowHeights(True)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.table.setMinimumHeight(_HEIGHT)
        self.table.setColumnCount(len(_COLUMNS))
        for column, wide in enumerate(_WIDTHS):
            self.table.setColumnWidth(column, wide)
        page.bind(self.table.setAccessibleName, "running-title")
        self._means, self._state = plain_label("muted"), plain_label("small")
        page.bind(self._means.setText, "running-means")
        self.look = page.button("running-look", self._choose, "running-means")
        self._again = page.button("running-again", self.ask)
        self.table.itemSelectionChanged.connect(self.refresh)
        # Later: Enter would press what has the focus then.
        self.table.itemActivated.connect(lambda *_: self._choose(), Qt.ConnectionType.QueuedConnection)
        layout = filled(QVBoxLayout(self), self._means, self.table, margins=(0, 0, 0, 0), spacing=6)
        filled(layout, self._state, WrapLayout(self.look, self._again))

    def ask(self) -> None:
        """Look which programs run now."""
        if not self._is_looking:
            self._is_looking = True
            self._page.work.list_running(self._take)
            self.refresh()

    def _take(self, programs: tuple[Running, ...]) -> None:
        self._is_looking, self._programs = False, programs
        self.table.clear()
        language = self._page.case.language
        for program in programs:
            command = _line(program.command)
            gpu = {True: "running-on-gpu", False: "running-not-on-gpu", None: "running-gpu-unknown"}[program.on_gpu]
            name = program.known_as or program.name
            cells = [f"{name} ({program.pid})", self._page.case.say(gpu), size(program.memory, language), command]
            item = QTreeWidgetItem(self.table, cells)
            item.setData(0, Qt.ItemDataRole.UserRole, program.pid)
            item.setToolTip(len(cells) - 1, escaped_tip(command))
        first = self.table.topLevelItem(0)
        if first is not None:
            self.table.setCurrentItem(first)
        self.refresh()

    def refresh(self) -> None:
        """Show what can be chosen, in the present language."""
        say, busy = self._page.case.say, self._page.case.is_watching
        self.table.setHeaderLabels([say(key) for key in _COLUMNS])
        self.table.setVisible(bool(self._programs))
        self.look.setEnabled(bool(self.table.selectedItems()) and not busy)
        self._again.setEnabled(not self._is_looking and not busy)
        self._state.setText(say("running-looking") if self._is_looking else say("running-none"))
        self._state.setVisible(self._is_looking or not self._programs)

    def _choose(self) -> None:
        chosen = self.table.selectedItems()
        if chosen and self.look.isEnabled():
            self._page.work.look_at(chosen[0].data(0, Qt.ItemDataRole.UserRole))


def _line(command: tuple[str, ...]) -> str:
    """A command line on one line."""
    text = subprocess.list2cmdline(command) if sys.platform == "win32" else shlex.join(command)
    return " ".join(text.split())
