"""A Windows job object: it holds a process with all that it starts, and ends them together.

Structures and flags: https://learn.microsoft.com/en-us/windows/win32/procthread/job-objects
"""

from __future__ import annotations

import ctypes
import subprocess
import sys

import psutil

if sys.platform != "win32":
    raise ImportError("job objects exist on Windows alone")

CREATE_SUSPENDED = 0x00000004  # a flag of CreateProcess that the module subprocess does not name

_EXTENDED_LIMITS = 9  # JobObjectExtendedLimitInformation
_KILL_ON_JOB_CLOSE = 0x00002000  # JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
_JOB_MEMORY = 0x00000200  # JOB_OBJECT_LIMIT_JOB_MEMORY
# The job counts what was promised to its processes, used or not: CUDA's libraries alone are promised gigabytes. So its
# limit is the last net, in which a request fails inside of the process; before it, what is really taken is measured.
_PROMISED = 2


class _BasicLimits(ctypes.Structure):
    _fields_ = [  # JOBOBJECT_BASIC_LIMIT_INFORMATION
        ("PerProcessUserTimeLimit", ctypes.c_int64),
        ("PerJobUserTimeLimit", ctypes.c_int64),
        ("LimitFlags", ctypes.c_uint32),
        ("MinimumWorkingSetSize", ctypes.c_size_t),
        ("MaximumWorkingSetSize", ctypes.c_size_t),
        ("ActiveProcessLimit", ctypes.c_uint32),
        ("Affinity", ctypes.c_size_t),
        ("PriorityClass", ctypes.c_uint32),
        ("SchedulingClass", ctypes.c_uint32),
    ]


class _ExtendedLimits(ctypes.Structure):
    _fields_ = [  # JOBOBJECT_EXTENDED_LIMIT_INFORMATION
        ("BasicLimitInformation", _BasicLimits),
        ("IoInfo", ctypes.c_uint64 * 6),
        ("ProcessMemoryLimit", ctypes.c_size_t),
        ("JobMemoryLimit", ctypes.c_size_t),
        ("PeakProcessMemoryUsed", ctypes.c_size_t),
        ("PeakJobMemoryUsed", ctypes.c_size_t),
    ]


class Job:
    """Holds a process that was started suspended, and lets it run.

    Where the system refuses the job, the process runs without it and is ended through its children's parents alone.
    """

    def __init__(self, process: subprocess.Popen[bytes], memory_limit: int | None = None) -> None:
        self._kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        self._kernel.CreateJobObjectW.restype = ctypes.c_void_p
        self._handle = ctypes.c_void_p(self._kernel.CreateJobObjectW(None, None))
        limits = _ExtendedLimits()
        limits.BasicLimitInformation.LimitFlags = _KILL_ON_JOB_CLOSE  # they end with us, too
        if memory_limit is not None:
            limits.BasicLimitInformation.LimitFlags |= _JOB_MEMORY
            limits.JobMemoryLimit = _PROMISED * memory_limit
        self._kernel.SetInformationJobObject(
            self._handle, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits)
        )
        self._kernel.AssignProcessToJobObject(self._handle, ctypes.c_void_p(int(process._handle)))
        try:
            psutil.Process(process.pid).resume()
        except psutil.Error as error:
            process.kill()
            raise OSError(f"the process could not be resumed: {error}") from error

    def end(self) -> None:
        """End every process of the job."""
        self._kernel.TerminateJobObject(self._handle, 1)
        self._kernel.CloseHandle(self._handle)
