"""Small ONNX files, written field by field: no test needs the onnx package."""

import importlib
import struct
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

wire = importlib.import_module("checks.probes.compute.model.protobuf")
TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7, "float16": 10}


def node(
    op: str, inputs: Sequence[str], outputs: Sequence[str], name: str = "", domain: str = "", **attributes: Any
) -> bytes:
    """A NodeProto."""
    parts = [wire.field(1, text.encode()) for text in inputs]
    parts += [wire.field(2, text.encode()) for text in outputs]
    parts += [wire.field(3, name.encode()), wire.field(4, op.encode())]
    parts += [wire.field(5, _attribute(key, value)) for key, value in attributes.items()]
    parts += [wire.field(7, domain.encode())] if domain else []
    return b"".join(parts)


def _attribute(key: str, value: Any) -> bytes:
    named = bytes(wire.field(1, key.encode()))
    if isinstance(value, int):
        return named + wire.number_field(3, value & (1 << 64) - 1) + wire.number_field(20, 2)
    if isinstance(value, float):
        return named + wire.encoded(2 << 3 | wire.FIXED32) + struct.pack("<f", value) + wire.number_field(20, 1)
    return named + b"".join(wire.number_field(8, one & (1 << 64) - 1) for one in value) + wire.number_field(20, 7)


def weight(name: str, array: np.ndarray[Any, Any], external: tuple[str, int] | None = None) -> bytes:
    """A TensorProto. ``external``: the file beside the model that holds it, and its place there."""
    parts = [wire.number_field(1, length) for length in array.shape]
    parts += [wire.number_field(2, TYPES[str(array.dtype)]), wire.field(8, name.encode())]
    if external is None:
        return b"".join((*parts, wire.field(9, array.tobytes())))
    pairs = {"location": external[0], "offset": str(external[1]), "length": str(array.nbytes)}
    parts += [wire.field(13, wire.field(1, key.encode()) + wire.field(2, text.encode())) for key, text in pairs.items()]
    return b"".join((*parts, wire.number_field(14, 1)))


def value(name: str, shape: Sequence[int], dtype: str = "float32") -> bytes:
    """A ValueInfoProto."""
    dims = b"".join(wire.field(1, wire.number_field(1, length)) for length in shape)
    kind = wire.field(1, wire.number_field(1, TYPES[dtype]) + wire.field(2, dims))
    return bytes(wire.field(1, name.encode()) + wire.field(2, kind))


def model(
    nodes: Iterable[bytes], weights: Iterable[bytes] = (), inputs: Iterable[bytes] = (), outputs: Iterable[bytes] = ()
) -> bytes:
    """A ModelProto of opset 17."""
    parts = (*((1, each) for each in nodes), (2, b"g"), *((5, each) for each in weights))
    parts = (*parts, *((11, each) for each in inputs), *((12, each) for each in outputs))
    graph = b"".join(wire.field(number, each) for number, each in parts)
    opset = wire.field(1, b"") + wire.number_field(2, 17)
    return bytes(wire.number_field(1, 8) + wire.field(7, graph) + wire.field(8, opset))
