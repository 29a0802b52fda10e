"""Which suspect makes two runs of TensorFlow differ: each is changed in both (``compute.tensorflow.flip``).

The pairs of a processor and a GPU have never run.
"""

import functools

from .. import flip
from ..bench import flip_stage, pairs
from ..operations import OPERATIONS
from .bench import COMPILED, LAYOUT, Computer

NO_LAYOUT = "channels-last"  # what is usual in TensorFlow


def stage(argument, clock):
    """The facts of the kind "flip"."""
    computer = Computer(argument["device"])
    yield from flip_stage(computer, clock, _pairs(computer), functools.partial(_suspects, computer))


def _pairs(computer):
    compiling = COMPILED if computer.has_compiler else ""
    other = "mkldnn-off" if computer.has_onednn else ""
    # With 2.21.0 one thread gave the bits of two, four did not.
    return pairs(computer, OPERATIONS, compiling, (NO_LAYOUT, LAYOUT), other, at_once=-1)


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
