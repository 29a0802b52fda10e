"""TensorFlow's graphs as text (.pbtxt): the same facts as from the binary form."""

from __future__ import annotations

from checks.facts import TensorSpec
from checks.readers.containers.protobuf.text import TextField, fields
from checks.readers.containers.source import Damaged
from checks.readers.models.tensorflow.messages import MOST_TENSORS, NAMED_DTYPES, Graph, MetaGraph, Node, Signature

_NODES = ("node", "node_def")


class _Builder:
    """Puts the fields of a text together to a meta graph. ``base``: the blocks around it."""

    def __init__(self, base: tuple[str, ...], found: MetaGraph) -> None:
        self._base = base
        self._found = found
        self._node: Node | None = None
        self._is_main = True
        self._attribute = ""
        self._signature = Signature()
        self._side = ""

    @property
    def _graph(self) -> Graph:
        return self._found.graph

    def add(self, textfield: TextField) -> None:
        """A field of the text."""
        path = textfield.path[len(self._base) :]
        if not path:
            return
        if path[0] == "graph_def":
            self._in_graph(path[1:], textfield)
        elif path[0] == "meta_info_def" and len(path) == 1:
            if textfield.key == "tags":
                self._found.tags.append(textfield.value)
            elif textfield.key == "tensorflow_version":
                self._found.version = textfield.value
        elif path[0] == "signature_def":
            self._in_signature(path[1:], textfield)
        elif path == ("asset_file_def",) and textfield.key == "filename":
            self._found.assets.append(textfield.value)
        elif path[0] == "object_graph_def":
            self._found.has_objects = True
            if path[-1] == "user_object" and textfield.key == "identifier":
                self._found.classes[textfield.value] += 1

    def end(self) -> None:
        """Count the last node."""
        if self._node is not None:
            self._graph.add(self._node, is_main=self._is_main)
            self._node = None

    def _in_graph(self, path: tuple[str, ...], textfield: TextField) -> None:
        if path and path[-1] in _NODES and not textfield.key:
            self.end()
            self._node, self._is_main = Node(), path == ("node",)
        elif path and path[0] in _NODES:
            self._in_node(path[1:], textfield)
        elif path[:2] == ("library", "function") and len(path) > 2 and path[2] in _NODES:
            self._in_node(path[3:], textfield)
        elif path == ("library", "function", "signature") and textfield.key == "name":
            self._graph.functions.add(textfield.value)
        elif path == ("versions",):
            if textfield.key == "producer":
                self._graph.producer = _number(textfield.value)
            elif textfield.key == "min_consumer":
                self._graph.min_consumer = _number(textfield.value)

    def _in_node(self, path: tuple[str, ...], textfield: TextField) -> None:
        node = self._node
        if node is None:
            return
        if not path:
            if textfield.key == "input":
                node.inputs.append(textfield.value)
            elif textfield.key == "name":
                node.name = textfield.value
            elif textfield.key == "op":
                node.operator = textfield.value
            elif textfield.key == "device":
                node.device = textfield.value
        elif path == ("attr",) and textfield.key == "key":
            self._attribute = textfield.value
        elif path == ("attr", "value") and textfield.key == "type" and self._attribute == "dtype":
            node.dtype = NAMED_DTYPES.get(textfield.value, node.dtype)
        elif path[:2] == ("attr", "value") and len(path) > 2:
            self._in_value(node, path[2:], textfield)

    def _in_value(self, node: Node, path: tuple[str, ...], textfield: TextField) -> None:
        """The shape of a placeholder, and the dtype and size of a constant."""
        if path == ("shape",) and self._attribute == "shape":
            if not textfield.key:
                node.shape = ()
            elif textfield.key == "unknown_rank":
                node.shape = None
        elif path == ("shape", "dim") and textfield.key == "size" and self._attribute == "shape":
            node.shape = (*(node.shape or ()), _axis(textfield.value))
        elif path == ("tensor",) and textfield.key == "dtype":
            node.dtype = NAMED_DTYPES.get(textfield.value, node.dtype)
            node.elements = 1
        elif path == ("tensor", "tensor_shape", "dim") and textfield.key == "size":
            axis = _axis(textfield.value)
            node.elements *= axis if isinstance(axis, int) else 0

    def _in_signature(self, path: tuple[str, ...], textfield: TextField) -> None:
        if not path and textfield.key == "key":
            self._signature = Signature()
            if len(self._found.signatures) < MOST_TENSORS:
                self._found.signatures[textfield.value] = self._signature
        if path[:1] != ("value",) or len(path) < 2 or path[1] not in ("inputs", "outputs"):
            return
        specs = self._signature.inputs if path[1] == "inputs" else self._signature.outputs
        rest = path[2:]
        if not rest and textfield.key == "key" and len(specs) < MOST_TENSORS:
            specs.append(TensorSpec(name=textfield.value))
        elif specs and rest == ("value",) and textfield.key == "dtype":
            specs[-1] = _with(specs[-1], dtype=NAMED_DTYPES.get(textfield.value))
        elif specs and rest == ("value", "tensor_shape") and not textfield.key:
            specs[-1] = _with(specs[-1], shape=())
        elif specs and rest == ("value", "tensor_shape", "dim") and textfield.key == "size":
            specs[-1] = _with(specs[-1], shape=(*(specs[-1].shape or ()), _axis(textfield.value)))


def read_text_meta_graph(text: str, base: tuple[str, ...]) -> MetaGraph:
    """The first meta graph of a text; ``base``: ("meta_graphs",) in a SavedModel. Damage is kept in its graph."""
    found = MetaGraph()
    builder = _Builder(base, found)
    try:
        count = 0
        for field in fields(text):
            count += field.path == base and not field.key
            if count > 1:  # another meta graph
                break
            if field.path[: len(base)] == base:
                builder.add(field)
        builder.end()
    except Damaged as problem:
        found.graph.problem = problem
    return found


def read_text_graph(text: str) -> Graph:
    """A GraphDef as text."""
    found = MetaGraph()
    builder = _Builder((), found)
    try:
        for field in fields(text):
            builder.add(TextField(("graph_def", *field.path), field.key, field.value))
        builder.end()
    except Damaged as problem:
        found.graph.problem = problem
    return found.graph


def _with(spec: TensorSpec, dtype: str | None = None, shape: tuple[int | str, ...] | None = None) -> TensorSpec:
    return TensorSpec(name=spec.name, dtype=dtype or spec.dtype, shape=spec.shape if shape is None else shape)


def _axis(value: str) -> int | str:
    number = _number(value)
    return "?" if number is None else number


def _number(value: str) -> int | None:
    return int(value) if value.isascii() and value.isdecimal() and len(value) < 19 else None
