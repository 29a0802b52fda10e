"""The arrays of a NumPy archive."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator

import numpy as np

from checks.readers.containers.folder import Folder, ZipFolder
from checks.readers.containers.source import Damaged, Source
from checks.readers.weights.tensor import StoredTensor, stretch

_MOST_HEADER = 64 << 10


def tensors(source: Source, _beside: Folder, open_files: contextlib.ExitStack) -> Iterator[StoredTensor]:
    """Every array of numbers in C order; pickled objects are left out."""
    archive = ZipFolder(source)
    for name in archive.names:
        member = open_files.enter_context(archive.file(name))
        header = io.BytesIO(member.read(0, min(_MOST_HEADER, member.size)))
        try:
            version = np.lib.format.read_magic(header)
            read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
            shape, is_fortran, dtype = read(header)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError, OverflowError, EOFError) as error:
            raise Damaged("header-damaged", f"{name}: {error}") from error
        if is_fortran or dtype.hasobject or dtype.byteorder == ">":
            continue
        at = header.tell()
        yield StoredTensor(name.removesuffix(".npy"), dtype.name, shape, stretch(member, at, member.size - at))
