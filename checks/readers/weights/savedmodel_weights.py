"""The variables of a SavedModel, which are a TensorFlow checkpoint."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from checks.readers.containers.folder import Folder
from checks.readers.containers.source import Source
from checks.readers.models.savedmodel import INDEX, STEM
from checks.readers.weights import tensorflow_weights
from checks.readers.weights.tensor import LeftOut, StoredTensor


def tensors(_source: Source, beside: Folder, open_files: contextlib.ExitStack) -> Iterator[StoredTensor | LeftOut]:
    """The same where saved_model.pb itself is given."""
    return tensors_of_folder(beside, open_files)


def tensors_of_folder(folder: Folder, open_files: contextlib.ExitStack) -> Iterator[StoredTensor | LeftOut]:
    """Every variable; constants within the graph are part of its structure."""
    if folder.size_of(INDEX) is not None:
        yield from tensorflow_weights.of_checkpoint(folder, STEM, open_files)
