"""The variables of a TensorFlow checkpoint: named in its index, stored in the shards beside it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from checks.readers.containers.folder import Folder
from checks.readers.containers.source import Damaged, Source
from checks.readers.models.tensorflow.checkpoint import (
    MOST_SHARDS,
    Index,
    Variable,
    old_variables,
    read_variables,
    stem_of,
)
from checks.readers.weights.tensor import LeftOut, StoredTensor, item_size, stretch

_OBJECT_VALUE = "/.ATTRIBUTES/VARIABLE_VALUE"  # what TensorFlow 2 puts behind every name
_SLICE = "\0"  # the first character of what a part of a variable is stored under


def tensors(source: Source, beside: Folder, open_files: contextlib.ExitStack) -> Iterator[StoredTensor | LeftOut]:
    """Every weight of a checkpoint, of which any file is given; those of TensorFlow 1's single files are left out."""
    stem = stem_of(source.name)
    if beside.size_of(f"{stem}.index") is not None:
        yield from of_checkpoint(beside, stem, open_files)
    else:
        yield from (LeftOut(old_variable.name) for old_variable in old_variables(source) if old_variable.is_weight)


def of_checkpoint(folder: Folder, stem: str, open_files: contextlib.ExitStack) -> Iterator[StoredTensor | LeftOut]:
    """The weights of a checkpoint by the name that its files have in common.

    Raises:
        Damaged: a part is missing or broken.
    """
    with folder.file(f"{stem}.index") as source:
        variables, index = read_variables(source)
    shards: dict[int, Source] = {}
    for variable in variables:
        if not variable.is_weight or variable.name.startswith(_SLICE):
            continue
        name = variable.name.removesuffix(_OBJECT_VALUE)
        if index.is_big_endian or not _is_whole(variable):
            yield LeftOut(name)
            continue
        if variable.shard not in shards:
            shards[variable.shard] = open_files.enter_context(folder.file(_shard(stem, variable, index)))
        shape = tuple(axis for axis in variable.shape if isinstance(axis, int))
        yield StoredTensor(
            name, variable.dtype or "", shape, stretch(shards[variable.shard], variable.offset, variable.size)
        )


def _is_whole(variable: Variable) -> bool:
    """Whether all of its numbers stand in one place, which they do not where it was saved in parts."""
    return (item_size(variable.dtype or "") or 0) * variable.elements == variable.size


def _shard(stem: str, variable: Variable, index: Index) -> str:
    if variable.shard >= min(index.shards, MOST_SHARDS):
        raise Damaged("table-damaged", f"shard {variable.shard} of {index.shards}")
    return f"{stem}.data-{variable.shard:05d}-of-{index.shards:05d}"
