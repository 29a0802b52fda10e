"""Some nodes of an ONNX file as a model of their own, without the onnx package.

A node, a weight and a function are copied byte for byte, so that every attribute stays what it is; only a weight that
lies beside the model is moved into it. What the nodes take that none of them makes becomes an input, with the type and
shape of the array that is given for it.
"""

import mmap
import os
import struct

from . import onnx_graph
from .protobuf import (
    BYTES,
    FIXED32,
    VARINT,
    NotRead,
    encoded,
    field,
    fields,
    messages,
    number_field,
    signed,
    text,
    varint,
)

MOST_BYTES = 2 << 30  # of a model with its weights: what a message of Protocol Buffers can hold
LONGEST = 60  # characters of an attribute that are told
_IR, _OPSET, _GRAPH, _FUNCTION = 1, 8, 7, 25
_PRODUCER = 2
_NODE, _GRAPH_NAME, _INITIALIZER, _INPUT, _OUTPUT, _SPARSE = 1, 2, 5, 11, 12, 15
_DOMAIN, _ATTRIBUTE = 7, 5
_NAME, _FLOAT, _INT, _TEXT, _TENSOR, _INNER, _FLOATS, _INTS, _TEXTS = 1, 2, 3, 4, 5, 6, 7, 8, 9
_TENSOR_TYPE, _TENSOR_FLOATS, _TENSOR_NUMBERS = 2, 4, (5, 7, 11)
_TENSOR_NAME, _TENSOR_RAW, _TENSOR_EXTERNAL, _TENSOR_PLACE = 8, 9, 13, 14
# NumPy's names of the element types of onnx.proto.
ELEMENTS = {
    "float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "int64": 7, "object": 8, "bool": 9,
    "float16": 10, "float64": 11, "uint32": 12, "uint64": 13, "complex64": 14, "complex128": 15,
}  # fmt: skip


class TooLarge(Exception):  # noqa: N818 - not an error but an answer
    """The model has more bytes than one file of the format can hold."""


class Parts:
    """Where the parts of a model file lie. ``graph``: what onnx_graph.read knows of it; a context manager.

    Raises:
        NotRead: it is damaged, or no such file.
        TooLarge: with its weights it has more than two gigabytes.
    """

    def __init__(self, path):
        self.graph = onnx_graph.read(path)
        self._folder = os.path.dirname(path)
        external = [os.path.join(self._folder, name) for name in self.graph.external if onnx_graph.is_beside(name)]
        size = sum(os.path.getsize(file) for file in (path, *external) if os.path.isfile(file))
        if size >= MOST_BYTES:
            raise TooLarge(str(size))
        self._head, self._nodes, self._weights = [], [], {}  # bytes; (start, end); name -> (field, start, end)
        with open(path, "rb") as file:
            self._content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._look()
        self.nodes = self.graph.nodes
        if len(self._nodes) != len(self.nodes):
            raise NotRead("%d nodes" % len(self._nodes))
        self.makers = {name: place for place, node in enumerate(self.nodes) for name in node.outputs if name}
        steps = set(map(id, self.graph.steps()))
        self.steps = [place for place, node in enumerate(self.nodes) if id(node) in steps]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._content.close()

    def _look(self):
        content = self._content
        for number, kind, start, end in fields(content, 0, len(content)):
            if kind == VARINT and number == _IR:
                self._head.append(number_field(_IR, start))
            elif kind == BYTES and number in (_OPSET, _FUNCTION):
                self._head.append(field(number, bytes(content[start:end])))
            elif kind == BYTES and number == _GRAPH:
                for inner, first, last in messages(content, start, end):
                    if inner == _NODE:
                        self._nodes.append((first, last))
                    elif inner in (_INITIALIZER, _SPARSE):
                        self._weights[_name_of(content, inner, first, last)] = (inner, first, last)

    def with_constants(self, places):
        """These nodes, and those that make the constants that they take, in the order of the file."""
        found, waiting, steps = set(), list(places), set(self.steps)
        while waiting:
            place = waiting.pop()
            if place in found:
                continue
            found.add(place)
            makers = (self.makers.get(name) for name in self.nodes[place].inputs if name)
            waiting += [maker for maker in makers if maker is not None and maker not in steps]
        return sorted(found)

    def taken(self, places):
        """The names that these nodes take and that none of them, no weight and no constant makes."""
        whole = self.with_constants(places)
        made = {name for place in whole for name in self.nodes[place].outputs}
        used = dict.fromkeys(name for place in whole for name in self.nodes[place].inputs if name)
        return [name for name in used if name not in made and name not in self._weights]

    def ends(self, places):
        """The names that these nodes make and none of them takes; what the model gives is among them."""
        chosen = self.with_constants(places)
        used = {name for place in chosen for name in self.nodes[place].inputs}
        made = [name for place in places for name in self.nodes[place].outputs if name]
        needed = {name for node in self.nodes for name in node.inputs} | set(self.graph.outputs)
        found = [name for name in made if name not in used and name in needed]
        return found or [name for name in made if name not in used]

    def weights_of(self, places):
        """The names of the weights that these nodes take."""
        used = dict.fromkeys(name for place in self.with_constants(places) for name in self.nodes[place].inputs)
        return [name for name in used if name in self._weights]

    def cut(self, places, inputs, outputs):
        """The bytes of a model of these nodes. ``inputs``, ``outputs``: (element type, shape or None) by name."""
        graph = [field(_NODE, self._bytes(*self._nodes[place])) for place in self.with_constants(places)]
        graph.append(field(_GRAPH_NAME, b"cut"))
        for name in self.weights_of(places):
            number, start, end = self._weights[name]
            graph.append(field(number, self._weight(start, end) if number == _INITIALIZER else self._bytes(start, end)))
        graph += [field(_INPUT, _value(name, *kind)) for name, kind in inputs.items()]
        graph += [field(_OUTPUT, _value(name, *kind)) for name, kind in outputs.items()]
        body = b"".join(graph)
        if len(body) >= MOST_BYTES:
            raise TooLarge(str(len(body)))
        return b"".join((*self._head, field(_PRODUCER, b"naosu"), field(_GRAPH, body)))

    def element(self, name):
        """The type of a weight's numbers, as NumPy calls it; "" where it has none of that name."""
        _, start, end = self._weights.get(name, (None, 0, 0))
        kinds = [first for what, form, first, _ in fields(self._content, start, end) if (what, form) == (2, VARINT)]
        return next((kind for kind, code in ELEMENTS.items() if kinds[:1] == [code]), "")

    def array(self, numpy, name):
        """A weight of the file as an array; None where it is none, or of a type that NumPy has not."""
        number, start, end = self._weights.get(name, (None, 0, 0))
        if number != _INITIALIZER:
            return None
        kind, raw, numbers = 0, None, []
        content = self._weight(start, end)
        for what, form, first, last in fields(content, 0, len(content)):
            if what == _TENSOR_TYPE and form == VARINT:
                kind = first
            elif what == _TENSOR_RAW and form == BYTES:
                raw = content[first:last]
            elif what in _TENSOR_NUMBERS and form == VARINT:
                numbers.append(signed(first))
            elif what in _TENSOR_NUMBERS and form == BYTES:
                numbers += _packed(content, first, last, last - first)
            elif what == _TENSOR_FLOATS:
                raw = (raw or b"") + content[first:last]
        element = next((name for name, code in ELEMENTS.items() if code == kind and name != "object"), None)
        if element is None:
            return None
        shape = self.graph.weights[name][1]
        array = numpy.array(numbers, element) if raw is None else numpy.frombuffer(raw, element)
        return array.reshape(shape)

    def _bytes(self, start, end):
        return bytes(self._content[start:end])

    def _weight(self, start, end):
        """A weight with its numbers in it."""
        kept, place = [], {}
        for number, kind, first, last in fields(self._content, start, end):
            if number == _TENSOR_EXTERNAL and kind == BYTES:
                pair = {inner: text(self._content, a, b) for inner, a, b in messages(self._content, first, last)}
                place[pair.get(1)] = pair.get(2, "")
            elif number != _TENSOR_PLACE:
                value = number_field(number, first) if kind == VARINT else None
                kept.append(value if value is not None else _as_it_is(self._content, number, kind, first, last))
        if not place:
            return b"".join(kept)
        return b"".join((*kept, field(_TENSOR_RAW, self._beside(place))))

    def _beside(self, place):
        name = place.get("location", "")
        if not onnx_graph.is_beside(name):
            raise NotRead("weights in %s" % name)
        with open(os.path.join(self._folder, name), "rb") as file:
            file.seek(int(place.get("offset") or 0))
            return file.read(int(place["length"])) if place.get("length") else file.read()

    def told(self, place):
        """A node in words: ``name``, ``op``, ``domain``, ``attributes`` as "name=value"."""
        node, domain, attributes = self.nodes[place], "", []
        for number, start, end in messages(self._content, *self._nodes[place]):
            if number == _DOMAIN:
                domain = text(self._content, start, end)
            elif number == _ATTRIBUTE:
                attributes.append(_attribute(self._content, start, end))
        return {"name": node.label, "op": node.op, "domain": domain, "attributes": attributes}


def _name_of(content, number, start, end):
    """The name of a weight; of a sparse one that of its values."""
    wanted = _TENSOR_NAME if number == _INITIALIZER else 1
    for inner, first, last in messages(content, start, end):
        if inner == wanted:
            return (
                text(content, first, last) if number == _INITIALIZER else _name_of(content, _INITIALIZER, first, last)
            )
    return ""


def _as_it_is(content, number, kind, first, last):
    """A field that holds no number, as it stands in the file."""
    if kind == BYTES:
        return field(number, bytes(content[first:last]))
    return encoded(number << 3 | kind) + bytes(content[first:last])


def _value(name, element, shape):
    """A ValueInfoProto; an element type of 0 is left open."""
    named = field(1, name.encode("utf-8"))
    if not element:
        return named
    kind = number_field(1, element)
    if shape is not None:
        kind += field(2, b"".join(field(1, number_field(1, length)) for length in shape))
    return named + field(2, field(1, kind))


def element_of(array):
    """(The element type of an array, its shape) as a model states them; type 0: one that has no name here."""
    return ELEMENTS.get(str(array.dtype), 0), list(array.shape)


def _attribute(content, start, end):
    name, value = "", ""
    numbers = []
    for number, kind, first, last in fields(content, start, end):
        if number == _NAME and kind == BYTES:
            name = text(content, first, min(last, first + LONGEST))
        elif number == _INT and kind == VARINT:
            value = str(signed(first))
        elif number == _INTS:
            numbers += [signed(first)] if kind == VARINT else _packed(content, first, last)
        elif number == _FLOAT and kind == FIXED32:
            value = "%.6g" % struct.unpack("<f", content[first:last])[0]
        elif number == _FLOATS and kind in (BYTES, FIXED32):
            count = (last - first) // 4
            numbers += ["%.6g" % one for one in struct.unpack("<%df" % count, content[first : first + 4 * count])]
        elif number == _TEXT and kind == BYTES:
            value = text(content, first, min(last, first + LONGEST))
        elif number in (_TENSOR, _INNER, _TEXTS):
            value = "..."
    if numbers:
        value = "[%s]" % ", ".join(map(str, numbers))
    return "%s=%s" % (name, value if len(value) <= LONGEST else value[:LONGEST] + "...")


def _packed(content, start, end, most=LONGEST):
    found = []
    while start < end and len(found) < most:
        value, start = varint(content, start)
        found.append(signed(value))
    return found
