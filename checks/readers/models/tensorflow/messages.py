"""What TensorFlow's files have in common: dtypes, shapes, graphs and signatures, read from their Protocol Buffers.

Messages: tensorflow/core/framework/{graph,node_def,function,types,tensor_shape}.proto and
tensorflow/core/protobuf/meta_graph.proto, as TensorFlow 2.21 ships them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from checks.facts import OperatorUse, TensorSpec
from checks.knowledge.formats.tensorflow_operators import is_tensorflow_operator, library_of, tensorflow_of_operators
from checks.readers.containers.protobuf.wire import BYTES, VARINT, Fields, Message, parse, signed
from checks.readers.containers.source import Damaged

# types.proto; a reference type is 100 more.
DTYPES = {
    1: "float32", 2: "float64", 3: "int32", 4: "uint8", 5: "int16", 6: "int8", 7: "string", 8: "complex64", 9: "int64",
    10: "bool", 11: "qint8", 12: "quint8", 13: "qint32", 14: "bfloat16", 15: "qint16", 16: "quint16", 17: "uint16",
    18: "complex128", 19: "float16", 20: "resource", 21: "variant", 22: "uint32", 23: "uint64", 24: "float8_e5m2",
    25: "float8_e4m3fn", 26: "float8_e4m3fnuz", 27: "float8_e4m3b11fnuz", 28: "float8_e5m2fnuz", 29: "int4",
    30: "uint4", 31: "int2", 32: "uint2", 33: "float4_e2m1fn",
}  # fmt: skip
NAMED_DTYPES = {
    "DT_FLOAT": "float32", "DT_DOUBLE": "float64", "DT_HALF": "float16", "DT_COMPLEX64": "complex64",
    "DT_COMPLEX128": "complex128",
} | {f"DT_{name.upper()}": name for name in DTYPES.values()}  # fmt: skip
VARIABLE_OPERATORS = frozenset({"VarHandleOp", "Variable", "VariableV2", "AutoReloadVariable"})
MOST_ASSETS = 1000
MOST_TENSORS = 256  # inputs or outputs that are listed
_SMALL = 1 << 16  # bytes of a node that is parsed in memory
MOST_NODES = 500_000
MOST_NAMED = 20_000  # different operators, functions, or devices
_MOST_NAMES = 100_000  # nodes whose consumers are looked for
# Operators that nobody consumes without being a result.
_SIDE_EFFECTS = frozenset({"NoOp", "Assert", "Const", "Placeholder", "SaveV2", "MergeV2Checkpoints"})


def dtype_name(number: int) -> str | None:
    """A dtype by its number, as NumPy spells it."""
    return DTYPES.get(number - 100 if number > 100 else number)


def shape_of(data: bytes) -> tuple[int | str, ...] | None:
    """A TensorShapeProto; None where the rank is not known."""
    axes: list[int | str] = []
    for number, wire, value in parse(data):
        if number == 3 and value:
            return None
        if number == 2 and isinstance(value, bytes):
            length = next((int(part) for key, kind, part in parse(value) if key == 1 and kind == VARINT), 0)
            axes.append("?" if signed(length) < 0 else length)
        elif wire == BYTES and number != 2:
            raise Damaged("protobuf-damaged", f"field {number} of a shape")
    return tuple(axes)


@dataclass
class Node:
    """A node of a graph, or of a function in it."""

    name: str = ""
    operator: str = ""
    device: str = ""
    inputs: list[str] = field(default_factory=list)
    dtype: str | None = None
    shape: tuple[int | str, ...] | None = None
    elements: int = 0  # numbers that a constant holds


@dataclass
class Graph:
    """What a graph with its functions says."""

    operators: Counter[str] = field(default_factory=Counter)
    functions: set[str] = field(default_factory=set)
    devices: Counter[str] = field(default_factory=Counter)
    inputs: list[TensorSpec] = field(default_factory=list)
    constants: Counter[str] = field(default_factory=Counter)  # dtype -> numbers in constants
    largest_constant: int = 0  # numbers
    producer: int | None = None
    min_consumer: int | None = None
    problem: Damaged | None = None  # what ended the reading too early
    is_ended: bool = False  # what stands behind the last node was read
    _nodes: int = 0
    _unused: dict[str, None] = field(default_factory=dict)
    _used: set[str] = field(default_factory=set)
    _names: set[str] = field(default_factory=set)

    def add(self, node: Node, *, is_main: bool) -> None:
        """Count a node. Raises Damaged: "too-large" where there are more than any model has."""
        self._nodes += 1
        if self._nodes > MOST_NODES or max(len(self.operators), len(self.functions), len(self.devices)) > MOST_NAMED:
            raise Damaged("too-large", f"{self._nodes} nodes, {len(self.operators)} operators")
        self.operators[node.operator] += 1
        if node.device:
            self.devices[node.device] += 1
        if node.operator == "Const" and node.dtype:
            self.constants[node.dtype] += node.elements
            self.largest_constant = max(self.largest_constant, node.elements)
        if not is_main:
            return
        if node.operator.startswith("Placeholder") and len(self.inputs) < MOST_TENSORS:
            self.inputs.append(TensorSpec(name=node.name, dtype=node.dtype, shape=node.shape))
        if self._nodes <= _MOST_NAMES:
            self._names.add(node.name)
            self._used.update(tensor.removeprefix("^").split(":", 1)[0] for tensor in node.inputs)
            if node.operator not in _SIDE_EFFECTS:
                self._unused[node.name] = None

    @property
    def unfinished(self) -> str:
        """A node that others consume and that is not there; "" where none is missing, or what ends a graph is there.

        Fields end where nodes do, so a file that was cut between two of them reads as whole but for this.
        """
        if self.is_ended or self._nodes > _MOST_NAMES:
            return ""
        return min(self._used - self._names, default="")

    @property
    def outputs(self) -> tuple[TensorSpec, ...]:
        """The nodes that no other node consumes: what a frozen graph computes, as far as it shows."""
        if self._nodes > _MOST_NAMES:
            return ()
        names = [name for name in self._unused if name not in self._used]
        return tuple(TensorSpec(name=name) for name in names[:MOST_TENSORS])

    @property
    def uses(self) -> tuple[OperatorUse, ...]:
        """The operators, the most used first; calls of the graph's own functions are none."""
        own = self.functions
        rows = [operator for operator in self.operators.items() if operator[0] not in own]
        rows.sort(key=lambda item: (-item[1], item[0]))
        return tuple(_use(name, count) for name, count in rows)

    @property
    def framework(self) -> str:
        """The requirement of TensorFlow: the first release that has all its operators."""
        least = tensorflow_of_operators(name for name in self.operators if name not in self.functions)
        return f"tensorflow>={least}" if least else "tensorflow"

    @property
    def details(self) -> dict[str, str]:
        """Its other properties, for ModelFacts.details."""
        return {
            "graph-producer": "" if self.producer is None else str(self.producer),
            "graph-consumer": str(self.min_consumer or ""),
            "functions": str(len(self.functions) or ""),
        }

    @property
    def pinned_devices(self) -> tuple[str, ...]:
        """The devices that nodes are bound to, in short ("GPU:0"), the most used first."""
        short: Counter[str] = Counter()
        for device, count in self.devices.items():
            short[short_device(device)] += count
        return tuple(name for name, _ in short.most_common() if name and not name.startswith("CPU"))[:16]


def _use(name: str, count: int) -> OperatorUse:
    """An operator; of one that TensorFlow has not, the domain is the package that brings it."""
    if is_tensorflow_operator(name):
        return OperatorUse(name=name, count=count)
    return OperatorUse(name=name, domain=library_of(name), count=count, is_custom=True)


def short_device(device: str) -> str:
    """Of "/job:localhost/replica:0/task:0/device:GPU:0" or "/gpu:0" the last part, "GPU:0"; "" where none is named."""
    last = device.rsplit("/", 1)[-1].removeprefix("device:")
    kind, _, number = last.partition(":")
    if kind.lower() in ("job", "replica", "task", ""):
        return ""
    return f"{kind.upper()}:{number}" if number and number != "*" else kind.upper()


def read_graph(message: Message, graph: Graph) -> None:
    """Add a GraphDef to ``graph``. What is damaged ends it, and is kept in ``problem``."""
    try:
        for entry in message:
            graph.is_ended = graph.is_ended or entry.number in (2, 3, 4)
            if entry.number == 1 and entry.wire == BYTES:
                graph.add(read_node(message.message(entry)), is_main=True)
            elif entry.number == 2 and entry.wire == BYTES:
                _read_library(message.message(entry), graph)
            elif entry.number == 3 and entry.wire == VARINT:
                graph.producer = graph.producer or entry.value
            elif entry.number == 4:
                for number, _, value in parse(message.data(entry)):
                    if isinstance(value, int):
                        graph.producer = value if number == 1 else graph.producer
                        graph.min_consumer = value if number == 2 else graph.min_consumer
    except Damaged as problem:
        graph.problem = problem


def _read_library(message: Message, graph: Graph) -> None:
    for entry in message:
        if entry.number != 1 or entry.wire != BYTES:
            continue
        function = message.message(entry)
        for part in function:
            if part.number == 1 and part.wire == BYTES:
                for name in function.message(part):
                    if name.number == 1 and name.wire == BYTES:
                        graph.functions.add(function.text(name))
                        break
                if len(graph.functions) > MOST_NAMED:
                    raise Damaged("too-large", f"more than {MOST_NAMED} functions")
            elif part.number == 3 and part.wire == BYTES:
                graph.add(read_node(function.message(part)), is_main=False)


def read_node(message: Message) -> Node:
    """A NodeDef; of a large one the constant in it is stepped over."""
    node = Node()
    size = message.end - message.start
    if size <= _SMALL:
        for number, _, value in parse(message.source.read(message.start, size)):
            if isinstance(value, bytes):
                _set(node, number, value)
        return node
    for entry in message:
        if entry.wire != BYTES:
            continue
        if entry.number == 5 and entry.size > _SMALL:
            _large_attribute(node, message.message(entry))
        else:
            _set(node, entry.number, message.data(entry))
    return node


def _set(node: Node, number: int, value: bytes) -> None:
    if number == 1:
        node.name = value.decode("utf-8", "replace")
    elif number == 2:
        node.operator = value.decode("utf-8", "replace")
    elif number == 3:
        node.inputs.append(value.decode("utf-8", "replace"))
    elif number == 4:
        node.device = value.decode("utf-8", "replace")
    elif number == 5:
        _attribute(node, value)


def _attribute(node: Node, data: bytes) -> None:
    """An entry of the map of attributes: dtypes, shapes and constants."""
    name, value = b"", b""
    for number, _, part in parse(data):
        if isinstance(part, bytes):
            name, value = (part, value) if number == 1 else (name, part)
    if name not in (b"dtype", b"shape", b"value"):
        return
    for number, _, part in parse(value):
        if number == 6 and isinstance(part, int):
            node.dtype = dtype_name(part) or node.dtype
        elif number == 7 and isinstance(part, bytes) and name == b"shape":
            node.shape = shape_of(part)
        elif number == 8 and isinstance(part, bytes):
            _tensor(node, parse(part))


def _large_attribute(node: Node, message: Message) -> None:
    for item in message:
        if item.number != 2 or item.wire != BYTES:
            continue
        value = message.message(item)
        for part in value:
            if part.number == 8 and part.wire == BYTES:
                tensor = value.message(part)
                small = (entry for entry in tensor if entry.size <= _SMALL)
                _tensor(node, ((f.number, f.wire, tensor.data(f) if f.wire == BYTES else f.value) for f in small))


def _tensor(node: Node, fields: Iterator[tuple[int, int, int | bytes]]) -> None:
    """The dtype and the number of elements of a TensorProto."""
    for number, _, value in fields:
        if number == 1 and isinstance(value, int):
            node.dtype = dtype_name(value) or node.dtype
        elif number == 2 and isinstance(value, bytes):
            node.elements = math.prod(axis if isinstance(axis, int) else 0 for axis in shape_of(value) or ())


@dataclass
class Signature:
    """A function of a SavedModel that can be called by its name."""

    inputs: list[TensorSpec] = field(default_factory=list)
    outputs: list[TensorSpec] = field(default_factory=list)


@dataclass
class MetaGraph:
    """A graph with what its file says about it."""

    tags: list[str] = field(default_factory=list)
    version: str | None = None  # of TensorFlow
    graph: Graph = field(default_factory=Graph)
    signatures: dict[str, Signature] = field(default_factory=dict)
    assets: list[str] = field(default_factory=list)
    classes: Counter[str] = field(default_factory=Counter)  # what the objects of a TF2 file are
    keras_metadata: bytes = b""  # JSON of the first Keras layer (TensorFlow 2.1 to 2.4)
    has_objects: bool = False  # as TensorFlow 2 writes


def read_meta_graph(message: Message) -> MetaGraph:
    """A MetaGraphDef; damage within is kept in its graph's ``problem``."""
    found = MetaGraph()
    try:
        for entry in message:
            if entry.wire != BYTES:
                continue
            if entry.number == 1:
                _meta_info(message.message(entry), found)
            elif entry.number == 2:
                read_graph(message.message(entry), found.graph)
            elif entry.number == 5:
                _signature(message.data(entry), found)
            elif entry.number == 6:
                if len(found.assets) < MOST_ASSETS:
                    found.assets.append(Fields(message.data(entry)).text(2))
            elif entry.number == 7:
                _objects(message.message(entry), found)
    except Damaged as problem:
        found.graph.problem = found.graph.problem or problem
    return found


def _meta_info(message: Message, found: MetaGraph) -> None:
    for entry in message:
        if entry.number == 4:
            found.tags += [message.text(entry)] if len(found.tags) < MOST_TENSORS else []
        elif entry.number == 5:
            found.version = message.text(entry)


def _signature(data: bytes, found: MetaGraph) -> None:
    entry = Fields(data)
    definition = Fields(entry.data(2))
    inputs, outputs = ([_tensor_info(part) for part in definition.parts(side)[:MOST_TENSORS]] for side in (1, 2))
    if len(found.signatures) < MOST_TENSORS:
        found.signatures[entry.text(1)] = Signature(inputs, outputs)


def _tensor_info(data: bytes) -> TensorSpec:
    entry = Fields(data)
    info = Fields(entry.data(2))
    shape = shape_of(info.data(3)) if info.parts(3) else None
    return TensorSpec(name=entry.text(1), dtype=dtype_name(info.number(2)), shape=shape)


def _objects(message: Message, found: MetaGraph) -> None:
    """The objects of a TensorFlow 2 file: the classes that the user's own ones had."""
    found.has_objects = True
    for entry in message:
        if entry.number != 1 or entry.wire != BYTES:
            continue
        node = message.message(entry)
        for part in node:
            if part.number == 4 and part.wire == BYTES:
                for number, _, value in parse(node.data(part, most=16 << 20)):
                    if number == 1 and len(found.classes) < MOST_TENSORS:
                        found.classes[_text(value)] += 1
                    elif number == 3 and isinstance(value, bytes) and value.startswith(b"{"):
                        found.keras_metadata = found.keras_metadata or value


def _text(value: int | bytes) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else ""
