"""The use of NVIDIA GPUs over the time of a watched program: NVML is asked beside it, in a process of its own.

A driver that hangs then hangs neither us nor the program. Where there is no driver nothing is started.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from checks.engine.processes.runner import ProbeTask, run_probe
from checks.engine.scripts import script_of
from checks.facts import GpuMoment, GpuUse
from checks.prepared import prepared

PROBE = "gpu_use"
SCRIPT = script_of("ask/gpu_use")
_PERIOD = 1.0  # seconds between two looks: NVML's utilization is that of the last moments, up to a second
_LONGEST = 4e6  # seconds; a longer one is no time to wait for Windows
_PATIENCE = 2.0  # seconds for its process to end
_MOST = 120  # moments that are kept of each GPU
_DEVICES = Path("/dev")
_T = TypeVar("_T")
_LIBRARY = Path(os.environ.get("SYSTEMROOT", r"C:\Windows"), "System32", "nvml.dll")


class _Point(msgspec.Struct, frozen=True):
    gpu: int
    begin: float
    end: float
    looks: int
    busy: float | None = None
    idle: float | None = None
    processes: Mapping[int, int | None] = {}


class _Identity(msgspec.Struct, frozen=True):
    index: int
    name: str = ""
    uuid: str = ""
    memory_total: int | None = None


def has_driver() -> bool:
    """Whether there may be a GPU that NVML knows; without one to ask would cost a process for nothing."""
    if sys.platform == "win32":
        return _LIBRARY.exists()
    with contextlib.suppress(OSError):
        return any(entry.name.startswith(("nvidia", "dxg")) for entry in _DEVICES.iterdir())
    return False


class GpuWatch:
    """Asks from its beginning to its end."""

    def __init__(self, script: Path = SCRIPT, period: float = _PERIOD) -> None:
        self._task = ProbeTask(PROBE, script, sys.executable, {"period": period}, time_limit=_LONGEST, is_isolated=True)
        self._over = threading.Event()
        self._facts: dict[str, Any] = {}
        self._thread: threading.Thread | None = None

    def begin(self) -> None:
        """Ask from now on, if there is anything to ask."""
        if has_driver():
            self._thread = threading.Thread(target=self._ask, name="use of the GPUs", daemon=True)
            self._thread.start()

    def end(self, members: Collection[int], *, on_gpu: bool) -> tuple[GpuUse, ...]:
        """What was seen. ``members``: all processes of the program; ``on_gpu``: whether one had a GPU open."""
        self._over.set()
        if self._thread is not None:
            self._thread.join(_PATIENCE)
        return tuple(_uses(self._facts, members, on_gpu=on_gpu))

    def _ask(self) -> None:
        with contextlib.suppress(OSError):  # there is no place for temporary files: the watch itself says so
            self._facts = run_probe(self._task, cancelled=self._over.is_set).facts


def _uses(facts: Mapping[str, Any], members: Collection[int], *, on_gpu: bool) -> Iterator[GpuUse]:
    points = _valid(facts.get("points"), _Point)
    can_tell = not on_gpu or _lists(points, members)  # of a container it lists none, or numbers of the host
    for identity in _valid(facts.get("gpus"), _Identity):
        of_gpu = [point for point in points if point.gpu == identity.index]
        if not of_gpu:
            continue
        is_own = _lists(of_gpu, members) if can_tell else None
        looks = sum(point.looks for point in of_gpu)
        idle = [(point.idle, point.looks) for point in of_gpu if point.idle is not None]
        yield GpuUse(
            gpu=identity.index,
            name=identity.name,
            uuid=identity.uuid,
            memory_total=identity.memory_total,
            looks=looks,
            idle=sum(share * count for share, count in idle) / sum(count for _, count in idle) if idle else None,
            is_own=is_own,
            moments=tuple(_moment(some, members, is_own=is_own) for some in _few(of_gpu)),
        )


def _valid(value: object, kind: type[_T]) -> list[_T]:
    try:
        several = list[kind]  # type: ignore[valid-type]
        return msgspec.convert(value if value is not None else [], prepared(several), strict=False)
    except msgspec.ValidationError:
        return []


def _lists(points: Sequence[_Point], members: Collection[int]) -> bool:
    """Whether the driver listed one of these processes."""
    return any(pid in members for point in points for pid in point.processes)


def _moment(points: Sequence[_Point], members: Collection[int], *, is_own: bool | None) -> GpuMoment:
    """Some points as one: the mean of what is busy, and the most that was held at once."""
    told = [(point.busy, point.looks) for point in points if point.busy is not None]
    busy = sum(share * looks for share, looks in told) / sum(looks for _, looks in told) if told else None
    held = [[memory for pid, memory in point.processes.items() if pid in members] for point in points]
    known = [sum(memory for memory in sizes if memory is not None) for sizes in held if None not in sizes]
    return GpuMoment(
        begin=points[0].begin,
        end=points[-1].end,
        busy=busy,
        memory=None if is_own is None else max(known, default=None),
    )


def _few(points: Sequence[_Point]) -> Iterator[Sequence[_Point]]:
    """The points in their order, as many together as leave few moments."""
    together = -(-len(points) // _MOST)
    return (points[start : start + together] for start in range(0, len(points), together))
