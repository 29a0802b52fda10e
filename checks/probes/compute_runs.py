"""How something is computed: on which device, in which type, under which settings (``naosu_compute_runs``).

Standard library only, Python 3.8 and later.
"""

FULL, EXACT = "float32", "float64"
BATCH = "batch-1"


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
