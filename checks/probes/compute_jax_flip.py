"""Which suspect makes two runs of JAX differ: each is changed in both (``naosu_compute_jax_flip``).

The pairs of a processor and a GPU have never run.
"""

import functools

import naosu_compute_flip as flip
import naosu_compute_kit as compute
from naosu_compute_bench import flip_stage
from naosu_compute_jax_bench import DIGITS, LAYOUT, PLAIN, Computer
from naosu_compute_operations import OPERATIONS, PICTURES
from naosu_compute_runs import Run, is_x86, thread_counts

NO_LAYOUT = "channels-first"  # what PyTorch uses, and these inputs have


def stage(argument, clock):
    """The facts of the kind "flip"."""
    computer = Computer(argument["device"])
    yield from flip_stage(computer, clock, _pairs(computer), functools.partial(_suspects, computer))


def _pairs(computer):
    """The pairs of this process first, then those that need another: (operation, names of the two, the two)."""
    usual = Run(computer.device)
    many = [operation for operation in OPERATIONS if operation.terms > 1]
    for operation in many:
        if not compute.is_processor(computer.device):
            yield operation, ("cpu:0", computer.device), Run("cpu:0"), usual
        if operation.batch:
            yield operation, ("batch-%d" % operation.batch, "batch-1"), usual, usual.changed(rows=1)
        yield operation, ("default", PLAIN), usual, usual.with_setting(PLAIN)
        if operation.name in PICTURES:
            yield operation, (NO_LAYOUT, LAYOUT), usual, usual.with_setting(LAYOUT)
    if compute.is_processor(computer.device):
        yield from _pairs_of_processes(computer, many, usual)


def _pairs_of_processes(computer, operations, usual):
    """One kind after the other, since each has processes of its own."""
    counts = ["threads-%d" % count for count in thread_counts(computer.threads)]
    for count in counts:
        for operation in operations:
            yield operation, ("threads-%d" % computer.threads, count), usual, usual.with_setting(count)
    if not is_x86():
        return
    older = usual.with_setting("older-instructions")
    for operation in operations:
        yield operation, ("default", "older-instructions"), usual, older
    for operation in operations:
        if operation.batch:  # everything at once, as between two machines
            names = ("default", "older-instructions+%s+batch-1" % counts[0])
            yield operation, names, usual, older.with_setting(counts[0]).changed(rows=1)


def _suspects(computer, operation, first, second):
    """(suspect, how a run is with it set to the same in both), what may differ most often first."""
    if first.rows != second.rows:
        yield "batch-1", lambda run: run.changed(rows=1)
    if PLAIN in second.settings:
        yield flip.set_in_both(PLAIN)
    if LAYOUT in second.settings:
        yield NO_LAYOUT, lambda run: run.without(LAYOUT)
    if operation.products and not compute.is_processor(computer.device):
        yield flip.set_in_both(DIGITS + "float32")
    if computer.needs_process(second.settings):
        yield flip.set_in_both("threads-1")
        if is_x86():
            yield flip.set_in_both("older-instructions")
    yield flip.exact_in_both()
