"""The arrays of a NumPy archive."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from checks.readers.containers.folder import Folder, ZipFolder
from checks.readers.containers.source import Damaged, Source
from checks.readers.models.exchange.numpy_files import read_header
from checks.readers.weights.tensor import MOST_TENSORS, LeftOut, StoredTensor, item_size, stretch

_MOST_HEADER = 1 << 16


def tensors(source: Source, _beside: Folder, open_files: contextlib.ExitStack) -> Iterator[StoredTensor | LeftOut]:
    """Every array; those not in C order or not little-endian, and pickled objects, are left out."""
    archive = ZipFolder(source)
    if len(archive.names) > MOST_TENSORS:
        raise Damaged("too-large", f"{len(archive.names)} arrays")
    for name in archive.names:
        member = open_files.enter_context(archive.file(name))
        head = member.read(0, min(_MOST_HEADER, member.size))
        _, array, at = read_header(head)
        described = head[:at]
        is_turned = b"'fortran_order': True" in described or b"'descr': '>" in described
        if (
            is_turned
            or array.dtype is None
            or array.shape is None
            or item_size(array.dtype) is None
            or at > member.size
        ):
            yield LeftOut(name.removesuffix(".npy"))
            continue
        yield StoredTensor(name.removesuffix(".npy"), array.dtype, array.shape, stretch(member, at, member.size - at))
