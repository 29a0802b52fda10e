"""How much main memory processes take: what nobody else has, as far as the system reports it.

Files that are mapped do not count: the system takes their pages back whenever it needs them, and a runtime that maps a
model of 70 GB takes nothing away from others. An address space shows nothing: CUDA and TensorFlow reserve far
more of it than any machine has memory.
"""

from __future__ import annotations

import contextlib
import ctypes
import re
import sys
from collections.abc import Iterable

import psutil

# proc_pid_status(5): anonymous memory, shared memory without a file, what of both was written to the disk, huge pages.
_TAKEN = re.compile(rb"^(?:RssAnon|RssShmem|VmSwap|HugetlbPages):\s*(\d+) kB$", re.MULTILINE)
_RESIDENT = re.compile(rb"^VmRSS:\s*(\d+) kB$", re.MULTILINE)


def taken_by(pids: Iterable[int]) -> int:
    """Bytes that these processes take together. One that is gone takes none."""
    return sum(map(_taken, pids))


def _taken(pid: int) -> int:
    with contextlib.suppress(psutil.Error, OSError):
        if sys.platform == "linux":
            with open(f"/proc/{pid}/status", "rb") as file:  # straight: this runs fifty times a second
                return of_status(file.read())
        if sys.platform == "darwin":
            return _footprint(pid)
        info = psutil.Process(pid).memory_info()
        # On Windows "private" is what was promised to it, used or not; of a mapped file it has nothing.
        return int(min(info.rss, getattr(info, "private", info.rss)))
    return 0


class _Usage(ctypes.Structure):
    _fields_ = [  # struct rusage_info_v0 of <sys/resource.h> (macOS)
        ("ri_uuid", ctypes.c_uint8 * 16),
        ("before", ctypes.c_uint64 * 7),  # times, wakeups, page-ins, wired and resident size
        ("ri_phys_footprint", ctypes.c_uint64),
        ("behind", ctypes.c_uint64 * 2),
    ]


def _footprint(pid: int) -> int:
    """macOS: what the Activity Monitor calls its memory, compressed pages included."""
    usage = _Usage()
    if ctypes.CDLL(None).proc_pid_rusage(pid, 0, ctypes.byref(usage)):
        raise ProcessLookupError(pid)
    return int(usage.ri_phys_footprint)


def of_status(status: bytes) -> int:
    """Bytes by the text of /proc/PID/status; kernels before 4.5, and some that only look like Linux, report less."""
    found = _TAKEN.findall(status) if b"RssAnon" in status else _RESIDENT.findall(status)
    return sum(map(int, found)) * 1024
