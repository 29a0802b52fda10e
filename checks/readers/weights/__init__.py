"""The weights of a model, tensor by tensor, where they lie: for comparing two files, never for running one.

One module per format, each with ``tensors(source, beside, open_files)``. A format without a module here has no weights
that can be compared; of a tensor stored in a way that is not read, a module gives the name.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from checks.readers.containers.folder import DiskFolder, Folder
from checks.readers.containers.source import MIB, Cancelled, Damaged, Source, never, opened
from checks.readers.weights.tensor import MOST_TENSORS, LeftOut, StoredTensor

Tensors = Callable[[Source, Folder, contextlib.ExitStack], Iterator[StoredTensor | LeftOut]]
TensorsOfFolder = Callable[[Folder, contextlib.ExitStack], Iterator[StoredTensor | LeftOut]]

# Format -> module. Each is imported when it is asked for.
MODULES = {
    "onnx": "onnx", "safetensors": "safetensors", "torch-zip": "torch", "torchscript": "torch", "pt2": "pt2",
    "tflite": "tflite", "npz": "npz",
    "chainer-npz": "npz", "gguf": "gguf", "keras-h5": "keras", "keras-zip": "keras", "openvino-ir": "openvino",
    "tf-checkpoint": "tensorflow", "savedmodel": "savedmodel", "tfjs": "tfjs", "coreml-mlmodel": "coreml",
    "coreml-mlpackage": "coreml",
}  # fmt: skip
# Formats that are folders: their modules have ``tensors_of_folder(folder)`` too.
FOLDERS = frozenset({"savedmodel", "coreml-mlpackage"})
# All tensors together; several may share their bytes, but a file that names the same ones a thousand times ends here.
_MOST_BYTES = 8192 * MIB


@dataclass(frozen=True)
class StoredWeights:
    """The tensors of a model by name, and the names of those that are not compared."""

    tensors: Mapping[str, StoredTensor]
    left_out: frozenset[str]


def can_read(path: Path, format_id: str | None) -> bool:
    """Whether the weights of a model of the disk can be compared."""
    return format_id in MODULES and (path.is_file() or (format_id in FOLDERS and path.is_dir()))


@contextlib.contextmanager
def stored_weights(path: Path, format_id: str, cancelled: Cancelled = never) -> Iterator[StoredWeights]:
    """The weights of a model, readable while the block lasts.

    Raises:
        Damaged: the file is not what its format asks for.
        Stopped: the work was cancelled.
        KeyError: there is no module for the format; ask :func:`can_read`.
    """
    module = importlib.import_module(f"{__name__}.{MODULES[format_id]}")
    with contextlib.ExitStack() as open_files:
        if path.is_dir():
            of_folder: TensorsOfFolder = module.tensors_of_folder
            found = of_folder(DiskFolder(path, cancelled), open_files)
        else:
            of_file: Tensors = module.tensors
            source = open_files.enter_context(opened(path, cancelled))
            found = of_file(source, DiskFolder(path.absolute().parent, cancelled, path), open_files)
        yield gathered(found)


def gathered(found: Iterable[StoredTensor | LeftOut]) -> StoredWeights:
    """Tensors by name. Raises Damaged: there are more of them than any model has, or one cannot be found."""
    tensors: dict[str, StoredTensor] = {}
    left_out: set[str] = set()
    size = 0
    for facts in found:
        if isinstance(facts, LeftOut):
            left_out.add(facts.name)
        else:
            tensors[facts.name] = facts
            size += facts.data.size
        if len(tensors) + len(left_out) > MOST_TENSORS or size > _MOST_BYTES:
            raise Damaged("too-large", f"{len(tensors) + len(left_out)} tensors, {size} bytes")
    return StoredWeights(tensors, frozenset(left_out - tensors.keys()))
