"""How a watched program is connected: to our own streams, or to somebody who listens.

A stream of ours that is a terminal becomes a pseudo-terminal of the program's. Where both the keyboard and the output
are the terminal, the program gets a session of its own on it and our terminal passes every key; else it stays in
our session and process group, as if it ran in our stead: a pager behind a pipe keeps the keyboard.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Protocol

from checks.engine.processes.tree import Place
from checks.engine.watch.streams import Tee, writer_to

Listener = Callable[[str, bytes], None]  # "stdout" or "stderr", and what came


class Connection(Protocol):
    """The program's streams, before and after its start."""

    place: Place
    stdout: Tee | None
    stderr: Tee | None  # None: it is the same stream as standard output

    def begin(self, process: subprocess.Popen[bytes]) -> None:
        """The program runs: pass on from now on."""

    def end(self) -> None:
        """The program is gone: pass on the rest, and leave everything as it was."""


class Listened:
    """Nobody types; what comes goes to a function, called on threads of their own."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self.place = Place()
        self.stdout: Tee | None = None
        self.stderr: Tee | None = None

    def begin(self, process: subprocess.Popen[bytes]) -> None:
        """Read both pipes."""
        self.stdout = Tee(_end_of(process.stdout), lambda data: self._listener("stdout", data))
        self.stderr = Tee(_end_of(process.stderr), lambda data: self._listener("stderr", data))

    def end(self) -> None:
        """Read the rest."""
        _finish(self.stdout, self.stderr)


class Inherited:
    """Our own three streams. ``stdout``: the descriptor that its standard output goes to."""

    def __init__(self, stdout: int = 1, stderr: int = 2) -> None:
        self._targets = (stdout, stderr)
        self._is_one = sys.platform != "win32" and _same_file(stdout, stderr)
        self._theirs: list[int] = []  # the program's ends, which we close once it runs
        self._sources: list[int | None] = []
        self._terminal = None
        if sys.platform != "win32":
            from checks.engine.watch.terminal import Terminal, is_interactive

            if is_interactive(stdout):
                self._terminal = Terminal()
        self.place = self._prepare()
        self.stdout: Tee | None = None
        self.stderr: Tee | None = None

    def _prepare(self) -> Place:
        if self._terminal is not None:
            stdin = out = self._terminal.theirs
            self._sources.append(self._terminal.ours)
            self._theirs.append(out)
        else:
            stdin, out = 0, self._open(self._targets[0])
        error = out if self._is_one else self._open(self._targets[1])
        return Place(
            stdin=stdin,
            stdout=out,
            stderr=error,
            own_session=self._terminal is not None,
            terminal=self._terminal is not None,
            hidden=False,
            is_all=True,
        )

    def _open(self, target: int) -> int:
        """A pseudo-terminal where ours is a terminal, else a pipe; returns the program's end."""
        if sys.platform == "win32":
            self._sources.append(None)
            return subprocess.PIPE
        from checks.engine.watch.terminal import pair_like

        ours, theirs = pair_like(target) if os.isatty(target) else os.pipe()
        self._sources.append(ours)
        self._theirs.append(theirs)
        return theirs

    def begin(self, process: subprocess.Popen[bytes]) -> None:
        """Pass on both streams, and every key where the terminal is ours."""
        for descriptor in self._theirs:
            os.close(descriptor)
        self._theirs = []
        sources = [
            _end_of(pipe) if source is None else source
            for source, pipe in zip(self._sources, (process.stdout, process.stderr), strict=False)
        ]
        if self._terminal is not None:
            self._terminal.take_over(process.pid)
        self.stdout = Tee(sources[0], writer_to(self._targets[0]))
        self.stderr = Tee(sources[1], writer_to(self._targets[1])) if len(sources) > 1 else None

    @property
    def interrupted(self) -> bool:
        """Whether the user pressed Ctrl+C on the terminal that we pass on."""
        return self._terminal is not None and self._terminal.interrupted

    def resize(self) -> None:
        """The window of our terminal has another size now."""
        if self._terminal is not None:
            self._terminal.resize()

    def end(self) -> None:
        """Pass on the rest; the terminal is ours again."""
        for descriptor in self._theirs:  # it was never started
            os.close(descriptor)
        if self._terminal is not None:
            self._terminal.stop_typing()
        _finish(self.stdout, self.stderr)
        if self._terminal is not None:
            self._terminal.give_back()


def _finish(*tees: Tee | None) -> None:
    for tee in tees:
        if tee is not None:
            tee.finish()


def _end_of(pipe: object) -> int:
    """Our own descriptor of a pipe of Popen's, which closes its one whenever it likes."""
    assert hasattr(pipe, "fileno") and hasattr(pipe, "close")  # noqa: S101, PT018 - it was started with pipes
    descriptor = os.dup(pipe.fileno())
    pipe.close()
    return descriptor


def _same_file(one: int, other: int) -> bool:
    with contextlib.suppress(OSError):
        first, second = os.fstat(one), os.fstat(other)
        return (first.st_dev, first.st_ino) == (second.st_dev, second.st_ino)
    return False


def wait_in_thread(process: subprocess.Popen[bytes]) -> threading.Event:
    """What is set the moment a process ends."""
    ended = threading.Event()

    def wait() -> None:
        process.wait()
        ended.set()

    threading.Thread(target=wait, name="watched-end", daemon=True).start()
    return ended
