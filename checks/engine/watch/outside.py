"""What is seen of a watched program from outside: its processes, their memory, the Pythons among them, open GPUs."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePath

import psutil

from checks.engine.processes.memory import taken_by
from checks.facts import LoadedModule, PythonProcess
from checks.interpreters.layout import EXECUTABLE

ORIGIN = "seen from outside"
MOST = 64  # Pythons that are kept
MOST_ARGUMENTS = 1_000
# Linux: what a driver opens to compute, not what it asks (nvidiactl) or draws with.
_GPU_FILE = re.compile(r"^/dev/(?:nvidia\d+|kfd|dxg|accel/accel\d+)$")
_LIMITS = {"Max cpu time": "cpu_time", "Max file size": "file_size"}
_LIMIT = re.compile(r"^(Max cpu time|Max file size)\s+(\d{1,19})\s", re.MULTILINE)
_OF_PACKAGE = re.compile(r"[/\\](?:site|dist)-packages[/\\]([A-Za-z_]\w*)[/\\.]")


@dataclass
class _Seen:
    """One process."""

    executable: str = ""
    arguments: tuple[str, ...] = ()
    folder: str = ""
    parent: int | None = None
    search_path: str = ""  # its PATH
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
        self.limits: dict[str, int] = {}
        self.processor_time: float | None = None
        self._was_hidden = False  # whether the open files of any of them could not be seen
        self._seen: dict[int, _Seen] = {}

    def measure(self, members: set[int]) -> None:
        """How much memory they take now: cheap, to be asked often."""
        self.peak_memory = max(self.peak_memory, taken_by(members))
        if "cpu_time" in self.limits:
            used = max(map(processor_time_of, members), default=0.0)
            self.processor_time = max(self.processor_time or 0.0, used)

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
        if seen is None:
            return
        for name, limit in limits_of(pid).items():
            self.limits[name] = min(limit, self.limits.get(name, limit))
        is_open = has_gpu_open(pid)
        self._was_hidden |= is_open is None
        if is_open:
            self.gpu_processes.add(pid)
        if seen.is_python:
            seen.libraries = mapped(pid) or seen.libraries

    @property
    def left_gpu_alone(self) -> bool:
        """Whether none of them had a GPU open at any close look; False where nobody could see."""
        return bool(self._seen) and not self._was_hidden and not self.gpu_processes

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
                modules=tuple(LoadedModule(name=name) for name in packages_in(seen.libraries or ())),
            )
            for pid, seen in self._seen.items()
            if seen.is_python
        )[:MOST]


def _looked_at(pid: int) -> _Seen:
    process = psutil.Process(pid)
    with process.oneshot():
        seen = _Seen(executable=process.exe(), arguments=tuple(map(whole, process.cmdline())), parent=process.ppid())
        with contextlib.suppress(psutil.Error, OSError):
            seen.folder = whole(process.cwd())
            seen.search_path = process.environ().get("PATH", "") if seen.is_python else ""
    return seen


def _named(seen: _Seen) -> str:
    """The Python as it was called: the environment's own, where the system only knows the one that it was made from."""
    called = seen.arguments[0] if seen.arguments else ""
    for path in (called, str(PurePath(seen.folder, called)), shutil.which(called, path=seen.search_path)):
        if path and PurePath(path).is_absolute() and os.path.realpath(path) == os.path.realpath(seen.executable):
            return os.path.normpath(path)
    return whole(seen.executable)


def whole(text: str) -> str:
    """Without the half characters that stand for bytes of no encoding."""
    return text.encode("utf-8", "replace").decode()


def has_gpu_open(pid: int) -> bool | None:
    """Whether a process has a GPU open to compute; None: nobody can see that, or it is gone."""
    if sys.platform != "linux":
        return None
    try:
        with os.scandir(f"/proc/{pid}/fd") as entries:
            for entry in entries:
                with contextlib.suppress(OSError):
                    if _GPU_FILE.match(os.readlink(entry.path)):  # noqa: PTH115 - hundreds of them, every second
                        return True
    except PermissionError:
        return None
    except OSError:  # gone meanwhile: what it had open was closed
        return False
    return False


def limits_of(pid: int) -> dict[str, int]:
    """The limits of a process on its processor time and on the size of a file, as far as they are set (proc(5))."""
    if sys.platform != "linux":
        return {}
    with contextlib.suppress(OSError), open(f"/proc/{pid}/limits", encoding="ascii", errors="replace") as file:
        return {_LIMITS[found[1]]: int(found[2]) for found in _LIMIT.finditer(file.read())}
    return {}


def processor_time_of(pid: int) -> float:
    """Seconds of processor time that a process has used; 0 where nobody can see it."""
    with contextlib.suppress(psutil.Error, OSError):
        times = psutil.Process(pid).cpu_times()
        return float(times.user + times.system)
    return 0.0


def mapped(pid: int) -> tuple[str, ...]:
    """The files of code in its memory; () where nobody can see them."""
    if sys.platform != "linux":
        return ()
    with contextlib.suppress(OSError), open(f"/proc/{pid}/maps", errors="replace") as file:
        lines = (line.split(None, 5) for line in file)
        paths = {line[5].strip() for line in lines if len(line) == 6 and "x" in line[1]}
        return tuple(sorted(path for path in paths if path.startswith("/")))
    return ()


def packages_in(libraries: Iterable[str]) -> tuple[str, ...]:
    """The import packages whose native code these files are: ".../site-packages/torch/lib/libtorch.so" -> torch."""
    found = (_OF_PACKAGE.search(path) for path in libraries)
    return tuple(sorted({match[1] for match in found if match}))
