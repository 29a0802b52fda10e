"""Compiled Core ML models: .mlmodelc folders, as Xcode or the device itself makes them.

The layout is not documented. metadata.json, which Xcode's compiler writes and the device's does not, tells all that is
needed; otherwise the text of the program (model.mil) or the layers (model.espresso.net) tell the operations.
"""

from __future__ import annotations

import re
from collections import Counter

import msgspec

from checks.facts import OperatorUse, TensorSpec
from checks.knowledge.formats.coreml import kinds, specification, specification_of_opset
from checks.readers.containers.folder import Folder
from checks.readers.containers.source import MIB, Damaged
from checks.readers.models.apple.coreml import systems
from checks.readers.models.language.hf_config import NOTHING, decoded, number, text
from checks.readers.models.reading import Reading
from checks.readers.models.registry import folder_reader

_DATA, _METADATA, _PROGRAM, _LAYERS = "coremldata.bin", "metadata.json", "model.mil", "model.espresso.net"
_WEIGHTS = ("weights/weight.bin", "weights/weights.bin", "model.espresso.weights")
_MOST_METADATA = 8 * MIB
_MOST_LAYERS = 32 * MIB
_MOST_PROGRAM = 256 * MIB
_MOST_TABLE = 256 * 1024  # bytes of a table or list within the metadata
_PIECE = MIB
_MOST_NAMES = 5000  # of operations
_LONGEST = 1000
_OPERATION = re.compile(rb"= ([a-z][a-z0-9_]{0,80})\(")
_FUNCTION = re.compile(rb"func [\w$]{1,200}<(\w{1,40})>\(")
_TOOL = re.compile(rb'\{"coremltools-version", "([^"]{1,40})"\}')
_TOOL_KEY, _SOURCE_KEY = "com.github.apple.coremltools.version", "com.github.apple.coremltools.source"


class _Feature(msgspec.Struct):
    name: str = ""
    dtype: str = msgspec.field(default="", name="dataType")
    shape: str = ""


class _KindName(msgspec.Struct):
    name: str = ""


class _Metadata(msgspec.Struct):
    """What is looked at in metadata.json; each is decoded on its own, for nobody promises their types."""

    version: msgspec.Raw = msgspec.field(default=NOTHING, name="specificationVersion")
    availability: msgspec.Raw = NOTHING
    storage: msgspec.Raw = msgspec.field(default=NOTHING, name="storagePrecision")
    compute: msgspec.Raw = msgspec.field(default=NOTHING, name="computePrecision")
    operations: msgspec.Raw = msgspec.field(default=NOTHING, name="mlProgramOperationTypeHistogram")
    layers: msgspec.Raw = msgspec.field(default=NOTHING, name="neuralNetworkLayerTypeHistogram")
    kind: msgspec.Raw = msgspec.field(default=NOTHING, name="modelType")
    user: msgspec.Raw = msgspec.field(default=NOTHING, name="userDefinedMetadata")
    inputs: msgspec.Raw = msgspec.field(default=NOTHING, name="inputSchema")
    outputs: msgspec.Raw = msgspec.field(default=NOTHING, name="outputSchema")
    description: msgspec.Raw = msgspec.field(default=NOTHING, name="shortDescription")
    author: msgspec.Raw = NOTHING
    license: msgspec.Raw = NOTHING


class _Layer(msgspec.Struct):
    type: str = ""


class _Layers(msgspec.Struct):
    layers: list[_Layer]


@folder_reader("coreml-mlmodelc")
def mlmodelc(folder: Folder) -> Reading | None:
    """A compiled model."""
    if folder.size_of(_DATA) is None:
        return None
    names = set(folder.names)
    if not (names & {_METADATA, _PROGRAM, _LAYERS} or any(name.endswith(f"/{_DATA}") for name in names)):
        return None
    reading = _by_metadata(folder) if _METADATA in names else None
    if reading is None:
        reading = _by_contents(folder)
    weights = [size for name in _WEIGHTS if (size := folder.size_of(name)) is not None]
    reading.frameworks = ("coremltools",)
    reading.memory = sum(weights) if weights else None
    return reading


def _by_metadata(folder: Folder) -> Reading | None:
    """What the compiler of Xcode wrote down; None where it cannot be read."""
    with folder.file(_METADATA) as source:
        listed = decoded(source.read(0, source.size), list[_Metadata]) if source.size <= _MOST_METADATA else None
    if not listed:
        return None
    metadata = listed[0]
    version = number(metadata.version) or 0
    operators, opsets = _histogram(metadata)
    user = _table(metadata.user)
    lowest = {name: value for name, value in _table(metadata.availability).items() if name != "macCatalyst"}
    details = {
        "model-kind": _kind(metadata.kind),
        "coreml-opset": ", ".join(sorted(opsets)),
        "converted-from": user.get(_SOURCE_KEY, ""),
        "precision": text(metadata.compute),
        "storage-precision": text(metadata.storage),
        "description": text(metadata.description),
        "author": text(metadata.author),
        "license": text(metadata.license),
    }
    return Reading(
        "coreml-mlmodelc",
        version=f"specification {version}" if version else None,
        producer="coremltools" if _TOOL_KEY in user else None,
        producer_version=user.get(_TOOL_KEY),
        operators=operators,
        systems=lowest or systems(version, opsets),
        inputs=_features(metadata.inputs),
        outputs=_features(metadata.outputs),
        details={key: value[:_LONGEST] for key, value in details.items()},
    )


def _histogram(metadata: _Metadata) -> tuple[tuple[OperatorUse, ...] | None, set[str]]:
    """Operations or layers with their number, and the operator sets that they are of ("Ios16.cast")."""
    counts: Counter[str] = Counter()
    opsets: set[str] = set()
    for raw in (metadata.operations, metadata.layers):
        data = bytes(raw)
        table = decoded(data, dict[str, int]) if len(data) <= _MOST_TABLE else None
        for name, count in (table or {}).items():
            opset, _, operation = name.rpartition(".")
            row = specification_of_opset(opset.lower())
            opsets.update({row.opset} if row else ())
            counts[(operation if row else name)[:_LONGEST]] += min(max(count, 0), 1 << 40)
    uses = tuple(OperatorUse(name=name, count=count) for name, count in counts.most_common())
    return uses or None, opsets


def _table(raw: msgspec.Raw) -> dict[str, str]:
    data = bytes(raw)
    table = decoded(data, dict[str, str]) if len(data) <= _MOST_TABLE else None
    return {key[:_LONGEST]: value[:_LONGEST] for key, value in (table or {}).items()}


def _kind(raw: msgspec.Raw) -> str:
    kind = decoded(bytes(raw), _KindName)
    return kind.name.removeprefix("MLModelType_") if kind else ""


def _features(raw: msgspec.Raw) -> tuple[TensorSpec, ...] | None:
    data = bytes(raw)
    listed = decoded(data, list[_Feature]) if len(data) <= _MOST_TABLE else None
    if listed is None:
        return None
    return tuple(
        TensorSpec(
            name=feature.name[:_LONGEST],
            dtype={"double": "float64"}.get(feature.dtype.lower(), feature.dtype.lower()) or None,
            shape=tuple(int(axis) for axis in re.findall(r"\d{1,15}", feature.shape[:_LONGEST])) or None,
        )
        for feature in listed
    )


def _by_contents(folder: Folder) -> Reading:
    """A model compiled on a device, read by the beginning of its data and its program or layers."""
    with folder.file(_DATA) as source:
        if source.size < 8:
            raise Damaged("truncated", _DATA)
        beginning = source.read(0, 8)
    kind = kinds().get(int.from_bytes(beginning[:4], "little"), "")
    row = specification(int.from_bytes(beginning[4:], "little")) if kind else None
    reading = Reading(
        "coreml-mlmodelc",
        version=f"specification {row.version}" if row else None,
        details={"model-kind": kind} if kind else {},
    )
    opsets: set[str] = set()
    if folder.size_of(_PROGRAM) is not None:
        opsets = _read_program(folder, reading)
    elif folder.size_of(_LAYERS) is not None:
        _read_layers(folder, reading)
    versions = [opset_row.version for name in opsets if (opset_row := specification_of_opset(name))]
    reading.systems = systems(max([*versions, row.version if row else 0]), opsets)
    return reading


def _read_program(folder: Folder, reading: Reading) -> set[str]:
    """Read the operations in the text of a program; the operator sets that it names."""
    counts: Counter[str] = Counter()
    opsets: set[str] = set()
    tool = None
    with folder.file(_PROGRAM) as source:
        rest = b""
        for at in range(0, min(source.size, _MOST_PROGRAM), _PIECE):
            piece = rest + source.read(at, min(_PIECE, source.size - at))
            whole, _, rest = piece.rpartition(b"\n")
            rest = rest[-_LONGEST:]  # a line of weights has no end
            counts.update(found[1].decode() for found in _OPERATION.finditer(whole))
            opsets.update(found[1].decode("utf-8", "replace") for found in _FUNCTION.finditer(whole))
            if len(counts) > _MOST_NAMES or len(opsets) > _MOST_NAMES:
                raise Damaged("too-large", f"more than {_MOST_NAMES} operations")
            tool = tool or _TOOL.search(whole)
    del counts["const"]
    named = sorted(row.opset for name in opsets if (row := specification_of_opset(name)))
    if tool:
        reading.producer, reading.producer_version = "coremltools", tool[1].decode("utf-8", "replace")
    reading.operators = [OperatorUse(name=name, count=count) for name, count in counts.most_common()]
    reading.details["coreml-opset"] = ", ".join(named)
    return opsets


def _read_layers(folder: Folder, reading: Reading) -> None:
    with folder.file(_LAYERS) as source:
        listed = decoded(source.read(0, source.size), _Layers) if source.size <= _MOST_LAYERS else None
    if listed is not None:
        counts = Counter(layer.type[:_LONGEST] for layer in listed.layers)
        reading.operators = [OperatorUse(name=name, count=count) for name, count in counts.most_common(5000)]
