"""Start the user's program, watch it to its end, and end all that it leaves behind.

Nothing that it does becomes an exception here: what the system refuses to start is a run, too.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec

from checks.engine.processes.oom_kills import oom_counts, struck_since
from checks.engine.processes.own_folder import own_folder
from checks.engine.processes.runner import signal_name
from checks.engine.processes.surroundings import probe_environment
from checks.engine.processes.tree import ProcessTree
from checks.engine.watch.busy import Busy
from checks.engine.watch.command import python_of
from checks.engine.watch.connection import Connection, wait_in_thread
from checks.engine.watch.gpu_use import GpuWatch
from checks.engine.watch.hook import heeds_nothing, hooked, recorded, without_own_end
from checks.engine.watch.outside import Outside
from checks.engine.watch.quoted import quoted_variables
from checks.facts import ProgramEnd, ProgramRun, PythonProcess

POLL = 0.1  # seconds between two looks at a running program; its end is noticed at once
_LOOKS = (0.0, 0.1, 0.3, 0.6)  # seconds after the start of the first looks at who it is, then one every second
_LOOK = 1.0
_LAST = 1 / 2  # of its time: what it does from then on tells whether it only waits
_OWN_END = 0.3  # seconds for what a program leaves behind to end by itself, as the helpers of multiprocessing do
_PATIENCE = 3.0  # seconds for a program to end in order when it is asked to
# A shell that ends because of what it ran tells the signal as 128 + its number.
_BEHIND_SHELL = {128 + getattr(signal, name, -128): name for name in ("SIGINT", "SIGABRT", "SIGKILL", "SIGSEGV")}
_BEHIND_SHELL |= {128 + getattr(signal, name, -128): name for name in ("SIGBUS", "SIGFPE", "SIGILL", "SIGTERM")}

T = TypeVar("T")


@dataclass(frozen=True)
class ProgramTask:
    """What to run. ``seconds``: how long it is watched, 0: until it ends. ``named``: the command as the user gave it.

    ``variables``: the user's own; None: ours.
    """

    command: tuple[str, ...]
    folder: Path
    seconds: float = 0.0
    named: tuple[str, ...] = ()
    variables: Mapping[str, str] | None = None


def watch_program(
    task: ProgramTask,
    connection: Connection,
    *,
    cancelled: Callable[[], bool] = lambda: False,
    on_start: Callable[[ProcessTree], None] = lambda _: None,
) -> ProgramRun:
    """Run a program to its end, to the end of its time, or to the cancel.

    Raises:
        OSError: there is no place for temporary files on this machine.
    """
    with own_folder() as folder:
        return _Watch(task, connection, folder.resolve(), cancelled).run(on_start)


class _Watch:
    """One program from its start to its :class:`ProgramRun`."""

    def __init__(self, task: ProgramTask, connection: Connection, folder: Path, cancelled: Callable[[], bool]) -> None:
        self._task = task
        self._connection = connection
        self._folder = folder
        self._cancelled = cancelled
        self._outside = Outside()
        self._busy = Busy()
        self._gpus = GpuWatch()
        self._oom_counts = oom_counts()
        self._started = time.monotonic()
        self._looks = [*_LOOKS]

    def run(self, on_start: Callable[[ProcessTree], None]) -> ProgramRun:
        task = self._task
        given = os.environ if task.variables is None else task.variables
        environment = probe_environment(task.command[0], given)
        if not heeds_nothing(task.command):
            environment = hooked(environment, self._folder)
        try:
            tree = ProcessTree(task.command, environment=environment, folder=task.folder, place=self._connection.place)
        except (OSError, ValueError) as error:
            self._connection.end()
            return self._result(end=ProgramEnd.NOT_STARTED.value, detail=str(error))
        left = False
        try:
            self._connection.begin(tree.process)
            self._gpus.begin()
            ended = wait_in_thread(tree.process)
            on_start(tree)
            why = self._follow(tree, ended)
            seconds = time.monotonic() - self._started
            left = why is None and self._ask_the_rest(tree)
        finally:
            gone = tree.end()
            self._connection.end()
        # What it did when it was asked to end is no end of its own.
        code = tree.process.returncode if why is None else None
        return self._result(
            end=why or ProgramEnd.ENDED.value,
            exit_code=code if code is None or code >= 0 else None,
            signal=_signal(code),
            seconds=seconds,
            detail="left-running" if left else "" if gone else "not-ended",
        )

    def _follow(self, tree: ProcessTree, ended: threading.Event) -> str | None:
        """Wait for the end. Returns why we ended it, None: it ended itself."""
        members: set[int] = set()
        while not ended.is_set():
            members = self._look(tree, members)
            if ended.wait(POLL):
                break
            if self._cancelled():
                return self._stopped(tree, ended, ProgramEnd.CANCELLED)
            if self._task.seconds and time.monotonic() - self._started >= self._task.seconds:
                members = tree.members()
                self._outside.look(members, closely=True)
                self._busy.look(members)
                return self._stopped(tree, ended, ProgramEnd.WATCHED)
        return None

    def _look(self, tree: ProcessTree, members: set[int]) -> set[int]:
        """Look at the processes, closely and again where it is time to; else only measure them."""
        if time.monotonic() - self._started < self._looks[0]:
            self._outside.measure(members)
            return members
        self._looks = self._looks[1:] or [time.monotonic() - self._started + _LOOK]
        members = tree.members()
        self._outside.look(members, closely=True)
        if self._task.seconds and time.monotonic() - self._started >= _LAST * self._task.seconds:
            self._busy.look(members)
        return members

    def _stopped(self, tree: ProcessTree, ended: threading.Event, why: ProgramEnd) -> str:
        """End it as Ctrl+C would: it shows where it was, and what it used can still be seen from its inside."""
        if sys.platform != "win32":
            tree.send(signal.SIGINT)
            ended.wait(_PATIENCE)
        return why.value

    def _ask_the_rest(self, tree: ProcessTree) -> bool:
        """Ask what the program left behind to end. Returns whether there was any that did not end by itself."""
        if not _wait_for(lambda: not tree.members(), _OWN_END):
            if sys.platform != "win32":
                tree.send(signal.SIGTERM)
                _wait_for(lambda: not tree.members(), _PATIENCE / 3)
            return True
        return False

    def _result(self, **more: object) -> ProgramRun:
        task, outside, stdout, stderr = self._task, self._outside, self._connection.stdout, self._connection.stderr
        last = stderr or stdout
        inside = recorded(self._folder)
        pythons = _together(inside, outside.pythons())
        interpreter = _interpreter(pythons)
        if interpreter is None and more.get("end") != ProgramEnd.NOT_STARTED:  # it was too quick to be seen
            interpreter = python_of(task.command, task.folder)
        if more.get("exit_code") == 0:
            pythons = tuple(map(without_own_end, pythons))
        untouched = time.monotonic() - self._started if outside.left_gpu_alone else None
        on_gpu = outside.gpu_processes | {python.pid for python in inside if python.gpu_files}
        run = ProgramRun(
            origin="the program itself",
            command=task.named or task.command,
            started=task.command if task.named and task.named != task.command else (),
            folder=str(task.folder),
            peak_memory=outside.peak_memory or None,
            oom_kills=struck_since(self._oom_counts),
            processes=len(outside.processes | {python.pid for python in inside}) or None,
            # Where both streams are one, all is in what most programs complain on.
            output=stdout.kept.text() if stdout and stderr else "",
            output_bytes=stdout.kept.count if stdout and stderr else 0,
            errors=last.kept.text() if last else "",
            errors_bytes=last.kept.count if last else 0,
            interpreter=interpreter,
            pythons=pythons,
            gpu_untouched_for=untouched if more.get("end") == ProgramEnd.WATCHED else None,
            processor=self._busy.cores if more.get("end") == ProgramEnd.WATCHED else None,
            waits_for=self._busy.waits_for if more.get("end") == ProgramEnd.WATCHED else (),
            measured_for=self._busy.seconds if more.get("end") == ProgramEnd.WATCHED else None,
            limits=outside.limits,
            processor_time=outside.processor_time,
            gpu_processes=tuple(sorted(on_gpu)),
            gpu_use=self._gpus.end(outside.processes | {python.pid for python in inside}, on_gpu=bool(on_gpu)),
        )
        unseen = not inside and interpreter is not None
        told = {"detail": "no-hook"} if unseen and not more.get("detail") else {}
        run = msgspec.structs.replace(run, **{**more, **told})
        given = os.environ if task.variables is None else task.variables
        return msgspec.structs.replace(run, quoted_variables=quoted_variables(run, given))


def _wait_for(is_so: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL / 10)
    return True


def _signal(code: int | None) -> str | None:
    if code is None or sys.platform == "win32" or code < 0:
        return None if code is None else signal_name(code)
    return _BEHIND_SHELL.get(code)


def _together(inside: tuple[PythonProcess, ...], outside: tuple[PythonProcess, ...]) -> tuple[PythonProcess, ...]:
    """What was seen from inside; of one that could tell nothing, or not at its end, what is known from outside."""
    seen = {python.pid: python for python in outside}
    known = {python.pid for python in inside}
    filled = [
        msgspec.structs.replace(python, libraries=seen[python.pid].libraries)
        if python.libraries is None and python.pid in seen
        else python
        for python in inside
    ]
    return (*filled, *(python for python in outside if python.pid not in known))


def _interpreter(pythons: tuple[PythonProcess, ...]) -> str | None:
    """The Python that ran the program: the one that failed, else the one that loaded most; a launcher only if alone."""

    def weight(python: PythonProcess) -> tuple[bool, bool, bool, int]:
        return (not python.is_launcher, python.raised is not None, bool(python.crash), len(python.modules))

    named = [python for python in pythons if python.executable]
    return max(named, key=weight).executable if named else None
