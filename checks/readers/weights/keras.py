"""The weights of Keras files: the datasets of an .h5, or those in a .keras, by their paths in it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from checks.readers.containers.folder import Folder, ZipFolder
from checks.readers.containers.hdf5 import Hdf5, Node
from checks.readers.containers.source import Source
from checks.readers.models.tensorflow.keras_files import WEIGHTS, dtype_of, weights_of
from checks.readers.weights import npz as npz_weights
from checks.readers.weights.tensor import LeftOut, StoredTensor, item_size, stretch

_ZIP = b"PK"
_NPZ = "model.weights.npz"


def tensors(source: Source, beside: Folder, open_files: contextlib.ExitStack) -> Iterator[StoredTensor | LeftOut]:
    """Every weight; what training keeps is not among them, and datasets in chunks are left out."""
    if source.read(0, min(2, source.size)) != _ZIP:
        return _of_hdf5(source)
    archive = ZipFolder(source)
    if archive.size_of(WEIGHTS) is None and archive.size_of(_NPZ) is not None:
        return npz_weights.tensors(open_files.enter_context(archive.file(_NPZ)), beside, open_files)
    return _of_hdf5(open_files.enter_context(archive.file(WEIGHTS)))


def _of_hdf5(source: Source) -> Iterator[StoredTensor | LeftOut]:
    for path, node in weights_of(Hdf5(source).root):
        yield _tensor(path, node) or LeftOut(path)


def _tensor(path: str, node: Node) -> StoredTensor | None:
    dtype, place = dtype_of(node), node.place
    item = item_size(dtype)
    if place is None or item is None or node.shape is None or (item > 1 and node.is_big_endian):
        return None
    return StoredTensor(path, dtype, node.shape, stretch(place, 0, place.size))
