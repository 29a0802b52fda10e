"""Which suspect makes two runs of NumPy differ: each is changed in both (``compute.numpy.flip``)."""

import functools

from .. import flip
from ..bench import flip_stage, pairs
from ..operations import OPERATIONS
from ..runs import is_x86
from .bench import Computer


def stage(argument, clock):
    """The facts of the kind "flip"."""
    computer = Computer(argument["device"])
    yield from flip_stage(computer, clock, _pairs(computer), functools.partial(_suspects, computer))


def _pairs(computer):
    known = [operation for operation in OPERATIONS if operation.name in computer.names]
    return pairs(computer, known, other="older-instructions" if is_x86() else "")


def _suspects(computer, _operation, first, second):
    """(suspect, how a run is with it set to the same in both), what may differ most often first."""
    if first.rows != second.rows:
        yield "batch-1", lambda run: run.changed(rows=1)
    if computer.needs_process(second.settings):
        yield flip.set_in_both("threads-1")
        if is_x86():
            yield flip.set_in_both("older-instructions")
    yield flip.exact_in_both()
