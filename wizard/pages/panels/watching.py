"""Let Naosu start the user's own program and watch it: the command, the folder, its output as it comes."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QFontDatabase, QTextCursor
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from wizard.desktop.folders import last_folder, remember
from wizard.evidence_files import Kind
from wizard.flow import WATCH_SECONDS, WATCHABLE
from wizard.jobs.program import LiveOutput, Program
from wizard.pages.panels.program_list import InstalledList, ProgramList, RunningList
from wizard.widgets.drop_zone import DropZone
from wizard.widgets.labels import escaped_tip, filled, plain_label
from wizard.widgets.wrap_layout import WrapLayout

if TYPE_CHECKING:
    from wizard.pages.page import Page

_ACCELERATOR = re.compile(r"\(&.\)|&")
_LOOK = 100  # milliseconds between two looks at what the program printed
_MOST_LINES = 2_000  # that are shown


class WatchPanel(DropZone):
    """The first and surest answer to "it does not start": to let it start."""

    def __init__(self, page: Page) -> None:
        super().__init__(page)  # shown without a parent it would be a window of its own
        self._page = page
        self._case = page.case
        self._output = LiveOutput()
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK)
        self._timer.timeout.connect(self._show_output)
        heading, means = plain_label("heading"), plain_label("muted")
        page.bind(heading.setText, "watch-title")
        page.bind(means.setText, "watch-means")
        self.command, self._folder, self._time = QLineEdit(), QLineEdit(), QComboBox()
        self._folder.setText(str(Path.home()))
        for seconds in WATCH_SECONDS:
            self._time.addItem("", seconds)
        grid = QGridLayout()
        grid.setHorizontalSpacing(10)
        grid.setColumnStretch(1, 1)
        self._script = page.button("watch-choose-script", self._choose_script)
        self._other = page.button("watch-choose-folder", self._choose_folder)
        self._row(grid, 0, "watch-command", self.command, self._script)
        self._row(grid, 1, "watch-folder", self._folder, self._other)
        self._row(grid, 2, "watch-time", self._time)
        page.bind(self.command.setPlaceholderText, "watch-command-hint")
        page.bind(self.command.setAccessibleDescription, "watch-means")
        self._python = plain_label("small", selectable=True)
        self._near: str = ""
        self.near = QPushButton()  # the Python that lies in the program's folder, where another one is chosen
        self.near.clicked.connect(lambda: self._page.work.choose(Path(self._near)))
        self.start = page.button("watch-start", self._begin, "watch-means")
        self.start.setObjectName("primary")
        self.stop = page.button("watch-stop", page.work.cancel)
        self._started = ""  # the command line that was started last
        self.others = page.disclosure("running-choose", self._show_running, "running-means")
        self.running = RunningList(page)
        self.running.setVisible(False)
        self.apps = page.disclosure("installed-choose", self._show_installed, "installed-means")
        self.installed = InstalledList(page)
        self.installed.setVisible(False)
        self._state = plain_label("small")
        self._shown = QPlainTextEdit()
        self._shown.setObjectName("code")
        self._shown.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self._shown.setReadOnly(True)
        self._shown.setMaximumBlockCount(_MOST_LINES)
        self._shown.setTabChangesFocus(True)
        self._shown.setMinimumHeight(150)
        page.bind(self._shown.setAccessibleName, "watch-output")
        inside = filled(QVBoxLayout(self), heading, means, margins=(16, 12, 16, 12), spacing=8)
        inside.addLayout(grid)
        buttons = WrapLayout(self.start, self.stop, self.others, self.apps)
        lists = (self.running, self.installed)
        filled(inside, self._python, WrapLayout(self.near), buttons, *lists, self._state, self._shown)
        self.on_files = lambda paths: self.take(paths[0])
        for field in (self.command, self._folder):
            field.textChanged.connect(self.refresh)
        # Later: the same key would press what has the focus then, and that is the button that stops it.
        self.command.returnPressed.connect(self._begin, Qt.ConnectionType.QueuedConnection)
        self._case.changed.connect(self.refresh)
        self._case.left.connect(self._empty)
        self.refresh()

    def _row(self, grid: QGridLayout, row: int, key: str, field: QWidget, button: QPushButton | None = None) -> None:
        label = QLabel()
        label.setBuddy(field)
        self._page.bind(label.setText, key)
        self._page.bind(lambda text: field.setAccessibleName(_ACCELERATOR.sub("", text)), key)
        grid.addWidget(label, row, 0)
        if button is None:
            line = filled(QHBoxLayout(), field)
            line.addStretch(1)
            grid.addLayout(line, row, 1)
        else:
            grid.addWidget(field, row, 1)
            grid.addWidget(button, row, 2)

    def _empty(self) -> None:
        """What was written and printed for another case does not belong to this one."""
        self._started = ""
        self.command.clear()
        self._shown.clear()

    def take(self, path: Path) -> None:
        """A script or program that was chosen or dropped, in its own folder."""
        if self._case.is_watching:
            return
        self.command.setText(_quoted(path.name if path.suffix else f"./{path.name}"))
        self._folder.setText(str(path.parent))
        self.start.setFocus()

    def take_up(self, program: Program) -> None:
        """What was being watched when the window was killed, to be started by a key."""
        self.command.setText(program.line)
        self._folder.setText(program.folder)
        self._time.setCurrentIndex(max(self._time.findData(program.seconds), 0))
        self.start.setFocus()

    def refresh(self) -> None:
        """Show what can be started, and how far it is."""
        say, busy = self._case.say, self._case.is_watching
        self.setVisible(self._case.answers.symptom in WATCHABLE)
        for widget in (self.command, self._folder, self._time, self._script, self._other):
            widget.setEnabled(not busy)
        had_focus = self.window().focusWidget() in (self.start, self.stop, self.command)
        self.start.setEnabled(bool(self.command.text().strip()) and not busy)
        self.start.setVisible(not busy)
        self.stop.setVisible(busy)
        self.others.setEnabled(not busy)
        self.apps.setEnabled(not busy)
        self.running.refresh()
        self.installed.refresh()
        if had_focus and busy:
            self.stop.setFocus()
        elif had_focus and self.window().focusWidget() is not self.command:
            self.start.setFocus()
        for index, seconds in enumerate(WATCH_SECONDS):
            self._time.setItemText(index, say(f"watch-time-{seconds}"))
        alone = _first_word(self.command.text()).lower().endswith((".py", ".pyw", ".ipynb"))
        python = self._python_of_scripts()
        refused = self._case.target_notice
        runs = say("watch-runs-with", path=python) if python else say("watch-no-python")
        self._python.setText(self._case.sentence(refused) if refused is not None else runs)
        self._python.setVisible(alone)
        self._near = self._python_of_project() if alone else ""
        shown = self._near.removeprefix(f"{self._folder.text().strip()}{os.sep}")  # a long one would not fit
        self.near.setText(say("watch-use-near", path=shown.replace("&", "&&")))
        self.near.setToolTip(escaped_tip(self._near))
        self.near.setVisible(self._near not in ("", python))
        self.near.setEnabled(not busy)
        looks = self._case.is_looking
        self.stop.setText(say("watch-stop-looking" if looks else "watch-stop"))
        self._state.setText(say("watch-looking" if looks else "watch-running") if busy else "")
        self._state.setVisible(busy)
        if self._timer.isActive() and not busy:
            self._timer.stop()
            self._show_output()
        self._shown.setVisible((busy and not looks) or not self._shown.document().isEmpty())

    def _show_running(self) -> None:
        """Show or hide the programs that run already."""
        _show(self.running, self.others.isChecked())

    def _show_installed(self) -> None:
        """Show or hide the installed programs that bring their own runtime."""
        _show(self.installed, self.apps.isChecked())

    def _python_of_scripts(self) -> str:
        """The chosen Python, unless it is Naosu's own, which runs nothing of the user's."""
        from checks.interpreters import is_own

        target = self._case.answers.target
        ours = (interpreter.path for interpreter in self._case.interpreters if is_own(interpreter))
        return "" if target in ours else target

    def _python_of_project(self) -> str:
        """The Python in the folder of the program, or of its script; "" where none lies there."""
        from checks.interpreters import project_python

        folder = Path(self._folder.text().strip() or Path.home()).expanduser().absolute()
        for place in dict.fromkeys((folder, (folder / _first_word(self.command.text())).parent)):
            found = project_python(place)
            if found is not None:
                return str(found)
        return ""

    def _begin(self) -> None:
        if not self.start.isEnabled():
            return
        self._output = LiveOutput()
        self._shown.clear()
        seconds = int(self._time.currentData())
        program = Program(self.command.text(), self._folder.text().strip(), seconds, self._python_of_scripts())
        self._started = program.line
        self._page.work.watch(program, self._output)
        if self._case.is_watching:
            self._timer.start()

    def start_again(self) -> bool:
        """Start what was started here last, unless another command was written since; whether it runs."""
        if self._started and self._started == self.command.text():
            self._begin()
        return self._case.is_watching

    def _show_output(self) -> None:
        text = self._output.drained()
        if text:
            self._shown.moveCursor(QTextCursor.MoveOperation.End)
            self._shown.insertPlainText(text)
            self._shown.moveCursor(QTextCursor.MoveOperation.End)

    def _choose_script(self) -> None:
        title = self._case.say("watch-choose-script-title")
        path, _ = QFileDialog.getOpenFileName(self, title, last_folder(Kind.SCRIPT.value))
        if path:
            remember(Kind.SCRIPT.value, Path(path))
            self.take(Path(path))

    def _choose_folder(self) -> None:
        title = self._case.say("watch-choose-folder-title")
        path = QFileDialog.getExistingDirectory(self, title, self._folder.text())
        if path:
            self._folder.setText(path)


def _show(programs: ProgramList[Any], shown: bool) -> None:
    programs.setVisible(shown)
    if shown:
        programs.ask()
        programs.table.setFocus()


def _first_word(line: str) -> str:
    try:
        words = shlex.split(line, posix=sys.platform != "win32")
    except ValueError:  # a quotation mark that is not closed yet
        return ""
    return words[0].strip('"') if words else ""


def _quoted(word: str) -> str:
    return subprocess.list2cmdline([word]) if sys.platform == "win32" else shlex.quote(word)
