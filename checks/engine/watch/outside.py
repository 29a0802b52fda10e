"""What is seen of a watched program from outside: its processes, their memory, the Pythons among them, open GPUs."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from dataclasses import dataclass
from pathlib import PurePath

import psutil

from checks.engine.processes.memory import taken_by
from checks.facts import PythonProcess
from checks.interpreters.layout import EXECUTABLE

ORIGIN = "seen from outside"
MOST = 64  # Pythons that are kept
MOST_ARGUMENTS = 1_000
# Linux: what a driver opens to compute, not what it asks (nvidiactl) or draws with.
_GPU_FILE = re.compile(r"^/dev/(?:nvidia\d+|kfd|dxg|accel/accel\d+)$")


@dataclass
class _Seen:
    """One process."""

    executable: str = ""
    arguments: tuple[str, ...] = ()
    folder: str = ""
    parent: int | None = None
    libraries: tuple[str, ...] | None = None

    @property
    def is_python(self) -> bool:
        return bool(EXECUTABLE.fullmatch(PurePath(self.executable).name))


class Outside:
    """All that was seen over the time."""

    def __init__(self) -> None:
        self.peak_memory = 0
        self.processes: set[int] = set()
        self.gpu_processes: set[int] = set()
        self._seen: dict[int, _Seen] = {}

    def measure(self, members: set[int]) -> None:
        """How much memory they take now: cheap, to be asked often."""
        self.peak_memory = max(self.peak_memory, taken_by(members))

    def look(self, members: set[int], *, closely: bool) -> None:
        """Who they are. ``closely``: also the libraries in their memory and their open devices."""
        self.measure(members)
        for pid in members:
            known = self._seen.get(pid)
            if known is None or closely:  # a process may become another program at any time
                with contextlib.suppress(psutil.Error, OSError):
                    now = _looked_at(pid)
                    now.libraries = known.libraries if known and known.executable == now.executable else None
                    self._seen[pid] = now
            if closely:
                self._look_closely(pid)
        self.processes |= members

    def _look_closely(self, pid: int) -> None:
        seen = self._seen.get(pid)
        if seen is None or sys.platform != "linux":
            return
        if _has_gpu_open(pid):
            self.gpu_processes.add(pid)
        if seen.is_python:
            seen.libraries = _mapped(pid) or seen.libraries

    def pythons(self) -> tuple[PythonProcess, ...]:
        """The Pythons among them, in the order in which they were seen first."""
        return tuple(
            PythonProcess(
                origin=ORIGIN,
                pid=pid,
                parent=seen.parent,
                executable=_named(seen),
                arguments=seen.arguments[:MOST_ARGUMENTS],
                folder=seen.folder,
                libraries=seen.libraries,
            )
            for pid, seen in self._seen.items()
            if seen.is_python
        )[:MOST]


def _looked_at(pid: int) -> _Seen:
    process = psutil.Process(pid)
    with process.oneshot():
        seen = _Seen(executable=process.exe(), arguments=tuple(map(_whole, process.cmdline())), parent=process.ppid())
        with contextlib.suppress(psutil.Error, OSError):
            seen.folder = _whole(process.cwd())
    return seen


def _named(seen: _Seen) -> str:
    """The Python as it was called: the environment's own, where the system only knows the one that it was made from."""
    called = seen.arguments[0] if seen.arguments else ""
    if PurePath(called).is_absolute() and os.path.realpath(called) == os.path.realpath(seen.executable):
        return called
    return _whole(seen.executable)


def _whole(text: str) -> str:
    """Without the half characters that stand for bytes of no encoding."""
    return text.encode("utf-8", "replace").decode()


def _has_gpu_open(pid: int) -> bool:
    with contextlib.suppress(OSError), os.scandir(f"/proc/{pid}/fd") as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                if _GPU_FILE.match(os.readlink(entry.path)):  # noqa: PTH115 - hundreds of them, every second
                    return True
    return False


def _mapped(pid: int) -> tuple[str, ...]:
    """The files of code in its memory."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/maps", errors="replace") as file:
        lines = (line.split(None, 5) for line in file)
        paths = {line[5].strip() for line in lines if len(line) == 6 and "x" in line[1]}
        return tuple(sorted(path for path in paths if path.startswith("/")))
    return ()
