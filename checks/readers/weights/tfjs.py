"""The weights of a TensorFlow.js model: named in its JSON, stored one after the other over the files of a group."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator

from checks.readers.containers.folder import Folder
from checks.readers.containers.joined import joined
from checks.readers.containers.source import Damaged, Source
from checks.readers.models.tensorflow.tfjs import Weight, WeightGroup, read_manifest, stored_bytes
from checks.readers.weights.tensor import LeftOut, StoredTensor, stretch

_MOST_FILES = 1000  # open at the same time
_TEXTS, _MOST_TEXTS = "string", 1_000_000
_READINGS = 8  # times that a byte of them is read


def tensors(source: Source, beside: Folder, open_files: contextlib.ExitStack) -> Iterator[StoredTensor | LeftOut]:
    """Every weight; of texts, and of what is of an unknown type and follows that, only their names."""
    groups = read_manifest(source)
    if sum(len(item.paths) for item in groups) > _MOST_FILES:
        raise Damaged("too-large", f"weights in more than {_MOST_FILES} files")
    for group in groups:
        files = [open_files.enter_context(beside.file(path.removeprefix("./"))) for path in group.paths]
        whole = joined([file.part(0, file.size, most=_READINGS * file.size) for file in files], source.name)
        yield from _of_group(group, whole)


def _of_group(group: WeightGroup, data: Source) -> Iterator[StoredTensor | LeftOut]:
    at: int | None = 0
    for weight in group.weights:
        if min(weight.shape, default=0) < 0:
            raise Damaged("json-damaged", f"{weight.name[:100]}: a length below zero")
        item, count = stored_bytes(weight), math.prod(weight.shape)
        if item is None or at is None:
            at = None if at is None or weight.dtype != _TEXTS else _after_texts(data, at, count)
            yield LeftOut(weight.name)
            continue
        yield _tensor(weight, stretch(data, at, item * count))
        at += item * count


def _after_texts(data: Source, at: int, count: int) -> int | None:
    """Where what follows texts begins: each has its length before it. None for more of them than a model holds."""
    if count > _MOST_TEXTS:
        return None
    for _ in range(count):
        at += 4 + int.from_bytes(data.read(at, 4), "little")
    return at


def _tensor(weight: Weight, data: Source) -> StoredTensor:
    packing = weight.quantization
    if packing is None or not packing.dtype:
        return StoredTensor(weight.name, weight.dtype, tuple(weight.shape), data)
    return StoredTensor(weight.name, packing.dtype, tuple(weight.shape), data, packing.scale, packing.min)
