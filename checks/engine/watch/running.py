"""A program that already runs: looked at from outside for a while, and left as it is.

Nothing is attached to it, stopped, or sent to it. What it printed and raised cannot be seen any more.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath

import psutil

from checks.engine.watch.busy import Busy
from checks.engine.watch.gpu_use import GpuWatch
from checks.engine.watch.outside import Outside, has_gpu_open, mapped, packages_in, whole
from checks.facts import ProgramEnd, ProgramRun
from checks.facts.programs.watched import GONE
from checks.interpreters.layout import EXECUTABLE
from checks.knowledge.packages.ai_programs import program_of_process
from checks.knowledge.packages.gpu_modules import computing

ORIGIN = "the running program"
SECONDS = 15.0  # for which it is looked at
_LOOK = 1.0  # seconds between two looks
_POLL = 0.1
_MOST = 50  # candidates that are listed
_NAMED, _LINE = 8, 80  # of those among which one has to choose: how many, and characters of a command line
_NUMBER = re.compile(r"[0-9]{1,19}")  # of a process


class NotRunning(LookupError):  # noqa: N818 - what was named is none, or several
    """None of the programs that run here is meant, or several are. ``key``: of the sentence, ``values`` its values."""

    def __init__(self, key: str, **values: str) -> None:
        super().__init__(key)
        self.key = key
        self.values = values


@dataclass(frozen=True)
class Running:
    """A program that may be chosen. ``packages``: of which native code is in its memory."""

    pid: int
    name: str
    command: tuple[str, ...]
    folder: str
    memory: int  # bytes
    on_gpu: bool | None  # whether it has a GPU open; None: nobody can look
    packages: tuple[str, ...] = ()
    known_as: str = ""  # what people call it, where it is a known program: "Ollama"


def running_programs() -> tuple[Running, ...]:
    """The AI programs of this user that run now: Pythons with a framework in memory, known programs, users of a GPU.

    Those on the GPU first, then the largest.
    """
    found = [program for process in psutil.process_iter() if (program := _candidate(process)) is not None]
    return tuple(sorted(found, key=lambda program: (not program.on_gpu, -program.memory))[:_MOST])


def named(word: str) -> int:
    """The number of the process that is meant by its number, or by a part of its name or command line.

    Raises:
        NotRunning: there is none, or more than one.
    """
    if _NUMBER.fullmatch(word):
        with contextlib.suppress(OverflowError):
            if psutil.pid_exists(int(word)):
                return int(word)
        raise NotRunning("process-none", word=word)
    ours = {os.getpid(), *(parent.pid for parent in psutil.Process().parents())}
    fitting = [process for process in psutil.process_iter() if process.pid not in ours and _is_meant(process, word)]
    # A program and what it started itself are one.
    own = {process.pid for process in fitting}
    first = [process for process in fitting if _parent(process) not in own]
    if len(first) == 1:
        return first[0].pid
    if not first:
        raise NotRunning("process-none", word=word)
    raise NotRunning("process-several", word=word, found="; ".join(map(_shown, first[:_NAMED])))


def look_at(pid: int, seconds: float = SECONDS, *, cancelled: Callable[[], bool] = lambda: False) -> ProgramRun:
    """What a running program and its descendants are, and what they do for so many seconds.

    Raises:
        NotRunning: there is no such process, or it is another user's.
    """
    try:
        process = psutil.Process(pid)
        command, folder = _command_of(process) or (whole(process.name()),), whole(process.cwd())
    except psutil.AccessDenied as error:
        raise NotRunning("process-denied", word=str(pid)) from error
    except psutil.Error as error:
        raise NotRunning("process-none", word=str(pid)) from error
    outside, began, busy, gpus = Outside(), time.monotonic(), Busy(), GpuWatch()
    gpus.begin()
    while True:
        members = _members(process)
        if not members:
            break
        outside.look(members, closely=True)
        busy.look(members)
        left = seconds - (time.monotonic() - began)
        if left <= 0 or _waited(min(_LOOK, left), cancelled):
            break
    looked = time.monotonic() - began
    pythons = outside.pythons()
    main = max((python for python in pythons), key=lambda python: len(python.modules), default=None)
    return ProgramRun(
        origin=ORIGIN,
        command=command,
        folder=folder,
        end=ProgramEnd.RUNNING.value,
        seconds=looked,
        peak_memory=outside.peak_memory or None,
        processes=len(outside.processes) or None,
        interpreter=main.executable if main else None,
        pythons=pythons,
        gpu_processes=tuple(sorted(outside.gpu_processes)),
        gpu_untouched_for=looked if outside.left_gpu_alone else None,
        gpu_use=gpus.end(outside.processes, on_gpu=bool(outside.gpu_processes)),
        processor=busy.cores,
        waits_for=busy.waits_for,
        measured_for=busy.seconds,
        detail="" if members else GONE,
    )


def _members(process: psutil.Process) -> set[int]:
    with contextlib.suppress(psutil.Error):
        if process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
            return {process.pid, *(child.pid for child in process.children(recursive=True))}
    return set()


def _waited(seconds: float, cancelled: Callable[[], bool]) -> bool:
    """Wait; whether it was cancelled meanwhile."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0 and not cancelled():
        time.sleep(min(_POLL, left))
    return cancelled()


def _candidate(process: psutil.Process) -> Running | None:
    with contextlib.suppress(psutil.Error, OSError):
        if process.pid == os.getpid() or not _is_ours(process):
            return None
        name, on_gpu = process.name(), has_gpu_open(process.pid)
        packages = packages_in(mapped(process.pid)) if EXECUTABLE.fullmatch(PurePath(process.exe()).name) else ()
        known_as = program_of_process(name)
        if on_gpu or known_as or computing(packages):
            return Running(
                pid=process.pid,
                name=whole(name),
                command=_command_of(process),
                folder=whole(process.cwd()),
                memory=process.memory_info().rss,
                on_gpu=on_gpu,
                packages=packages,
                known_as=known_as or "",
            )
    return None


def _command_of(process: psutil.Process) -> tuple[str, ...]:
    return tuple(map(whole, process.cmdline()))


def _is_ours(process: psutil.Process) -> bool:
    return not hasattr(os, "getuid") or os.getuid() == 0 or process.uids().real == os.getuid()


def _is_meant(process: psutil.Process, word: str) -> bool:
    with contextlib.suppress(psutil.Error):
        return any(word in text for text in (process.name(), " ".join(process.cmdline())))
    return False


def _shown(process: psutil.Process) -> str:
    """Its number and its command line, cut."""
    with contextlib.suppress(psutil.Error):
        return f"{process.pid} ({' '.join(process.cmdline())[:_LINE]})"
    return str(process.pid)


def _parent(process: psutil.Process) -> int | None:
    with contextlib.suppress(psutil.Error):
        return process.ppid()
    return None
