"""Which suspect makes two runs of JAX differ: each is changed in both (``compute.jax.flip``).

The pairs of a processor and a GPU have never run.
"""

import functools

from .. import flip
from .. import kit as compute
from ..bench import flip_stage, pairs
from ..operations import OPERATIONS
from ..runs import is_x86
from .bench import DIGITS, LAYOUT, PLAIN, Computer

NO_LAYOUT = "channels-first"  # what PyTorch uses, and these inputs have


def stage(argument, clock):
    """The facts of the kind "flip"."""
    computer = Computer(argument["device"])
    yield from flip_stage(computer, clock, _pairs(computer), functools.partial(_suspects, computer))


def _pairs(computer):
    other = "older-instructions" if is_x86() else ""
    return pairs(computer, OPERATIONS, PLAIN, (NO_LAYOUT, LAYOUT), other)


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
