"""How many digits PyTorch gets right, by operation, data type and setting (``compute.torch.precision``)."""

import contextlib
import os
import shutil
import tempfile

from ... import kit
from .. import kit as compute
from .. import precision
from ..operations import OPERATIONS, PICTURES
from ..runs import BATCH, FULL
from . import modes
from .bench import COMPILED, LAYOUT, Bench

DTYPES = precision.DTYPES
# What is compiled, the most telling first, with the seconds that must be left for it: a compiler cannot be interrupted.
# The first time everything that compiles is imported. A product alone is most often given to the same library as ever.
COMPILE_OF = (("softmax", 15.0), ("matmul", 8.0))


def stage(argument, clock):
    """The facts of the kind "precision"."""
    import torch

    bench = Bench(torch, argument["device"])
    kept = precision.Precision(bench)
    entries = precision.entries(bench, OPERATIONS, DTYPES, lambda *what: _settings(torch, bench, *what), _rank)
    yield from compute.measure_listed(entries, clock, kept.measured, argument)


def compiled(argument, clock):
    """The same kind of facts of operations that torch.compile compiles, in the time that all kinds left over."""
    import torch

    if not hasattr(torch, "compile"):  # 2.0
        return
    bench = Bench(torch, argument["device"])
    kept = precision.Precision(bench)
    with _folder() as folder:
        # Compiled code is kept in the user's folder otherwise, and made by processes that outlive this one.
        os.environ.update(TORCHINDUCTOR_CACHE_DIR=folder, TORCHINDUCTOR_COMPILE_THREADS="1")
        for entry, needed in _compiled(bench):
            enough = clock if clock.left > needed else compute.Clock(0.0)
            yield from compute.measure_listed([entry], enough, kept.measured, argument)


@contextlib.contextmanager
def _folder():
    folder = tempfile.mkdtemp(prefix="naosu-", dir=kit.place_of_folders())
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)  # on Windows a library that is loaded stays


def _rank(setting):
    often = setting in (BATCH, LAYOUT, "tf32-off") or setting.startswith("threads-")
    return precision.TELLING if often else precision.USUAL


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
    known = {operation.name: operation for operation in OPERATIONS}
    for name, needed in COMPILE_OF:
        named = precision.named(bench, known[name], FULL, COMPILED)
        yield (named, (known[name], FULL, COMPILED)), needed
