"""How many digits PyTorch gets right, by operation, data type and setting (``naosu_compute_torch_precision``)."""

import contextlib
import os
import shutil
import tempfile

import naosu_compute_kit as compute
import naosu_compute_precision as precision
import naosu_compute_torch_modes as modes
from naosu_compute_operations import OPERATIONS, PICTURES
from naosu_compute_runs import BATCH, FULL
from naosu_compute_torch_bench import COMPILED, LAYOUT, Bench

DTYPES = precision.DTYPES
COMPILE_NEEDS = 45.0  # seconds that must be left: a compiler is started, and cannot be interrupted
COMPILE_OF = ("softmax", "matmul")


def stage(argument, clock):
    """The facts of the kind "precision"."""
    import torch

    bench = Bench(torch, argument["device"])
    kept = precision.Precision(bench)
    entries = precision.entries(bench, OPERATIONS, DTYPES, lambda *what: _settings(torch, bench, *what), _is_telling)
    yield from compute.measure(entries, clock, kept.measured)
    if clock.left > COMPILE_NEEDS and hasattr(torch, "compile"):
        with _folder() as folder:
            # Compiled code is kept in the user's folder otherwise, and made by processes that outlive this one.
            os.environ.update(TORCHINDUCTOR_CACHE_DIR=folder, TORCHINDUCTOR_COMPILE_THREADS="1")
            yield from compute.measure(_compiled(bench), clock, kept.measured)


@contextlib.contextmanager
def _folder():
    folder = tempfile.mkdtemp(prefix="naosu-")
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)  # on Windows a library that is loaded stays


def _is_telling(setting):
    return setting in (BATCH, LAYOUT, "tf32-off") or setting.startswith("threads-")


def _settings(torch, bench, operation, dtype):
    if operation.terms == 1:
        return
    if operation.batch:
        yield BATCH
    if operation.name in PICTURES:
        yield LAYOUT
    for mode in modes.of_device(torch, bench.device, dtype):
        if operation.products or mode.startswith("threads-"):
            yield mode


def _compiled(bench):
    for operation in OPERATIONS:
        if operation.name in COMPILE_OF:
            yield precision.named(bench, operation, FULL, COMPILED), (operation, FULL, COMPILED)
