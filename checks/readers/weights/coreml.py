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
    for each in read_stored(source):
        if each.file not in files:
            files[each.file] = open_files.enter_context(beside.file(place_of_file(each.file, base)))
        start, size = each.start, each.size
        if size is None:
            start, size = place_of_weight(files[each.file], each.start)
        times[each.name] = times.get(each.name, 0) + 1
        name = f"{each.name} ({times[each.name]})" if times[each.name] > 1 else each.name
        yield StoredTensor(name, each.dtype, each.shape, stretch(files[each.file], start, size))
