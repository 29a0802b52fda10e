"""The variables of a SavedModel, which are a TensorFlow checkpoint."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from checks.readers.containers.folder import Folder
from checks.readers.containers.source import Source
from checks.readers.models.tensorflow.savedmodel import BINARY, INDEX, STEM, TEXT, largest_constant
from checks.readers.weights import tensorflow as tensorflow_weights
from checks.readers.weights.tensor import LeftOut, StoredTensor

_LEAST = 64  # numbers of a constant that is more than a shape or an axis


def tensors(_source: Source, beside: Folder, open_files: contextlib.ExitStack) -> Iterator[StoredTensor | LeftOut]:
    """The same where saved_model.pb itself is given."""
    return tensors_of_folder(beside, open_files)


def tensors_of_folder(folder: Folder, open_files: contextlib.ExitStack) -> Iterator[StoredTensor | LeftOut]:
    """Every variable. Constants within the graph are left out; one name stands for all of them."""
    if folder.size_of(INDEX) is not None:
        yield from tensorflow_weights.of_checkpoint(folder, STEM, open_files)
    graph = BINARY if folder.size_of(BINARY) is not None else TEXT
    with folder.file(graph) as source:
        if largest_constant(source) >= _LEAST:
            yield LeftOut(f"{graph}: Const")
