"""The numbers of ggml's common quantised types: blocks of whole numbers with a scale, unpacked to floats.

Of the types that are not here (IQ..., TQ..., Q2_K, Q3_K) only the bytes are compared.
Their layout: ggml/src/ggml-common.h and the dequantize_row functions of ggml/src/ggml-quants.c in ggml-org/llama.cpp.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from checks.knowledge.formats.gguf import ggml_type, type_number

_Bytes = NDArray[np.uint8]  # a row per block
_Floats = NDArray[np.float32]


def block(dtype: str) -> tuple[int, int] | None:
    """(numbers, bytes) of a block of a type; None for one that is not unpacked here."""
    number = type_number(dtype) if dtype in _UNPACK else None
    row = None if number is None else ggml_type(number)
    return (row.block, row.bytes) if row else None


def unpacked(data: bytes | memoryview, dtype: str) -> _Floats:
    """The numbers of whole blocks of a type for which :func:`block` is not None."""
    sizes = block(dtype)
    assert sizes is not None  # noqa: S101 - promised by the caller
    blocks = np.frombuffer(data, np.uint8).reshape(-1, sizes[1])
    return _UNPACK[dtype](blocks).reshape(-1)


def _half(blocks: _Bytes, at: int) -> _Floats:
    """The float16 at a place of each block, as a column."""
    return np.ascontiguousarray(blocks[:, at : at + 2]).view("<f2").astype(np.float32)


def _nibbles(packed: _Bytes) -> _Floats:
    """The lower halves of the bytes, then the upper ones."""
    return np.concatenate([packed & 15, packed >> 4], axis=1).astype(np.float32)


def _fives(blocks: _Bytes, at: int) -> _Floats:
    """Numbers of five bits: the highest ones in four bytes of their own, before the halves of the others."""
    high = np.unpackbits(blocks[:, at : at + 4], axis=1, bitorder="little").astype(np.float32)
    return _nibbles(blocks[:, at + 4 :]) + 16 * high


def _scales(blocks: _Bytes) -> tuple[_Floats, _Floats]:
    """Scale and offset of the eight groups of a block: six bits each, in the twelve bytes after two halves."""
    packed = blocks[:, 4:16]
    first, second, third = packed[:, :4], packed[:, 4:8], packed[:, 8:]
    scales = np.concatenate([first & 63, (third & 15) | (first >> 6 << 4)], axis=1)
    offsets = np.concatenate([second & 63, (third >> 4) | (second >> 6 << 4)], axis=1)
    return _half(blocks, 0) * scales, _half(blocks, 2) * offsets


def _grouped(numbers: _Bytes, blocks: _Bytes) -> _Floats:
    """Eight groups of 32 numbers with their scales and offsets."""
    scales, offsets = _scales(blocks)
    groups = numbers.reshape(len(blocks), 8, 32).astype(np.float32)
    return scales[:, :, None] * groups - offsets[:, :, None]


def _pairs(packed: _Bytes) -> _Bytes:
    """Of each 32 bytes the lower halves, then the upper ones."""
    rows = packed.reshape(len(packed), 4, 1, 32)
    return np.concatenate([rows & 15, rows >> 4], axis=2).reshape(len(packed), 256)


def _q5_k(blocks: _Bytes) -> _Floats:
    bits = blocks[:, 16:48].reshape(len(blocks), 1, 32) >> np.arange(8, dtype=np.uint8).reshape(1, 8, 1) & 1
    numbers = _pairs(blocks[:, 48:176]) | (bits << 4).reshape(len(blocks), 256)
    return _grouped(numbers.astype(np.uint8), blocks)


def _q6_k(blocks: _Bytes) -> _Floats:
    count = len(blocks)
    low = blocks[:, :128].reshape(count, 2, 1, 64) >> np.array([0, 4], np.uint8).reshape(1, 1, 2, 1) & 15
    high = blocks[:, 128:192].reshape(count, 2, 1, 32) >> np.array([0, 2, 4, 6], np.uint8).reshape(1, 1, 4, 1) & 3
    numbers = low.reshape(count, 2, 4, 32) | high << 4
    scales = _half(blocks, 208) * blocks[:, 192:208].view(np.int8).astype(np.float32)
    groups = numbers.reshape(count, 16, 16).astype(np.float32) - 32
    return scales[:, :, None] * groups


_UNPACK: dict[str, Callable[[_Bytes], _Floats]] = {
    "Q4_0": lambda blocks: _half(blocks, 0) * (_nibbles(blocks[:, 2:]) - 8),
    "Q4_1": lambda blocks: _half(blocks, 0) * _nibbles(blocks[:, 4:]) + _half(blocks, 2),
    "Q5_0": lambda blocks: _half(blocks, 0) * (_fives(blocks, 2) - 16),
    "Q5_1": lambda blocks: _half(blocks, 0) * _fives(blocks, 4) + _half(blocks, 2),
    "Q8_0": lambda blocks: _half(blocks, 0) * blocks[:, 2:].view(np.int8).astype(np.float32),
    "Q4_K": lambda blocks: _grouped(_pairs(blocks[:, 16:144]), blocks),
    "Q5_K": _q5_k,
    "Q6_K": _q6_k,
}
