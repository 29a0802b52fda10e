"""The constants of a TFLite model by the names of their tensors."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from checks.readers.containers.folder import Folder
from checks.readers.containers.source import Source
from checks.readers.models.tensorflow.tflite_graph import TfliteFile
from checks.readers.weights.tensor import StoredTensor, stretch


def tensors(source: Source, beside: Folder, open_files: contextlib.ExitStack) -> Iterator[StoredTensor]:
    """Every constant of every graph; a name that comes again gets the number of its graph."""
    model = TfliteFile(source)
    files = {"": source}
    seen: set[str] = set()
    for number, graph in enumerate(model.subgraphs()):
        for tensor in model.tensors(graph):
            if not tensor.is_constant or not all(isinstance(axis, int) for axis in tensor.shape):
                continue
            place = tensor.data
            if place.file not in files:
                files[place.file] = open_files.enter_context(beside.file(place.file))
            name = tensor.name if tensor.name not in seen else f"{tensor.name} ({number})"
            seen.add(name)
            shape = tuple(length for length in tensor.shape if isinstance(length, int))
            yield StoredTensor(name, tensor.dtype, shape, stretch(files[place.file], place.at, place.size))
