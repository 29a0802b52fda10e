"""ONNX: versions, operators, inputs and weights, and the files with weights that belong to it.

A ModelProto has no magic bytes: its first fields identify it. TensorProto (the test data of backends), GraphDef,
SavedModel, Core ML and Paddle begin with other fields, or go on with them. Fields: onnx/onnx.proto of ONNX 1.23.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from checks.facts import Binding, OperatorUse
from checks.facts.versions import release
from checks.knowledge.formats.onnx import ML, OnnxTable, least_onnx, least_onnxruntime
from checks.knowledge.formats.onnx_domains import onnx_domain
from checks.knowledge.formats.onnx_operators import MICROSOFT, is_standard, operator
from checks.readers.containers.folder import Folder
from checks.readers.containers.protobuf.wire import BYTES, VARINT, CutOff, Message
from checks.readers.containers.source import Damaged, Source
from checks.readers.models.exchange.onnx_graph import (
    Part,
    Tally,
    embedded,
    number,
    read_function,
    read_graph,
    read_opset,
    read_pair,
    streamed,
    text,
)
from checks.readers.models.reading import Reading, needed_file
from checks.readers.models.registry import Rank, file_reader

# ModelProto: field -> wire type.
_MODEL = {
    1: VARINT,  # ir_version
    2: BYTES,  # producer_name
    3: BYTES,  # producer_version
    4: BYTES,  # domain
    5: VARINT,  # model_version
    6: BYTES,  # doc_string
    7: BYTES,  # graph
    8: BYTES,  # opset_import
    14: BYTES,  # metadata_props
    20: BYTES,  # training_info
    25: BYTES,  # functions
    26: BYTES,  # configuration
}
_GRAPH = frozenset({1, 2, 5, 10, 11, 12, 13, 14, 15, 16})
_HIGHEST_IR = 1000
_IR_WITH_OPSETS = 3  # before it there was one operator set only
_CORE_ML = 200  # field numbers from here on are the kinds of models in Core ML's message
_ENOUGH = 200  # fields after which a ModelProto has shown itself

_OLDEST = "1.2.0"  # ONNX Runtime that looks at the versions; older ones take any, and run what they know
_COMPILED = "EPContext"  # of com.microsoft: a part that a provider has compiled for one device

_LIMIT = (1 << 31) - 1  # bytes: protobuf's readers refuse a longer message
_MOST_PROPERTIES = 200
_SHOWN = 300  # characters of a property

# What exporters note in metadata_props -> id of resources/words/models.toml.
_PROPERTIES = {
    "task": "task", "names": "class-names", "stride": "stride", "imgsz": "image-size", "author": "author",
    "license": "license", "description": "description",
}  # fmt: skip

_OPERATOR_QUANTIZED = re.compile(r"QLinear\w+|ConvInteger|MatMulInteger|QAttention|QGemm|QOrdered\w+|QEmbed\w+")
_DYNAMIC = re.compile(r"DynamicQuantize\w+|MatMulIntegerToFloat")
_FEW_BITS = re.compile(r"MatMulNBits|MatMulFpQ4|GatherBlockQuantized|QMoE|MatMulBnb4")
_NARROW = re.compile(r"u?int(?:2|4|8|16)|float[468]_\w+")  # numbers of quantised weights


@dataclass
class _Model:
    ir: int | None = None
    producer: str = ""
    producer_version: str = ""
    description: str = ""
    opsets: dict[str, int] = field(default_factory=dict)
    properties: dict[str, str] = field(default_factory=dict)
    is_for_training: bool = False
    has_graph: bool = False
    tally: Tally = field(default_factory=Tally)


@file_reader("onnx", rank=Rank.STRUCTURE)
def onnx(source: Source, beside: Folder) -> Reading | None:
    """A binary ONNX model, with any ending."""
    if not _is_model(source):
        return None
    model = _Model()
    problem = Damaged("over-2-gib") if source.size > _LIMIT else None
    try:
        for what, _, value in streamed(Message(source)):
            _take(model, what, value)
        if not model.has_graph and not model.tally.functions:
            problem = Damaged("truncated", "no graph")
        elif not model.opsets and (model.ir or 0) >= _IR_WITH_OPSETS:
            problem = Damaged("truncated", "no operator set")
    except Damaged as damage:
        problem = damage
    return _reading(model, source.size, beside, problem)


def _is_model(source: Source) -> bool:
    """Whether the first fields are those of a ModelProto. What ends before that shows is one by its name."""
    seen: set[int] = set()
    is_named = source.name.lower().endswith(".onnx")
    try:
        for count, part in enumerate(Message(source)):
            if not _fits(part.number, part.wire, part.value, seen) or count > _ENOUGH:
                return False
            seen.add(part.number)
            if part.number == 7 and not _is_graph(Message(source, part.start, part.size), seen):
                return False
            if 7 in seen and (1 in seen or 8 in seen):
                return True
    except CutOff as cut:
        cut_graph = Message(source, cut.field.start, cut.field.size)
        is_one = _fits(cut.field.number, cut.field.wire, 0, seen) and 1 in seen
        return is_one and (is_named or (cut.field.number == 7 and _is_graph(cut_graph, seen)))
    except Damaged:
        return 1 in seen and is_named
    return 1 in seen and (is_named or 25 in seen)


def _fits(what: int, wire: int, value: int, seen: set[int]) -> bool:
    if what == 1 and wire == VARINT:
        return 1 <= value <= _HIGHEST_IR and not seen & {1}
    is_of_the_future = what < _CORE_ML and what > max(_MODEL)
    return is_of_the_future or _MODEL.get(what) == wire


def _is_graph(part: Message, seen: set[int]) -> bool:
    """Whether the first field of a graph is one. An empty graph decides nothing, so another field must."""
    if part.start >= part.end:
        return len(seen) > 1
    try:
        first = next(iter(part))
    except CutOff as cut:
        first = cut.field
    except Damaged:
        return False
    return first.number in _GRAPH and first.wire == BYTES


def _take(model: _Model, what: int, value: int | Part) -> None:
    if what == 1:
        model.ir = number(value)
    elif what == 2:
        model.producer = text(value)
    elif what == 3:
        model.producer_version = text(value)
    elif what == 6:
        model.description = text(value)
    elif what == 7:
        model.has_graph = True
        read_graph(embedded(value), model.tally)
    elif what == 8:
        domain, version = read_opset(embedded(value))
        model.opsets[domain] = version
    elif what == 14 and len(model.properties) < _MOST_PROPERTIES:
        key, stated = read_pair(embedded(value), most=_SHOWN)
        model.properties[key] = stated
    elif what == 20:
        model.is_for_training = True
    elif what == 25:
        read_function(embedded(value), model.tally)


def _reading(model: _Model, size: int, beside: Folder, problem: Damaged | None) -> Reading:
    tally = model.tally
    opsets = {**tally.function_opsets, **model.opsets} or {"": 1}
    # The list of opsets stands behind the graph: of what is cut off it is not known.
    is_cut = problem is not None and problem.reason == "truncated"
    operators = _operators(tally, opsets)
    files = [needed_file(beside, name, size) for name, size in sorted(tally.files.items())]
    dependence, bound_to = _bindings(model.ir, opsets, operators)
    return Reading(
        "onnx",
        version=None if model.ir is None else f"IR {model.ir}",
        producer=model.producer or None,
        producer_version=model.producer_version or None,
        size=size + sum(file.present_size or 0 for file in files),
        problem=problem,
        frameworks=() if is_cut else _frameworks(model.ir, opsets, operators),
        opsets=(model.opsets or None) if is_cut else opsets,
        operators=operators,
        devices=(),
        files=files,
        memory=tally.stored,
        dependence=dependence,
        bound_to=() if is_cut else bound_to,
        inputs=tuple(tensor for tensor in tally.inputs if tensor.name not in tally.initialised),
        outputs=tally.outputs,
        dtypes=tally.dtypes,
        quantization=_quantization(tally),
        details=_details(model, opsets),
    )


def _operators(tally: Tally, opsets: dict[str, int]) -> tuple[OperatorUse, ...]:
    """The operators that a runtime must bring; those that the model defines itself are not among them."""
    uses = []
    for (domain, name), count in tally.operators.items():
        if (domain, name) in tally.functions:
            continue
        row = onnx_domain(domain)
        is_own = row is not None and row.kind == "standard" and is_standard(name, domain, opsets.get(domain))
        uses.append(OperatorUse(name=name, domain=domain, count=count, is_custom=not is_own))
    return tuple(sorted(uses, key=lambda item: (-item.count, item.domain, item.name)))


def _bindings(
    ir: int | None, opsets: dict[str, int], operators: tuple[OperatorUse, ...]
) -> tuple[str | None, tuple[Binding, ...]]:
    """How far it depends on where it runs, beyond what every ONNX file does; and on what."""
    bound = [] if ir is None else [Binding(kind="onnx-ir", value=str(ir))]
    shown = ", ".join(f"{domain or 'ai.onnx'} {opsets[domain]}" for domain in ("", ML) if domain in opsets)
    bound.append(Binding(kind="onnx-opset", value=shown))
    dependence = None
    kinds = {domain: row.kind if (row := onnx_domain(domain)) else "" for domain in {item.domain for item in operators}}
    foreign = sorted({entry.domain or entry.name for entry in operators if entry.is_custom})
    foreign = [name for name in foreign if kinds.get(name) not in ("built-in", "internal")]
    if foreign:
        dependence = "medium"
        bound.append(Binding(kind="custom-operators", value=", ".join(foreign)[:_SHOWN]))
    if internal := sorted(domain for domain, kind in kinds.items() if kind == "internal"):
        dependence = "medium"
        bound.append(Binding(kind="cpu-of-optimisation", value=", ".join(internal)))
    if any(use.name == _COMPILED and use.domain == MICROSOFT for use in operators):
        dependence = "high"
        bound.append(Binding(kind="compiled-for-provider"))
    return dependence, tuple(bound)


def _frameworks(ir: int | None, opsets: dict[str, int], operators: tuple[OperatorUse, ...]) -> tuple[str, ...]:
    """The runtimes that can compute it, the least version where it is known."""
    rows = [onnx_domain(item.domain) for item in operators]
    elsewhere = sorted({row.runtime for row in rows if row and row.kind == "runtime" and row.runtime})
    if elsewhere:
        return tuple(elsewhere)
    if any(row and row.kind in ("leftover", "training", "tool") for row in rows):
        return ()
    row = least_onnxruntime(ir, {domain: opsets[domain] for domain in ("", ML) if domain in opsets})
    if row is None:
        return (f"onnxruntime>{OnnxTable.read().onnxruntime[-1].version}",)
    least = [] if row.version == _OLDEST else [row.version]
    for use in operators:
        known = operator(use.name, MICROSOFT) if use.domain == MICROSOFT else None
        if known is not None and known.onnxruntime:
            least.append(known.onnxruntime)
    libraries = {row.packages[0] for row in rows if row and row.kind == "library"}
    return (f"onnxruntime>={max(least, key=release)}" if least else "onnxruntime", *sorted(libraries))


def _quantization(tally: Tally) -> str:
    """How it is quantised ("int8 QDQ"); "" if it is not."""
    names = Counter[str]()
    for (_, name), count in tally.operators.items():
        names[name] += count
    known = [item for item, count in tally.dtypes.most_common() if count] + [
        tensor.dtype or "" for tensor in tally.inputs
    ]
    dtype = next((row for row in known if _NARROW.fullmatch(row)), "")
    if found := next((name for name in names if _FEW_BITS.fullmatch(name)), None):
        return f"int{min(tally.bits, default=4)} {found}"
    if any(_DYNAMIC.fullmatch(name) for name in names):
        return f"{dtype} dynamic".strip()
    if any(_OPERATOR_QUANTIZED.fullmatch(name) for name in names):
        return f"{dtype} QOperator".strip()
    if names["QuantizeLinear"] or names["DequantizeLinear"]:
        return f"{dtype} QDQ".strip()
    return ""


def _details(model: _Model, opsets: dict[str, int]) -> dict[str, str]:
    """Its other properties, by ids of resources/words/models.toml."""
    tally = model.tally
    row = least_onnx(model.ir, opsets)
    details = {
        "graph-name": tally.graph_name,
        "description": model.description or tally.graph_text,
        "nodes": str(tally.nodes),
        "subgraphs": str(tally.subgraphs or ""),
        "functions": str(len(tally.functions) or ""),
        "sparse-weights": str(tally.sparse or ""),
        "onnx-release": row.version if row else "",
        "training": "yes" if model.is_for_training else "",
    }
    details |= {_PROPERTIES[key]: stated for key, stated in model.properties.items() if key in _PROPERTIES and stated}
    others = "; ".join(f"{key}={stated}" for key, stated in model.properties.items() if key not in _PROPERTIES)
    details["metadata"] = others if len(others) <= _SHOWN else others[:_SHOWN] + "…"
    return {key: stated for key, stated in details.items() if stated}
