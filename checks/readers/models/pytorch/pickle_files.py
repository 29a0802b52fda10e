"""Plain pickles, and what is made of them: joblib's files, cloudpickle, estimators of scikit-learn and others.

Nothing is loaded: see containers/pickles/. joblib keeps arrays between the opcodes, and often compresses the file.
How joblib keeps arrays: joblib/numpy_pickle.py and numpy_pickle_compat.py of joblib 1.6.
"""

from __future__ import annotations

import bz2
import functools
import lzma
import math
import re
import tempfile
import zlib
from collections.abc import Callable, Iterator
from typing import BinaryIO, cast

from checks.facts import Binding, NamedClass, NeededFile
from checks.knowledge.formats.pickle_globals import DANGEROUS, KNOWN
from checks.knowledge.packages.import_packages import distributions_of
from checks.readers.containers import lz4
from checks.readers.containers.folder import Folder, inside
from checks.readers.containers.pickles.read import begins_like_a_pickle, read_pickle
from checks.readers.containers.pickles.values import JOBLIB_ARRAYS, UNREAD, Global, Node, Pickle, Unknown, Value
from checks.readers.containers.pickles.whole import read_whole_pickle
from checks.readers.containers.source import MIB, Damaged, Source
from checks.readers.containers.torch.values import Walk, bits, class_of, is_plain_dict
from checks.readers.models.pytorch.pickled_objects import (
    Contents,
    contents_of,
    devices_of,
    named_classes,
    packages_needed,
)
from checks.readers.models.reading import Reading
from checks.readers.models.registry import Rank, file_reader

MOST_UNPACKED = 256 * MIB
_PEEK = 1 << 16
_PIECE = MIB
_IN_MEMORY = 16 * MIB
_MOST_MEMORY = 128 * MIB  # that a decompressor may ask for
_MOST_PICKLES = 100  # one after the other in one file
_LEAST_STEPS = 4  # opcodes that no other file has by chance
_MOST_FILES = 2000
_MOST_FIELDS = 10_000
_SHOWN = 12
_NAMES = re.compile(
    r"\.(?:pkl|pickle|p|pck|pcl|joblib|jl|sav|model|dill|cpkl|pth?|z|gz|xz|bz2|lz4|lzma)$", re.IGNORECASE
)
_SURE_NAMES = re.compile(r"\.(?:pkl|pickle|joblib)(?:\.\w{1,5})?$", re.IGNORECASE)
_SEPARATE_ARRAYS = {
    "joblib.numpy_pickle.NDArrayWrapper",
    "joblib.numpy_pickle_compat.NDArrayWrapper",
    "sklearn.externals.joblib.numpy_pickle.NDArrayWrapper",
    "joblib.numpy_pickle_compat.ZNDArrayWrapper",
    "joblib.numpy_pickle.ZNDArrayWrapper",
}
_SKLEARN = "scikit-learn"
_PLAIN = re.compile(r"[<>=|]?([?biufcmMSUV])(\d{1,9})?(?:\[\w{1,9}\])?")  # the codes of numbers, texts and bytes
_CLASS = re.compile(r"\._*[A-Z]\w*$")  # as the names of classes are written; functions make something else


@file_reader("pickle", rank=Rank.STRUCTURE)
def pickle_file(source: Source, beside: Folder) -> Reading | None:
    """A pickle, plain or compressed."""
    head = source.read(0, min(64, source.size))
    if begins_like_a_pickle(head):
        return _read(source, beside, "")
    packing = next((name for start, name in _PACKED.items() if head.startswith(start)), None)
    if packing is None:
        # No pickler begins so, but whoever wants to hide what follows may.
        first = read_pickle(source) if _SURE_NAMES.search(source.name) else None
        return _read(source, beside, "") if first and first.names and first.problem is None else None
    try:
        beginning = next(_UNPACK[packing](source), b"")
    except Damaged as problem:
        if not _SURE_NAMES.search(source.name):
            return None
        return Reading("pickle", problem=problem)
    if not begins_like_a_pickle(beginning[:64]):
        return None
    return _read_packed(source, beside, packing)


def _read_packed(source: Source, beside: Folder, packing: str) -> Reading | None:
    problem: Damaged | None = None
    with tempfile.SpooledTemporaryFile(_IN_MEMORY) as plain:
        left = MOST_UNPACKED
        try:
            for piece in _UNPACK[packing](source):
                left -= len(piece)
                if left < 0:
                    raise Damaged("too-large", f"more than {MOST_UNPACKED} bytes unpacked")
                plain.write(piece)
        except Damaged as damage:
            problem = damage
        return _read(Source(cast("BinaryIO", plain), source.name), beside, packing, problem)


def _read(source: Source, beside: Folder, packing: str, before: Damaged | None = None) -> Reading | None:
    pickles, within = _pickles(source)
    main = pickles[0]
    if not _is_pickle(source, main, packing):
        return None
    trailing = source.size - pickles[-1].end
    number = len(pickles)
    pickles += within
    if trailing > 0 and not _is_padding(source, trailing):
        pickles.append(Pickle(names={UNREAD: False}))
    contents = contents_of(main)
    classes = named_classes(pickles)
    devices = devices_of(pickles)
    traits = _traits(main)
    problem = before or next((pickle.problem for pickle in pickles if pickle.problem), None)
    details = contents.details | traits.details | ({"compression": packing} if packing else {})
    if problem is None and trailing > 0:
        details["trailing-bytes"] = str(trailing)
    if number > 1:
        details["pickles"] = str(number)
    return Reading(
        "pickle",
        version=f"protocol {main.protocol}",
        producer=traits.producer or contents.producer or None,
        producer_version=traits.version or contents.producer_version or None,
        bound_to=_bindings(contents, traits, classes),
        parameters=contents.weights.parameters if contents.found.tensors else None,
        dtypes=contents.weights.dtypes if contents.found.tensors else None,
        details=details,
        frameworks=packages_needed([main], traits.producer),
        classes=classes,
        devices=devices,
        memory=contents.weights.memory if contents.found.tensors else None,
        files=_separate_arrays(main, beside),
        problem=problem,
    )


def _is_padding(source: Source, size: int) -> bool:
    """Whether the last bytes are zeros, so that no program finds anything in them."""
    return size <= _PEEK and not any(source.read(source.size - size, size))


def _pickles(source: Source) -> tuple[list[Pickle], list[Pickle]]:
    """The pickles one after the other, and those that lie between their opcodes: joblib's arrays of objects."""
    row: list[Pickle] = []
    within: list[Pickle] = []
    place = 0
    for _ in range(_MOST_PICKLES):
        found = read_whole_pickle(source, place, functools.partial(_array_bytes, within))
        if row and found.problem and not found.names:
            break  # what follows the last pickle only looked like one
        row.append(found)
        place = found.end
        if found.problem or not begins_like_a_pickle(source.read(place, min(64, source.size - place))):
            break
    return row, within


def _is_pickle(source: Source, main: Pickle, packing: str) -> bool:
    """Whether it is one beyond doubt. Text can begin like a pickle of the old protocols."""
    is_named = _NAMES.search(source.name) is not None
    if main.problem is not None:
        if main.protocol >= 2:
            return bool(main.names) or main.steps >= (2 if packing else _LEAST_STEPS)
        return bool(main.names) and (is_named or any(name.risk == DANGEROUS for name in named_classes([main])))
    if main.protocol >= 2 or main.names:
        return True
    return isinstance(main.root, Node) and (main.end == source.size or is_named)


def _array_bytes(within: list[Pickle], node: Node, source: Source, place: int) -> int:
    """Bytes of an array that joblib writes right behind the object that describes it.

    Raises:
        Damaged: they are a pickle, and damaged; or their number is unknown.
    """
    if node.made_by not in JOBLIB_ARRAYS:
        return 0
    state = node.state
    dtype = state.entries.get("dtype") if isinstance(state, Node) else None
    shape = state.entries.get("shape") if isinstance(state, Node) else None
    size = _item_size(dtype)
    if size is None:
        nested = read_whole_pickle(source, place)
        within.append(nested)
        if nested.problem is not None:
            raise nested.problem
        return nested.end - place
    if not isinstance(shape, tuple) or not all(isinstance(length, int) and length >= 0 for length in shape):
        within.append(Pickle(names={UNREAD: False}))
        raise Damaged("pickle-damaged", f"an array at {place} without a shape")
    size *= math.prod(axis for axis in shape if isinstance(axis, int))
    if isinstance(state, Node) and state.entries.get("numpy_array_alignment_bytes") is not None:
        size += 1 + source.read(place, 1)[0]
    return size


def _item_size(dtype: Value) -> int | None:
    """Bytes of one item; None where items may be objects, which joblib pickles, or where the size is unknown."""
    if not isinstance(dtype, Node) or dtype.made_by != "numpy.dtype" or not dtype.args:
        return None
    code = dtype.args[0]
    if isinstance(code, Global):  # a type that another library brought: ml_dtypes.bfloat16
        return bits(code.name) // 8 or None
    plain = _PLAIN.fullmatch(code) if isinstance(code, str) else None
    if plain is None or (plain[1] == "V" and not _is_plain(dtype)):
        return None
    count = int(plain[2] or 1)
    return 4 * count if plain[1] == "U" else count


def _is_plain(dtype: Node) -> bool:
    """Whether a type that is made of others has none of objects among them."""
    waiting, seen = [dtype.state], {id(dtype)}
    while waiting:
        value = waiting.pop()
        if isinstance(value, Unknown) or len(seen) > _MOST_FIELDS:
            return False
        if isinstance(value, tuple):
            waiting.extend(value)
        elif isinstance(value, Node) and id(value) not in seen:
            seen.add(id(value))
            code = value.args[0] if value.args else None
            if value.kind == "made" and not (isinstance(code, str) and _PLAIN.fullmatch(code)):
                return False
            waiting += [value.state, *value.entries.values(), *value.elements]
    return True


# --- what the object is ----------------------------------------------------------------------------------------------


class _Traits:
    """Traces in a pickle of the library that wrote it."""

    def __init__(self) -> None:
        self.root_class = ""
        self.producer = ""
        self.version = ""
        self.sklearn = ""  # the version of scikit-learn that wrote an estimator in it
        self.details: dict[str, str] = {}


def _traits(main: Pickle) -> _Traits:
    traits = _Traits()
    root = main.root
    if isinstance(root, Node) and _CLASS.search(class_of(root)):
        traits.root_class = class_of(root)[:200]
    for _, value, _ in Walk(root):
        state = value.state if isinstance(value, Node) else None
        version = state.entries.get("_sklearn_version") if isinstance(state, Node) else None
        if isinstance(version, str):
            traits.sklearn = version[:40]
            break
    if traits.root_class:
        traits.producer = next(iter(distributions_of(traits.root_class)), "")
    if traits.sklearn and traits.producer in ("", _SKLEARN):
        traits.producer, traits.version = _SKLEARN, traits.sklearn
    if traits.root_class and not is_plain_dict(root):
        traits.details["model-class"] = traits.root_class
    if any(module.startswith(("cloudpickle", "dill")) for module, _ in main.names):
        traits.details["own-code"] = "cloudpickle / dill"
    return traits


def _bindings(contents: Contents, traits: _Traits, classes: tuple[NamedClass, ...]) -> tuple[Binding, ...]:
    found: list[Binding] = []
    foreign = (needed.name for needed in classes if needed.risk != KNOWN and not needed.name.startswith("("))
    named = contents.model_class or traits.root_class or next(foreign, "")
    if named:
        found.append(Binding(kind="python-classes", value=named))
    if traits.sklearn:
        found.append(Binding(kind="library-versions", value=f"{_SKLEARN} {traits.sklearn}"))
    return tuple(found)


def _separate_arrays(main: Pickle, beside: Folder) -> tuple[NeededFile, ...] | None:
    """Arrays that joblib before 0.10 wrote into files of their own."""
    found: list[NeededFile] = []
    for _, value, _ in Walk(main.root):
        if not isinstance(value, Node) or value.made_by not in _SEPARATE_ARRAYS or not isinstance(value.state, Node):
            continue
        name = value.state.entries.get("filename")
        if isinstance(name, str) and len(found) < _MOST_FILES:
            size = beside.size_of(name) if inside(name) else None
            found.append(
                NeededFile(name=name[:200], present=size is not None if inside(name) else None, present_size=size)
            )
    return tuple(found) or None


# --- compression -----------------------------------------------------------------------------------------------------


def _pieces(source: Source) -> Iterator[bytes]:
    for place in range(0, source.size, _PEEK):
        yield source.read(place, min(_PEEK, source.size - place))


def _inflated(source: Source, window: int) -> Iterator[bytes]:
    machine = zlib.decompressobj(window)
    for piece in _pieces(source):
        data = piece
        while data and not machine.eof:
            try:
                out = machine.decompress(data, _PIECE)
            except zlib.error as error:
                raise Damaged("archive-damaged", str(error)) from error
            if out:
                yield out
            data = machine.unconsumed_tail
        if machine.eof:
            return
    raise Damaged("truncated", "the compressed data goes on")


def _expanded(source: Source, machine: bz2.BZ2Decompressor | lzma.LZMADecompressor) -> Iterator[bytes]:
    for piece in _pieces(source):
        data = piece
        while True:
            try:
                out = machine.decompress(data, _PIECE)
            except (OSError, EOFError, ValueError, lzma.LZMAError, MemoryError) as error:
                raise Damaged("archive-damaged", str(error)) from error
            data = b""
            if out:
                yield out
            if machine.eof:
                return
            if machine.needs_input:
                break
    raise Damaged("truncated", "the compressed data goes on")


_UNPACK: dict[str, Callable[[Source], Iterator[bytes]]] = {
    "zlib": lambda source: _inflated(source, 15),
    "gzip": lambda source: _inflated(source, 31),
    "bz2": lambda source: _expanded(source, bz2.BZ2Decompressor()),
    "xz": lambda source: _expanded(source, lzma.LZMADecompressor(memlimit=_MOST_MEMORY)),
    "lzma": lambda source: _expanded(source, lzma.LZMADecompressor(lzma.FORMAT_ALONE, memlimit=_MOST_MEMORY)),
    "lz4": lz4.unpacked,
}
# How each begins; zlib by the usual window and any level.
_PACKED = {
    b"\x78\x01": "zlib", b"\x78\x5e": "zlib", b"\x78\x9c": "zlib", b"\x78\xda": "zlib", b"\x1f\x8b\x08": "gzip",
    b"BZh": "bz2", b"\xfd7zXZ\x00": "xz", b"\x5d\x00\x00": "lzma", lz4.MAGIC: "lz4",
}  # fmt: skip
