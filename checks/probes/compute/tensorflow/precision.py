"""How many digits TensorFlow gets right, by operation, data type and setting (``compute.tensorflow.precision``).

What holds on a GPU alone (TensorFloat-32, float16 under mixed precision, autotuning) is written from TensorFlow's
documentation, and has never run.
"""

import functools

from ..bench import precision_stage
from ..operations import OPERATIONS, PICTURES
from ..precision import DTYPES
from ..runs import BATCH, FULL, thread_counts
from .bench import COMPILED, GRAPH, LAYOUT, MIXED, Computer

TELLING = (BATCH, COMPILED, LAYOUT, "tf32-off")


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
    if computer.has_compiler:
        yield COMPILED
    if dtype != FULL:
        return
    yield GRAPH
    if operation.name in PICTURES:
        yield LAYOUT
    if operation.products:
        yield from _digits(computer)
    yield from _of_processes(computer, operation)


def _digits(computer):
    if computer.has_tf32_switch:
        yield "tf32-off"
        yield "tf32-on"
    yield MIXED + "bfloat16"
    if not computer.is_processor:
        yield MIXED + "float16"


def _of_processes(computer, operation):
    if not computer.is_processor:
        yield "deterministic"
        if operation.name in PICTURES:
            yield "autotune-off"
        return
    if computer.has_onednn:
        yield "mkldnn-off"
    for count in thread_counts(computer.threads):
        yield "threads-%d" % count
    if computer.has_onednn:
        if operation.products:
            yield "mkldnn-ieee"
            yield "mkldnn-bf16"
        yield "older-instructions"
