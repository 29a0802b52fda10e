"""How many digits NumPy gets right, by operation, data type and setting (``compute.numpy.precision``)."""

import functools

from ..bench import precision_stage
from ..operations import OPERATIONS
from ..runs import BATCH, FULL, is_x86, thread_counts
from .bench import Computer

DTYPES = (FULL,)  # half precision is computed in software there, and partly in float32


def stage(argument, clock):
    """The facts of the kind "precision"."""
    computer = Computer(argument["device"])
    settings = functools.partial(_settings, computer)
    yield from precision_stage(computer, argument, clock, OPERATIONS, DTYPES, settings, (BATCH,))


def _settings(computer, operation, _dtype):
    if operation.terms == 1:
        return
    if operation.batch:
        yield BATCH
    if operation.products:
        for count in thread_counts(computer.threads):
            yield "threads-%d" % count
        if is_x86():
            yield "older-instructions"
