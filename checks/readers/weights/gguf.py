"""The tensors of a GGUF file, and of the other parts of its set."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from checks.readers.containers.folder import Folder
from checks.readers.containers.source import Source
from checks.readers.models.language.gguf import PART, dtype_name, read_tensors
from checks.readers.models.sets import other_parts
from checks.readers.weights.tensor import LeftOut, StoredTensor, stretch


def tensors(source: Source, beside: Folder, open_files: contextlib.ExitStack) -> Iterator[StoredTensor | LeftOut]:
    """Every tensor. Files of big-endian machines have none that are compared."""
    yield from _of_file(source)
    for part in other_parts(source.name, beside, PART) or ():
        if part.present:
            yield from _of_file(open_files.enter_context(beside.file(part.name)))


def _of_file(source: Source) -> Iterator[StoredTensor | LeftOut]:
    found, begins = read_tensors(source) or ((), 0)
    for facts in found:
        if facts.size is None:
            yield LeftOut(facts.name)
        else:
            data = stretch(source, begins + facts.offset, facts.size)
            yield StoredTensor(facts.name, dtype_name(facts.kind), facts.shape, data)
