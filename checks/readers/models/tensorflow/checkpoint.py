"""TensorFlow checkpoints: NAME.index with NAME.data-00000-of-0000N, NAME.meta, and the single files of TensorFlow 1.

The index is a sorted table: "" -> BundleHeaderProto, the name of a variable -> BundleEntryProto (dtype, shape, and
where its bytes lie); tensorflow/core/protobuf/tensor_bundle.proto. The weights are not read.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from checks.facts import NeededFile
from checks.readers.containers.folder import Folder
from checks.readers.containers.protobuf.wire import BYTES, Fields, Message, parse
from checks.readers.containers.sorted_table import entries, first_entry, is_table
from checks.readers.containers.source import Damaged, Source
from checks.readers.models.reading import Reading, incomplete_file, needed_file
from checks.readers.models.registry import Rank, file_reader
from checks.readers.models.sets import MOST_MISSING
from checks.readers.models.tensorflow.messages import MetaGraph, dtype_name, read_meta_graph, shape_of

FORMAT = "tf-checkpoint"
MOST_SHARDS = 10_000
_SHARD = re.compile(r"(?P<stem>.*)\.data-(?P<number>\d{5})-of-(?P<count>\d{5})")
_BIG_ENDIAN = 1
# Names of what training keeps beside the weights: optimizers' slots and counters.
_TRAINING = re.compile(
    r"\.OPTIMIZER_SLOT/|^(?:optimizer|save_counter|keras_api)/|^(?:global_step|beta[12]_power)$"
    r"|/(?:Adam|Adam_1|Momentum|RMSProp|RMSProp_1|Adagrad|Adadelta|Adadelta_1|Ftrl|Ftrl_1)$"
)
_OF_SAVER = re.compile(r"save(?:_\d+)?/")  # placeholders of the graph that saves and restores


@dataclass(frozen=True)
class Variable:
    """A variable of a checkpoint, and where its bytes lie."""

    name: str
    dtype: str | None
    shape: tuple[int | str, ...]
    shard: int = 0
    offset: int = 0
    size: int = 0

    @property
    def elements(self) -> int:
        """How many numbers it is."""
        return math.prod(axis if isinstance(axis, int) else 0 for axis in self.shape)

    @property
    def is_weight(self) -> bool:
        """Whether it belongs to the model, not to its training or to the bookkeeping."""
        return self.dtype not in ("string", None) and not _TRAINING.search(self.name)


@dataclass
class Index:
    """What the index of a checkpoint says, summed up."""

    shards: int = 1
    is_big_endian: bool = False
    variables: int = 0
    dtypes: Counter[str] = field(default_factory=Counter)  # of the weights
    memory: int = 0
    has_training: bool = False
    ends: dict[int, int] = field(default_factory=dict)  # shard -> bytes that it must have

    def add(self, variable: Variable) -> None:
        """Count a variable."""
        if variable.shard < MOST_SHARDS:
            self.ends[variable.shard] = max(self.ends.get(variable.shard, 0), variable.offset + variable.size)
        if variable.is_weight:
            self.variables += 1
            self.dtypes[variable.dtype or "?"] += variable.elements
            self.memory += variable.size
        elif variable.dtype != "string":
            self.has_training = True

    @property
    def details(self) -> dict[str, str]:
        """As those of ModelFacts."""
        return {
            "variables": str(self.variables),
            "training": "yes" if self.has_training else "",
            "byte-order": "big" if self.is_big_endian else "",
        }


def read_index(source: Source, index: Index) -> None:
    """Sum up an index. Damaged: what was read before is in ``index``."""
    for key, value in entries(source):
        if not key:
            _header(value, index)
        else:
            index.add(_variable(key, value))


def read_variables(source: Source) -> tuple[list[Variable], Index]:
    """The variables of an index, and its sum."""
    index, found = Index(), list[Variable]()
    for key, value in entries(source):
        if not key:
            _header(value, index)
        else:
            found.append(_variable(key, value))
    return found, index


def old_variables(source: Source) -> Iterator[Variable]:
    """The variables of a single file of TensorFlow 1 (saved_tensor_slice.proto); none of another file."""
    first = first_entry(source) if is_table(source) else None
    if first is not None and first[0] == b"" and _is_old(first[1]):
        yield from _old_variables(first[1])


def stem_of(name: str) -> str:
    """What the names of a checkpoint's files have in common."""
    shard = _SHARD.fullmatch(name)
    return shard["stem"] if shard else name.removesuffix(".index").removesuffix(".meta")


def shard_names(stem: str, count: int) -> Iterator[str]:
    """The names of a checkpoint's data files."""
    return (f"{stem}.data-{number:05d}-of-{count:05d}" for number in range(min(count, MOST_SHARDS)))


def needed_shards(folder: Folder, stem: str, index: Index) -> tuple[NeededFile, ...]:
    """The data files of an index, there or not; after the fiftieth that is missing no more."""
    found: list[NeededFile] = []
    missing = 0
    for number, name in enumerate(shard_names(stem, index.shards)):
        found.append(needed_file(folder, name, index.ends.get(number)))
        missing += not found[-1].present
        if missing == MOST_MISSING:
            break
    return tuple(found)


@file_reader(FORMAT, rank=Rank.MAGIC)
def checkpoint(source: Source, beside: Folder) -> Reading | None:
    """An index by its last bytes, or a whole checkpoint of TensorFlow 1."""
    if not is_table(source):
        return None
    first = first_entry(source)
    if first is None or first[0] != b"":
        return None
    if not _is_old(first[1]):
        return _reading(source, source.name.removesuffix(".index"), beside)
    return _old_checkpoint(source, first[1], beside)


@file_reader(FORMAT, rank=Rank.NAME)
def data_file(source: Source, beside: Folder) -> Reading | None:
    """A data file, recognised by its name: it is read through the index beside it."""
    name = _SHARD.fullmatch(source.name)
    if name is None:
        return None
    return _through_index(name["stem"], beside, NeededFile(name=f"{name['stem']}.index", present=False))


@file_reader(FORMAT, rank=Rank.STRUCTURE)
def meta_file(source: Source, beside: Folder) -> Reading | None:
    """NAME.meta: the graph of a checkpoint of TensorFlow 1."""
    if not source.name.endswith(".meta") or source.size < 2 or source.read(0, 1) != b"\n":
        return None
    meta = _meta(source)
    if meta is None:
        return None
    stem = source.name.removesuffix(".meta")
    if beside.size_of(f"{stem}.index") is not None:
        with beside.file(f"{stem}.index") as index:
            return _reading(index, stem, beside)
    whole = beside.size_of(stem)
    if whole is not None:  # the single file of TensorFlow 1 before 0.12
        return _with_graph(Reading(FORMAT, version="1"), meta)
    missing = NeededFile(name=f"{stem}.index", present=False)
    reading = Reading(FORMAT, problem=Damaged("missing-part", missing.name), files=(missing,))
    return _with_graph(reading, meta)


def _is_old(header: bytes) -> bool:
    """Whether the first entry is SavedTensorSlices, which begins with a message, and no BundleHeaderProto."""
    first = next(parse(header), None)
    return first is not None and first[:2] == (1, BYTES)


def _through_index(stem: str, beside: Folder, missing: NeededFile) -> Reading:
    if beside.size_of(missing.name) is None:
        return Reading(
            FORMAT,
            problem=Damaged("missing-part", missing.name),
            frameworks=("tensorflow",),
            files=(missing,),
        )
    with beside.file(missing.name) as source:
        return _reading(source, stem, beside)


def _reading(source: Source, stem: str, beside: Folder) -> Reading:
    """A checkpoint by its index, with the graph beside it if there is one."""
    reading, index = Reading(FORMAT, version="2", producer="tensorflow", frameworks=("tensorflow",)), Index()
    with reading.part():
        read_index(source, index)
    reading.files = files = needed_shards(beside, stem, index)
    reading.fail(incomplete_file(files))
    reading.dtypes, reading.memory = index.dtypes, index.memory
    reading.size = source.size + sum(file.present_size or 0 for file in files)
    reading.details = index.details
    return _with_graph_beside(reading, f"{stem}.meta", beside)


def _old_checkpoint(source: Source, header: bytes, beside: Folder) -> Reading:
    """A single file of TensorFlow 1: the list of its tensors is its first entry (saved_tensor_slice.proto)."""
    index = Index()
    reading = Reading(FORMAT, version="1", producer="tensorflow", frameworks=("tensorflow",), files=())
    with reading.part():
        for old_variable in _old_variables(header):
            index.add(old_variable)
    reading.dtypes = index.dtypes
    reading.details = index.details
    return _with_graph_beside(reading, f"{source.name}.meta", beside)


def _with_graph_beside(reading: Reading, name: str, beside: Folder) -> Reading:
    """Add the graph that lies beside a checkpoint."""
    graph = needed_file(beside, name)
    if not graph.present:
        return reading
    with beside.file(name) as source:
        meta = _meta(source)
    if meta is None:
        return reading
    reading.files = (*(reading.files or ()), graph)
    return _with_graph(reading, meta)


def _with_graph(reading: Reading, meta: MetaGraph) -> Reading:
    graph = meta.graph
    reading.fail(graph.problem)
    reading.producer, reading.producer_version = "tensorflow", meta.version
    reading.inputs = [tensor for tensor in graph.inputs if not _OF_SAVER.match(tensor.name)] or None
    reading.frameworks = (graph.framework,)
    reading.operators, reading.devices = graph.uses, graph.pinned_devices
    reading.bind("tensorflow-version", meta.version)
    reading.details |= graph.details
    return reading


def _meta(source: Source) -> MetaGraph | None:
    """A MetaGraphDef; None where it is none."""
    try:
        meta = read_meta_graph(Message(source))
    except Damaged:
        return None
    return meta if meta.graph.operators and meta.version else None


def _header(data: bytes, index: Index) -> None:
    header = Fields(data)
    index.shards, index.is_big_endian = header.number(1, 1), header.number(2) == _BIG_ENDIAN


def _variable(key: bytes, data: bytes) -> Variable:
    entry = Fields(data)
    dtype, shape = dtype_name(entry.number(1)), shape_of(entry.data(2)) or ()
    return Variable(key.decode("utf-8", "replace"), dtype, shape, *(entry.number(field) for field in (3, 4, 5)))


def _old_variables(header: bytes) -> Iterator[Variable]:
    """The list of its tensors, which is the first entry of a single file."""
    for meta in Fields(header).parts(1):
        for tensor in map(Fields, Fields(meta).parts(1)):  # SavedSliceMeta
            yield Variable(tensor.text(1), dtype_name(tensor.number(3)), shape_of(tensor.data(2)) or ())
