"""TensorFlow checkpoints: NAME.index with NAME.data-00000-of-0000N, NAME.meta, and the single files of TensorFlow 1.

The index is a sorted table: "" -> BundleHeaderProto, the name of a variable -> BundleEntryProto (dtype, shape, and
where its bytes lie); tensorflow/core/protobuf/tensor_bundle.proto. The weights are not read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import msgspec

from checks.facts import Binding, ModelFacts, ModelNeeds, NeededFile
from checks.readers.containers.first_problem import Partly
from checks.readers.containers.folder import Folder
from checks.readers.containers.protobuf import BYTES, Message, parse
from checks.readers.containers.sorted_table import entries, first_entry, is_table
from checks.readers.containers.source import Damaged, Source
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
        count = 1
        for axis in self.shape:
            count *= axis if isinstance(axis, int) else 0
        return count

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

    def add(self, each: Variable) -> None:
        """Count a variable."""
        if each.shard < MOST_SHARDS:
            self.ends[each.shard] = max(self.ends.get(each.shard, 0), each.offset + each.size)
        if each.is_weight:
            self.variables += 1
            self.dtypes[each.dtype or "?"] += each.elements
            self.memory += each.size
        elif each.dtype != "string":
            self.has_training = True

    @property
    def parameters(self) -> int:
        """How many numbers the weights are."""
        return sum(self.dtypes.values())


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
        size = folder.size_of(name)
        needed = index.ends.get(number)
        found.append(NeededFile(name=name, size=needed, present=size is not None, present_size=size))
        missing += size is None
        if missing == MOST_MISSING:
            break
    return tuple(found)


def files_problem(files: Iterable[NeededFile]) -> Damaged | None:
    """What is wrong with the files that belong to a model."""
    for file in files:
        if not file.present:
            return Damaged("missing-part", file.name)
        if file.size is not None and file.present_size is not None and file.present_size < file.size:
            return Damaged("truncated", f"{file.name}: {file.present_size} of {file.size} bytes")
    return None


@file_reader(FORMAT, rank=Rank.MAGIC)
def checkpoint(source: Source, beside: Folder) -> ModelFacts | None:
    """An index by its last bytes, or a whole checkpoint of TensorFlow 1."""
    if not is_table(source):
        return None
    first = first_entry(source)
    if first is None or first[0] != b"":
        return None
    if not _is_old(first[1]):
        return _facts(source, source.name.removesuffix(".index"), beside)
    return _old_checkpoint(source, first[1], beside)


@file_reader(FORMAT, rank=Rank.NAME)
def data_file(source: Source, beside: Folder) -> ModelFacts | None:
    """A data file, which only its name tells: it is read through the index beside it."""
    name = _SHARD.fullmatch(source.name)
    if name is None:
        return None
    return _through_index(name["stem"], beside, NeededFile(name=f"{name['stem']}.index", present=False))


@file_reader(FORMAT, rank=Rank.STRUCTURE)
def meta_file(source: Source, beside: Folder) -> ModelFacts | None:
    """NAME.meta: the graph of a checkpoint of TensorFlow 1."""
    if not source.name.endswith(".meta") or source.size < 2 or source.read(0, 1) != b"\n":
        return None
    meta = _meta(source)
    if meta is None:
        return None
    stem = source.name.removesuffix(".meta")
    if beside.size_of(f"{stem}.index") is not None:
        with beside.file(f"{stem}.index") as index:
            return _facts(index, stem, beside)
    whole = beside.size_of(stem)
    if whole is not None:  # the single file of TensorFlow 1 before 0.12
        return _with_graph(ModelFacts(format=FORMAT, version="1"), meta)
    missing = NeededFile(name=f"{stem}.index", present=False)
    facts = ModelFacts(
        format=FORMAT, problem="missing-part", problem_detail=missing.name, needs=ModelNeeds(files=(missing,))
    )
    return _with_graph(facts, meta)


def _is_old(header: bytes) -> bool:
    """Whether the first entry is SavedTensorSlices, which begins with a message, and no BundleHeaderProto."""
    first = next(parse(header), None)
    return first is not None and first[:2] == (1, BYTES)


def _through_index(stem: str, beside: Folder, missing: NeededFile) -> ModelFacts:
    if beside.size_of(missing.name) is None:
        return ModelFacts(
            format=FORMAT,
            problem="missing-part",
            problem_detail=missing.name,
            needs=ModelNeeds(frameworks=("tensorflow",), files=(missing,)),
        )
    with beside.file(missing.name) as source:
        return _facts(source, stem, beside)


def _facts(source: Source, stem: str, beside: Folder) -> ModelFacts:
    """A checkpoint by its index, with the graph beside it if there is one."""
    index, part = Index(), Partly()
    with part():
        read_index(source, index)
    files = needed_shards(beside, stem, index)
    part.problem = part.problem or files_problem(files)
    details = {"variables": str(index.variables)}
    if index.has_training:
        details["training"] = "yes"
    if index.is_big_endian:
        details["byte-order"] = "big"
    facts = ModelFacts(
        format=FORMAT,
        version="2",
        producer="tensorflow",
        problem=part.reason,
        problem_detail=part.detail,
        parameters=index.parameters,
        dtypes=dict(index.dtypes.most_common()),
        size=source.size + sum(file.present_size or 0 for file in files),
        needs=ModelNeeds(frameworks=("tensorflow",), files=files, memory=index.memory),
        details=details,
    )
    return _with_graph_beside(facts, f"{stem}.meta", beside)


def _old_checkpoint(source: Source, header: bytes, beside: Folder) -> ModelFacts:
    """A single file of TensorFlow 1: the list of its tensors is its first entry (saved_tensor_slice.proto)."""
    index, part = Index(), Partly()
    with part():
        for old_variable in _old_variables(header):
            index.add(old_variable)
    facts = ModelFacts(
        format=FORMAT,
        version="1",
        producer="tensorflow",
        problem=part.reason,
        problem_detail=part.detail,
        parameters=index.parameters,
        dtypes=dict(index.dtypes.most_common()),
        needs=ModelNeeds(frameworks=("tensorflow",), files=()),
        details={"variables": str(index.variables)} | ({"training": "yes"} if index.has_training else {}),
    )
    return _with_graph_beside(facts, f"{source.name}.meta", beside)


def _with_graph_beside(facts: ModelFacts, name: str, beside: Folder) -> ModelFacts:
    """The facts with those of the graph that lies beside a checkpoint."""
    size = beside.size_of(name)
    if size is None:
        return facts
    with beside.file(name) as source:
        meta = _meta(source)
    if meta is None:
        return facts
    graph = NeededFile(name=name, present=True, present_size=size)
    needs = msgspec.structs.replace(facts.needs, files=(*(facts.needs.files or ()), graph))
    return _with_graph(msgspec.structs.replace(facts, needs=needs), meta)


def _with_graph(facts: ModelFacts, meta: MetaGraph) -> ModelFacts:
    """The facts with what the graph of a checkpoint tells."""
    graph = meta.graph
    problem = graph.problem if facts.problem is None else None
    return msgspec.structs.replace(
        facts,
        producer="tensorflow",
        producer_version=meta.version,
        problem=problem.reason if problem else facts.problem,
        problem_detail=problem.detail if problem else facts.problem_detail,
        inputs=tuple(each for each in graph.inputs if not _OF_SAVER.match(each.name)) or None,
        needs=msgspec.structs.replace(
            facts.needs, frameworks=(graph.framework,), operators=graph.uses, devices=graph.pinned_devices
        ),
        bound_to=(Binding(kind="tensorflow-version", value=meta.version or ""),),
        details={**facts.details, **graph.details},
    )


def _meta(source: Source) -> MetaGraph | None:
    """A MetaGraphDef; None where it is none."""
    try:
        meta = read_meta_graph(Message(source))
    except Damaged:
        return None
    return meta if meta.graph.operators and meta.version else None


def _header(data: bytes, index: Index) -> None:
    for number, _, value in parse(data):
        if number == 1 and isinstance(value, int):
            index.shards = value
        elif number == 2:
            index.is_big_endian = value == _BIG_ENDIAN


def _variable(key: bytes, data: bytes) -> Variable:
    """A BundleEntryProto."""
    numbers = {3: 0, 4: 0, 5: 0}
    dtype: str | None = None
    shape: tuple[int | str, ...] = ()
    for number, _, value in parse(data):
        if number == 1 and isinstance(value, int):
            dtype = dtype_name(value)
        elif number == 2 and isinstance(value, bytes):
            shape = shape_of(value) or ()
        elif number in numbers and isinstance(value, int):
            numbers[number] = value
    return Variable(key.decode("utf-8", "replace"), dtype, shape, numbers[3], numbers[4], numbers[5])


def _old_variables(header: bytes) -> Iterator[Variable]:
    """The list of its tensors, which is the first entry of a single file."""
    for number, _, value in parse(header):
        if number != 1 or not isinstance(value, bytes):
            continue
        for each, _, tensor in parse(value):
            if each == 1 and isinstance(tensor, bytes):
                yield _old_variable(tensor)


def _old_variable(data: bytes) -> Variable:
    """A SavedSliceMeta."""
    name = ""
    dtype: str | None = None
    shape: tuple[int | str, ...] = ()
    for number, _, value in parse(data):
        if number == 1 and isinstance(value, bytes):
            name = value.decode("utf-8", "replace")
        elif number == 2 and isinstance(value, bytes):
            shape = shape_of(value) or ()
        elif number == 3 and isinstance(value, int):
            dtype = dtype_name(value)
    return Variable(name, dtype, shape)
