"""The operations of compute_operations.py in NumPy, under settings (``naosu_compute_numpy_bench``)."""

import os
import platform
import time

import naosu_compute_numpy_operations as by_numpy
import naosu_compute_timing as timing
from naosu_compute_runs import processors

# Read once by whichever library of linear algebra NumPy was built with.
_THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")
_VARIABLES = {"older-instructions": {"OPENBLAS_CORETYPE": "Haswell"}}


class Computer:
    """Computes in this process, on the processor."""

    framework = "numpy"
    starts_in = 1.0  # seconds that must be left to start another process

    def __init__(self, device):
        import numpy as np

        self._numpy, self.device = np, device
        self.names = by_numpy.KNOWN

    def type_named(self, dtype):
        """A type of NumPy."""
        return self._numpy.dtype(dtype)

    def variables(self, setting):
        """The variables with which a process must start for a setting; none where it can be changed at any time."""
        if setting.startswith("threads-"):
            return dict.fromkeys(_THREADS, setting.partition("-")[2])
        return _VARIABLES.get(setting, {})

    def needs_process(self, settings):
        """Whether one of them holds in another process only."""
        return any(map(self.variables, settings))

    def result(self, operation, given, run, timed):
        """The array, and where it is timed how long a call takes when all is warm (see compute_timing)."""
        numpy = self._numpy
        given = [each.astype(run.dtype) for each in given] if run.dtype else given
        given = given if run.rows is None else operation.rows(given, run.rows)

        def computed():
            with numpy.errstate(all="ignore"):
                return by_numpy.run(numpy, operation, given)

        def seconds():
            began = time.perf_counter()
            computed()
            return time.perf_counter() - began

        return computed(), timing.timed(seconds) if timed else None

    @property
    def threads(self):
        """The threads of a product of matrices, as far as variables tell; else as many as there are processors."""
        for name in _THREADS:
            asked = os.environ.get(name, "")
            if asked.isdecimal() and int(asked):
                return int(asked)
        return processors()

    @property
    def is_x86(self):
        """Whether the processor has such instructions."""
        return platform.machine().lower() in ("x86_64", "amd64")
