"""NumPy as a backend, on the processor."""

import contextlib

from ..arrays import ArrayBackend
from ..operations import SEED
from ..runs import FULL, is_x86, thread_counts
from . import operations as by_numpy


class Backend(ArrayBackend):
    """NumPy. Threads and instructions are read once, by whichever library of linear algebra it was built with."""

    framework, processor = "numpy", "cpu"
    dtypes = (FULL,)  # half precision is computed in software there, and partly in float32
    drawn_as = "float64"
    names = by_numpy.KNOWN
    by_setting = {"older-instructions": {"OPENBLAS_CORETYPE": "Haswell"}}  # noqa: RUF012
    threads_by = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")

    @property
    def other(self):
        """OpenBLAS has such a choice on x86 alone."""
        return "older-instructions" if is_x86() else ""

    def type_named(self, dtype):
        """A type of NumPy."""
        return self.numbers.dtype(dtype)

    @contextlib.contextmanager
    def ready(self, operation, inputs, run):
        """A call that computes a run."""
        inputs = [array.astype(run.dtype) for array in inputs] if run.dtype else inputs
        inputs = inputs if run.rows is None else operation.rows(inputs, run.rows)
        with self.numbers.errstate(all="ignore"):
            yield lambda: by_numpy.run(self.numbers, operation, inputs)

    def stream(self, stream):
        """Random numbers of a generator of its own."""
        return self.numbers.random.default_rng(SEED).standard_normal(stream.count)

    def other_settings(self, operation, _dtype):
        """The settings under which digits are measured, but for the batch."""
        if operation.products:
            for count in thread_counts(self.threads):
                yield "threads-%d" % count
            if self.other:
                yield self.other
