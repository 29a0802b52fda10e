"""What processes take, by what Linux tells of them: recorded from /proc/PID/status."""

import os

import pytest

from checks.engine.processes.memory import of_status, taken_by

# A Python that holds 300 MB, 100 MB of shared memory and 500 MB of a mapped file (Linux 6.18).
HOLDING = b"""\
Name:\tpython
VmPeak:\t  894096 kB
VmSize:\t  894096 kB
VmLck:\t       0 kB
VmPin:\t       0 kB
VmHWM:\t  890892 kB
VmRSS:\t  890892 kB
RssAnon:\t  298816 kB
RssFile:\t  494416 kB
RssShmem:\t   97660 kB
VmData:\t  300232 kB
VmStk:\t     132 kB
VmExe:\t       4 kB
VmLib:\t    4292 kB
VmPTE:\t     920 kB
VmSwap:\t       0 kB
HugetlbPages:\t       0 kB
"""
OLD = b"Name:\tpython\nVmRSS:\t    2328 kB\nVmData:\t     360 kB\nVmSwap:\t       0 kB\n"  # as before Linux 4.5


@pytest.mark.parametrize(
    ("status", "kilobytes"),
    [
        pytest.param(HOLDING, 298816 + 97660, id="mapped-files-are-left-out"),
        pytest.param(HOLDING.replace(b"VmSwap:\t       0", b"VmSwap:\t   50000"), 446476, id="what-is-on-the-disk"),
        pytest.param(OLD, 2328, id="old-kernel"),
        pytest.param(b"Name:\tkthreadd\nThreads:\t1\n", 0, id="no-memory-of-its-own"),
    ],
)
def test_what_counts(status: bytes, kilobytes: int) -> None:
    assert of_status(status) == kilobytes * 1024


def test_a_real_process_and_one_that_is_gone() -> None:
    mine = taken_by([os.getpid()])
    held = b"x" * 50_000_000
    assert taken_by([os.getpid(), 0x7FFFFFFF]) - mine >= len(held) * 0.9
