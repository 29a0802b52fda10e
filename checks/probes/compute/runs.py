"""How something is computed: on which device, in which type, under which settings (``compute.runs``).

Standard library only, Python 3.8 and later.
"""

import os
import platform
import types

FULL, EXACT = "float32", "float64"
BATCH = "batch-1"


class NotTried(Exception):  # noqa: N818 - not an error but an answer
    """Something cannot be computed that way here. ``reason`` and ``detail`` as in Measured."""

    def __init__(self, reason, detail=""):
        super().__init__("%s %s" % (reason, detail))
        self.reason, self.detail = reason, detail

    def told(self):
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
        return self.changed(settings=[each for each in self.settings if each.partition("-")[0] != family] + [setting])

    def without(self, setting):
        """The same run but for a setting."""
        return self.changed(settings=[each for each in self.settings if each != setting])


def processors():
    """Those that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # Windows and macOS have no such thing
        return os.cpu_count() or 1


class Variables:
    """What a framework reads once, when it starts, so that a setting needs a process of its own.

    ``by_setting``: its variables; ``threads_by``: those that set a number of threads.
    """

    by_setting = types.MappingProxyType({})
    threads_by = ()

    def variables(self, setting):
        """The variables with which a process must start for a setting; none where it can be changed at any time."""
        if setting.startswith("threads-"):
            return dict.fromkeys(self.threads_by, setting.partition("-")[2])
        return self.by_setting.get(setting, {})

    def needs_process(self, settings):
        """Whether one of them holds in another process only."""
        return any(map(self.variables, settings))

    @property
    def threads(self):
        """The number of threads that the variables tell; else one for each processor."""
        asked = (os.environ.get(name, "") for name in self.threads_by)
        return next((int(text) for text in asked if text.isdecimal() and int(text)), processors())


def is_x86():
    """Whether the processor has such instructions."""
    return platform.machine().lower() in ("x86_64", "amd64")


def thread_counts(present):
    """Other numbers of threads than the present one, the most telling first: one, and twice as many."""
    return [count for count in (1, 2 * present) if count != present]
