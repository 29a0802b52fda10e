"""The user's own program, started and watched on a thread of the window's. No Qt."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.case_model import Notice

if TYPE_CHECKING:  # loaded on the worker thread
    from checks.engine.watch.running import Running
    from checks.facts import InterpreterFacts, LocalProgram, ProgramRun

_MOST = 64 * 1024  # bytes of output between two looks of the window; of more it shows the end


@dataclass(frozen=True)
class Program:
    """What to start: a command line, where, for how many seconds, and the Python of a script that names none."""

    line: str
    folder: str
    seconds: int
    python: str = ""


class NotStartable(Exception):  # noqa: N818 - what was named is none that could be started
    """It was named wrongly; ``notice`` says how."""

    def __init__(self, notice: Notice) -> None:
        super().__init__(notice.key)
        self.notice = notice


class LiveOutput:
    """What a program prints, from its threads to the window, which looks when it has time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting = bytearray()

    def take(self, _stream: str, data: bytes) -> None:
        """The next bytes of either stream."""
        with self._lock:
            self._waiting += data
            del self._waiting[:-_MOST]

    def drained(self) -> str:
        """What came since the last look, without colours."""
        with self._lock:
            data, self._waiting = bytes(self._waiting), bytearray()
        if not data:
            return ""
        from checks.engine.watch.streams import as_text

        return as_text(data)


def watched(
    program: Program, output: LiveOutput, cancelled: Callable[[], bool]
) -> tuple[ProgramRun, InterpreterFacts | None]:
    """Run it to its end; the run, and the Python that ran it.

    Raises:
        NotStartable: it was named wrongly.
    """
    from checks.engine.processes.surroundings import probe_environment
    from checks.engine.watch.command import CommandError, python_of, understood, with_python
    from checks.engine.watch.connection import Listened
    from checks.engine.watch.program import ProgramTask, watch_program
    from checks.interpreters import read_interpreter

    folder = Path(program.folder).expanduser().absolute() if program.folder else Path.home()
    try:
        command = understood((program.line.strip(),), folder, probe_environment(""))
        if command.script is not None:
            if not program.python:
                raise NotStartable(Notice("watch-needs-python", {"name": command.script.name}))
            command = with_python(command, read_interpreter(program.python))
    except CommandError as error:
        raise NotStartable(Notice(f"commands.run-{error.key}", error.values)) from error
    # Into a pipe a Python would write nothing for minutes: who looks on wants to see it.
    variables = {"PYTHONUNBUFFERED": "1", **os.environ, "PWD": str(command.folder)}
    task = ProgramTask(command.words, command.folder, program.seconds, (program.line.strip(),), variables)
    run = watch_program(task, Listened(output.take), cancelled=cancelled)
    path = run.interpreter or (None if run.pythons else python_of(command.words, command.folder))
    return run, read_interpreter(path, found_by=("chosen",)) if path else None


def listed() -> tuple[Running, ...]:
    """The AI programs that run now."""
    from checks.engine.watch.running import running_programs

    return running_programs()


def installed() -> tuple[LocalProgram, ...]:
    """The installed AI programs that bring their own runtime."""
    from checks.engine.local_programs import local_programs

    return local_programs()


def looked_at(pid: int, cancelled: Callable[[], bool]) -> tuple[ProgramRun, InterpreterFacts | None]:
    """What a running program does for a while; and its Python.

    Raises:
        NotStartable: it is not there any more, or another user's.
    """
    from checks.engine.watch.running import NotRunning, look_at
    from checks.interpreters import is_of_another, read_interpreter

    try:
        run = look_at(pid, cancelled=cancelled)
    except NotRunning as error:
        raise NotStartable(Notice(f"commands.run-{error.key}", error.values)) from error
    python = read_interpreter(run.interpreter, found_by=("chosen",)) if run.interpreter else None
    return run, None if python is None or is_of_another(python) else python  # another user's is chosen by hand alone
