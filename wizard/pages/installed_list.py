"""Choose an AI program that is installed and brings its own runtime: its last log is read, and nothing is started."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from wizard.report.content.local_programs import told
from wizard.widgets.labels import escaped_tip, filled, plain_label
from wizard.widgets.wrap_layout import WrapLayout

if TYPE_CHECKING:
    from checks.facts import LocalProgram
    from wizard.pages.page import Page

_COLUMNS = ("installed-column-program", "installed-column-log", "installed-column-place")
_WIDTHS = (120, 420)  # logical pixels of the columns; the last one takes what is left
_HEIGHT = 120


class InstalledList(QWidget):
    """The programs that were found here; empty until they are asked for."""

    def __init__(self, page: Page) -> None:
        super().__init__()
        self._page = page
        self._programs: tuple[LocalProgram, ...] = ()
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
        page.bind(self.table.setAccessibleName, "installed-title")
        means, self._state = plain_label("muted"), plain_label("small")
        page.bind(means.setText, "installed-means")
        self.examine = page.button("installed-examine", self._choose, "installed-means")
        self._again = page.button("running-again", self.ask)
        self.table.itemSelectionChanged.connect(self.refresh)
        # Later: Enter would press what has the focus then.
        self.table.itemActivated.connect(lambda *_: self._choose(), Qt.ConnectionType.QueuedConnection)
        layout = filled(QVBoxLayout(self), means, self.table, margins=(0, 0, 0, 0), spacing=6)
        filled(layout, self._state, WrapLayout(self.examine, self._again))

    def ask(self) -> None:
        """Look which programs are there."""
        if not self._is_looking:
            self._is_looking = True
            self._page.work.list_installed(self._take)
            self.refresh()

    def _take(self, programs: tuple[LocalProgram, ...]) -> None:
        self._is_looking, self._programs = False, programs
        self.table.clear()
        for program in programs:
            cells = [program.name, told(program, self._page.case.language), program.path or program.log]
            item = QTreeWidgetItem(self.table, cells)
            item.setData(0, Qt.ItemDataRole.UserRole, program.name)
            for column in (1, 2):
                item.setToolTip(column, escaped_tip(cells[column]))
        first = self.table.topLevelItem(0)
        if first is not None:
            self.table.setCurrentItem(first)
        self.refresh()

    def refresh(self) -> None:
        """Show what can be chosen, in the present language."""
        say, busy = self._page.case.say, self._page.case.is_watching
        self.table.setHeaderLabels([say(key) for key in _COLUMNS])
        self.table.setVisible(bool(self._programs))
        self.examine.setEnabled(bool(self.table.selectedItems()) and not busy)
        self._again.setEnabled(not self._is_looking and not busy)
        self._state.setText(say("installed-looking") if self._is_looking else say("installed-none"))
        self._state.setVisible(self._is_looking or not self._programs)

    def _choose(self) -> None:
        chosen = self.table.selectedItems()
        if chosen and self.examine.isEnabled():
            self._page.work.examine_program(chosen[0].data(0, Qt.ItemDataRole.UserRole))
