"""How far a stored tensor is from another one, by all cores: one thread reads, the others compute.

Numbers that float32 holds are compared in float32, in pieces that fit into a processor's own cache; pieces with NaN,
infinities, or numbers whose squares float32 does not hold, in float64. The largest distance is that of the numbers as
float64, whatever they were compared in; 1 - cosine is right to six digits where the tensors are near each other, and to
six digits after the point elsewhere. The sums are added in the order of the numbers, so that the figures do not depend
on how many threads there are.
"""

import importlib
import os
import threading
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from checks.readers.weights.tensor import StoredTensor

_difference: Any = importlib.import_module("checks.probes.compute.bits.difference")

_PART = 1 << 18  # numbers that are read at once and computed by one thread
_PIECE = 1 << 16  # numbers that are computed at once; as _PART a multiple of every type's block
_THREADS = min(os.cpu_count() or 1, 8)  # more would wait for the one that reads
_AHEAD = _THREADS + 2  # parts that are read before they are computed
_LARGEST = float(np.finfo(np.float64).max)  # JSON has no infinity; this says "beyond any measure" all the same

_Numbers = NDArray[Any]
_kept = threading.local()  # what a thread computes with, again and again


def computing_threads() -> ThreadPoolExecutor:
    """The threads that compute for :func:`distances`; to be closed by the caller."""
    return ThreadPoolExecutor(_THREADS, "weights")


@dataclass
class _Sums:
    """What is known of some of the numbers. ``products``: sums of squares and products, as cosine_of takes them."""

    largest: float = 0.0
    apart: float = 0.0
    products: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0)

    def add(self, other: "_Sums") -> None:
        self.largest = max(self.largest, other.largest)
        self.apart = max(self.apart, other.apart)
        self.products = tuple(mine + theirs for mine, theirs in zip(self.products, other.products, strict=True))


def distances(first: StoredTensor, second: StoredTensor, threads: Executor) -> dict[str, float | None]:
    """The distances of :class:`TensorDifference`; NaN against NaN is no difference, against a number an infinite one.

    Both have the same shape and can be decoded.

    Raises:
        Damaged: the file is not what its format asks for.
        Stopped: the work was cancelled.
    """
    sums = _Sums()
    for part in _computed(first, second, threads):
        sums.add(part)
    relative = sums.apart / sums.largest if sums.largest else np.inf if sums.apart else 0.0
    return {
        "max_abs": min(sums.apart, _LARGEST),
        "max_rel": min(relative, _LARGEST),
        "cosine_distance": _cosine_distance(sums),
    }


def _cosine_distance(sums: _Sums) -> float | None:
    """1 - cosine; None where there is none: one is 0 everywhere, or its squares are no numbers."""
    cosine: float | None = _difference.cosine_of(*sums.products) if sums.apart else 1.0
    return None if cosine is None else max(0.0, 1.0 - cosine)


def _computed(first: StoredTensor, second: StoredTensor, threads: Executor) -> Iterator[_Sums]:
    """What is known of each part, in their order."""
    waiting: deque[Future[_Sums]] = deque()
    for at in range(0, first.count, _PART):
        count = min(_PART, first.count - at)
        stored = [tensor.stored(at, count) for tensor in (first, second)]
        if first.count <= _PIECE:
            yield _part((first, second), stored, count)
            return
        waiting.append(threads.submit(_part, (first, second), stored, count))
        if len(waiting) >= _AHEAD:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def _part(tensors: tuple[StoredTensor, StoredTensor], stored: list[bytes], count: int) -> _Sums:
    """All of one part, piece by piece."""
    sums = _Sums()
    views = [memoryview(data) for data in stored]
    with np.errstate(all="ignore"):
        for at in range(0, count, _PIECE):
            some = min(_PIECE, count - at)
            pair = [tensor.values(view, at, some) for tensor, view in zip(tensors, views, strict=True)]
            if pair[0].dtype != pair[1].dtype:
                pair = [numbers.astype(np.float64) for numbers in pair]
            _add_piece(sums, *pair)
    return sums


def _add_piece(sums: _Sums, one: _Numbers, other: _Numbers) -> None:
    arrays, scratch = _tools(one.dtype)
    size = float(arrays.size(scratch, "size", one).max())
    apart, products = arrays.apart(scratch, one, other, (one, other))
    most = float(apart.max())
    if not (arrays.has_room(size, most) and arrays.keeps_squares(products)):
        sums.add(_odd_piece(one.astype(np.float64), other.astype(np.float64)))
        return
    if most and most >= sums.apart * _difference.NEARLY:
        exact = arrays.exactly((one, other), apart, arrays.places(apart >= most * _difference.NEARLY))[1]
        most = float(exact.max())
    sums.add(_Sums(size, most, products))


def _odd_piece(one: _Numbers, other: _Numbers) -> _Sums:
    """A piece in float64, some of whose numbers may not be finite."""
    gap = np.where((one == other) | (np.isnan(one) & np.isnan(other)), 0.0, np.abs(one - other))
    gap[np.isnan(gap)] = np.inf
    finite = np.isfinite(one) & np.isfinite(other)
    one, other = one[finite], other[finite]
    arrays, scratch = _tools(one.dtype)
    products = arrays.products(one, other, np.subtract(other, one, out=scratch("gap", one.dtype, len(one))))
    return _Sums(float(np.max(np.abs(one), initial=0.0)), float(np.max(gap, initial=0.0)), products)


def _tools(dtype: np.dtype[Any]) -> tuple[Any, Any]:
    """How numbers of a type are computed with, and the memory of this thread for that."""
    tools = _kept.__dict__
    if dtype.name not in tools:
        arrays = _difference.of_numpy(np, np.empty(0, dtype), np.empty(0, dtype))
        tools[dtype.name] = arrays, _difference.Scratch(arrays)
    found: tuple[Any, Any] = tools[dtype.name]
    return found
