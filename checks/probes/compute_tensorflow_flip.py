"""Which suspect makes two runs of TensorFlow differ: each is changed in both (``naosu_compute_tensorflow_flip``).

The pairs of a processor and a GPU have never run.
"""

import functools

import naosu_compute_flip as flip
from naosu_compute_bench import flip_stage
from naosu_compute_operations import OPERATIONS, PICTURES
from naosu_compute_runs import Run, thread_counts
from naosu_compute_tensorflow_bench import COMPILED, LAYOUT, Computer

NO_LAYOUT = "channels-last"  # what is usual in TensorFlow


def stage(argument, clock):
    """The facts of the kind "flip"."""
    computer = Computer(argument["device"])
    yield from flip_stage(computer, clock, _pairs(computer), functools.partial(_suspects, computer))


def _pairs(computer):
    """The pairs of this process first, then those that need another: (operation, names of the two, the two)."""
    usual = Run(computer.device)
    many = [operation for operation in OPERATIONS if operation.terms > 1]
    for operation in many:
        if not computer.is_processor:
            yield operation, ("CPU:0", computer.device), Run("CPU:0"), usual
        if operation.batch:
            yield operation, ("batch-%d" % operation.batch, "batch-1"), usual, usual.changed(rows=1)
        if computer.has_compiler:
            yield operation, ("default", COMPILED), usual, usual.with_setting(COMPILED)
        if operation.name in PICTURES:
            yield operation, (NO_LAYOUT, LAYOUT), usual, usual.with_setting(LAYOUT)
    if computer.is_processor:
        yield from _pairs_of_processes(computer, many, usual)


def _pairs_of_processes(computer, operations, usual):
    """One kind after the other, since each has processes of its own."""
    counts = ["threads-%d" % count for count in thread_counts(computer.threads)]
    other = usual.with_setting("mkldnn-off")
    if computer.has_onednn:
        for operation in operations:
            yield operation, ("default", "mkldnn-off"), usual, other
    for count in counts:
        for operation in operations:
            yield operation, ("threads-%d" % computer.threads, count), usual, usual.with_setting(count)
    if computer.has_onednn:
        for operation in operations:
            if operation.batch:  # everything at once, as between two machines
                names = ("default", "mkldnn-off+%s+batch-1" % counts[-1])
                yield operation, names, usual, other.with_setting(counts[-1]).changed(rows=1)


def _suspects(computer, operation, first, second):
    """(suspect, how a run is with it set to the same in both), what may differ most often first."""
    if first.rows != second.rows:
        yield "batch-1", lambda run: run.changed(rows=1)
    if COMPILED in second.settings:
        yield flip.set_in_both(COMPILED)
    if LAYOUT in second.settings:
        yield NO_LAYOUT, lambda run: run.without(LAYOUT)
    if computer.has_tf32_switch and operation.products:
        yield flip.set_in_both("tf32-off")
    if computer.needs_process(second.settings):
        yield flip.set_in_both("threads-1")
        if computer.has_onednn:
            yield flip.set_in_both("mkldnn-off")
    yield flip.exact_in_both()
