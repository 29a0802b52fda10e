"""The weights of Core ML models: those of programs lie in files of their own, those of networks in the model."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import PurePosixPath

from checks.readers.containers.folder import Folder
from checks.readers.containers.source import Source
from checks.readers.models.apple.coreml import model_of_package, place_of_file, place_of_weight, read_stored
from checks.readers.weights.tensor import StoredTensor, stretch


def tensors_of_folder(folder: Folder, open_files: contextlib.ExitStack) -> Iterator[StoredTensor]:
    """Every weight of a package."""
    name = model_of_package(folder)
    if name is not None:
        source = open_files.enter_context(folder.file(name))
        yield from _of_model(source, folder, str(PurePosixPath(name).parent), open_files)


def tensors(source: Source, beside: Folder, open_files: contextlib.ExitStack) -> Iterator[StoredTensor]:
    """Every weight of a single file."""
    return _of_model(source, beside, None, open_files)


def _of_model(
    source: Source, beside: Folder, base: str | None, open_files: contextlib.ExitStack
) -> Iterator[StoredTensor]:
    """Functions of a model, and models of a pipeline, may give the same name again: those get a number."""
    files = {"": source}
    times: dict[str, int] = {}
    for weight in read_stored(source):
        if weight.file not in files:
            files[weight.file] = open_files.enter_context(beside.file(place_of_file(weight.file, base)))
        start, size = weight.start, weight.size
        if size is None:
            start, size = place_of_weight(files[weight.file], weight.start)
        times[weight.name] = times.get(weight.name, 0) + 1
        name = f"{weight.name} ({times[weight.name]})" if times[weight.name] > 1 else weight.name
        yield StoredTensor(name, weight.dtype, weight.shape, stretch(files[weight.file], start, size))
