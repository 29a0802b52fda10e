"""The weights of a program of torch.export: plain bytes with a list, or before 2.8 a file of torch.save within."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator

from checks.readers.containers.folder import Folder, ZipFolder
from checks.readers.containers.source import Source
from checks.readers.containers.torch.zip import TorchZip
from checks.readers.models.pytorch.pt2 import WEIGHTS_BEFORE_2_8, plain_weights
from checks.readers.weights import torch as torch_weights
from checks.readers.weights.tensor import LeftOut, StoredTensor, item_size, stretch


def tensors(source: Source, beside: Folder, open_files: contextlib.ExitStack) -> Iterator[StoredTensor | LeftOut]:
    """Every weight; those that are pickled, or do not lie in one piece, are left out."""
    archive = ZipFolder(source)
    if WEIGHTS_BEFORE_2_8 in archive.names:
        yield from torch_weights.tensors(open_files.enter_context(archive.file(WEIGHTS_BEFORE_2_8)), beside, open_files)
        return
    files = TorchZip.with_member(archive, "archive_format")
    if files is None:
        return
    stores: dict[str, Source] = {}
    for weight in plain_weights(files):
        item = item_size(weight.dtype or "")
        if item is None or not weight.member:
            yield LeftOut(weight.name)
            continue
        if weight.member not in stores:
            stores[weight.member] = open_files.enter_context(files.source(weight.member))
        size = item * math.prod(weight.shape)
        yield StoredTensor(weight.name, weight.dtype or "", weight.shape, stretch(stores[weight.member], 0, size))
