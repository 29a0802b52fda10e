"""How many digits PyTorch gets right in what torch.compile compiles."""

import contextlib
import os
import shutil
import tempfile

from ... import kit
from .. import kit as compute
from .. import precision
from ..operations import OPERATIONS
from ..runs import FULL
from .backend import COMPILED, Backend

# What is compiled, the most telling first, with the seconds that must be left for it: a compiler cannot be interrupted.
# The first time everything that compiles is imported. A product alone is most often given to the same library as ever.
COMPILE_OF = (("softmax", 15.0), ("matmul", 8.0))


def compiled(argument, clock):
    """Facts of the kind "precision", in the time that all kinds left over."""
    import torch

    if not hasattr(torch, "compile") or not argument.get("compile", True):  # 2.0
        return
    backend = Backend(argument["device"])
    known = {operation.name: operation for operation in OPERATIONS}
    prepared = precision.Precision(backend)
    with _folder() as folder:
        # Compiled code is kept in the user's folder otherwise, and made by processes that outlive this one.
        os.environ.update(TORCHINDUCTOR_CACHE_DIR=folder, TORCHINDUCTOR_COMPILE_THREADS="1")
        for name, needed in COMPILE_OF:
            named = backend.named("precision", known[name], FULL, setting=COMPILED)
            enough = clock if clock.left > needed else compute.Clock(0.0)
            entry = (named, (known[name], FULL, COMPILED))
            yield from compute.measure_listed([entry], enough, prepared.measured, argument)


@contextlib.contextmanager
def _folder():
    folder = tempfile.mkdtemp(prefix="naosu-", dir=kit.place_of_folders())
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)  # on Windows a library that is loaded stays
