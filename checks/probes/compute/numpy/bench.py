"""The operations of compute_operations.py in NumPy, under settings (``compute.numpy.bench``)."""

import time

from .. import timing
from ..runs import Variables
from . import operations as by_numpy

# Read once by whichever library of linear algebra NumPy was built with.
_THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")
_VARIABLES = {"older-instructions": {"OPENBLAS_CORETYPE": "Haswell"}}


class Computer(Variables):
    """Computes in this process, on the processor."""

    framework, processor = "numpy", "cpu"
    by_setting, threads_by = _VARIABLES, _THREADS
    starts_in = 1.0  # seconds that must be left to start another process

    def __init__(self, device):
        import numpy as np

        self._numpy, self.device = np, device
        self.names = by_numpy.KNOWN

    def type_named(self, dtype):
        """A type of NumPy."""
        return self._numpy.dtype(dtype)

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
