"""Which suspect makes two runs of NumPy differ: each is changed in both (``naosu_compute_numpy_flip``)."""

import functools

import naosu_compute_flip as flip
from naosu_compute_bench import flip_stage, pairs
from naosu_compute_numpy_bench import Computer
from naosu_compute_operations import OPERATIONS
from naosu_compute_runs import is_x86


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
