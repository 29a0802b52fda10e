"""The inside of an ONNX model: its nodes, weights and types, counted without loading a weight.

Field numbers and types: onnx/onnx.proto of ONNX 1.23. A message of up to 64 KiB is parsed in memory, which is many
times faster; of a larger one the large fields are stepped over.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from checks.facts import TensorSpec
from checks.readers.containers.protobuf.wire import BYTES, CutOff, Message, packed, parse, signed
from checks.readers.containers.source import Damaged

# TensorProto.DataType -> name and bits of one number; the shape of strings does not give their size.
DTYPES = {
    1: ("float32", 32), 2: ("uint8", 8), 3: ("int8", 8), 4: ("uint16", 16), 5: ("int16", 16), 6: ("int32", 32),
    7: ("int64", 64), 8: ("string", 0), 9: ("bool", 8), 10: ("float16", 16), 11: ("float64", 64), 12: ("uint32", 32),
    13: ("uint64", 64), 14: ("complex64", 64), 15: ("complex128", 128), 16: ("bfloat16", 16), 17: ("float8_e4m3fn", 8),
    18: ("float8_e4m3fnuz", 8), 19: ("float8_e5m2", 8), 20: ("float8_e5m2fnuz", 8), 21: ("uint4", 4), 22: ("int4", 4),
    23: ("float4_e2m1fn", 4), 24: ("float8_e8m0fnu", 8), 25: ("uint2", 2), 26: ("int2", 2), 27: ("float6_e2m3fn", 6),
    28: ("float6_e3m2fn", 6),
}  # fmt: skip

_IN_MEMORY = 1 << 16
_MOST_FIELDS = 1_000_000  # of a message that is not parsed in memory
_MOST_NODES = 500_000
_MOST_TENSORS = 500_000
_MOST_KINDS = 5_000  # of operators
_MOST_NAMED = 50_000  # initializers that are remembered by name
_MOST_FILES = 10_000
_MOST_VALUES = 1_000  # inputs, and outputs
_DEEPEST = 30  # graphs within graphs: more than protobuf itself follows
MOST_AXES = 64
_LONGEST_NAME = 1_000
_IN_MEMORY_OF_RUNTIME = "*/_ORT_MEM_ADDR_/*"  # ONNX Runtime's mark for weights that it holds itself: no file

Part = bytes | Message


@dataclass
class Tally:
    """What was counted so far; filled while reading, so that it is there also where the file ends too early."""

    operators: Counter[tuple[str, str]] = field(default_factory=Counter)  # (domain, name), also within functions
    nodes: int = 0
    subgraphs: int = 0
    functions: set[tuple[str, str]] = field(default_factory=set)
    function_opsets: dict[str, int] = field(default_factory=dict)
    tensors: int = 0
    sparse: int = 0
    parameters: int = 0
    stored: int = 0  # bytes
    dtypes: Counter[str] = field(default_factory=Counter)
    initialised: set[str] = field(default_factory=set)  # names in the main graph
    files: dict[str, int] = field(default_factory=dict)  # name -> bytes that it must have
    bits: set[int] = field(default_factory=set)  # attribute "bits" of nodes with weights of few bits
    inputs: list[TensorSpec] = field(default_factory=list)
    outputs: list[TensorSpec] = field(default_factory=list)
    graph_name: str = ""
    graph_text: str = ""


def fields(part: Part) -> Iterator[tuple[int, int, int | Part]]:
    """The fields of a message: (number, wire type, number or embedded part).

    Raises:
        Damaged: as Message does; what there is of a field that is cut off is given first.
    """
    if isinstance(part, bytes):
        return parse(part)
    if part.end - part.start <= _IN_MEMORY:
        return parse(part.source.read(part.start, part.end - part.start))
    return streamed(part)


def streamed(message: Message) -> Iterator[tuple[int, int, int | Part]]:
    """The same without loading the message, and with the beginning of a field that is cut off."""
    try:
        for count, entry in enumerate(message):
            if count >= _MOST_FIELDS:
                raise Damaged("too-large", f"more than {_MOST_FIELDS} fields")
            yield entry.number, entry.wire, message.message(entry) if entry.wire == BYTES else entry.value
    except CutOff as cut:
        if cut.field.wire == BYTES:
            yield cut.field.number, BYTES, message.message(cut.field)
        raise


def text(value: int | Part, most: int = _LONGEST_NAME) -> str:
    """A field's text, shortened; what is no UTF-8 becomes U+FFFD."""
    if isinstance(value, int):
        raise Damaged("protobuf-damaged", "a number instead of a text")
    if isinstance(value, Message):
        value = value.source.read(value.start, min(value.end - value.start, 4 * most))
    return value[: 4 * most].decode("utf-8", "replace")[:most]


def embedded(value: int | Part) -> Part:
    """A field's embedded message."""
    if isinstance(value, int):
        raise Damaged("protobuf-damaged", "a number instead of a message")
    return value


def number(value: int | Part) -> int:
    """A field's number."""
    if not isinstance(value, int):
        raise Damaged("protobuf-damaged", "no number where one belongs")
    return signed(value)


def domain_of(value: int | Part) -> str:
    """A domain of operators; ONNX's own has two names."""
    name = text(value)
    return "" if name == "ai.onnx" else name


def read_graph(part: Part, tally: Tally, depth: int = 0) -> None:
    """Count a GraphProto."""
    if depth > _DEEPEST:
        raise Damaged("protobuf-damaged", "graphs nested too deep")
    tally.subgraphs += depth > 0
    for what, _, value in fields(part):
        if what == 1:
            read_node(embedded(value), tally, depth)
        elif what == 5:
            name = read_tensor(embedded(value), tally)
            if depth == 0 and len(tally.initialised) < _MOST_NAMED:
                tally.initialised.add(name)
        elif what == 15:
            _read_sparse(embedded(value), tally, depth)
        elif depth == 0:
            _read_face(what, value, tally)


def _read_face(what: int, value: int | Part, tally: Tally) -> None:
    if what == 2:
        tally.graph_name = text(value)
    elif what == 10:
        tally.graph_text = text(value)
    elif what == 11 and len(tally.inputs) < _MOST_VALUES:
        tally.inputs.append(_spec(embedded(value)))
    elif what == 12 and len(tally.outputs) < _MOST_VALUES:
        tally.outputs.append(_spec(embedded(value)))


def read_function(part: Part, tally: Tally) -> None:
    """Count a FunctionProto: its nodes are the model's own."""
    name = domain = ""
    for what, _, value in fields(part):
        if what == 1:
            name = text(value)
        elif what == 10:
            domain = domain_of(value)
        elif what == 7:
            read_node(embedded(value), tally, 1)
        elif what == 9:
            imported, version = read_opset(embedded(value))
            tally.function_opsets[imported] = max(version, tally.function_opsets.get(imported, 0))
    if len(tally.functions) > _MOST_KINDS:
        raise Damaged("too-large", f"more than {_MOST_KINDS} functions")
    tally.functions.add((domain, name))


def read_opset(part: Part) -> tuple[str, int]:
    """An OperatorSetIdProto: domain and version."""
    domain, version = "", 0
    for what, _, value in fields(part):
        if what == 1:
            domain = domain_of(value)
        elif what == 2:
            version = number(value)
    return domain, version


def read_pair(part: Part, most: int = _LONGEST_NAME) -> tuple[str, str]:
    """A StringStringEntryProto."""
    key = value_ = ""
    for what, _, value in fields(part):
        if what == 1:
            key = text(value)
        elif what == 2:
            value_ = text(value, most)
    return key, value_


def read_node(part: Part, tally: Tally, depth: int) -> None:
    """Count a NodeProto, and what its attributes hold."""
    tally.nodes += 1
    if tally.nodes > _MOST_NODES:
        raise Damaged("too-large", f"more than {_MOST_NODES} nodes")
    name = domain = ""
    for what, wire, value in fields(part):
        if what == 5 and wire == BYTES:
            _read_attribute(embedded(value), tally, depth)
        elif what == 4:
            name = text(value)
        elif what == 7:
            domain = domain_of(value)
    if len(tally.operators) > _MOST_KINDS:
        raise Damaged("too-large", f"more than {_MOST_KINDS} operators")
    tally.operators[domain, name] += 1


def _read_attribute(part: Part, tally: Tally, depth: int) -> None:
    """An AttributeProto: graphs and tensors in it belong to the model. It holds one kind of value only."""
    name = ""
    for what, _, value in fields(part):
        if what == 1:
            name = text(value)
        elif what == 3 and name == "bits":
            tally.bits.add(number(value) & 0xFF)
        elif what in (5, 10):
            read_tensor(embedded(value), tally)
        elif what in (6, 11):
            read_graph(embedded(value), tally, depth + 1)
        elif what in (22, 23):
            _read_sparse(embedded(value), tally, depth=1)
        elif what in (7, 8, 9):  # numbers or texts, in forests of decision trees by the million
            return


def _read_sparse(part: Part, tally: Tally, depth: int) -> None:
    """A SparseTensorProto: its values are weights, its indices are stored too."""
    tally.sparse += 1
    for what, _, value in fields(part):
        if what == 1:
            name = read_tensor(embedded(value), tally)
            if depth == 0 and len(tally.initialised) < _MOST_NAMED:
                tally.initialised.add(name)
        elif what == 2:
            read_tensor(embedded(value), tally)


def read_tensor(part: Part, tally: Tally) -> str:
    """Count a TensorProto by its shape and type; its name. The numbers themselves are stepped over."""
    tally.tensors += 1
    if tally.tensors > _MOST_TENSORS:
        raise Damaged("too-large", f"more than {_MOST_TENSORS} tensors")
    dims: list[int] = []
    dtype = 0
    name = ""
    place: dict[str, str] = {}
    is_external = False
    for what, wire, value in fields(part):
        if what == 1:
            dims.extend(packed(_small(value)) if wire == BYTES else (number(value),))
            if len(dims) > MOST_AXES:
                raise Damaged("protobuf-damaged", f"more than {MOST_AXES} axes")
        elif what == 2:
            dtype = number(value)
        elif what == 8:
            name = text(value)
        elif what == 13:
            key, stated = read_pair(embedded(value), most=4096)
            place[key] = stated
        elif what == 14:
            is_external = number(value) == 1
        elif what == 6 or (what in (4, 5, 7, 10, 11) and wire != BYTES):
            break  # texts, or numbers one by one; the shape gives their count
    kind, bits = DTYPES.get(dtype, (f"type {dtype}", 0))
    count = _count(dims)
    size = (count * bits + 7) // 8 if bits or is_external else size_of(part)
    tally.parameters += count
    tally.dtypes[kind] += count
    tally.stored += size
    if is_external:
        _need_file(place, size, tally)
    return name


def _small(value: int | Part) -> bytes:
    data = embedded(value)
    if isinstance(data, bytes):
        return data
    if data.end - data.start > 10 * MOST_AXES:
        raise Damaged("protobuf-damaged", f"more than {MOST_AXES} axes")
    return data.source.read(data.start, data.end - data.start)


def size_of(part: Part) -> int:
    """Bytes of a part."""
    return len(part) if isinstance(part, bytes) else part.end - part.start


def _count(dims: list[int]) -> int:
    count = math.prod(max(0, signed(dim)) for dim in dims)
    if count >= 1 << 62:
        raise Damaged("protobuf-damaged", f"a tensor of {' x '.join(map(str, dims))[:_LONGEST_NAME]}")
    return count


def _need_file(place: dict[str, str], size: int, tally: Tally) -> None:
    """Note how far the file beside the model must reach for one tensor."""
    name = place.get("location", "")
    if name == _IN_MEMORY_OF_RUNTIME:
        return
    if name not in tally.files and len(tally.files) >= _MOST_FILES:
        raise Damaged("too-large", f"more than {_MOST_FILES} files beside it")
    end = whole(place.get("offset", "")) + (whole(place.get("length", "")) or size)
    tally.files[name] = max(tally.files.get(name, 0), end)


def whole(digits: str) -> int:
    """A number in text, as it stands in external data; 0 where it is none."""
    digits = digits.strip()
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 19 else 0


def _spec(part: Part) -> TensorSpec:
    name = ""
    dtype: str | None = None
    shape: tuple[int | str, ...] | None = None
    for what, _, value in fields(part):
        if what == 1:
            name = text(value)
        elif what == 2:
            dtype, shape = _type(embedded(value))
    return TensorSpec(name=name, dtype=dtype, shape=shape)


def _type(part: Part, depth: int = 0) -> tuple[str | None, tuple[int | str, ...] | None]:
    """A TypeProto: of a tensor its type and shape, of what holds tensors ("sequence(float32)") no shape."""
    if depth > _DEEPEST:
        raise Damaged("protobuf-damaged", "types nested too deep")
    for what, _, value in fields(part):
        if what in (1, 8):
            dtype, shape = _tensor_type(embedded(value))
            return (dtype if what == 1 or dtype is None else f"sparse({dtype})"), shape
        if what in (4, 9):
            return f"{'sequence' if what == 4 else 'optional'}({_within(embedded(value), 1, depth)})", None
        if what == 5:
            key = next((number(entry) for which, _, entry in fields(embedded(value)) if which == 1), 0)
            return f"map({DTYPES.get(key, ('?', 0))[0]}, {_within(embedded(value), 2, depth)})", None
    return None, None


def _within(part: Part, wanted: int, depth: int) -> str:
    """The type that a sequence, map or optional value holds."""
    inner = next((embedded(value) for what, _, value in fields(part) if what == wanted), b"")
    return (_type(inner, depth + 1)[0] or "?")[:_LONGEST_NAME]


def _tensor_type(part: Part) -> tuple[str | None, tuple[int | str, ...] | None]:
    dtype: str | None = None
    shape: list[int | str] | None = None
    for what, _, value in fields(part):
        if what == 1 and number(value):
            dtype = DTYPES.get(number(value), (f"type {number(value)}", 0))[0]
        elif what == 2:
            shape = []
            for which, _, axis in fields(embedded(value)):
                if which == 1 and len(shape) < MOST_AXES:
                    shape.append(_axis(embedded(axis)))
    return dtype, None if shape is None else tuple(shape)


def _axis(part: Part) -> int | str:
    axis: int | str = "?"
    for what, _, value in fields(part):
        if what == 1:
            axis = number(value) if number(value) >= 0 else "?"
        elif what == 2:
            axis = text(value) or "?"
    return axis
