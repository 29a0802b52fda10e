"""The nodes of an ONNX file, and the file with more outputs, without the onnx package.

An ONNX file is a message of Protocol Buffers: fields of a number and a value, of which those that are repeated may
stand anywhere. Where a field that is a message itself stands twice, a reader is to merge the two ("Last one wins" of
the encoding's documentation). So outputs are added by appending a second graph that has nothing but them; no byte of
the model is changed, and nothing of it is in memory twice.
"""

import mmap
import os
import shutil

from .protobuf import BYTES, VARINT, NotRead, field, fields, messages, text, varint

# Field numbers of onnx.proto.
_GRAPH, _FUNCTION = 7, 25
_FUNCTION_NAME, _FUNCTION_NODE = 1, 7
_NODE, _INITIALIZER, _INPUT, _OUTPUT, _SPARSE = 1, 5, 11, 12, 15
_NODE_INPUT, _NODE_OUTPUT, _NODE_NAME, _NODE_OP, _NODE_ATTRIBUTE = 1, 2, 3, 4, 5
_TENSOR_DIMS, _TENSOR_TYPE, _TENSOR_NAME, _TENSOR_EXTERNAL = 1, 2, 8, 13
_VALUE_NAME = 1
_ATTRIBUTE_NAME, _ATTRIBUTE_INT, _ATTRIBUTE_TENSOR, _ATTRIBUTE_GRAPH, _ATTRIBUTE_GRAPHS = 1, 3, 5, 6, 11

TYPES = {1: "float32", 10: "float16", 11: "float64", 16: "bfloat16"}
MOST_NODES = 200_000
TIMES_ROOM = 2  # times the size of a file that is free where it is copied to
LONGEST = 200  # characters of a name that are kept
WITHIN = " > "  # between an operator and one in its branches, in its loop or of its function


class Node:
    """One node: its name, kind, and the names of what it takes and gives."""

    def __init__(self):
        self.name = self.op = ""
        self.inputs, self.outputs = [], []
        self.has_graph = False
        self.inner = set()  # kinds of the nodes in its branches, or in its loop
        self.to = 0  # the type that a Cast makes
        self.has_seed = False

    @property
    def label(self):
        """Its name, or where it has none that of its first result."""
        return (self.name or (self.outputs[0] if self.outputs else ""))[:LONGEST]

    @property
    def draws(self):
        """Whether it gives other numbers each time by design, or holds a node that does."""
        return self.op.rpartition(WITHIN)[2] in DRAWING


class Graph:
    """What is known of the main graph. ``weights``: name -> (type, shape); ``external``: files beside the model.

    ``kinds``: the types in which it, and what is in it, computes: those of its matrices and those that it casts to.
    """

    def __init__(self):
        self.nodes, self.weights, self.external = [], {}, set()
        self.inputs, self.outputs, self.kinds = [], [], set()
        self.is_seeded = True  # whether all that draws random numbers, here and within, has a seed of its own

    def taken_from_outside(self):
        """The names that it uses without making them: a branch or a loop takes them from the graph around it."""
        made = {*self.inputs, *self.weights, *(name for node in self.nodes for name in node.outputs)}
        used = [*(name for node in self.nodes for name in node.inputs), *self.outputs]
        return [name for name in dict.fromkeys(used) if name and name not in made]

    def steps(self):
        """The nodes that depend on the inputs, in the order in which they are computed."""
        constant, found = set(self.weights), []
        for node in self.nodes:
            taken = [name for name in node.inputs if name and name not in constant]
            if taken or node.has_graph or node.draws:
                found.append(node)
            else:
                constant.update(node.outputs)
        return found


# Operators that give other numbers each time by design. A Dropout does in training mode.
DRAWING = frozenset(
    ("RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Multinomial", "Bernoulli", "Dropout")
)


def read(path):
    """The graph of a model file.

    Raises:
        NotRead: it is damaged, or no such file.
    """
    graph, functions = Graph(), {}
    with open(path, "rb") as file:
        if not os.path.getsize(path):
            raise NotRead("an empty file")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            try:
                for number, start, end in messages(content, 0, len(content)):
                    if number == _GRAPH:
                        _read_graph(content, start, end, graph)
                    elif number == _FUNCTION:
                        _read_function(content, start, end, graph, functions)
            except (IndexError, UnicodeDecodeError, RecursionError) as error:  # graphs in graphs without end
                raise NotRead(str(error)) from error
    drawing = _drawing(functions)
    for node in graph.nodes:
        within = node.inner if node.op in DRAWING else node.inner | {node.op}
        found = {drawing[op] for op in within if op in drawing}
        if found:
            node.op += WITHIN + min(found, key=_seldom)
    return graph


def _drawing(functions):
    """The kinds of nodes that draw random numbers, with the functions of the file that do: name -> what draws there.

    Each function is looked at once, however they call each other.
    """
    users = {}
    for name, kinds in functions.items():
        for kind in kinds:
            users.setdefault(kind, []).append(name)
    found = {}
    for first in sorted(DRAWING, key=_seldom):
        waiting = [first]
        while waiting:
            kind = waiting.pop()
            if kind not in found:
                found[kind] = first
                waiting += users.get(kind, ())
    return found


def _seldom(kind):
    """By which the likeliest comes first: a Dropout mostly does nothing."""
    return kind == "Dropout", kind


def _read_graph(content, start, end, graph):
    for number, first, last in messages(content, start, end):
        if number == _NODE:
            if len(graph.nodes) >= MOST_NODES:
                raise NotRead("more than %d nodes" % MOST_NODES)
            graph.nodes.append(_read_node(content, first, last, graph))
        elif number == _INITIALIZER:
            _read_tensor(content, first, last, graph)
        elif number == _SPARSE:
            for inner, begin, over in messages(content, first, last):
                if inner == 1:
                    _read_tensor(content, begin, over, graph)
        elif number in (_INPUT, _OUTPUT):
            names = graph.inputs if number == _INPUT else graph.outputs
            names += [text(content, a, b) for inner, a, b in messages(content, first, last) if inner == _VALUE_NAME]


def _read_function(content, start, end, graph, functions):
    """The kinds of the nodes in a function that the file brings along."""
    name, body = "", Graph()
    for number, first, last in messages(content, start, end):
        if number == _FUNCTION_NAME:
            name = text(content, first, last)
        elif number == _FUNCTION_NODE:
            body.nodes.append(_read_node(content, first, last, body))
    functions.setdefault(name, set()).update(_kinds_in(body))
    _add(graph, body)


def _kinds_in(graph):
    return {node.op for node in graph.nodes}.union(*(node.inner for node in graph.nodes))


def _add(graph, inner):
    """What a graph within a graph needs and computes in."""
    graph.external |= inner.external
    graph.kinds |= inner.kinds
    graph.is_seeded = graph.is_seeded and inner.is_seeded


def _read_node(content, start, end, graph):
    node = Node()
    for number, first, last in messages(content, start, end):
        if number == _NODE_INPUT:
            node.inputs.append(text(content, first, last))
        elif number == _NODE_OUTPUT:
            node.outputs.append(text(content, first, last))
        elif number == _NODE_NAME:
            node.name = text(content, first, last)
        elif number == _NODE_OP:
            node.op = text(content, first, last)
        elif number == _NODE_ATTRIBUTE:
            _read_attribute(content, first, last, node, graph)
    if node.op == "Cast" and node.to in TYPES:
        graph.kinds.add(TYPES[node.to])
    if node.op in DRAWING and not node.has_seed:
        graph.is_seeded = False
    return node


def _read_attribute(content, start, end, node, graph):
    name = ""
    for number, wire, first, last in fields(content, start, end):
        if wire == VARINT:
            if number == _ATTRIBUTE_INT and name == b"to":
                node.to = first
        elif wire != BYTES:
            continue
        elif number == _ATTRIBUTE_NAME:
            name = bytes(content[first : min(last, first + LONGEST)])
            node.has_seed = node.has_seed or name == b"seed"
        elif number in (_ATTRIBUTE_GRAPH, _ATTRIBUTE_GRAPHS):  # If, Loop, Scan: it may take more than it names
            node.has_graph = True
            inner = Graph()
            _read_graph(content, first, last, inner)
            node.inner |= _kinds_in(inner)
            node.inputs += [name for name in inner.taken_from_outside() if name not in node.inputs]
            _add(graph, inner)
        elif number == _ATTRIBUTE_TENSOR:
            constant = Graph()
            _read_tensor(content, first, last, constant)
            _add(graph, constant)


def _read_tensor(content, start, end, graph):
    name, kind, shape = "", 0, []
    for number, wire, first, last in fields(content, start, end):
        if number == _TENSOR_DIMS and wire == VARINT:
            shape.append(first)
        elif number == _TENSOR_DIMS and wire == BYTES:  # packed
            place = first
            while place < last:
                length, place = varint(content, place)
                shape.append(length)
        elif number == _TENSOR_TYPE and wire == VARINT:
            kind = first
        elif number == _TENSOR_NAME and wire == BYTES:
            name = text(content, first, last)
        elif number == _TENSOR_EXTERNAL and wire == BYTES:
            parts = {inner: text(content, a, b) for inner, a, b in messages(content, first, last)}
            if parts.get(1) == "location":
                graph.external.add(parts.get(2, ""))
    graph.weights[name] = (TYPES.get(kind, ""), shape)
    if kind in TYPES and len(shape) > 1:
        graph.kinds.add(TYPES[kind])


def more_outputs(names):
    """What is to be appended to a model's file, so that it gives these values out, too."""
    values = (field(_OUTPUT, field(_VALUE_NAME, name.encode("utf-8"))) for name in names)
    return field(_GRAPH, b"".join(values))


class Copy:
    """A copy of the model's file in a folder of ours, to which outputs are appended, with what lies beside it."""

    def __init__(self, path, folder, external):
        os.makedirs(folder, exist_ok=True)
        self.path = os.path.join(folder, "with-outputs.onnx")
        _copy(path, self.path)
        self._size = os.path.getsize(self.path)
        for name in external:
            _beside(path, folder, name)

    def giving(self, names):
        """The path of the model that gives these values out besides its own; the one before is gone."""
        with open(self.path, "r+b") as file:
            file.truncate(self._size)
            file.seek(self._size)
            file.write(more_outputs(names))
        return self.path


def is_beside(name):
    """Whether a file with weights lies in the model's folder, or below it."""
    return bool(name) and not os.path.isabs(name) and ".." not in name.replace("\\", "/").split("/")


def _beside(path, folder, name):
    """A file with weights, where the copy looks for it. One that would lie elsewhere is left to the runtime."""
    if not is_beside(name):
        return
    source, target = os.path.join(os.path.dirname(path), name), os.path.join(folder, name)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    try:
        os.link(source, target)
    except OSError:  # another file system, or one without links
        _copy(source, target)


def _copy(source, target):
    """Copy a file where it leaves others room: a folder for temporary files may lie in memory.

    Raises:
        OSError: there is too little.
    """
    look_for_room(os.path.getsize(source), os.path.dirname(target))
    shutil.copyfile(source, target)


def look_for_room(size, folder):
    """See that so many bytes written to a folder leave others room.

    Raises:
        OSError: there is too little.
    """
    free = shutil.disk_usage(folder).free
    if size * TIMES_ROOM > free:
        raise OSError("%d bytes are free, %d are to be written" % (free, size))
