"""PyTorch 2 archives: programs of torch.export, in the form of today and that before 2.8, and AOTInductor's packages.

The graph is JSON, the weights lie beside it as plain bytes or as files of torch.save. The schema:
torch/_export/serde/schema.py; the layout: torch/export/pt2_archive; both of torch 2.13.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from checks.facts import Binding, NamedClass, TensorSpec
from checks.knowledge.formats.pickle_globals import UNKNOWN
from checks.knowledge.frameworks.torch_serialization import TorchSerializationTable
from checks.readers.containers.folder import ZipFolder
from checks.readers.containers.json_text import decoded
from checks.readers.containers.machine_code import HEAD, built_for
from checks.readers.containers.pickles.values import Pickle
from checks.readers.containers.source import MIB, Damaged
from checks.readers.containers.torch.values import Tensor, find_tensors
from checks.readers.containers.torch.zip import TorchZip, hidden_pickles
from checks.readers.models.pytorch.pickled_objects import counted, devices_of, named_classes
from checks.readers.models.pytorch.torchscript import packages_of, torch_operators
from checks.readers.models.reading import Reading
from checks.readers.models.registry import archive_reader

_MOST_JSON = 64 * MIB
_MOST_MODELS = 20
_MOST_INNER = 20  # files of torch.save within the archive
_MOST_SPECS = 1000
_SHOWN = 12
_OLD_PROGRAM = "serialized_exported_program.json"
WEIGHTS_BEFORE_2_8 = "serialized_state_dict.pt"  # a member of the archive
_CONFIG = re.compile(r"data/(?:weights|constants)/[^/]+_config\.json")
_LIBRARIES = re.compile(r"data/aotinductor/[^/]+/.+\.(?:so|dll|pyd|dylib)")
_SYMBOL = re.compile(r"(?:Symbol\('(\w{1,60})'|(\w{1,60})$)")


class _Version(msgspec.Struct):
    major: int = 0
    minor: int = 0


class _Header(msgspec.Struct):
    schema_version: _Version | int | None = None
    torch_version: str | None = None
    opset_version: dict[str, int] = {}


class _Expression(msgspec.Struct):
    expr_str: str = ""


class _Length(msgspec.Struct):
    as_int: int | None = None
    as_expr: _Expression | None = None


class _Device(msgspec.Struct):
    type: str = ""
    index: int | None = None


class _TensorMeta(msgspec.Struct):
    dtype: int = 0
    sizes: list[_Length] = []
    strides: list[_Length] = []
    storage_offset: _Length | None = None
    device: _Device | None = None


class _Named(msgspec.Struct):
    name: str = ""


class _Argument(msgspec.Struct):
    as_tensor: _Named | None = None


class _User(msgspec.Struct):
    arg: _Argument = msgspec.field(default_factory=_Argument)


class _Spec(msgspec.Struct):
    user_input: _User | None = None
    user_output: _User | None = None


class _Signature(msgspec.Struct):
    input_specs: list[_Spec] = []
    output_specs: list[_Spec] = []


class _Call(msgspec.Struct):
    target: str = ""


class _Graph(msgspec.Struct):
    nodes: list[_Call] = []
    tensor_values: dict[str, _TensorMeta] = {}


class _Module(msgspec.Struct):
    graph: _Graph = msgspec.field(default_factory=_Graph)
    signature: _Signature = msgspec.field(default_factory=_Signature)


class _Program(msgspec.Struct):
    graph_module: _Module = msgspec.field(default_factory=_Module)


class _Weight(msgspec.Struct):
    path_name: str = ""
    use_pickle: bool = False
    tensor_meta: _TensorMeta | None = None


class _Weights(msgspec.Struct):
    config: dict[str, _Weight] = {}


@dataclass(frozen=True)
class PlainWeight:
    """A weight, and the member of the archive that holds its bytes in C order; "": they do not lie so."""

    name: str
    dtype: str | None
    shape: tuple[int, ...]
    member: str


@dataclass(slots=True)
class _Read:
    """The contents of the parts of an archive."""

    tensors: list[Tensor] = field(default_factory=list)
    pickles: list[Pickle] = field(default_factory=list)
    devices: dict[str, None] = field(default_factory=dict)
    operators: dict[tuple[str, str], int] = field(default_factory=dict)
    inputs: tuple[TensorSpec, ...] | None = None
    outputs: tuple[TensorSpec, ...] | None = None
    header: _Header = field(default_factory=_Header)
    problem: Damaged | None = None


@archive_reader("pt2", "aoti-pt2")
def pt2(archive: ZipFolder) -> Reading | None:
    """An archive of torch.export.save (2.8 and later) or of AOTInductor."""
    files = TorchZip.with_member(archive, "archive_format")
    if files is None or files.text("archive_format") != "pt2":
        return None
    read = _Read()
    models = [member for member in files.members if re.fullmatch(r"models/[^/]+\.json", member)]
    for name in models[:_MOST_MODELS]:
        _read_program(files, name, read)
    for name in files.members:
        if _CONFIG.fullmatch(name):
            _read_weights(files, name, read)
    _read_inner(
        files, [member for member in files.members if member.endswith(".pt") and member.startswith("data/")], read
    )
    read.pickles.extend(found for _, found in hidden_pickles(archive, frozenset()))
    libraries = [member for member in files.members if _LIBRARIES.fullmatch(member)]
    reading = _reading(read, "torch>=2.8")
    reading.details |= {"archive-version": files.text("archive_version") or "0", "models": str(len(models))}
    if libraries:
        _add_compiled(files, reading, libraries)
    return reading


@archive_reader("pt2")
def pt2_before_2_8(archive: ZipFolder) -> Reading | None:
    """An archive of torch.export.save of 2.1 to 2.7: everything lies at the top."""
    if _OLD_PROGRAM not in archive.names:
        return None
    files = TorchZip(archive, "")
    read = _Read()
    _read_program(files, _OLD_PROGRAM, read)
    inner = [
        name for name in archive.names if re.fullmatch(r"serialized_\w+\.(?:pt|json)", name) and name != _OLD_PROGRAM
    ]
    _read_inner(files, inner, read)
    read.pickles.extend(found for _, found in hidden_pickles(archive, frozenset()))
    reading = _reading(read, "torch>=2.1")
    version = files.text("version")
    reading.version = reading.version or (version and f"schema {version[:20]}")
    return reading


def _reading(read: _Read, framework: str) -> Reading:
    weights = counted(read.tensors)
    devices = tuple(dict.fromkeys((*read.devices, *devices_of(read.pickles))))[:_SHOWN]
    operators = torch_operators(read.operators)
    schema = read.header.schema_version
    version = f"{schema.major}.{schema.minor}" if isinstance(schema, _Version) else schema
    torch = read.header.torch_version
    return Reading(
        "pt2",
        version=f"schema {version}" if version is not None else None,
        producer="pytorch",
        producer_version=torch[:40] if torch and torch != "<=2.4" else None,
        bound_to=(
            *((Binding(kind="torch-schema", value=str(version)),) if version is not None else ()),
            *((Binding(kind="torch-device", value=", ".join(devices)),) if devices else ()),
        ),
        inputs=read.inputs,
        outputs=read.outputs,
        dtypes=weights.dtypes,
        quantization=weights.quantization,
        details={"tensors": str(len(read.tensors))},
        frameworks=(framework, *packages_of(operators)),
        opsets=dict(list(read.header.opset_version.items())[:_SHOWN]) or None,
        operators=operators if read.operators else None,
        classes=named_classes(read.pickles),
        devices=devices,
        memory=weights.memory,
        problem=read.problem,
    )


def _add_compiled(files: TorchZip, reading: Reading, libraries: list[str]) -> None:
    """Add what a package of AOTInductor is: machine code for one platform and one kind of device."""
    metadata = _metadata(files)
    device = metadata.get("AOTI_DEVICE_KEY", "")
    capability = metadata.get("AOTI_COMPUTE_CAPABILITY", "")
    with files.source(libraries[0]) as library:
        machine = built_for(library.read(0, min(HEAD, library.size)))
    platform = machine or " ".join(filter(None, (metadata.get("AOTI_PLATFORM", ""), metadata.get("AOTI_MACHINE", ""))))
    processor = " ".join(filter(None, (device, capability))) if device != "cpu" else metadata.get("AOTI_CPU_ISA", "")
    reading.details |= {
        "machine-code": platform,
        "compute-capability": capability,
        "cpu-instructions": metadata.get("AOTI_CPU_ISA", ""),
    }
    reading.format = "aoti-pt2"
    # The loader opens them as libraries: their own code runs before any of it is asked for.
    machine_code = tuple(NamedClass(name=name[-200:], risk=UNKNOWN) for name in libraries[:_SHOWN])
    reading.classes = (*(reading.classes or ()), *machine_code)
    reading.version = f"archive {files.text('archive_version') or '0'}"
    reading.bound_to = (
        Binding(kind="operating-system", value=platform),
        Binding(kind="cpu-or-gpu", value=processor or device),
    )
    reading.frameworks = ("torch>=2.6",)
    reading.devices = () if device in ("cpu", "") else (device,)


def _metadata(files: TorchZip) -> dict[str, str]:
    """The texts of all metadata files of the first model, together."""
    texts: dict[str, str] = {}
    names = (
        member
        for member in files.members
        if member.startswith("data/aotinductor/") and member.endswith("_metadata.json")
    )
    for _, name in zip(range(_SHOWN), names, strict=False):
        found = decoded(files.read(name, MIB), dict[str, Any], name)
        texts |= {key[:60]: str(value)[:200] for key, value in list(found.items())[:100] if isinstance(value, str)}
    return texts


def _read_program(files: TorchZip, name: str, read: _Read) -> None:
    try:
        read.header = decoded(files.read(name, _MOST_JSON), _Header, name)
        module = decoded(files.read(name, _MOST_JSON), _Program, name).graph_module
    except Damaged as problem:
        read.problem = read.problem or problem
        return
    for node in module.graph.nodes:
        operator = _operator(node.target)
        if operator is not None:
            read.operators[operator] = read.operators.get(operator, 0) + 1
    values = module.graph.tensor_values
    read.devices.update(dict.fromkeys(_devices(values.values())))
    if read.inputs is None:  # those of the first program
        read.inputs = tuple(_specs((input_spec.user_input for input_spec in module.signature.input_specs), values))
        read.outputs = tuple(_specs((output_spec.user_output for output_spec in module.signature.output_specs), values))


def _operator(target: str) -> tuple[str, str] | None:
    """The namespace and name of "torch.ops.aten.conv2d.default"; None for functions of Python."""
    parts = target.split(".")
    if parts[:2] != ["torch", "ops"] or len(parts) < 4:
        return None
    return parts[2], ".".join(parts[3:]).removesuffix(".default")


def _specs(users: Iterable[_User | None], values: dict[str, _TensorMeta]) -> Iterator[TensorSpec]:
    named = (user.arg.as_tensor.name for user in users if user is not None and user.arg.as_tensor is not None)
    for _, name in zip(range(_MOST_SPECS), named, strict=False):
        meta = values.get(name)
        yield TensorSpec(
            name=name[:200],
            dtype=_dtype(meta) if meta else None,
            shape=tuple(_length(size) for size in meta.sizes[:64]) if meta else None,
        )


def _length(length: _Length) -> int | str:
    if length.as_int is not None:
        return length.as_int
    found = _SYMBOL.match(length.as_expr.expr_str) if length.as_expr else None
    return (found[1] or found[2]) if found else "?"


def _dtype(meta: _TensorMeta) -> str | None:
    return TorchSerializationTable.read().export_dtypes.get(str(meta.dtype))


def _devices(metas: Iterable[_TensorMeta | None]) -> Iterator[str]:
    for meta in metas:
        device = meta.device if meta else None
        if device is not None and device.type not in ("", "cpu", "meta"):
            yield device.type[:40] if device.index is None else f"{device.type[:40]}:{device.index}"


def _read_weights(files: TorchZip, name: str, read: _Read) -> None:
    """The list of weights that lie as plain bytes beside it."""
    try:
        config = decoded(files.read(name, _MOST_JSON), _Weights, name).config
    except Damaged as problem:
        read.problem = read.problem or problem
        return
    folder = name.rpartition("/")[0]
    read.devices.update(dict.fromkeys(_devices(value.tensor_meta for value in config.values())))
    for key, weight in config.items():
        if weight.path_name and f"{folder}/{weight.path_name}" not in files:
            read.problem = read.problem or Damaged("missing-part", f"{folder}/{weight.path_name}"[:300])
        if weight.tensor_meta is not None:
            lengths = [size.as_int for size in weight.tensor_meta.sizes]
            shape = tuple(length for length in lengths if length is not None and 0 <= length < 1 << 62)
            read.tensors.append(Tensor(key[:200], _dtype(weight.tensor_meta), shape))


def plain_weights(files: TorchZip) -> Iterator[PlainWeight]:
    """The weights of an archive of today's form, by its lists.

    Raises:
        Damaged: a list cannot be read, or names a member that is not there.
    """
    for name in filter(_CONFIG.fullmatch, files.members):
        folder = name.rpartition("/")[0]
        for key, weight in decoded(files.read(name, _MOST_JSON), _Weights, name).config.items():
            member, meta = f"{folder}/{weight.path_name}", weight.tensor_meta
            if weight.path_name and member not in files:
                raise Damaged("missing-part", member[:300])
            lengths = [size.as_int for size in meta.sizes] if meta is not None else []
            shape = tuple(length for length in lengths if length is not None and 0 <= length < 1 << 62)
            is_plain = len(shape) == len(lengths) and not weight.use_pickle and _is_in_one_piece(meta, shape)
            dtype = _dtype(meta) if meta is not None else None
            yield PlainWeight(key[:200], dtype, shape, member if is_plain and weight.path_name else "")


def _is_in_one_piece(meta: _TensorMeta | None, shape: tuple[int, ...]) -> bool:
    """Whether the numbers follow each other in C order from the beginning."""
    if meta is None or (meta.storage_offset is not None and meta.storage_offset.as_int != 0):
        return False
    expected = 1
    for length, stride in zip(reversed(shape), reversed(meta.strides), strict=False):
        if length != 1 and stride.as_int != expected:
            return False
        expected *= length
    return len(meta.strides) == len(shape)


def _read_inner(files: TorchZip, names: list[str], read: _Read) -> None:
    """Files of torch.save within the archive: weights, constants, sample inputs."""
    for name in names[:_MOST_INNER]:
        try:
            with files.source(name) as source:
                inner = TorchZip.with_member(ZipFolder(source), "data.pkl")
                found = inner.pickle("data.pkl") if inner else None
        except Damaged as problem:
            read.problem = read.problem or problem
            continue
        if found is not None:
            read.pickles.append(found)
            read.problem = read.problem or found.problem
            if "inputs" not in name:
                read.tensors.extend(find_tensors(found.root).tensors)
