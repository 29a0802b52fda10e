"""Core ML: .mlmodel files and .mlpackage folders.

The messages: mlmodel/format/Model.proto and FeatureTypes.proto in apple/coremltools.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from pathlib import PurePosixPath

import msgspec

from checks.facts import NeededFile, OperatorUse, TensorSpec
from checks.facts.versions import release
from checks.knowledge.formats.coreml import kinds, number_types, specification, specification_of_opset
from checks.prepared import prepared
from checks.readers.containers.folder import Folder, inside
from checks.readers.containers.json_text import JSON_ERRORS
from checks.readers.containers.protobuf.wire import BYTES, VARINT, Field, Fields, Message, parse, signed
from checks.readers.containers.source import MIB, Damaged, Source
from checks.readers.models.apple.coreml_network import read_network
from checks.readers.models.apple.coreml_program import StoredNumbers, Sums, read_program
from checks.readers.models.reading import Reading
from checks.readers.models.registry import Rank, file_reader, folder_reader

_DESCRIPTION, _UPDATABLE = 2, 10
_MOST_VERSION = 99
_MOST_DESCRIPTION = 8 * MIB  # class labels are in the model, not here
_MOST_MODELS = 1000  # of a pipeline
_DEEPEST = 8  # pipelines within pipelines
_MOST_FEATURES = 10_000
_LONGEST = 1000
_PROGRAM = "mlProgram"
_PIPELINES = {"pipeline": 0, "pipelineClassifier": 1, "pipelineRegressor": 1}  # how deep the list of models lies
_NETWORKS = ("neuralNetwork", "neuralNetworkClassifier", "neuralNetworkRegressor")
_SIMPLE = {1: "int64", 2: "float64", 3: "string"}  # fields of FeatureType that are no tensor
_IMAGE, _ARRAY, _STATE = 4, 5, 8
_COLOURS = {10: (1, "uint8"), 20: (3, "uint8"), 30: (3, "uint8"), 40: (1, "float16")}
_BESIDE = "@model_path/"
# Before each weight: a mark, the number type, the length, and where it begins (MILBlob/Blob/StorageFormat.hpp).
_WEIGHT_HEADER, _WEIGHT_MARK = struct.Struct("<IIQQ"), 0xDEADBEEF
# What converters say of themselves, in the metadata.
_TOOL, _SOURCE_OF = "com.github.apple.coremltools.version", "com.github.apple.coremltools.source"


@dataclass
class _Model:
    """A model with those within it, summed up."""

    version: int = 0
    kinds: list[str] = field(default_factory=list)
    inputs: list[TensorSpec] = field(default_factory=list)
    outputs: list[TensorSpec] = field(default_factory=list)
    states: list[TensorSpec] = field(default_factory=list)
    metadata: dict[str, str] = field(default_factory=dict)
    is_updatable: bool = False
    sums: Sums = field(default_factory=Sums)
    models: int = 0


@file_reader("coreml-mlmodel", rank=Rank.STRUCTURE)
def mlmodel(source: Source, beside: Folder) -> Reading | None:
    """One file; its weights are in it, unless it lay in a package."""
    if not _is_mine(source):
        return None
    return _reading("coreml-mlmodel", *_read(source), beside, None)


@folder_reader("coreml-mlpackage")
def mlpackage(folder: Folder) -> Reading | None:
    """A package: a manifest, the model, and its weights."""
    if folder.size_of("Manifest.json") is None:
        return None
    manifest = _manifest(folder)
    if manifest is None:
        return None
    name = manifest.root()
    if name is None or not inside(name):
        raise Damaged("json-damaged", "Manifest.json names no model")
    if folder.size_of(name) is None:
        return Reading(
            "coreml-mlpackage",
            problem=Damaged("missing-part", name),
            files=(NeededFile(name=name, present=False),),
        )
    with folder.file(name) as source:
        model, problem = _read(source)
    return _reading("coreml-mlpackage", model, problem, folder, str(PurePosixPath(name).parent))


class _Item(msgspec.Struct):
    path: str = ""


class _Manifest(msgspec.Struct):
    items: dict[str, _Item] = msgspec.field(name="itemInfoEntries")
    model: str = msgspec.field(name="rootModelIdentifier")

    def root(self) -> str | None:
        """The model, by its name in the package."""
        item = self.items.get(self.model)
        return f"Data/{item.path}" if item and item.path else None


def _manifest(folder: Folder) -> _Manifest | None:
    """The list of a package's parts; None for the Manifest.json of something else."""
    with folder.file("Manifest.json") as source:
        text = source.read(0, min(source.size, MIB))
    try:
        return msgspec.json.decode(text, type=prepared(_Manifest))
    except JSON_ERRORS as error:
        if b"rootModelIdentifier" in text or folder.name.endswith(".mlpackage"):
            raise Damaged("json-damaged", f"Manifest.json: {error}") from error
        return None


def _is_mine(source: Source) -> bool:
    """Whether the first fields are a version and a description of inputs and outputs, as no other protobuf has."""
    head = source.head
    if len(head) < 2 or head[0] != 0x08 or not 1 <= head[1] <= _MOST_VERSION:
        return False
    if source.name.endswith(".mlmodel"):
        return True
    try:
        first = next(iter(Message(source, 2)), None)
        if first is None or first.wire != BYTES:
            return False
        if first.number != _DESCRIPTION:
            return first.number in kinds()
        return _describes(source, first)
    except Damaged:
        return False


def _describes(source: Source, description: Field) -> bool:
    """Whether the first thing in a description is an input, or a function with inputs."""
    message = Message(source, description.start, description.size)
    first = next(iter(message), None)
    if first is None or first.wire != BYTES:
        return False
    if first.number == 20:
        first = next((entry for entry in message.message(first) if entry.number == 2 and entry.wire == BYTES), first)
    if first.number == 100:  # nothing but metadata: the next field decides
        follows = next(iter(Message(source, description.start + description.size)), None)
        return follows is not None and follows.number in kinds()
    parts = list(message.message(first))[:4]
    types = [part for part in parts if part.number == 3 and part.wire == BYTES]
    if not types or any(part.number > 3 for part in parts):
        return False
    return all(item.number in (1, 2, 3, 4, 5, 6, 7, 8, 1000) for item in message.message(types[0]))


def model_of_package(folder: Folder) -> str | None:
    """The model of a package by its name in it; None where the folder is no package, or its model is not there."""
    manifest = _manifest(folder) if folder.size_of("Manifest.json") is not None else None
    name = manifest.root() if manifest else None
    return name if name is not None and inside(name) and folder.size_of(name) is not None else None


def read_stored(source: Source) -> list[StoredNumbers]:
    """The weights of a model."""
    model, problem = _read(source, Sums(stored=[]))
    if problem is not None:
        raise problem
    return model.sums.stored or []


def place_of_file(name: str, base: str | None) -> str:
    """A file of weights as a model names it, by its name in the package or beside the model."""
    place = name.removeprefix(_BESIDE)
    return place if base is None else f"{base}/{place}"


def place_of_weight(source: Source, header: int) -> tuple[int, int]:
    """Where a weight begins in a file of weights, and how long it is, by the header before it.

    Raises:
        Damaged: there is no such header.
    """
    mark, _, length, start = _WEIGHT_HEADER.unpack(source.read(header, _WEIGHT_HEADER.size, ahead=0))
    if mark != _WEIGHT_MARK:
        raise Damaged("header-damaged", f"no weight at {header}")
    return start, length


def _read(source: Source, sums: Sums | None = None) -> tuple[_Model, Damaged | None]:
    model = _Model(sums=sums or Sums())
    try:
        _read_model(Message(source), model, 0)
    except Damaged as problem:
        return model, problem
    return model, None if model.kinds else Damaged("truncated", "the model itself is missing")


def _read_model(message: Message, model: _Model, depth: int) -> None:
    model.models += 1
    if depth > _DEEPEST or model.models > _MOST_MODELS:
        raise Damaged("too-large", f"{model.models} models, {depth} deep")
    for entry in message:
        if entry.number == 1 and entry.wire == VARINT:
            model.version = max(model.version, min(signed(entry.value), 1 << 31))
        elif entry.number == _UPDATABLE and entry.wire == VARINT:
            model.is_updatable = model.is_updatable or bool(entry.value)
        elif entry.number == _DESCRIPTION and depth == 0:
            _read_description(message.data(entry, _MOST_DESCRIPTION), model)
        elif entry.number in kinds() and entry.wire == BYTES:
            _read_kind(message.message(entry), kinds()[entry.number], model, depth)


def _read_kind(message: Message, kind: str, model: _Model, depth: int) -> None:
    model.kinds.append(kind)
    if kind in _NETWORKS:
        read_network(message, model.sums)
    elif kind == _PROGRAM:
        read_program(message, model.sums)
    elif kind == "customModel":
        name = next((message.text(part, _LONGEST) for part in message if part.number == 10), "")
        model.sums.add_operator(kind, name or kind)
    elif kind in _PIPELINES:
        if _PIPELINES[kind]:
            inner = next((entry for entry in message if entry.number == 1), None)
            message = message.message(inner) if inner is not None else Message(message.source, message.end, 0)
        for item in message:
            if item.number == 1:
                _read_model(message.message(item), model, depth + 1)
    else:
        model.sums.add_operator(kind)


def _read_description(data: bytes, model: _Model) -> None:
    functions = []
    for number, _, content in parse(data):
        if not isinstance(content, bytes):
            continue
        if number == 20:
            functions.append(content)
        elif number == 100:
            _read_metadata(content, model)
        else:
            _add_feature(model, {1: model.inputs, 10: model.outputs, 13: model.states}.get(number), content)
    if functions and not model.inputs:  # several functions: the first stands for all
        for number, _, content in parse(functions[0]):
            if isinstance(content, bytes):
                _add_feature(model, {2: model.inputs, 3: model.outputs, 6: model.states}.get(number), content)


def _add_feature(model: _Model, where: list[TensorSpec] | None, data: bytes) -> None:
    if where is None:
        return
    if len(model.inputs) + len(model.outputs) + len(model.states) >= _MOST_FEATURES:
        raise Damaged("too-large", f"more than {_MOST_FEATURES} inputs and outputs")
    feature = Fields(data)
    dtype, shape = _type(feature.data(3), 0)
    where.append(TensorSpec(name=feature.text(1, _LONGEST), dtype=dtype, shape=shape))


def _type(data: bytes, depth: int) -> tuple[str | None, tuple[int | str, ...] | None]:
    """(number type, shape) of a FeatureType."""
    for number, _, content in parse(data):
        if number in _SIMPLE:
            return _SIMPLE[number], ()
        if not isinstance(content, bytes):
            continue
        if number == _IMAGE:
            return _image(content)
        if number == _ARRAY:
            return _array(content)
        if number == _STATE and depth == 0:
            return _array(Fields(content).data(1))
    return None, None


def _image(data: bytes) -> tuple[str | None, tuple[int | str, ...]]:
    """An image as height, width and channels; sizes that may vary are named free."""
    image = Fields(data)
    channels, dtype = _COLOURS.get(image.number(3), (3, "uint8"))
    is_free = bool(image.parts(21) or image.parts(31))
    return dtype, ("?", "?", channels) if is_free else (image.number(2), image.number(1), channels)


def _array(data: bytes) -> tuple[str | None, tuple[int | str, ...]]:
    """An array; an axis that may vary is named by its range."""
    fields = Fields(data)
    row = number_types().get(fields.number(2))
    shape: list[int | str] = [*fields.numbers(1, 100)]
    shapes = [tuple(Fields(content).numbers(1, 64)) for content in Fields(fields.data(21)).parts(1)]
    if ranges := fields.data(31):
        shape = [_range(Fields(content)) for content in Fields(ranges).parts(1)]
    elif len({len(length) for length in shapes}) == 1:
        shape = [axis[0] if len(set(axis)) == 1 else "|".join(map(str, axis[:8])) for axis in zip(*shapes, strict=True)]
    return row.name if row else None, tuple(signed(item) if isinstance(item, int) else item for item in shape[:64])


def _range(axis: Fields) -> int | str:
    """An axis of a range: "1..512", "1..", or a length."""
    least, most = axis.number(1), signed(axis.number(2))
    return least if least == most else f"{least}..{most if most > 0 else ''}"


def _read_metadata(data: bytes, model: _Model) -> None:
    names = {1: "description", 2: "model-version", 3: "author", 4: "license"}
    for number, _, content in parse(data):
        if not isinstance(content, bytes):
            continue
        if number in names:
            model.metadata[names[number]] = content.decode("utf-8", "replace")[:_LONGEST]
        elif number == 100 and len(model.metadata) < 1000:
            pair = Fields(content)
            model.metadata[f"user:{pair.text(1, _LONGEST)}"] = pair.text(2, _LONGEST)


def _reading(format_id: str, model: _Model, problem: Damaged | None, beside: Folder, base: str | None) -> Reading:
    sums = model.sums
    files = tuple(_file(name, offset, beside, base) for name, offset in sorted(sums.files.items()))
    gone = next((file for file in files if file.present is False), None)
    short = gone or next((file for file in files if file.present and (file.present_size or 0) < (file.size or 0)), None)
    if problem is None and short is not None:
        problem = Damaged("truncated" if short.present else "missing-part", short.name)
    is_read = problem is None or (problem.reason in ("missing-part", "truncated") and bool(model.kinds))
    weights = sum(file.present_size or 0 for file in files) if files and short is None else sums.weights
    return Reading(
        format_id,
        version=f"specification {model.version}",
        producer=_producer(model),
        producer_version=model.metadata.get(f"user:{_TOOL}") or None,
        problem=problem,
        frameworks=("coremltools",),
        operators=operators(sums) if is_read else None,
        systems=systems(model.version, sums.opsets),
        files=files or None,
        memory=weights if is_read else None,
        inputs=model.inputs,
        outputs=model.outputs,
        dtypes=sums.dtypes if is_read else None,
        quantization=", ".join(name for name, _ in sums.quantization.most_common(3)) if is_read else None,
        details=_details(model),
    )


def operators(sums: Sums) -> tuple[OperatorUse, ...]:
    """The operations, layers or kinds of models, the most used first."""
    return tuple(
        OperatorUse(name=custom or name, domain="custom" if custom else "", count=count, is_custom=bool(custom))
        for (name, custom), count in sums.operators.most_common()
    )


def systems(version: int, opsets: set[str]) -> dict[str, str] | None:
    """The lowest systems that read a specification and know the operator sets; None where the table has no such."""
    rows = [specification(version), *(specification_of_opset(name) for name in opsets)]
    known = [row for row in rows if row is not None]
    if not known or rows[0] is None:
        return None
    newest = max(known, key=lambda row: row.version)
    return dict(newest.systems)


def _file(name: str, offset: int, beside: Folder, base: str | None) -> NeededFile:
    """A file of weights, which lies beside the model. ``size``: up to the end of its last weight."""
    place = place_of_file(name, base)
    if not inside(place):
        return NeededFile(name=place)
    there = beside.size_of(place)
    size = min(offset, 1 << 62)
    if there is not None and size + _WEIGHT_HEADER.size <= there:
        with beside.file(place) as source:
            mark, _, length, start = _WEIGHT_HEADER.unpack(source.read(size, _WEIGHT_HEADER.size))
        if mark == _WEIGHT_MARK:
            size = min(start + length, 1 << 62)
    return NeededFile(name=place, size=size, present=there is not None, present_size=there)


def _producer(model: _Model) -> str | None:
    metadata = model.metadata
    return "coremltools" if f"user:{_TOOL}" in metadata else None


def _details(model: _Model) -> dict[str, str]:
    metadata = model.metadata
    is_pipeline = bool(model.kinds) and model.kinds[0] in _PIPELINES
    known = {"description", "model-version", "author", "license", f"user:{_TOOL}", f"user:{_SOURCE_OF}"}
    others = [f"{key.removeprefix('user:')}: {value}" for key, value in metadata.items() if key not in known and value]
    precisions = [name for name, _ in model.sums.precisions.most_common() if name.startswith(("float", "bfloat"))]
    return {
        "model-kind": " + ".join(model.kinds[:10]) if not is_pipeline else f"{model.kinds[0]} ({model.models - 1})",
        "coreml-opset": ", ".join(sorted(model.sums.opsets, key=lambda name: (release(name), name))),
        "converted-from": metadata.get(f"user:{_SOURCE_OF}", ""),
        "functions": ", ".join(sorted(model.sums.functions)[:20]) if len(model.sums.functions) > 1 else "",
        "states": ", ".join(state.name for state in model.states[:20]),
        "precision": ", ".join(precisions),
        "updatable": "1" if model.is_updatable else "",
        "description": metadata.get("description", ""),
        "model-version": metadata.get("model-version", ""),
        "author": metadata.get("author", ""),
        "license": metadata.get("license", ""),
        "metadata": "; ".join(others)[:_LONGEST],
    }
