"""The tensors of a safetensors file, and of the other parts of its set."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import msgspec

from checks.knowledge.formats.safetensors import stored_types
from checks.prepared import prepared
from checks.readers.containers.folder import Folder
from checks.readers.containers.json_text import JSON_ERRORS
from checks.readers.containers.source import Damaged, Source
from checks.readers.weights.tensor import MOST_TENSORS, StoredTensor, stretch

_MOST_HEADER = 32 << 20  # bytes: tens of thousands of tensors


class _Entry(msgspec.Struct, frozen=True):
    dtype: str = ""
    shape: tuple[int, ...] = ()
    data_offsets: tuple[int, int] = (0, 0)


def tensors(source: Source, _beside: Folder, _open_files: contextlib.ExitStack) -> Iterator[StoredTensor]:
    """Every tensor of one file."""
    length = int.from_bytes(source.read(0, 8), "little")
    if length > _MOST_HEADER:
        raise Damaged("too-large", f"a header of {length} bytes")
    try:
        entries = msgspec.json.decode(source.read(8, length), type=prepared(dict[str, msgspec.Raw]))
        entries.pop("__metadata__", None)
        read = {name: msgspec.json.decode(entry, type=prepared(_Entry)) for name, entry in entries.items()}
    except JSON_ERRORS as error:
        raise Damaged("header-damaged", str(error)) from error
    if len(read) > MOST_TENSORS:
        raise Damaged("too-large", f"{len(read)} tensors")
    for name, entry in read.items():
        row = stored_types().get(entry.dtype)
        start, end = entry.data_offsets
        data = stretch(source, 8 + length + start, end - start)
        yield StoredTensor(name, row.dtype if row else entry.dtype, entry.shape, data)
