"""Which suspect makes two runs of NumPy differ: each is changed in both (``naosu_compute_numpy_flip``)."""

import functools

import naosu_compute_flip as flip
from naosu_compute_bench import flip_stage
from naosu_compute_numpy_bench import Computer
from naosu_compute_operations import OPERATIONS
from naosu_compute_runs import Run, is_x86, thread_counts


def stage(argument, clock):
    """The facts of the kind "flip"."""
    computer = Computer(argument["device"])
    yield from flip_stage(computer, clock, _pairs(computer), functools.partial(_suspects, computer))


def _pairs(computer):
    """The pairs of this process first, then those that need another: (operation, names of the two, the two)."""
    usual = Run(computer.device)
    known = [operation for operation in OPERATIONS if operation.terms > 1 and operation.name in computer.names]
    for operation in known:
        if operation.batch:
            yield operation, ("batch-%d" % operation.batch, "batch-1"), usual, usual.changed(rows=1)
    others = ["threads-%d" % count for count in thread_counts(computer.threads)]
    for other in [*others, "older-instructions"] if is_x86() else others:
        for operation in known:
            if operation.products:
                first = "threads-%d" % computer.threads if other in others else "default"
                yield operation, (first, other), usual, usual.with_setting(other)


def _suspects(computer, _operation, first, second):
    """(suspect, how a run is with it set to the same in both), what may differ most often first."""
    if first.rows != second.rows:
        yield "batch-1", lambda run: run.changed(rows=1)
    if computer.needs_process(second.settings):
        yield flip.set_in_both("threads-1")
        if is_x86():
            yield flip.set_in_both("older-instructions")
    yield flip.exact_in_both()
