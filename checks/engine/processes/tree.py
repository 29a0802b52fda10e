"""Start a program so that it can be ended with everything that it started.

What a probe starts may leave its session, its parent and its output behind, so one net is not enough:

* every descendant inherits the variable :data:`MARK`, by which it is found wherever it hides;
* the tree of parents and children, which finds those whose environment was emptied;
* the process group, which the system ends in one stroke;
* on Linux we are the "subreaper" while a probe runs: an orphan becomes our child, so that we can reap it even in a
  container whose first process reaps nobody;
* on Windows a job object, which holds every descendant and ends them all.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

import psutil

from checks.engine.processes.memory import taken_by

MARK = "NAOSU_PROBE"
PATIENCE = 3.0  # seconds that a killed process gets to be gone; one that waits inside a broken driver never goes
_PAUSE = 0.002  # seconds between two looks at the killed
_FAMILY_LOOK = 0.5  # seconds between two looks for new descendants, which cost more than to measure the known
_SECOND_LOOK = 0.02  # seconds after which an ended process is one that nobody waits for


@dataclass(frozen=True)
class Place:
    """Where a program runs: its streams, as for Popen, its session, and what it is to us.

    ``own_session`` False: it stays in our session and process group, as if it ran in our stead. ``terminal``: its
    standard input is a pseudo-terminal, which its session shall be controlled by. ``is_all``: nothing else that we
    started runs meanwhile, so on Linux whatever becomes our descendant is of its tree.
    """

    stdin: int = subprocess.DEVNULL
    stdout: int = subprocess.PIPE
    stderr: int = subprocess.PIPE
    own_session: bool = True
    terminal: bool = False
    hidden: bool = True  # Windows: no console of its own, and no Ctrl+C of ours
    is_all: bool = False


class ProcessTree:
    """A running program and all its descendants. Without a :class:`Place`, its input is empty, its output are pipes.

    Raises:
        OSError: the system refuses to start it.
        ValueError: the path or an argument cannot be handed to the system (a NUL inside).
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        environment: Mapping[str, str],
        folder: Path,
        memory_limit: int | None = None,
        place: Place = Place(),
    ) -> None:
        """Start it. ``memory_limit``: bytes for all together; the caller looks at :attr:`takes_too_much` often."""
        self._mark = f"{os.getpid()}-{secrets.token_hex(16)}"
        self._memory_limit = memory_limit
        self._place = place
        self._family: set[int] = set()
        self._looked = -_FAMILY_LOOK
        self._strangers = _descendants(os.getpid()) if place.is_all else set()
        _orphans.begin()
        try:
            self.process = _start(command, {**environment, MARK: self._mark}, folder, place)
            if sys.platform == "win32":
                from checks.engine.processes.windows_job import Job

                self._job = Job(self.process, memory_limit)
        except BaseException:
            _orphans.end(None)
            raise
        _orphans.started(self.process.pid)

    @property
    def stdout(self) -> IO[bytes]:
        """What it prints; to be read to its end by the caller."""
        return cast(IO[bytes], self.process.stdout)  # never None: the process was started with pipes

    @property
    def stderr(self) -> IO[bytes]:
        """What it prints on standard error; to be read to its end by the caller."""
        return cast(IO[bytes], self.process.stderr)

    @property
    def takes_too_much(self) -> bool:
        """Whether the tree has taken more memory than it may."""
        if self._memory_limit is None:
            return False
        if time.monotonic() - self._looked >= _FAMILY_LOOK:
            self._family = self._alive()
            self._looked = time.monotonic()
        return taken_by(self._family) > self._memory_limit

    def members(self) -> set[int]:
        """The process numbers of all that run now; an orphan among them that has ended is reaped."""
        _reap(self._family - {self.process.pid})
        self._family = self._alive()
        return set(self._family)

    def send(self, number: int) -> None:
        """Send a signal to each of them."""
        for pid in self.members():
            with contextlib.suppress(OSError):
                os.kill(pid, number)

    def end(self) -> bool:
        """Kill whatever of the tree still runs, and reap it. True when nothing is left.

        Call it exactly once, also after the program has ended by itself: it may have left others behind.
        """
        try:
            if sys.platform == "win32":
                self._job.end()
            return self._kill_all()
        finally:
            _orphans.end(self.process.pid)

    def _kill_all(self) -> bool:
        deadline = time.monotonic() + PATIENCE
        killed: set[int] = set()
        while True:
            alive = self._alive()
            for pid in alive:
                with contextlib.suppress(OSError):
                    os.kill(pid, _KILL)
            if not killed and alive and sys.platform != "win32" and self._place.own_session:
                # Once is enough, and only while somebody lives: a free group number could be given to others.
                with contextlib.suppress(OSError):
                    os.killpg(self.process.pid, _KILL)
            killed |= alive
            gone, ending = _reap(killed - {self.process.pid})
            killed -= gone
            if not alive and not ending:
                return True
            if time.monotonic() > deadline:
                return False
            time.sleep(_PAUSE)

    def _alive(self) -> set[int]:
        alive = set(_marked(self._mark))
        if self.process.poll() is None:
            alive.add(self.process.pid)
            with contextlib.suppress(psutil.Error):
                alive |= {child.pid for child in psutil.Process(self.process.pid).children(recursive=True)}
        if self._place.is_all:
            alive |= _descendants(os.getpid()) - self._strangers
        return alive


def end_left_by(process: int) -> None:
    """End what a process of ours started and left behind, because it was killed; it is gone itself."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and (left := set(_marked(f"{process}-"))):
        for pid in left:
            with contextlib.suppress(OSError):
                os.kill(pid, _KILL)
        time.sleep(_PAUSE)


_KILL = signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL  # on Windows, os.kill ends a process at once


def _start(
    command: Sequence[str], environment: Mapping[str, str], folder: Path, place: Place
) -> subprocess.Popen[bytes]:
    flags = 0
    if sys.platform == "win32":
        from checks.engine.processes.windows_job import CREATE_SUSPENDED

        # Suspended until the job object holds it: otherwise it could start others outside the job first.
        flags = CREATE_SUSPENDED
        if place.hidden:
            flags |= subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
    return subprocess.Popen(
        list(command),
        stdin=place.stdin,
        stdout=place.stdout,
        stderr=place.stderr,
        bufsize=0,
        cwd=folder,
        env=dict(environment),
        creationflags=flags,
        start_new_session=sys.platform != "win32" and place.own_session,
        preexec_fn=_take_terminal if place.terminal else None,  # noqa: PLW1509 - no thread runs yet where there is one
    )


def _take_terminal() -> None:
    """In the new process: its standard input controls its session from here on."""
    if sys.platform != "win32":
        import fcntl
        import termios

        fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def _descendants(ancestor: int) -> set[int]:
    """Linux: all descendants that have not ended; elsewhere none, because orphans do not become ours there."""
    if sys.platform != "linux":
        return set()
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError), open(f"/proc/{name}/stat", "rb") as file:
                state, parent = file.read().rpartition(b")")[2].split()[:2]  # proc_pid_stat(5); a name may hold spaces
                if state not in {b"Z", b"X"}:
                    children.setdefault(int(parent), []).append(int(name))
    found: set[int] = set()
    waiting = [ancestor]
    while waiting:
        new = set(children.get(waiting.pop(), ())) - found
        found |= new
        waiting += new
    return found


def _marked(mark: str) -> Iterator[int]:
    """The processes that inherited this mark. Zombies have no environment any more and are not among them."""
    if sys.platform == "linux":
        # Straight from /proc: a tenth of the time that psutil takes, and this runs after every probe.
        wanted = f"{MARK}={mark}".encode()
        for name in os.listdir("/proc"):
            if name.isdigit():
                with contextlib.suppress(OSError), open(f"/proc/{name}/environ", "rb") as file:
                    if wanted in file.read():
                        yield int(name)
    elif sys.platform != "win32":  # there the job object holds them all
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error, OSError):
                if process.environ().get(MARK, "").startswith(mark):
                    yield process.pid


def _reap(pids: set[int]) -> tuple[set[int], set[int]]:
    """Take the exit status of those that became our children as orphans; the others have parents of their own.

    Returns those that are gone now, whose numbers can be given to others; and those that are still ending: one that
    held much memory has no environment any more while the system takes it back.
    """
    reaped: set[int] = set()
    ending: set[int] = set()
    if sys.platform != "win32":
        for pid in pids:
            with contextlib.suppress(OSError):
                (reaped if os.waitpid(pid, os.WNOHANG)[0] == pid else ending).add(pid)
    return reaped, ending


class _Orphans:
    """Linux: orphans below us become our children as long as any probe runs, and are reaped. Elsewhere: nothing.

    It knows the programs that are running, because theirs are exit codes that somebody still waits for.
    """

    _PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._running: set[int] = set()

    def begin(self) -> None:
        """A program is about to be started."""
        with self._lock:
            self._users += 1
            if self._users == 1:
                self._adopt(1)

    def started(self, pid: int) -> None:
        """The program has this process number."""
        with self._lock:
            self._running.add(pid)

    def end(self, pid: int | None) -> None:
        """The program, if it could be started, has ended and is reaped."""
        with self._lock:
            self._users -= 1
            self._running.discard(-1 if pid is None else pid)
            if self._users == len(self._running):  # otherwise one is starting, and its number is not known yet
                self._reap()
            if self._users == 0:
                self._adopt(0)

    def _adopt(self, value: int) -> None:
        if sys.platform == "linux":
            # Refused by an odd sandbox: the first process of the machine then reaps them, as ever.
            with contextlib.suppress(OSError, AttributeError):
                ctypes.CDLL(None).prctl(self._PR_SET_CHILD_SUBREAPER, value, 0, 0, 0)

    def _reap(self) -> None:
        """Reap the orphans that ended by themselves.

        Who started a process and waits for it reaps it at once; so one that is still there at the second look is
        an orphan.
        """
        if sys.platform == "linux" and _any_zombie():
            first = self._zombies()
            if first:
                time.sleep(_SECOND_LOOK)
                _reap(first & self._zombies())

    def _zombies(self) -> set[int]:
        found = set()
        for child in psutil.Process().children():
            with contextlib.suppress(psutil.Error):
                if child.status() == psutil.STATUS_ZOMBIE:
                    found.add(child.pid)
        return found - self._running


def _any_zombie() -> bool:
    """Whether any child of ours has ended and is not reaped yet; it stays so."""
    try:
        return os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:  # no child at all
        return False


_orphans = _Orphans()
