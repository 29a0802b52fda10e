"""Choose one of the programs on this machine: those that run already, and those installed with their own runtime."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from wizard.report.content.fact_sheet import size
from wizard.report.content.programs.local import told
from wizard.widgets.labels import escaped_tip, filled, plain_label
from wizard.widgets.wrap_layout import WrapLayout

if TYPE_CHECKING:
    from checks.engine.watch.running import Running
    from checks.facts import LocalProgram
    from wizard.pages.page import Page

Program = TypeVar("Program")


class ProgramList(QWidget, Generic[Program]):
    """A table of programs, one of which is chosen; empty until ``ask``. ``key``: the prefix of its texts."""

    key: str
    columns: tuple[str, ...]
    widths: tuple[int, ...]  # logical pixels of the columns; the last one takes what is left
    lowest: int  # logical pixels of the table's height
    act: str  # the button's text

    def __init__(self, page: Page) -> None:
        super().__init__()
        self._page = page
        self._programs: tuple[Program, ...] = ()
        self._rows: list[QTreeWidgetItem] = []
        self._is_looking = False
        self._language = ""
        self.table = QTreeWidget()
        self.table.setRootIsDecorated(False)
        self.table.setUniformRowHeights(True)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.table.setMinimumHeight(self.lowest)
        self.table.setColumnCount(len(self.columns))
        for column, wide in enumerate(self.widths):
            self.table.setColumnWidth(column, wide)
        page.bind(self.table.setAccessibleName, f"{self.key}-title")
        means, self._state = plain_label("muted"), plain_label("small")
        page.bind(means.setText, f"{self.key}-means")
        self.choose = page.button(self.act, self._choose, f"{self.key}-means")
        self.again = page.button("running-again", self.ask)
        self.table.itemSelectionChanged.connect(self.refresh)
        # Later: Enter would press what has the focus then.
        self.table.itemActivated.connect(lambda *_: self._choose(), Qt.ConnectionType.QueuedConnection)
        layout = filled(QVBoxLayout(self), means, self.table, margins=(0, 0, 0, 0), spacing=6)
        filled(layout, self._state, WrapLayout(self.choose, self.again))

    def cells(self, program: Program) -> tuple[str, ...]:
        """One text for each column, in the present language."""
        raise NotImplementedError

    def list_programs(self, take: Callable[[tuple[Program, ...]], None]) -> None:
        """Have the programs looked for, and hand them to ``take``."""
        raise NotImplementedError

    def chosen(self, program: Program) -> None:
        """Do what the button promises."""
        raise NotImplementedError

    def ask(self) -> None:
        """Look which programs there are now."""
        if not self._is_looking:
            self._is_looking = True
            self.list_programs(self._take)
            self.refresh()

    def _take(self, programs: tuple[Program, ...]) -> None:
        self._is_looking, self._programs = False, programs
        self.table.clear()
        self._rows = [QTreeWidgetItem(self.table) for _ in programs]
        self._fill()
        if self._rows:
            self.table.setCurrentItem(self._rows[0])
        self.refresh()

    def _fill(self) -> None:
        self._language = self._page.case.language
        self.table.setHeaderLabels([self._page.case.say(f"{self.key}-column-{column}") for column in self.columns])
        for row, program in enumerate(self._programs):
            for column, text in enumerate(self.cells(program)):
                self._rows[row].setText(column, text)
                self._rows[row].setToolTip(column, escaped_tip(text))

    def refresh(self) -> None:
        """Show what can be chosen, in the present language."""
        say, busy = self._page.case.say, self._page.case.is_watching
        if self._language != self._page.case.language:
            self._fill()
        self.table.setVisible(bool(self._programs))
        self.choose.setEnabled(bool(self.table.selectedItems()) and not busy)
        self.again.setEnabled(not self._is_looking and not busy)
        self._state.setText(say(f"{self.key}-looking") if self._is_looking else say(f"{self.key}-none"))
        self._state.setVisible(self._is_looking or not self._programs)

    def _choose(self) -> None:
        chosen = self.table.selectedItems()
        if chosen and self.choose.isEnabled():
            self.chosen(self._programs[self.table.indexOfTopLevelItem(chosen[0])])


class RunningList(ProgramList["Running"]):
    """The AI programs that run now: one is looked at and left as it is."""

    key, act = "running", "running-look"
    columns, widths, lowest = ("program", "gpu", "memory", "command"), (150, 90, 90), 150

    def cells(self, program: Running) -> tuple[str, ...]:
        """Name and number, whether it has the GPU open, its memory, its command line."""
        gpu = {True: "running-on-gpu", False: "running-not-on-gpu", None: "running-gpu-unknown"}[program.on_gpu]
        name = program.known_as or program.name
        memory = size(program.memory, self._page.case.language)
        return f"{name} ({program.pid})", self._page.case.say(gpu), memory, _line(program.command)

    def list_programs(self, take: Callable[[tuple[Running, ...]], None]) -> None:
        """Those of this user."""
        self._page.work.list_running(take)

    def chosen(self, program: Running) -> None:
        """Look at it for a while."""
        self._page.work.look_at(program.pid)


class InstalledList(ProgramList["LocalProgram"]):
    """The AI programs that bring their own runtime: the last log of one is read, and nothing is started."""

    key, act = "installed", "installed-examine"
    columns, widths, lowest = ("program", "log", "place"), (120, 420), 120

    def cells(self, program: LocalProgram) -> tuple[str, ...]:
        """Name, what its log says, where it is."""
        return program.name, told(program, self._page.case.language), program.path or program.log

    def list_programs(self, take: Callable[[tuple[LocalProgram, ...]], None]) -> None:
        """Those that were found here."""
        self._page.work.list_installed(take)

    def chosen(self, program: LocalProgram) -> None:
        """Examine what it computes on."""
        self._page.work.examine_program(program.name)


def _line(command: tuple[str, ...]) -> str:
    """A command line on one line."""
    text = subprocess.list2cmdline(command) if sys.platform == "win32" else shlex.join(command)
    return " ".join(text.split())
