"""A tensor where it is stored, read block by block."""

from __future__ import annotations

import functools
import hashlib
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from checks.readers.containers.source import MIB, Source
from checks.readers.weights import ggml_blocks

BLOCK = 4 * MIB  # bytes read at a time; none are kept, for there may be a hundred thousand tensors
MOST_TENSORS = 100_000
_READINGS = 6
_Values = NDArray[np.float32] | NDArray[np.float64]

# dtype as ModelFacts spells it -> how NumPy reads its bytes, little-endian.
_PLAIN = {
    "float64": "<f8", "float32": "<f4", "float16": "<f2", "int64": "<i8", "int32": "<i4", "int16": "<i2",
    "int8": "<i1", "uint64": "<u8", "uint32": "<u4", "uint16": "<u2", "uint8": "<u1", "bool": "<u1",
}  # fmt: skip
# Floats of eight bits: (bits of the exponent, its bias, whether there are infinities). https://arxiv.org/abs/2209.05433
_EIGHTS = {"float8_e4m3fn": (4, 7, False), "float8_e5m2": (5, 15, True)}


@dataclass(frozen=True)
class StoredTensor:
    """A tensor by name, dtype and shape; ``data`` holds its numbers in C order, little-endian, and nothing else.

    ``scale``, ``shift``: what the stored numbers are multiplied with, and what is then added, to get the real ones.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    data: Source
    scale: float = 1.0
    shift: float = 0.0

    @property
    def face(self) -> str:
        """Dtype and shape in words."""
        return f"{self.dtype} [{', '.join(map(str, self.shape))}]"

    @property
    def coding(self) -> tuple[str, float, float]:
        """How its bytes are to be understood."""
        return self.dtype, self.scale, self.shift

    @property
    def is_real(self) -> bool:
        """Whether its numbers are those that the model computes with, and no codes for them."""
        is_whole = self.dtype.startswith(("int", "uint", "bool"))
        return not is_whole or (self.scale, self.shift) != (1.0, 0.0)

    @property
    def count(self) -> int:
        """How many numbers it holds."""
        return math.prod(self.shape)

    @property
    def can_decode(self) -> bool:
        """Whether its numbers can be read, and there are as many bytes as they need."""
        return size_of(self.dtype, self.count) == self.data.size

    def numbers(self, at: int, count: int) -> NDArray[np.float64]:
        """So many of its numbers; ``at`` is a multiple of 256, for some are packed in blocks."""
        return self.values(self.stored(at, count), 0, count).astype(np.float64, copy=False)

    def stored(self, at: int, count: int) -> bytes:
        """The bytes of so many of its numbers; ``at`` is a multiple of 256."""
        start, end = size_of(self.dtype, at) or 0, size_of(self.dtype, at + count) or 0
        return self.data.read(start, end - start, ahead=0)

    def values(self, stored: bytes | memoryview, at: int, count: int) -> _Values:
        """So many of the numbers whose bytes are given; ``at``, a multiple of 256, counts from their beginning.

        In float32 where that holds every number of the type, else in float64.
        """
        start, end = size_of(self.dtype, at) or 0, size_of(self.dtype, at + count) or 0
        values = decoded(stored[start:end], self.dtype)
        if (self.scale, self.shift) == (1.0, 0.0):
            return values
        with np.errstate(invalid="ignore", over="ignore"):
            return values.astype(np.float64) * self.scale + self.shift

    def blocks(self) -> Iterator[bytes]:
        """Its bytes in order, BLOCK at a time."""
        for at in range(0, self.data.size, BLOCK):
            yield self.data.read(at, min(BLOCK, self.data.size - at), ahead=0)

    @functools.cached_property
    def digest(self) -> bytes:
        """BLAKE2b-128 of its bytes."""
        digest = hashlib.blake2b(digest_size=16)
        for block in self.blocks():
            digest.update(block)
        return digest.digest()


def stretch(source: Source, at: int, size: int) -> Source:
    """Where a tensor lies, which may be read as often as a comparison needs.

    Raises:
        Damaged: there are not so many bytes.
    """
    return source.part(at, size, most=_READINGS * max(size, 0))


@dataclass(frozen=True)
class LeftOut:
    """A tensor that is there, but stored in a way in which it is not compared."""

    name: str


def size_of(dtype: str, count: int) -> int | None:
    """Bytes of so many numbers; None where a dtype cannot be decoded."""
    block = ggml_blocks.block(dtype)
    if block is not None:
        return -(-count // block[0]) * block[1]
    size = item_size(dtype)
    return None if size is None else size * count


def item_size(dtype: str) -> int | None:
    """Bytes of one number; None where they are packed or unknown."""
    if dtype in _PLAIN:
        return np.dtype(_PLAIN[dtype]).itemsize
    return 2 if dtype == "bfloat16" else 1 if dtype in _EIGHTS else None


def decoded(data: bytes | memoryview, dtype: str) -> _Values:
    """Bytes of a decodable dtype as float32 where that holds every number of the type, else as float64.

    Raises:
        KeyError: a dtype for which :func:`size_of` is None.
    """
    if ggml_blocks.block(dtype) is not None:
        return ggml_blocks.unpacked(data, dtype)
    if dtype == "bfloat16":
        return (np.frombuffer(data, "<u2").astype("<u4") << 16).view("<f4")
    if dtype in _EIGHTS:
        return _eight_bit_values(dtype)[np.frombuffer(data, np.uint8)]
    stored = np.frombuffer(data, _PLAIN[dtype])
    with np.errstate(invalid="ignore"):  # a number that signals when it is touched stays no number
        if dtype == "float32" or stored.itemsize <= 2:
            return stored.astype(np.float32, copy=False)
        return stored.astype(np.float64, copy=False)


@functools.cache
def _eight_bit_values(dtype: str) -> NDArray[np.float32]:
    """The 256 values of a float of eight bits."""
    exponent_bits, bias, has_infinity = _EIGHTS[dtype]
    fraction_bits = 7 - exponent_bits
    code = np.arange(256)
    sign = np.where(code & 0x80, -1.0, 1.0)
    exponent = (code & 0x7F) >> fraction_bits
    fraction = (code & ((1 << fraction_bits) - 1)) / (1 << fraction_bits)
    normal = (1.0 + fraction) * 2.0 ** (exponent - bias)
    values = sign * np.where(exponent == 0, fraction * 2.0 ** (1 - bias), normal)
    top = exponent == (1 << exponent_bits) - 1
    if has_infinity:
        values = np.where(top, np.where(fraction == 0, sign * np.inf, np.nan), values)
    else:
        values = np.where((code & 0x7F) == 0x7F, np.nan, values)
    return values.astype(np.float32)
