"""How something is computed: on which device, in which type, under which settings."""

import os
import platform

FULL, EXACT = "float32", "float64"
DTYPES = (FULL, "bfloat16", "float16")  # of float64 there is no truth to compare with
BATCH = "batch-1"


class NotTried(Exception):  # noqa: N818 - not an error but an answer
    """Something cannot be computed that way here. ``reason`` and ``detail`` as in Measured."""

    def __init__(self, reason, detail=""):
        super().__init__("%s %s" % (reason, detail))
        self.reason, self.detail = reason, detail

    @property
    def figures(self):
        """As figures of a measurement."""
        return {"reason": self.reason, "detail": self.detail}


class Run:
    """One way. ``rows``: of the batch (None: all); ``dtype``: what inputs are turned into (None: as they are)."""

    def __init__(self, device, settings=(), rows=None, dtype=None):
        self.device, self.settings, self.rows, self.dtype = device, tuple(settings), rows, dtype

    def changed(self, **fields):
        """The same run but for some of these."""
        kept = {"device": self.device, "settings": self.settings, "rows": self.rows, "dtype": self.dtype}
        kept.update(fields)
        return Run(**kept)

    def with_setting(self, setting):
        """The same run with a setting in place of those that it contradicts ("threads-1" and "threads-2")."""
        family = setting.partition("-")[0]
        return self.changed(settings=[kept for kept in self.settings if kept.partition("-")[0] != family] + [setting])

    def without(self, setting):
        """The same run but for a setting."""
        return self.changed(settings=[kept for kept in self.settings if kept != setting])


def processors():
    """The number of processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # Windows and macOS have no such thing
        return os.cpu_count() or 1


def is_x86():
    """Whether the processor has such instructions."""
    return platform.machine().lower() in ("x86_64", "amd64")


def thread_counts(present):
    """Other numbers of threads than the present one, the most telling first: one, and twice as many."""
    return [count for count in (1, 2 * present) if count != present]
