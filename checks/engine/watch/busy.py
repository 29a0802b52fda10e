"""How much processes compute over some time, and what those wait for that do not."""

from __future__ import annotations

import contextlib
import time

import psutil

from checks.engine.watch.waiting import waits_for


class Busy:
    """What processes did between the first and the last look at each."""

    def __init__(self) -> None:
        self._first: dict[int, float] = {}
        self._last: dict[int, float] = {}
        self._times: list[float] = []
        self._waits: dict[int, set[str]] = {}

    def look(self, members: set[int]) -> None:
        """Look at these processes."""
        self._times.append(time.monotonic())
        for pid in members:
            self._waits.setdefault(pid, set()).add("network" if _listens(pid) else waits_for(pid))
            with contextlib.suppress(psutil.Error):
                times = psutil.Process(pid).cpu_times()
                self._last[pid] = times.user + times.system
                self._first.setdefault(pid, self._last[pid])

    @property
    def seconds(self) -> float | None:
        """Between the first look and the last; None where there were not two."""
        return self._times[-1] - self._times[0] if len(self._times) > 1 else None

    @property
    def waits_for(self) -> tuple[str, ...]:
        """What each process was seen to wait for at every look; nothing of one that was seen to do anything else."""
        always = {next(iter(seen)) for seen in self._waits.values() if len(seen) == 1}
        return tuple(sorted(always - {""}))

    @property
    def cores(self) -> float | None:
        """How many cores were busy on average; None where nothing could be seen, or only once."""
        spent = sum(last - self._first[pid] for pid, last in self._last.items())
        return spent / self.seconds if self._last and self.seconds else None


def _listens(pid: int) -> bool:
    """Whether it is a server, whose threads wait for whoever calls."""
    with contextlib.suppress(psutil.Error, OSError):
        return any(socket.status == psutil.CONN_LISTEN for socket in psutil.Process(pid).net_connections("inet"))
    return False
