"""The neural network within a Core ML model: its layers, and how their weights are stored.

The messages: mlmodel/format/NeuralNetwork.proto in apple/coremltools. Weights are stepped over.
"""

from __future__ import annotations

from checks.knowledge.formats.coreml import layers
from checks.readers.containers.protobuf.wire import BYTES, VARINT, Field, Message
from checks.readers.containers.source import Damaged
from checks.readers.models.apple.coreml_program import StoredNumbers, Sums

_FIRST_KIND = 100  # smaller fields of a layer are its name, inputs and outputs
_CUSTOM = "custom"
_MOST_LAYERS = 1_000_000
_LONGEST_NAME = 1000
_FLOAT, _HALF, _RAW, _RAW_INT8, _QUANTIZATION = 1, 2, 30, 31, 40  # fields of WeightParams


def read_network(network: Message, sums: Sums) -> None:
    """Add a network to the sums."""
    for field in network:
        if field.number != 1 or field.wire != BYTES:
            continue
        sums.operations += 1
        if sums.operations > _MOST_LAYERS:
            raise Damaged("too-large", f"more than {_MOST_LAYERS} layers")
        layer = network.message(field)
        kind = next((part for part in layer if part.number >= _FIRST_KIND and part.wire == BYTES), None)
        if kind is not None:
            _read_layer(layer, kind, sums)


def _read_layer(layer: Message, kind: Field, sums: Sums) -> None:
    row = layers().get(kind.number)
    name = row.name if row else f"layer {kind.number}"
    parameters = layer.message(kind)
    custom = ""
    if name == _CUSTOM:
        custom = (
            next((layer.text(parameter, _LONGEST_NAME) for parameter in parameters if parameter.number == 10), "")
            or _CUSTOM
        )
    sums.add_operator(name, custom)
    if row is None:
        return
    title = next((layer.text(field, _LONGEST_NAME) for field in layer if field.number == 1), name)
    names = {way: f"{title}/{number}" for number, way in enumerate(row.weights)}
    outer = {way[0] for way in row.weights if len(way) > 1}
    for parameter in parameters:
        if parameter.wire != BYTES:
            continue
        if (parameter.number,) in names:
            _add_weights(parameters.message(parameter), names[parameter.number,], sums)
        elif parameter.number in outer:
            for part in parameters.message(parameter):
                if (parameter.number, part.number) in names and part.wire == BYTES:
                    _add_weights(parameters.message(part), names[parameter.number, part.number], sums)


def _add_weights(weights: Message, name: str, sums: Sums) -> None:
    raw: Field | None = None
    bits, is_palette = 8, False
    for weight in weights:
        if weight.number == _FLOAT and weight.wire == BYTES:
            _add(sums, name, "float32", 32, weight)
        elif weight.number == _HALF:
            _add(sums, name, "float16", 16, weight)
        elif weight.number == _RAW_INT8:
            _add(sums, name, "int8", 8, weight)
        elif weight.number == _RAW and weight.size:
            raw = weight
        elif weight.number == _QUANTIZATION and weight.wire == BYTES:
            for part in weights.message(weight):
                if part.number == 1 and part.wire == VARINT:
                    bits = min(max(part.value, 1), 64)
                is_palette = is_palette or part.number == 102
    if raw is not None:
        _add(sums, name, f"uint{bits}", bits, raw)
        sums.quantization[f"palettized {bits}-bit" if is_palette else f"linear {bits}-bit"] += 1


def _add(sums: Sums, name: str, dtype: str, bits: int, place: Field) -> None:
    count = place.size * 8 // bits
    if count:
        sums.dtypes[dtype] += count
        sums.weights += place.size
        if sums.stored is not None:
            sums.stored.append(StoredNumbers(name, dtype, (count,), "", place.start, place.size))
