"""NumPy's .npy and .npz, and the .npz that Chainer made of a network's weights.

The header is a Python dict in text, which is searched and not evaluated; an array of objects is a pickle, and listed as
such. The form: numpy/lib/format.py ("NEP 1").
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable
from dataclasses import replace

from checks.readers.containers.folder import Folder, ZipFolder
from checks.readers.containers.pickles.read import begins_like_a_pickle
from checks.readers.containers.pickles.values import UNREAD, Pickle
from checks.readers.containers.pickles.whole import read_whole_pickle
from checks.readers.containers.source import Damaged, Source
from checks.readers.containers.torch.values import Tensor, bits, numpy_name
from checks.readers.models.pytorch.pickled_objects import counted, named_classes
from checks.readers.models.reading import Reading
from checks.readers.models.registry import Rank, archive_reader, file_reader

MAGIC = b"\x93NUMPY"
_LONGEST_HEADER = 1 << 16
_BEGINNING = 4096
_MOST_SHOWN = 12
_MOST_OBJECTS = 200  # arrays of objects that are looked into
_DESCRIPTION = re.compile(r"'descr'\s*:\s*(?:'([^']{1,40})'|\[)")
# The header as NumPy writes it. As a literal of Python it can say the same in other ways, and hide what it says.
_HEADER = re.compile(
    r"""\s*\{(?:\s*'(?:descr|fortran_order|shape)'\s*:\s*(?:'[^'\\"]{1,40}'|\[[^\\"]*\]|True|False|\([\d\sL,]*\))\s*,?){2,3}\s*\}\s*"""
)
_KEY = re.compile(r"'descr'\s*:")
_OBJECTS = re.compile(r"'[<>=|]?O\d?'|object")  # a field of Python objects in a type that is made of others
_MAY = "void with objects"
_WITH_OBJECTS = ("object", _MAY)
_SHAPE = re.compile(r"'shape'\s*:\s*\(([\d\sL,]{0,2000})\)")
# The names that links of Chainer give their parameters and persistent values.
_OF_CHAINER = {"W", "b", "gamma", "beta", "avg_mean", "avg_var", "N", "c", "h", "s", "prev_W", "initial_s"}
_MODEL = "updater/model:"  # in a snapshot of a trainer; beside it lie the optimizer and the iterators
_TRAINER = re.compile(r"updater/(?:model|optimizer):")
_MOSTLY = 0.8


@file_reader("npy", rank=Rank.MAGIC)
def npy(source: Source, _beside: Folder) -> Reading | None:
    """A single array."""
    if source.size < len(MAGIC) or source.read(0, len(MAGIC)) != MAGIC:
        return None
    try:
        version, array, start = read_header(source.read(0, min(_LONGEST_HEADER, source.size)))
    except Damaged as damage:
        classes = named_classes(_behind_header(source))
        return Reading("npy", producer="numpy", frameworks=("numpy",), classes=classes, problem=damage)
    array = _looked_into(array, source, start)
    pickles = [read_whole_pickle(source, start)] if array.dtype == "object" else []
    needed = array.numbers * bits(array.dtype or "") // 8
    problem = next((pickle.problem for pickle in pickles if pickle.problem), None)
    if not pickles and source.size < start + needed:
        problem = Damaged("truncated", f"{needed} bytes of numbers, {source.size - start} are there")
    weights = counted([array])
    return Reading(
        "npy",
        version=version,
        producer="numpy",
        dtypes=weights.dtypes,
        details={"shape": "×".join(map(str, array.shape or ())) or "1", **({"pickles": "1"} if pickles else {})},
        frameworks=("numpy",),
        classes=named_classes(pickles),
        devices=(),
        memory=max(0, source.size - start),
        problem=problem,
    )


@archive_reader("npz", "chainer-npz")
def npz(archive: ZipFolder) -> Reading | None:
    """An archive of arrays."""
    names = archive.names
    if not names or not all(name.endswith(".npy") for name in names):
        return None
    arrays: list[Tensor] = []
    pickles: list[Pickle] = []
    version: str | None = None
    problem: Damaged | None = None
    for name in names:
        try:
            version, array, start = read_header(archive.beginning_of(name, _BEGINNING))
            if array.dtype in _WITH_OBJECTS and len(pickles) >= _MOST_OBJECTS:
                pickles.append(Pickle(names={UNREAD: False}))
            elif array.dtype in _WITH_OBJECTS:
                with archive.file(name) as source:
                    array = _looked_into(array, source, start)
                    if array.dtype == "object":
                        pickles.append(read_whole_pickle(source, start))
            arrays.append(Tensor(name.removesuffix(".npy")[:200], array.dtype, array.shape, kind="array"))
        except Damaged as damage:
            problem = problem or damage
            with contextlib.suppress(Damaged), archive.file(name) as source:
                pickles += _behind_header(source)
    if not arrays and problem is None:
        return None
    problem = problem or next((pickle.problem for pickle in pickles if pickle.problem), None)
    is_chainer = is_of_chainer(item.name for item in arrays)
    weights = counted([stored for stored in arrays if _MODEL in stored.name] or arrays)
    details = {"tensors": str(len(arrays)), "keys": _listed(entry.name for entry in arrays)}
    if pickles:
        details["pickles"] = str(len(pickles))
    return Reading(
        "chainer-npz" if is_chainer else "npz",
        version=version,
        producer="chainer" if is_chainer else "numpy",
        dtypes=weights.dtypes,
        details=details,
        frameworks=("chainer",) if is_chainer else ("numpy",),
        classes=named_classes(pickles),
        devices=(),
        memory=weights.memory,
        problem=problem,
    )


def is_of_chainer(names: Iterable[str]) -> bool:
    """Whether arrays are named as Chainer's serializer names them: "predictor/conv1/W"."""
    paths = list(names)
    if any(_TRAINER.match(path) for path in paths):
        return True
    inner = [path.rpartition("/")[2] for path in paths if "/" in path]
    if not inner or "W" not in inner or not {"b", "gamma", "beta"} & set(inner):
        return False
    return sum(1 for name in inner if name in _OF_CHAINER) >= _MOSTLY * len(paths)


def read_header(head: bytes) -> tuple[str, Tensor, int]:
    """Version, array and the place of the data. Raises Damaged: "truncated" or "npy-damaged"."""
    if len(head) < 12:
        raise Damaged("truncated", "the header")
    if not head.startswith(MAGIC):
        raise Damaged("npy-damaged", "no array")
    major, minor = head[6], head[7]
    width = 2 if major == 1 else 4
    size = int.from_bytes(head[8 : 8 + width], "little")
    start = 8 + width + size
    if size > _LONGEST_HEADER:
        raise Damaged("npy-damaged", f"a header of {size} bytes")
    text = head[8 + width : start].decode("utf-8" if major > 2 else "latin-1", "replace")
    described, shape = _DESCRIPTION.search(text), _SHAPE.search(text)
    if described is None or shape is None or not _HEADER.fullmatch(text) or len(_KEY.findall(text)) > 1:
        raise Damaged("truncated" if start > len(head) else "npy-damaged", "the header")
    lengths = tuple(int(digits) for digits in re.findall(r"\d{1,18}", shape[1]))
    dtype = numpy_name(described[1]) if described[1] else _MAY if _OBJECTS.search(text) else "void"
    return f"{major}.{minor}", Tensor("", dtype, lengths, kind="array"), start


def _behind_header(source: Source) -> list[Pickle]:
    """The pickle that may follow a header that is not written as NumPy writes it, but that NumPy may understand."""
    head = source.read(0, min(12, source.size))
    if len(head) < 12:
        return []
    width = 2 if head[6] == 1 else 4
    start = 8 + width + int.from_bytes(head[8 : 8 + width], "little")
    is_pickle = start < source.size and begins_like_a_pickle(source.read(start, min(64, source.size - start)))
    return [read_whole_pickle(source, start)] if is_pickle else []


def _looked_into(array: Tensor, source: Source, start: int) -> Tensor:
    """The array with its true type: a field may be named as the code of objects is, and the numbers be numbers."""
    if array.dtype != _MAY:
        return array
    is_pickle = begins_like_a_pickle(source.read(start, max(0, min(64, source.size - start))))
    return replace(array, dtype="object" if is_pickle else "void")


def _listed(names: Iterable[str]) -> str:
    first = [name[:80] for _, name in zip(range(_MOST_SHOWN + 1), names, strict=False)]
    return ", ".join(first[:_MOST_SHOWN] + (["…"] if len(first) > _MOST_SHOWN else []))
