"""How many digits NumPy gets right, by operation, data type and setting (``naosu_compute_numpy_precision``)."""

import naosu_compute_precision as precision
from naosu_compute_bench import Bench
from naosu_compute_numpy_bench import Computer
from naosu_compute_operations import OPERATIONS
from naosu_compute_runs import BATCH, FULL, thread_counts

DTYPES = (FULL,)  # half precision is computed in software there, and partly in float32


def stage(argument, clock):
    """The facts of the kind "precision"."""
    computer = Computer(argument["device"])
    with Bench(computer, clock) as bench:
        entries = precision.entries(
            bench,
            OPERATIONS,
            DTYPES,
            lambda operation, _dtype: _settings(computer, operation),
            lambda setting: precision.rank_among((BATCH,), setting, computer),
        )
        yield from precision.measured(bench, entries, clock, argument)


def _settings(computer, operation):
    if operation.terms == 1:
        return
    if operation.batch:
        yield BATCH
    if operation.products:
        for count in thread_counts(computer.threads):
            yield "threads-%d" % count
        if computer.is_x86:
            yield "older-instructions"
