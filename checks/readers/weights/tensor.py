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

BLOCK = 4 * MIB  # bytes read at a time
MOST_TENSORS = 100_000
_READINGS = 6

# dtype as ModelFacts spells it -> how NumPy reads its bytes, little-endian.
_PLAIN = {
    "float64": "<f8",
    "float32": "<f4",
    "float16": "<f2",
    "int64": "<i8",
    "int32": "<i4",
    "int16": "<i2",
    "int8": "<i1",
    "uint64": "<u8",
    "uint32": "<u4",
    "uint16": "<u2",
    "uint8": "<u1",
    "bool": "<u1",
}
# Floats of eight bits: (bits of the exponent, its bias, whether there are infinities). https://arxiv.org/abs/2209.05433
_EIGHTS = {"float8_e4m3fn": (4, 7, False), "float8_e5m2": (5, 15, True)}


@dataclass(frozen=True)
class StoredTensor:
    """A tensor by name, dtype and shape; ``data`` holds its numbers in C order, little-endian, and nothing else."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    data: Source

    @property
    def face(self) -> str:
        """Dtype and shape in words."""
        return f"{self.dtype} [{', '.join(map(str, self.shape))}]"

    @property
    def count(self) -> int:
        """How many numbers it holds."""
        return math.prod(self.shape)

    @property
    def can_decode(self) -> bool:
        """Whether its numbers can be read, and there are as many bytes as they need."""
        size = item_size(self.dtype)
        return size is not None and size * self.count == self.data.size

    def blocks(self) -> Iterator[bytes]:
        """Its bytes in order, BLOCK at a time.

        Raises:
            Damaged: they cannot be read.
        """
        for at in range(0, self.data.size, BLOCK):
            yield self.data.read(at, min(BLOCK, self.data.size - at))

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


def item_size(dtype: str) -> int | None:
    """Bytes of one number; None where they are packed or unknown."""
    if dtype in _PLAIN:
        return np.dtype(_PLAIN[dtype]).itemsize
    return 2 if dtype == "bfloat16" else 1 if dtype in _EIGHTS else None


def decoded(data: bytes, dtype: str) -> NDArray[np.float64]:
    """Bytes of a decodable dtype as float64.

    Raises:
        KeyError: a dtype for which :func:`item_size` is None.
    """
    if dtype == "bfloat16":
        upper = np.frombuffer(data, "<u2").astype("<u4") << 16
        return upper.view("<f4").astype(np.float64)
    if dtype in _EIGHTS:
        return _eight_bit_values(dtype)[np.frombuffer(data, np.uint8)]
    return np.frombuffer(data, _PLAIN[dtype]).astype(np.float64)


@functools.cache
def _eight_bit_values(dtype: str) -> NDArray[np.float64]:
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
        return np.where(top, np.where(fraction == 0, sign * np.inf, np.nan), values)
    return np.where((code & 0x7F) == 0x7F, np.nan, values)
