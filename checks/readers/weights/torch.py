"""The tensors of archives of torch.save and torch.jit.save, from the pickle's opcodes: nothing is loaded."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from checks.readers.containers.folder import Folder, ZipFolder
from checks.readers.containers.source import Source
from checks.readers.containers.torch.values import Tensor, find_tensors
from checks.readers.containers.torch.zip import TorchZip
from checks.readers.weights.tensor import LeftOut, StoredTensor, item_size, stretch


def tensors(source: Source, _beside: Folder, open_files: contextlib.ExitStack) -> Iterator[StoredTensor | LeftOut]:
    """Every tensor; those that do not lie in one piece in their storage are left out."""
    files = TorchZip.with_member(ZipFolder(source), "data.pkl")
    if files is None:
        return
    big_endian = files.text("byteorder") == "big"
    stores: dict[str, Source] = {}
    for tensor in find_tensors(files.pickle("data.pkl").root).tensors:
        if (
            tensor.storage is None
            or tensor.dtype is None
            or tensor.shape is None
            or f"data/{tensor.storage.key}" not in files
        ):
            continue
        item = item_size(tensor.dtype)
        if item is None or big_endian or not _is_in_one_piece(tensor):
            yield LeftOut(tensor.name)
            continue
        key = tensor.storage.key
        if key not in stores:
            stores[key] = open_files.enter_context(files.source(f"data/{key}"))
        size = item * tensor.numbers
        yield StoredTensor(tensor.name, tensor.dtype, tensor.shape, stretch(stores[key], item * tensor.offset, size))


def _is_in_one_piece(tensor: Tensor) -> bool:
    """Whether the numbers follow each other in C order."""
    expected = 1
    for length, stride in zip(reversed(tensor.shape or ()), reversed(tensor.strides), strict=False):
        if length != 1 and stride != expected:
            return False
        expected *= length
    return len(tensor.strides) == len(tensor.shape or ())
