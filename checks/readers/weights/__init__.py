"""The weights of a model, tensor by tensor, where they lie: for comparing two files, never for running one.

One module per format, each with ``tensors(source, beside)``. A format without a module here has no weights that can be
compared.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from checks.readers.containers.folder import DiskFolder, Folder
from checks.readers.containers.source import Source, opened
from checks.readers.weights.tensor import StoredTensor

Tensors = Callable[[Source, Folder, contextlib.ExitStack], Iterator[StoredTensor]]

# Format -> module. Each is imported when it is asked for.
MODULES = {
    "onnx": "onnx_weights",
    "safetensors": "safetensors_weights",
    "torch-zip": "torch_weights",
    "tflite": "tflite_weights",
    "npz": "npz_weights",
    "chainer-npz": "npz_weights",
}


def can_read(format_id: str | None) -> bool:
    """Whether the weights of a format can be compared."""
    return format_id in MODULES


@contextlib.contextmanager
def stored_tensors(path: Path, format_id: str) -> Iterator[Mapping[str, StoredTensor]]:
    """The weights of a model by name, readable while the block lasts.

    Raises:
        Damaged: the file is not what its format asks for.
        KeyError: there is no module for the format; ask :func:`can_read`.
    """
    module = importlib.import_module(f"{__name__}.{MODULES[format_id]}")
    tensors: Tensors = module.tensors
    with contextlib.ExitStack() as open_files, opened(path) as source:
        yield {each.name: each for each in tensors(source, DiskFolder(path.absolute().parent), open_files)}
