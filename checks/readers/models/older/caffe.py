"""Caffe: the network as text (.prototxt), and the network with its weights in Protocol Buffers (.caffemodel).

Both are a NetParameter of caffe.proto. Layers are field 100; files of before 2015 have them in field 2, with a number
for the kind. Weights are stepped over: of each blob only its length is read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from checks.facts import TensorSpec
from checks.knowledge.formats.caffe_layers import caffe_layer_names, caffe_layers, caffe_old_names
from checks.readers.containers.folder import Folder
from checks.readers.containers.protobuf.text import fields
from checks.readers.containers.protobuf.wire import BYTES, FIXED32, VARINT, Field, Message, packed
from checks.readers.containers.source import MIB, Damaged, Source
from checks.readers.models.reading import Reading, missing_file, operator_uses, weights_beside
from checks.readers.models.registry import Rank, file_reader

_LAYER, _V1_LAYER = 100, 2
_OF_NET = {1, 2, 3, 4, 5, 6, 7, 8, 100}  # NetParameter's fields
# Where name, kind, inputs, outputs and weights of a layer are: LayerParameter, V1LayerParameter.
_NEW = {"name": 1, "kind": 2, "bottom": 3, "top": 4, "blob": 7}
_OLD = {"name": 4, "kind": 5, "bottom": 2, "top": 3, "blob": 6}
_INPUT_PARAM = 143
_RAW_TYPES = {0: "float64", 1: "float32", 2: "float16", 3: "int32", 4: "uint32"}
_MOST_LAYERS = 20_000
_MOST_BLOBS = 200_000
_MOST_NAME = 200
_MOST_FIELDS = 2000  # of a layer or blob

_MOST_TEXT = 8 * MIB
_LOOKS_LIKE_ONE = re.compile(rb"(?:^|[\s{}])layers?\s*:?\s*\{", re.MULTILINE)
_HAS_A_KIND = re.compile(rb"[\s{]type\s*:\s*(?:\"|'|[A-Z])")


@dataclass
class _Layer:
    name: str = ""
    kind: str = ""
    bottoms: list[str] = field(default_factory=list)
    tops: list[str] = field(default_factory=list)
    shapes: list[tuple[int | str, ...]] = field(default_factory=list)  # of an input layer
    is_of_training: bool = False


@dataclass
class _Net(Reading):
    """A network, layer by layer."""

    name: str = ""
    names: list[str] = field(default_factory=list)  # of its inputs
    dims: list[int | str] = field(default_factory=list)  # four for each input, in the oldest files
    shapes: list[tuple[int | str, ...]] = field(default_factory=list)
    layers: list[_Layer] = field(default_factory=list)
    numbers: Counter[str] = field(default_factory=Counter)  # of the weights, by dtype
    is_old: bool = False
    blobs: int = 0  # names of inputs and outputs of layers

    def add(self, layer: _Layer) -> None:
        """Another layer. Raises Damaged: there are more than a network can have."""
        self.blobs += len(layer.bottoms) + len(layer.tops)
        if len(self.layers) >= _MOST_LAYERS or self.blobs > _MOST_BLOBS:
            raise Damaged("too-large", f"more than {len(self.layers)} layers and {self.blobs} blobs")
        self.layers.append(layer)


@file_reader("caffe", rank=Rank.STRUCTURE)
def caffemodel(source: Source, _beside: Folder) -> Reading | None:
    """The network with its weights."""
    if not _is_net(source):
        return None
    net = _Net("caffe")
    with net.part():
        _read_net(Message(source), net)
    net.memory = sum(count * int(dtype[-2:]) // 8 for dtype, count in net.numbers.items())
    return _described(net)


@file_reader("caffe", rank=Rank.STRUCTURE)
def prototxt(source: Source, beside: Folder) -> Reading | None:
    """The network alone; the weights lie beside it, by custom under the same name."""
    head = source.head
    if b"\0" in head or not (_LOOKS_LIKE_ONE.search(head) and _HAS_A_KIND.search(head)):
        return None
    if source.size > _MOST_TEXT:
        raise Damaged("too-large", f"{source.size} bytes of text")
    net = _Net("caffe", files=())
    with net.part():
        _read_text(source.read(0, source.size).decode("utf-8", "replace"), net)
    if not any(layer.kind for layer in net.layers):
        return None
    known = caffe_layers()
    if any(known[layer.kind].weights for layer in net.layers if layer.kind in known):
        net.files = (
            weights_beside(beside, re.sub(r"\.prototxt$|\.txt$", "", source.name), ".caffemodel", ".prototxt"),
        )
        net.memory = net.files[0].present_size
        net.fail(missing_file(net.files))
    return _described(net)


def _described(net: _Net) -> Reading:
    known = caffe_layers()
    kinds = Counter(layer.kind for layer in net.layers if layer.kind)
    forks = sorted({known[kind].fork for kind in kinds if kind in known} - {""})
    net.version = "V1" if net.is_old else None
    net.producer, net.frameworks = "caffe", ("caffe", "opencv-python<5")
    net.operators = operator_uses(kinds, is_custom=lambda kind: kind not in known or bool(known[kind].fork))
    net.inputs = tuple(_inputs(net)) or None
    net.outputs = tuple(TensorSpec(name=name) for name in _outputs(net)) or None
    net.dtypes = net.numbers or None
    net.details = {"network": net.name[:_MOST_NAME], "caffe-fork": ", ".join(forks)}
    return net


def _inputs(net: _Net) -> Iterator[TensorSpec]:
    shapes = net.shapes or [tuple(net.dims[start : start + 4]) for start in range(0, len(net.dims), 4)]
    for number, name in enumerate(net.names[:100]):
        yield TensorSpec(name=name, shape=shapes[number] if number < len(shapes) else None)
    for layer in net.layers:
        if layer.kind == "Input":
            for number, name in enumerate(layer.tops[:100]):
                yield TensorSpec(name=name, shape=layer.shapes[number] if number < len(layer.shapes) else None)


def _outputs(net: _Net) -> list[str]:
    """What no later layer takes: layers that work in place take and make the same blob."""
    left: dict[str, None] = {}
    for layer in net.layers:
        for bottom in layer.bottoms:
            left.pop(bottom, None)
        left.update(dict.fromkeys(layer.tops))
    return list(left)[:100]


# --- .caffemodel -----------------------------------------------------------------------------------------------------


def _is_net(source: Source) -> bool:
    """Whether the first fields are those of a NetParameter, and the first layer is one."""
    if source.size < 4 or source.read(0, 1)[0] not in (0x0A, 0x12, 0x1A, 0xA2):  # field 1, 2, 3, 100 of bytes
        return False
    try:
        for number, entry in enumerate(Message(source)):
            if entry.number not in _OF_NET or number > 200:
                return False
            if entry.number in (_LAYER, _V1_LAYER):
                return _is_layer(Message(source, entry.start, entry.size), is_old=entry.number == _V1_LAYER)
            if entry.number in (1, 3) and not _is_name(source, entry):
                return False
    except Damaged:
        return False
    return False


def _is_name(source: Source, entry: Field) -> bool:
    if entry.wire != BYTES or entry.size > _MOST_NAME:
        return False
    return source.read(entry.start, entry.size).decode("utf-8", "replace").isprintable()


def _is_layer(message: Message, *, is_old: bool) -> bool:
    """Whether a message has a layer's name and kind before anything else but its inputs and outputs."""
    places = _OLD if is_old else _NEW
    names = {places[key] for key in ("name", "bottom", "top")} | (set() if is_old else {places["kind"]})
    seen: set[int] = set()
    for number, entry in enumerate(message):
        if number > 50:
            break
        if entry.number in names:
            if not _is_name(message.source, entry):
                return False
            seen.add(entry.number)
        elif is_old and entry.number == places["kind"]:
            if entry.wire != VARINT or entry.value > 100:
                return False
            seen.add(entry.number)
        if {places["name"], places["kind"]} <= seen:
            return True
    return False


def _read_net(message: Message, net: _Net) -> None:
    for entry in message:
        if entry.number in (_LAYER, _V1_LAYER) and entry.wire == BYTES:
            net.is_old |= entry.number == _V1_LAYER
            net.add(_read_layer(message.message(entry), net, is_old=entry.number == _V1_LAYER))
        elif entry.number == 1 and entry.wire == BYTES:
            net.name = message.text(entry)[:_MOST_NAME]
        elif entry.number == 3 and entry.wire == BYTES and len(net.names) < 100:
            net.names.append(message.text(entry)[:_MOST_NAME])
        elif entry.number == 4 and entry.wire == VARINT and len(net.dims) < 400:
            net.dims.append(min(entry.value, 1 << 31) or "?")
        elif entry.number == 8 and entry.wire == BYTES and len(net.shapes) < 100:
            net.shapes.append(_shape(message.message(entry)))


def _read_layer(message: Message, net: _Net, *, is_old: bool) -> _Layer:
    places = _OLD if is_old else _NEW
    layer = _Layer()
    for number, entry in enumerate(message):
        if number > _MOST_FIELDS:
            break
        if entry.number == places["kind"]:
            known = caffe_layer_names().get(entry.value, f"#{entry.value}")
            layer.kind = known if entry.wire == VARINT else message.text(entry)[:_MOST_NAME]
        elif entry.wire != BYTES:
            continue
        elif entry.number == places["name"]:
            layer.name = message.text(entry)[:_MOST_NAME]
        elif entry.number == places["bottom"]:
            layer.bottoms.append(message.text(entry)[:_MOST_NAME])
        elif entry.number == places["top"]:
            layer.tops.append(message.text(entry)[:_MOST_NAME])
        elif entry.number == places["blob"]:
            _count(message.message(entry), net)
        elif entry.number == _INPUT_PARAM and not is_old:
            inner = message.message(entry)
            layer.shapes += [_shape(inner.message(part)) for part in inner if part.wire == BYTES][:100]
        elif entry.number == 1 and is_old:  # the oldest files of all: a V0LayerParameter inside, with name and kind
            inner = message.message(entry)
            texts = {part.number: inner.text(part) for part in inner if part.wire == BYTES and part.number in (1, 2)}
            layer.kind = layer.kind or texts.get(2, "")[:_MOST_NAME]
    return layer


def _count(blob: Message, net: _Net) -> None:
    """How many numbers a blob has: those of single precision are field 5, of double precision field 8.

    NVIDIA's Caffe and what OpenCV shrinks have them in field 12 in the type that field 10 names.
    """
    dtype = "float32"
    for number, item in enumerate(blob):
        if item.number == 10 and item.wire == VARINT:
            dtype = _RAW_TYPES.get(item.value, dtype)
        elif item.wire == BYTES and item.number in (5, 8, 12):
            stored = {5: "float32", 8: "float64", 12: dtype}[item.number]
            net.numbers[stored] += item.size * 8 // int(stored[-2:])
        elif item.wire == FIXED32 and item.number == 5:  # some writers give each number a field of its own
            net.numbers["float32"] += _row(blob, item.start)
            return
        if number > 16:
            return


def _row(blob: Message, start: int) -> int:
    """How many fields of five bytes that begin with the same one stand in a row; found by halving."""
    low, high = 1, (blob.end - start) // 5
    while low < high:
        middle = (low + high + 1) // 2
        if blob.source.read(start + 5 * (middle - 1), 1) == b"\x2d":
            low = middle
        else:
            high = middle - 1
    return low


def _shape(message: Message) -> tuple[int | str, ...]:
    found: list[int | str] = []
    for entry in message:
        if entry.number == 1 and entry.wire == BYTES and entry.size < 200:
            found += [number or "?" for number in packed(message.data(entry))]
        elif entry.number == 1 and entry.wire == VARINT:
            found.append(entry.value or "?")
        if len(found) > 16:
            break
    return tuple(found[:16])


# --- .prototxt -------------------------------------------------------------------------------------------------------


def _read_text(text: str, net: _Net) -> None:
    """The text form of Protocol Buffers, as far as it is shown: (path of the blocks, key, value) of every field."""
    for path, key, value in fields(text):
        block = path[0] if path else ""
        if block in ("layer", "layers"):
            if key == "":
                if len(path) == 1:
                    net.add(_Layer())
                    net.is_old |= block == "layers"
                continue
            if net.layers:
                _note_of_layer(net.layers[-1], path, key, value)
        elif not path and key == "name":
            net.name = value[:_MOST_NAME]
        elif not path and key == "input" and len(net.names) < 100:
            net.names.append(value[:_MOST_NAME])
        elif not path and key == "input_dim" and len(net.dims) < 400:
            net.dims.append(_number(value))
        elif path == ("input_shape",) and len(net.shapes) < 100:
            if key == "":
                net.shapes.append(())
            elif key == "dim" and net.shapes and len(net.shapes[-1]) < 16:
                net.shapes[-1] += (_number(value),)
    net.layers = [layer for layer in net.layers if not layer.is_of_training]


def _note_of_layer(layer: _Layer, path: tuple[str, ...], key: str, value: str) -> None:
    if len(path) == 1:
        if key == "name":
            layer.name = value[:_MOST_NAME]
        elif key == "type":
            layer.kind = caffe_old_names().get(value, value[:_MOST_NAME])
        elif key == "bottom" and len(layer.bottoms) < 1000:
            layer.bottoms.append(value[:_MOST_NAME])
        elif key == "top" and len(layer.tops) < 1000:
            layer.tops.append(value[:_MOST_NAME])
    elif path[1:] == ("include",) and key == "phase":
        layer.is_of_training = value in ("TRAIN", "0")
    elif path[1:] == ("input_param", "shape") and key == "dim":
        if not layer.shapes:
            layer.shapes.append(())
        if len(layer.shapes[-1]) < 16:
            layer.shapes[-1] += (_number(value),)


def _number(value: str) -> int | str:
    return int(value) if value.isascii() and value.isdecimal() and 0 < len(value) < 10 and int(value) else "?"
