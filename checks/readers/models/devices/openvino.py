"""OpenVINO: the IR (an XML file, with its weights in a .bin beside it) and compiled blobs.

The IR: https://docs.openvino.ai/2026/documentation/openvino-ir-format.html. The XML is read as it comes, element by
element; document types, and with them entities, are refused.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from xml.parsers import expat

from checks.facts import Binding, NeededFile, OperatorUse, TensorSpec
from checks.facts.versions import release
from checks.knowledge.frameworks.openvino import ir_types, ir_version, opsets
from checks.readers.containers.folder import Folder
from checks.readers.containers.source import MIB, Damaged, Source
from checks.readers.models.reading import Reading, incomplete_file, needed_file
from checks.readers.models.registry import Rank, file_reader

_BEGINS = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]{0,200}\?>\s*)?(?><!--.{0,1000}?-->\s*){0,5}<net[\s>]", re.DOTALL
)
_CACHED = re.compile(rb"<\?xml[^>]{0,100}\?>\s*<(?:compiled_blob|hetero)\s[^>]{0,4000}>", re.DOTALL)
_CPU_BLOB = b"RR_UPCVO"
_CPU_META = re.compile(rb"meta=[\d.]+;ov=([\w.-]{1,60});isa=([\x20-\x7e]{1,200}?)(?:\x00|0\x00|<|$)")
_MOST_XML = 256 * MIB
_PIECE = 1 << 18
_LONGEST_TOKEN = 4 * MIB  # of one element with its attributes
_DEEPEST = 100
_MOST_NAMES = 5000
_MOST_LAYERS = 500_000
_MOST_FEATURES = 10_000
_MOST_INFO = 500
_LONGEST = 1000
_MOST_NUMBERS = 1 << 50
_FIRST_WITH_OPSETS = 10
# expat's codes where the text merely ends: no element, a token cut, a character cut, a CDATA section open.
_ENDS = {3, 5, 6, 20}
_SINK = re.compile(r"/sink_port_\d+$")
_LOW_BITS = ("int", "uint", "nf4", "float8", "float4")
_SMALL_SHARE = 0.1  # of the numbers; less than that in a small type is indices and flags, not weights


@dataclass
class _Layer:
    """The layer that is being read, at any depth."""

    kind: str
    name: str
    precision: str
    is_outer: bool
    shape: list[int | str] = field(default_factory=list)
    dtype: str = ""
    names: str = ""


@dataclass(frozen=True)
class Constant:
    """A weight, and where in the .bin it lies. ``shape``: None where the file has none."""

    name: str
    dtype: str
    shape: tuple[int, ...] | None
    offset: int
    size: int


@dataclass
class _Net:
    """What is summed up while the elements come."""

    version: int | None = None
    name: str = ""
    layers: list[_Layer] = field(default_factory=list)  # those that are open, the outermost first
    path: list[str] = field(default_factory=list)
    kinds: Counter[tuple[str, str]] = field(default_factory=Counter)
    dtypes: Counter[str] = field(default_factory=Counter)
    unknown_type: str = ""
    types: set[str] = field(default_factory=set)
    inputs: list[TensorSpec] = field(default_factory=list)
    outputs: list[TensorSpec] = field(default_factory=list)
    info: dict[str, str] = field(default_factory=dict)
    weights_end: int = 0
    constants: list[Constant] | None = None  # collected where they are asked for
    places: set[int] = field(default_factory=set)  # where weights begin: several layers may share them
    is_closed: bool = False
    text: list[str] = field(default_factory=list)


@file_reader("openvino-ir", rank=Rank.STRUCTURE)
def openvino_ir(source: Source, beside: Folder) -> Reading | None:
    """The XML file of an IR."""
    if source.size < 5 or not _BEGINS.match(source.head):
        return None
    net = _Net()
    problem = _parse(source, net)
    if net.version is None and problem is None:
        return None
    return _reading(net, problem, _weights_file(source.name, net, beside))


def read_constants(source: Source) -> tuple[list[Constant], str]:
    """The weights of an IR, and the name of the file that holds them. Raises Damaged: the XML is not what an IR is."""
    net = _Net(constants=[])
    problem = _parse(source, net)
    if problem is not None:
        raise problem
    return net.constants or [], _weights_name(source.name)


@file_reader("openvino-blob", rank=Rank.MAGIC)
def openvino_blob(source: Source, _beside: Folder) -> Reading | None:
    """A model compiled for one device: exported, or from the cache."""
    if source.size < 8:
        return None
    head = source.head
    is_cpu = head.startswith(_CPU_BLOB)
    cached = _CACHED.match(head)
    if not is_cpu and cached is None:
        return None
    attributes = dict(
        re.findall(rb'(ie_version|device|blob_format_version)="([^"]{1,200})"', cached[0] if cached else b"")
    )
    version = attributes.get(b"ie_version", b"").decode("utf-8", "replace")
    meta = _CPU_META.search(head)
    if meta:
        version = version or meta[1].decode()
    isa = meta[2].decode() if meta else ""
    return Reading(
        "openvino-blob",
        producer="openvino",
        producer_version=_plain(version) or None,
        frameworks=(f"openvino=={_plain(version)}",) if version else ("openvino",),
        bound_to=tuple(
            Binding(kind=kind, value=value)
            for kind, value in (("openvino-version", _plain(version)), ("cpu-or-gpu", isa))
            if value
        ),
        details={"instruction-sets": isa} if isa else {},
    )


def _plain(version: str) -> str:
    """The number of a version: "2026.4.1-22982-e213a147257-releases/2026/4" -> "2026.4.1"."""
    return version.partition("-")[0][:60]


def _parse(source: Source, net: _Net) -> Damaged | None:
    """Read the elements; damage is returned, since what was read before it still counts."""
    if source.size > _MOST_XML:
        return Damaged("too-large", f"{source.size} bytes of XML")
    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True
    parser.StartElementHandler = lambda name, attributes: _start(net, name, attributes)
    parser.EndElementHandler = lambda _name: _end(net)
    parser.CharacterDataHandler = lambda text: _characters(net, text)
    parser.StartDoctypeDeclHandler = _refuse
    parser.EntityDeclHandler = _refuse
    try:
        for at in range(0, source.size, _PIECE):
            size = min(_PIECE, source.size - at)
            parser.Parse(source.read(at, size), False)
            if at + size - parser.CurrentByteIndex > _LONGEST_TOKEN:
                raise Damaged("too-large", f"an element of more than {_LONGEST_TOKEN} bytes")
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        is_cut = error.code in _ENDS and not net.is_closed
        return Damaged("truncated" if is_cut else "xml-damaged", f"line {error.lineno}")
    except Damaged as problem:
        return problem
    return None


def _refuse(*_: object) -> None:
    raise Damaged("xml-damaged", "a document type, which no IR has")


def _start(net: _Net, name: str, attributes: dict[str, str]) -> None:
    net.path.append(name)
    depth = len(net.path)
    if depth > _DEEPEST:
        raise Damaged("xml-damaged", f"elements within elements, deeper than {_DEEPEST}")
    if depth == 1:
        if name != "net":
            raise Damaged("xml-damaged", f"<{name[:40]}> in place of <net>")
        net.version = _number(attributes.get("version", ""))
        net.name = attributes.get("name", "")[:_LONGEST]
    elif name == "layer":
        _start_layer(net, attributes)
    elif net.path[1] in ("rt_info", "meta_data"):
        _add_info(net, attributes)
    elif net.layers:
        _in_layer(net, name, attributes)


def _start_layer(net: _Net, attributes: dict[str, str]) -> None:
    kind, opset = attributes.get("type", "")[:200], attributes.get("version", "")[:200]
    net.kinds[kind, opset] += 1
    if len(net.kinds) > _MOST_NAMES or net.kinds.total() > _MOST_LAYERS:
        raise Damaged("too-large", "more layers than a model has")
    layer = _Layer(
        kind=kind,
        name=attributes.get("name", "")[:_LONGEST],
        precision=attributes.get("precision", "").lower(),
        is_outer=len(net.path) == 3,
        names=attributes.get("output_names", "")[:_LONGEST],
    )
    net.layers.append(layer)


def _in_layer(net: _Net, name: str, attributes: dict[str, str]) -> None:
    layer = net.layers[-1]
    if name == "data":
        layer.dtype = attributes.get("element_type", layer.dtype)[:40]
        if layer.kind == "Parameter":
            layer.shape = _axes(attributes.get("shape", ""))
    elif name == "port" and net.path[-2:-1] in (["input"], ["output"]):
        layer.dtype = layer.dtype or attributes.get("precision", layer.precision).lower()[:40]
        layer.names = layer.names or attributes.get("names", "")[:_LONGEST]
    elif name == "dim":
        net.text = []
    if "offset" in attributes and "size" in attributes:
        _add_weight(net, layer, attributes)


def _add_weight(net: _Net, layer: _Layer, attributes: dict[str, str]) -> None:
    """A stretch of the .bin: of a constant since version 10, of any layer before."""
    offset, size = _number(attributes["offset"]), _number(attributes["size"])
    if offset is None or size is None:
        raise Damaged("xml-damaged", f"{layer.name[:100]}: no place of its weights")
    dtype = attributes.get("element_type", layer.precision)[:40].lower()
    net.weights_end = max(net.weights_end, offset + size)
    net.types.add(dtype)
    if net.constants is not None:
        net.constants.append(_constant(net, layer, dtype, attributes, offset, size))
    if offset in net.places:
        return
    net.places.add(offset)
    row = ir_types().get(dtype)
    if row is None:
        net.unknown_type = net.unknown_type or dtype
    elif row.bits:
        stored = size * 8 // row.bits
        axes = _axes(attributes["shape"]) if "shape" in attributes else [stored]
        count = math.prod(axis if isinstance(axis, int) else 0 for axis in axes)
        net.dtypes[row.dtype] += min(count, stored, _MOST_NUMBERS)


def _constant(net: _Net, layer: _Layer, dtype: str, attributes: dict[str, str], offset: int, size: int) -> Constant:
    """Of a constant, or of a layer that held its weights itself ("weights", "biases"), as before version 10."""
    row = ir_types().get(dtype)
    axes = _axes(attributes["shape"]) if "shape" in attributes else None
    shape = None if axes is None else tuple(axis for axis in axes if isinstance(axis, int))
    name = layer.name if net.path[-1] == "data" else f"{layer.name}/{net.path[-1][:40]}"
    return Constant(name, row.dtype if row else dtype, shape, offset, size)


def _characters(net: _Net, text: str) -> None:
    if net.path[-1:] == ["dim"] and len(net.text) < 10:
        net.text.append(text[:40])


def _end(net: _Net) -> None:
    name = net.path.pop()
    if name == "net" and not net.path:
        net.is_closed = True
    elif name == "dim" and net.layers:
        layer = net.layers[-1]
        is_wanted = layer.is_outer and layer.kind in ("Result", "Input") and len(layer.shape) < 64
        if is_wanted:
            layer.shape.extend(_axes("".join(net.text)))
    elif name == "layer" and net.layers:
        layer = net.layers.pop()
        if layer.is_outer and len(net.inputs) + len(net.outputs) < _MOST_FEATURES:
            _add_feature(net, layer)


def _add_feature(net: _Net, layer: _Layer) -> None:
    if layer.kind not in ("Parameter", "Result", "Input"):
        return
    row = ir_types().get(layer.dtype)
    name = layer.names.split(",")[0] or _SINK.sub("", layer.name)
    feature = TensorSpec(name=name, dtype=row.dtype if row else None, shape=tuple(layer.shape[:64]))
    (net.outputs if layer.kind == "Result" else net.inputs).append(feature)


def _add_info(net: _Net, attributes: dict[str, str]) -> None:
    """What the converter says of itself: paths of elements with a value."""
    if "value" in attributes and len(net.info) < _MOST_INFO:
        key = attributes["name"] if net.path[-1] == "info" and "name" in attributes else "/".join(net.path[2:])
        net.info[key[:200]] = attributes["value"][:_LONGEST]


def _axes(text: str) -> list[int | str]:
    """A shape: lengths, and the names of free axes ("?", "1..8")."""
    parts = [part.strip() for part in text[:_LONGEST].split(",")]
    return [
        number if (number := _number(part)) is not None else ("?" if part in ("-1", "?") else part[:40])
        for part in parts
        if part
    ][:64]


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else None


def _weights_file(name: str, net: _Net, beside: Folder) -> tuple[NeededFile, ...] | None:
    if not net.weights_end:
        return None
    other = _weights_name(name)
    return (needed_file(beside, other, net.weights_end),)


def _weights_name(name: str) -> str:
    return str(PurePosixPath(name).with_suffix(".bin")) if PurePosixPath(name).name else ".bin"


def _reading(net: _Net, problem: Damaged | None, files: tuple[NeededFile, ...] | None) -> Reading:
    is_read = problem is None
    problem = problem or incomplete_file(files)
    if problem is None and net.unknown_type:
        problem = Damaged("dtype-unknown", net.unknown_type)
    version = net.info.get("OpenVINO Runtime") or net.info.get("Runtime_version") or net.info.get("MO_version") or ""
    return Reading(
        "openvino-ir",
        version=f"IR {net.version}" if net.version is not None else None,
        producer="openvino" if version else None,
        producer_version=_plain(version) or None,
        problem=problem,
        frameworks=_frameworks(net),
        opsets=_opsets(net) if is_read else None,
        operators=_operators(net) if is_read else None,
        files=files,
        memory=net.weights_end if is_read else None,
        inputs=net.inputs if is_read else None,
        outputs=net.outputs if is_read else None,
        parameters=sum(net.dtypes.values()) if is_read else None,
        dtypes=dict(net.dtypes.most_common()) if is_read else None,
        quantization=_quantization(net) if is_read else None,
        details=_details(net),
    )


def _frameworks(net: _Net) -> tuple[str, ...]:
    """OpenVINO with the release that knows the version of the IR, all operator sets and all number types."""
    row = ir_version(net.version) if net.version is not None else None
    firsts = [row.first] if row else []
    firsts += [first for _, opset in net.kinds if (first := opsets().get(opset)) is not None]
    firsts += [kind.first for name in net.types if (kind := ir_types().get(name)) is not None and kind.first]
    needed = f"openvino>={max(firsts, key=release)}" if firsts else "openvino"
    if row is not None and row.dropped:
        needed = f"openvino>={row.first},<{row.dropped}"
    is_tokenizer = any(opset == "extension" for _, opset in net.kinds)
    return (needed, "openvino-tokenizers") if is_tokenizer else (needed,)


def _opsets(net: _Net) -> dict[str, int] | None:
    numbers = [release(opset)[0] for _, opset in net.kinds if opset in opsets()]
    return {"": max(numbers)} if numbers else None


def _operators(net: _Net) -> tuple[OperatorUse, ...]:
    has_opsets = (net.version or 0) >= _FIRST_WITH_OPSETS
    uses: Counter[tuple[str, str, bool]] = Counter()
    for (kind, opset), count in net.kinds.items():
        if kind in ("Const", "Parameter", "Result", "Input"):
            continue
        is_custom = has_opsets and not opset.startswith("opset") and opset != ""
        uses[kind, opset if is_custom else "", is_custom] += count
    return tuple(
        OperatorUse(name=kind, domain=domain, count=count, is_custom=is_custom)
        for (kind, domain, is_custom), count in uses.most_common()
    )


def _quantization(net: _Net) -> str:
    """Small types that hold a good part of the numbers, and whether activations are rounded too."""
    whole = max(sum(net.dtypes.values()), 1)
    small = [
        name
        for name, count in net.dtypes.most_common()
        if name.startswith(_LOW_BITS) and name not in ("int64", "int32") and count / whole >= _SMALL_SHARE
    ]
    rounds = any(kind == "FakeQuantize" for kind, _ in net.kinds)
    return ", ".join(small + (["FakeQuantize"] if rounds else []))


def _details(net: _Net) -> dict[str, str]:
    info = net.info
    framework = info.get("conversion_parameters/framework") or info.get("cli_parameters/framework") or ""
    model = info.get("conversion_parameters/input_model") or info.get("cli_parameters/input_model") or ""
    suffix = PurePosixPath(model).suffix.lstrip(".")
    numbered = sorted({opset for _, opset in net.kinds if opset in opsets()}, key=release)
    compression = [f"{key.rpartition('/')[2]}: {value}" for key, value in info.items() if key.startswith("nncf/")]
    return {
        "graph-name": net.name,
        "converted-from": framework or (suffix if 0 < len(suffix) <= 12 else ""),
        "openvino-opsets": ", ".join(numbered),
        "compression": "; ".join(compression)[:_LONGEST],
    }
