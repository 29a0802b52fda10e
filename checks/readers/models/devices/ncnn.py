"""ncnn: the network as text (.param) or numbers (.param.bin), the weights in a .bin beside it; and pnnx's own files.

Text: 7767517, then the numbers of layers and blobs, then a line per layer: kind, name, numbers of inputs and outputs,
their names, key=value. https://github.com/Tencent/ncnn/wiki/param-and-model-file-structure
The binary form has the same in numbers of 32 bits; a kind above 256 is a layer that the program brings itself.
pnnx, which converts from PyTorch, begins its files with the same number; its kinds are those of PyTorch.
Weights have no header; the first of them may begin with a word that says that they are stored in half precision.
"""

from __future__ import annotations

import io
import math
import re
import struct
from collections import Counter
from dataclasses import dataclass, field

from checks.facts import NeededFile, TensorSpec
from checks.knowledge.formats.ncnn_layers import NcnnLayersTable, ncnn_layers
from checks.readers.containers.folder import Folder
from checks.readers.containers.source import MIB, Damaged, Source
from checks.readers.models.reading import Reading, missing_file, needed_file, operator_uses
from checks.readers.models.registry import Rank, file_reader

_MAGIC = 7767517
_TEXT = re.compile(rb"\s*7767517\r?\n\s*(\d{1,9})\s+(\d{1,9})\s*\r?\n")
_MOST_TEXT = 16 * MIB
_MOST_LINE = 1 << 18
_MOST_LAYERS = 200_000
_MOST_BLOBS = 200_000
_HALF, _INT8 = b"\x47\x6b\x30\x01", b"\x38\x4b\x0d\x00"
_CUSTOM = 1 << 8
_END, _ARRAY, _STRING = -233, -23300, -23400
_PNNX_KIND = re.compile(r"[A-Za-z_]\w*(?:\.|::)\w")
_PNNX_SHAPE = re.compile(r"\(([\d,?%\w]*)\)(\w+)")
_DTYPES = {"f32": "float32", "f64": "float64", "f16": "float16", "bf16": "bfloat16", "bool": "bool"}
_DTYPES |= {f"i{bits}": f"int{bits}" for bits in (8, 16, 32, 64)} | {f"u{bits}": f"uint{bits}" for bits in (8, 16, 32)}
_DTYPES |= {"c64": "complex64", "c128": "complex128"}
_MOST_NAME = 200
_MOST_AXES = 32


@dataclass
class _Network(Reading):
    """A network, layer by layer."""

    kinds: Counter[str] = field(default_factory=Counter)
    entries: list[TensorSpec] = field(default_factory=list)  # its inputs
    produced: dict[str, None] = field(default_factory=dict)  # blobs that a layer makes, in their order
    used: set[str] = field(default_factory=set)
    left: list[str] = field(default_factory=list)  # what pnnx names as outputs
    shapes: dict[str, TensorSpec] = field(default_factory=dict)  # of pnnx


@file_reader("ncnn-param", "pnnx", rank=Rank.MAGIC)
def ncnn_text(source: Source, beside: Folder) -> Reading | None:
    """The text, of ncnn or pnnx."""
    begins = _TEXT.match(source.head)
    if begins is None:
        return None
    if source.size > _MOST_TEXT:
        raise Damaged("too-large", f"{source.size} bytes of text")
    text = source.read(begins.end(), source.size - begins.end())
    announced = int(begins[1])
    is_pnnx = _PNNX_KIND.match(text[:_MOST_NAME].decode("utf-8", "replace")) is not None
    network = _Network("pnnx" if is_pnnx else "ncnn-param")
    count = 0
    for line in io.BytesIO(text):  # never all lines at once: most of them could be empty
        if len(line) > _MOST_LINE:
            raise Damaged("too-large", f"a line of {len(line)} bytes")
        words = line.decode("utf-8", "replace").split()
        if words and count < _MOST_LAYERS:
            count += 1
            (_read_pnnx_line if is_pnnx else _read_line)(words, network)
    if count < min(announced, _MOST_LAYERS):
        network.problem = Damaged("truncated", f"{count} of {announced} layers")
    return _described(network, source, beside)


@file_reader("ncnn-param", rank=Rank.STRUCTURE)
def ncnn_binary(source: Source, beside: Folder) -> Reading | None:
    """The binary form."""
    if source.size < 24:
        return None
    magic, layers, blobs = struct.unpack("<iii", source.read(0, 12))
    if magic != _MAGIC or not 0 < layers <= _MOST_LAYERS or blobs <= 0:
        return None
    network = _Network("ncnn-param")
    with network.part():
        _read_numbers(source, layers, network)
    return _described(network, source, beside)


@file_reader("ncnn-bin", rank=Rank.NAME)
def ncnn_weights(source: Source, beside: Folder) -> Reading | None:
    """Weights: known by their first word, or by the network beside them."""
    begins = source.read(0, min(4, source.size))
    names = [source.name[:-4] + ending for ending in (".param", ".param.bin")] if source.name.endswith(".bin") else []
    owner = next((name for name in names if beside.size_of(name)), None)
    if begins != _HALF and owner is None:
        return None
    if begins not in (_HALF, _INT8) and owner is not None:
        with beside.file(owner) as network:
            if not _TEXT.match(network.head) and network.read(0, min(4, network.size)) != struct.pack("<i", _MAGIC):
                return None
    files = (NeededFile(name=owner or f"{source.name.removesuffix('.bin')}.param", present=owner is not None),)
    return Reading(
        "ncnn-bin",
        frameworks=("ncnn",),
        memory=source.size,
        files=files if owner is None else None,
        problem=missing_file(files),
        details={"weights-stored-as": "float16"} if begins == _HALF else {},
    )


def _described(network: _Network, source: Source, beside: Folder) -> Reading:
    known = ncnn_layers()
    weights = needed_file(beside, re.sub(r"\.param(?:\.bin)?$", "", source.name) + ".bin")
    names = network.left or [name for name in network.produced if name not in network.used]
    network.inputs = network.entries or None
    network.outputs = [network.shapes.get(name, TensorSpec(name=name)) for name in names[:100]] or None
    if network.format == "pnnx":
        network.producer, network.frameworks = "pnnx", ("pnnx",)
        network.operators = operator_uses(network.kinds)
        network.files, network.memory = (weights,), weights.present_size
        network.parameters = network.parameters or 0
        return network
    first = NcnnLayersTable.read().layer[0].since  # what the oldest release has needs none in particular
    newest = max((known[kind].since for kind in network.kinds if kind in known), default=first)
    network.frameworks = (f"ncnn>=1.0.{newest}" if newest > first else "ncnn",)
    network.operators = operator_uses(network.kinds, is_custom=lambda kind: kind not in known)
    network.files, network.memory = (), 0
    if any(known[kind].weights for kind in network.kinds if kind in known):
        network.files, network.memory = (weights,), weights.present_size
        network.fail(missing_file(network.files))
    return network


def _read_line(words: list[str], network: _Network) -> None:
    """A layer of ncnn's text; inputs are layers too and may name their width, height and channels."""
    kind, tops, rest = _wired(words, network)
    if kind == "Input":
        lengths = dict(entry.split("=", 1) for entry in rest if "=" in entry)
        shape = tuple(_length(lengths[key]) for key in ("2", "11", "1", "0") if key in lengths)
        network.entries += [TensorSpec(name=name, shape=shape or None) for name in tops[:100]]


def _read_pnnx_line(words: list[str], network: _Network) -> None:
    """An operator of pnnx: of every value "#name=(shape)dtype", of every weight "@name=(shape)dtype"."""
    kind, tops, rest = _wired(words, network)
    for entry in rest:
        mark, name, shape = entry[:1], *entry[1:].partition("=")[::2]
        found = _PNNX_SHAPE.fullmatch(shape) if mark in ("#", "@") else None
        if found is None:
            continue
        lengths = tuple(_length(part) for part in found[1].split(",", _MOST_AXES)[:_MOST_AXES] if part)
        if mark == "#" and len(network.shapes) < _MOST_BLOBS:
            network.shapes[name] = TensorSpec(name=name, dtype=_DTYPES.get(found[2]), shape=lengths)
        elif mark == "@":
            network.parameters = (network.parameters or 0) + math.prod(
                length for length in lengths if isinstance(length, int)
            )
    if kind == "pnnx.Input":
        network.entries += [network.shapes.get(name, TensorSpec(name=name)) for name in tops[:100]]


def _wired(words: list[str], network: _Network) -> tuple[str, list[str], list[str]]:
    """Note a layer's kind and blobs; returns its kind, its outputs, and what follows."""
    kind = words[0][:_MOST_NAME]
    counts = words[2:4]
    if len(counts) != 2 or not all(count.isascii() and count.isdecimal() and len(count) < 7 for count in counts):
        network.problem = network.problem or Damaged("truncated", f"a layer without its inputs: {kind}")
        return kind, [], []
    bottoms, tops = int(counts[0]), int(counts[1])
    if len(words) < 4 + bottoms + tops:
        network.problem = network.problem or Damaged("truncated", f"a layer without its outputs: {kind}")
    network.kinds[kind] += 1
    if len(network.used) + len(network.produced) < _MOST_BLOBS:
        network.used.update(words[4 : 4 + min(bottoms, 1000)])
    if kind == "pnnx.Output":
        network.left += words[4 : 4 + min(bottoms, 100)]
    produced = [name[:_MOST_NAME] for name in words[4 + bottoms : 4 + bottoms + min(tops, 1000)]]
    if len(network.produced) < _MOST_BLOBS:
        network.produced.update(dict.fromkeys(produced))
    return kind, produced, words[4 + bottoms + tops :]


def _read_numbers(source: Source, layers: int, network: _Network) -> None:
    table = NcnnLayersTable.read().layer
    at = 12
    for _ in range(layers):
        kind, bottoms, tops = struct.unpack("<iii", source.read(at, 12))
        if kind < 0 or not (0 <= bottoms < 1 << 16 and 0 <= tops < 1 << 16):
            raise Damaged("layer-damaged", f"at {at}")
        wires = struct.unpack(f"<{bottoms + tops}i", source.read(at + 12, 4 * (bottoms + tops)))
        name = table[kind].name if kind < len(table) else f"custom {kind & ~_CUSTOM}" if kind & _CUSTOM else f"#{kind}"
        network.kinds[name] += 1
        if len(network.used) + len(network.produced) < _MOST_BLOBS:
            network.used.update(map(str, wires[:bottoms]))
            network.produced.update(dict.fromkeys(map(str, wires[bottoms:])))
        lengths, at = _numbers_of_layer(source, at + 12 + 4 * (bottoms + tops))
        if name == "Input":
            shape = tuple(lengths[key] or "?" for key in (2, 11, 1, 0) if key in lengths)
            network.entries += [TensorSpec(name=str(wire), shape=shape or None) for wire in wires[bottoms:]]


def _numbers_of_layer(source: Source, at: int) -> tuple[dict[int, int], int]:
    """The parameters of a layer that are one number each, and where the next layer begins."""
    found: dict[int, int] = {}
    for _ in range(1000):
        key = struct.unpack("<i", source.read(at, 4))[0]
        if key == _END:
            return found, at + 4
        number = struct.unpack("<i", source.read(at + 4, 4))[0]
        at += 8
        if key > _ARRAY:
            found[key] = number
        elif 0 <= number < 1 << 24:
            at += (number + 3) & ~3 if key <= _STRING else 4 * number
        else:
            raise Damaged("layer-damaged", f"at {at}")
    raise Damaged("layer-damaged", f"no end at {at}")


def _length(text: str) -> int | str:
    return int(text) if text.isascii() and text.isdecimal() and 0 < len(text) < 10 and int(text) else "?"
