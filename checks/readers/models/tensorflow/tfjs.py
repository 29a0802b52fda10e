"""TensorFlow.js: model.json with its shards, and lists of weights alone (weights_manifest.json, as face-api has them).

https://www.tensorflow.org/js/guide/save_load; the fields are those of tfjs-core/src/io/types.ts.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec

from checks.facts import NeededFile, TensorSpec
from checks.knowledge.formats.tensorflow_operators import is_tensorflow_operator
from checks.knowledge.formats.tfjs import is_tfjs_operator, tfjs_of_operators
from checks.prepared import prepared
from checks.readers.containers.folder import Folder, inside
from checks.readers.containers.json_text import JSON_ERRORS, decoded
from checks.readers.containers.source import MIB, Damaged, Source
from checks.readers.models.reading import Reading, incomplete_file, operator_uses
from checks.readers.models.registry import Rank, file_reader
from checks.readers.models.tensorflow.keras_config import KerasModel, parse_config, read_config
from checks.readers.models.tensorflow.messages import MOST_TENSORS, NAMED_DTYPES, dtype_name

FORMAT = "tfjs"
GRAPH, LAYERS = "graph-model", "layers-model"
MOST_TEXT = 24 * MIB
MOST_MANIFEST = 6 * MIB  # of that the list of weights, whose shortest entries take the most memory
MOST_SHARDS = 10_000
_Value = TypeVar("_Value")
_NULL = b"null"
_MARKS = (b'"modelTopology"', b'"weightsManifest"')
_BYTES = {
    "float32": 4, "int32": 4, "bool": 1, "complex64": 8, "uint8": 1, "uint16": 2, "float16": 2, "int16": 2, "int64": 8,
}  # fmt: skip
_PATH = re.compile(r"(?:^|/)vars/\d+$")
_CONVERTER = re.compile(r"Converter v?(\d[\w.\-]{0,30})")


class Quantization(msgspec.Struct):
    """How a weight is stored: as ``dtype``; multiplied with ``scale`` and moved by ``min`` it is what it was."""

    dtype: str = ""
    scale: float = 1.0
    min: float = 0.0


class Weight(msgspec.Struct):
    """A weight by its name."""

    name: str
    shape: list[int]
    dtype: str
    quantization: Quantization | None = None


class WeightGroup(msgspec.Struct):
    """Weights whose bytes follow each other in the files of ``paths``."""

    weights: list[Weight]
    paths: list[str] = []


class _Document(msgspec.Struct, rename="camel"):
    """model.json; what is read further stays as text at first, so that one odd field does not spoil the others."""

    format: Any = None
    generated_by: Any = None
    converted_by: Any = None
    model_topology: msgspec.Raw = msgspec.Raw(_NULL)
    weights_manifest: msgspec.Raw = msgspec.Raw(_NULL)
    signature: msgspec.Raw = msgspec.Raw(_NULL)
    user_defined_metadata: msgspec.Raw = msgspec.Raw(_NULL)


class _Node(msgspec.Struct):
    name: str
    op: str
    attr: msgspec.Raw = msgspec.Raw(b"{}")


class _Signature(msgspec.Struct, rename="camel"):
    name: str = ""


class _Function(msgspec.Struct, rename="camel"):
    node_def: list[_Node] = []
    signature: _Signature | None = None


class _Library(msgspec.Struct):
    function: list[_Function] = []


class _Graph(msgspec.Struct):
    node: list[_Node]
    library: _Library | None = None


class _Axis(msgspec.Struct):
    size: str | int = -1


class _TensorShape(msgspec.Struct, rename="camel"):
    dim: list[_Axis] = []
    unknown_rank: bool = False


class _TensorInfo(msgspec.Struct, rename="camel"):
    dtype: str | int = ""
    tensor_shape: _TensorShape | None = None


class _Interface(msgspec.Struct):
    inputs: dict[str, _TensorInfo] = {}
    outputs: dict[str, _TensorInfo] = {}


class _ShapeValue(msgspec.Struct):
    shape: _TensorShape | None = None


class _TypeValue(msgspec.Struct):
    type: str | int = ""


class _Placeholder(msgspec.Struct):
    shape: _ShapeValue | None = None
    dtype: _TypeValue | None = None


@dataclass
class _Weights:
    """What a list of weights says, and what lies beside it."""

    dtypes: Counter[str] = field(default_factory=Counter)  # as the model computes
    stored: Counter[str] = field(default_factory=Counter)  # as the shards hold them, of quantized ones
    memory: int = 0
    files: list[NeededFile] = field(default_factory=list)
    has_paths: bool = False  # weights are named by their place in a .keras file ("layers/dense/vars/0")


@file_reader(FORMAT, rank=Rank.STRUCTURE)
def tfjs_model(source: Source, beside: Folder) -> Reading | None:
    """A JSON object with a topology or a list of weights, or such a list alone."""
    start = source.read(0, min(64, source.size)).lstrip(b"\xef\xbb\xbf \t\r\n")
    if start[:1] == b"{":
        return _model(source, beside)
    return _manifest(source, beside) if start[:1] == b"[" else None


def _model(source: Source, beside: Folder) -> Reading | None:
    text = source.read(0, min(source.size, MOST_TEXT))
    if not any(mark in text for mark in _MARKS):
        return None
    try:
        document = msgspec.json.decode(text, type=prepared(_Document))
    except JSON_ERRORS as error:
        raise _damage(source, text, error) from error
    topology = bytes(document.model_topology)
    if topology == _NULL and bytes(document.weights_manifest) == _NULL:
        return None
    weights, kind = _Weights(), _kind(document, topology)
    reading = Reading(FORMAT, frameworks=("tfjs",))
    with reading.part():
        if len(bytes(document.weights_manifest)) > MOST_MANIFEST:
            raise Damaged("too-large", "the list of weights")
        _read_weights(_optional(document.weights_manifest, list[WeightGroup]) or [], beside, weights)
    _describe(reading, document, kind, weights)
    with reading.part():
        if kind == GRAPH:
            _read_graph(reading, topology, document)
        elif topology != _NULL:
            _read_layers(reading, topology)
    return reading


def _manifest(source: Source, beside: Folder) -> Reading | None:
    """A list of weights without a model: the program that loads them brings the model as code."""
    head = source.read(0, min(4096, source.size))
    if b'"weights"' not in head and b'"paths"' not in head:
        return None
    text = source.read(0, min(source.size, MOST_MANIFEST))
    try:
        groups = msgspec.json.decode(text, type=prepared(list[WeightGroup]))
    except msgspec.ValidationError:
        return None
    except JSON_ERRORS as error:
        raise _damage(source, text, error) from error
    if not groups:
        return None
    weights = _Weights()
    _read_weights(groups, beside, weights)
    reading = Reading(FORMAT, frameworks=("tfjs",))
    _describe(reading, _Document(), "weights", weights)
    reading.bind("model-source")
    return reading


def read_manifest(source: Source) -> list[WeightGroup]:
    """The weights that a model.json or a list of weights names. Raises Damaged: it is neither."""
    text = source.read(0, min(source.size, MOST_TEXT))
    is_list = text.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")
    try:
        manifest = text if is_list else bytes(msgspec.json.decode(text, type=prepared(_Document)).weights_manifest)
    except JSON_ERRORS as error:
        raise _damage(source, text, error) from error
    if len(manifest) > MOST_MANIFEST:
        raise Damaged("too-large", "the list of weights")
    return _optional(manifest, list[WeightGroup]) or []


def stored_bytes(weight: Weight) -> int | None:
    """Bytes of one number as the shards hold it; None for texts and what is not known."""
    return _BYTES.get(_stored(weight))


def _stored(weight: Weight) -> str:
    return weight.quantization.dtype if weight.quantization and weight.quantization.dtype else weight.dtype


def _damage(source: Source, text: bytes, error: Exception) -> Damaged:
    if source.size > len(text):
        return Damaged("too-large", f"{source.size} bytes of JSON")
    is_open = not text.rstrip().endswith((b"}", b"]"))
    return Damaged("truncated" if is_open else "json-damaged", str(error))


def _optional(raw: msgspec.Raw | bytes, kind: type[_Value]) -> _Value | None:
    return None if bytes(raw) == _NULL else decoded(raw, kind)


def _kind(document: _Document, topology: bytes) -> str:
    """Which of the two loaders reads it; older files do not say it themselves."""
    if document.format in (GRAPH, LAYERS):
        return str(document.format)
    return GRAPH if b'"node"' in topology and b'"class_name"' not in topology else LAYERS


def _describe(reading: Reading, document: _Document, kind: str, weights: _Weights) -> None:
    converter = document.converted_by if isinstance(document.converted_by, str) else ""
    version = _CONVERTER.search(converter)
    stored = weights.stored.most_common(1)
    reading.fail(incomplete_file(weights.files))
    if version:
        reading.producer, reading.producer_version = "tensorflowjs", version[1]
    reading.dtypes, reading.memory = weights.dtypes, weights.memory
    reading.quantization = stored[0][0] if stored else None
    reading.files = weights.files
    reading.details = {
        "model-kind": kind,
        "generated-by": document.generated_by if isinstance(document.generated_by, str) else "",
        "converter": converter,
        "weights-by-place": "yes" if weights.has_paths and kind == LAYERS else "",
        "topology": "none" if bytes(document.model_topology) == _NULL and kind != "weights" else "",
    }


def _read_weights(groups: Sequence[WeightGroup], beside: Folder, found: _Weights) -> None:
    for group in groups:
        size, is_known = 0, True
        for weight in group.weights:
            count = math.prod(max(axis, 0) for axis in weight.shape)
            stored = _stored(weight)
            found.dtypes[weight.dtype] += count
            found.has_paths = found.has_paths or _PATH.search(weight.name) is not None
            if stored != weight.dtype:
                found.stored[stored] += count
            is_known = is_known and stored in _BYTES
            size += count * _BYTES.get(stored, 0)
        found.memory += size
        _shards(group, size if is_known else None, beside, found)


def _shards(group: WeightGroup, size: int | None, beside: Folder, found: _Weights) -> None:
    """The files of a group, which together hold ``size`` bytes; the last one holds what the others leave."""
    left = size
    names = group.paths[: MOST_SHARDS - len(found.files)]
    for number, path in enumerate(names):
        name = path.removeprefix("./")
        present = beside.size_of(name)
        is_last = number == len(names) - 1
        needed = max(left, 0) if left is not None and is_last else None
        is_beside = inside(name) and "//" not in name
        found.files.append(
            NeededFile(name=name, size=needed, present=present is not None if is_beside else None, present_size=present)
        )
        left = None if left is None or present is None else left - present


def _read_graph(reading: Reading, topology: bytes, document: _Document) -> None:
    graph = decoded(topology, _Graph)
    library = graph.library.function if graph.library else []
    functions = {item.signature.name for item in library if item.signature}
    nodes = [*graph.node, *(node for function in library for node in function.node_def)]
    counted = Counter(node.op for node in nodes if node.op not in functions)
    interface = _optional(document.signature, _Interface) or _Interface()
    if not interface.inputs:
        metadata = _optional(document.user_defined_metadata, dict[str, msgspec.Raw]) or {}
        if "signature" in metadata:
            interface = _optional(metadata["signature"], _Interface) or _Interface()
    least = tfjs_of_operators(counted)
    reading.inputs = _specs(interface.inputs) or _placeholders(graph.node)
    reading.outputs = _specs(interface.outputs) or None
    reading.frameworks = (f"tfjs>={least}" if least else "tfjs",)
    reading.operators = operator_uses(
        counted, is_custom=lambda name: not (is_tfjs_operator(name) or is_tensorflow_operator(name))
    )


def _read_layers(reading: Reading, topology: bytes) -> None:
    tree = parse_config(topology)
    config = tree.get("model_config", tree) if isinstance(tree, dict) else tree
    if isinstance(config, str):
        config = parse_config(config.encode("utf-8", "replace"))
    model = KerasModel()
    read_config(config, model)
    version = tree.get("keras_version") if isinstance(tree, dict) else None
    reading.inputs, reading.outputs, reading.operators = model.inputs, model.outputs, model.uses
    reading.details |= {
        "keras-version": version if isinstance(version, str) else "",
        "keras-particular": ", ".join(model.refusable),
    }


def _specs(infos: dict[str, _TensorInfo]) -> tuple[TensorSpec, ...]:
    return tuple(
        TensorSpec(name=name, dtype=_dtype(info.dtype), shape=_shape(info.tensor_shape))
        for name, info in list(infos.items())[:MOST_TENSORS]
    )


def _placeholders(nodes: Sequence[_Node]) -> tuple[TensorSpec, ...]:
    found: list[TensorSpec] = []
    for node in nodes:
        if node.op == "Placeholder" and len(found) < MOST_TENSORS:
            attributes = decoded(node.attr, _Placeholder)
            shape = attributes.shape.shape if attributes.shape else None
            found.append(
                TensorSpec(
                    name=node.name,
                    dtype=_dtype(attributes.dtype.type) if attributes.dtype else None,
                    shape=_shape(shape),
                )
            )
    return tuple(found)


def _dtype(kind: str | int) -> str | None:
    return dtype_name(kind) if isinstance(kind, int) else NAMED_DTYPES.get(kind)


def _shape(shape: _TensorShape | None) -> tuple[int | str, ...] | None:
    if shape is None or shape.unknown_rank:
        return None
    return tuple(_axis(axis.size) for axis in shape.dim[:32])


def _axis(size: str | int) -> int | str:
    try:
        number = int(size) if len(str(size)) < 20 else -1
    except ValueError:
        number = -1
    return number if number >= 0 else "?"
