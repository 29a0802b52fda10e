"""The weights of an OpenVINO IR: named in the XML, stored in the .bin beside it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from checks.readers.containers.folder import Folder
from checks.readers.containers.source import Source
from checks.readers.models.devices.openvino import Constant, read_constants
from checks.readers.weights.tensor import LeftOut, StoredTensor, item_size, stretch


def tensors(source: Source, beside: Folder, open_files: contextlib.ExitStack) -> Iterator[StoredTensor | LeftOut]:
    """Every constant. A name that comes again, as in the bodies of loops, gets a number."""
    constants, name = read_constants(source)
    if not constants:
        return
    weights = open_files.enter_context(beside.file(name))
    times: dict[str, int] = {}
    for constant in constants:
        times[constant.name] = times.get(constant.name, 0) + 1
        shown = f"{constant.name} ({times[constant.name]})" if times[constant.name] > 1 else constant.name
        yield StoredTensor(shown, constant.dtype, _shape(constant), stretch(weights, constant.offset, constant.size))


def _shape(constant: Constant) -> tuple[int, ...]:
    """Its shape; as one row of numbers where an old file has none."""
    if constant.shape is not None:
        return constant.shape
    return (constant.size // (item_size(constant.dtype) or 1),)
