"""How many digits JAX gets right, by operation, data type and setting (``compute.jax.precision``).

What holds on a GPU or TPU alone (fewer digits by default, autotuning) is written from JAX's documentation, and has
never run.
"""

import functools

from .. import kit as compute
from ..bench import precision_stage
from ..operations import OPERATIONS, PICTURES
from ..precision import DTYPES
from ..runs import BATCH, FULL, is_x86, thread_counts
from .bench import DIGITS, LAYOUT, PLAIN, WIDE, Computer

TELLING = (BATCH, PLAIN, LAYOUT, DIGITS + "float32")
# Of jax_default_matmul_precision; "float32" is what is called "highest" elsewhere, and of every version.
LEVELS = ("float32", "high", "tensorfloat32", "bfloat16")
FEW = ("matmul", "conv2d", "sum")  # operations that show that something changes nothing


def stage(argument, clock):
    """The facts of the kind "precision"."""
    computer = Computer(argument["device"])
    settings = functools.partial(_settings, computer)
    yield from precision_stage(computer, argument, clock, OPERATIONS, DTYPES, settings, TELLING)


def _settings(computer, operation, dtype):
    if operation.terms == 1:
        return
    if operation.batch:
        yield BATCH
    yield PLAIN
    if dtype != FULL:
        if operation.products and dtype == "bfloat16":
            yield "excess-precision-off"
        return
    if operation.name in FEW:
        yield WIDE
    if operation.name in PICTURES:
        yield LAYOUT
    # On a processor the levels of precision have no effect, which a few operations show.
    if operation.products and (operation.name in FEW or not compute.is_processor(computer.device)):
        for level in LEVELS:
            yield DIGITS + level
    yield from _of_processes(computer, operation)


def _of_processes(computer, operation):
    if not compute.is_processor(computer.device):
        yield "deterministic"
        if operation.products:
            yield "autotune-off"
        return
    for count in thread_counts(computer.threads):
        yield "threads-%d" % count
    yield "platform-math-off"
    if is_x86():
        yield "older-instructions"
