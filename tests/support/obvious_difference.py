"""What checks.probes.compute.bits.difference says of two arrays, found slowly and obviously: element by element."""

import math
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

LARGEST = sys.float_info.max
_MOST_ULP = (1 << 63) - 1
_EXACT = ("elements", "differing", "nan", "infinite", "first", "max_ulp", "ulp_histogram")


def obvious(first: Any, second: Any) -> dict[str, Any]:
    """Two arrays of one type of NumPy or ml_dtypes, in exact arithmetic but for the moduli of complex numbers.

    ``cosine``: the sums of squares and products that it is made of.
    """
    kind = first.dtype.newbyteorder("=")
    known: dict[str, Any] = {"elements": first.size, "differing": 0, "nan": 0, "infinite": 0, "first": None}
    gaps, relative, steps, scale = [], [], [], []
    squares = [Fraction(0)] * 3
    for index in np.ndindex(first.shape):
        pair = [first[index], second[index]]
        parts = [_parts(number, kind) for number in pair]
        if _bits(pair[0], kind) != _bits(pair[1], kind):
            known["differing"] += 1
            known["first"] = known["first"] or list(index)
        is_nan = [any(math.isnan(part) for part in number) for number in parts]
        is_infinite = any(math.isinf(part) for number in parts for part in number)
        known["nan"] += is_nan[0] != is_nan[1]
        known["infinite"] += is_infinite and parts[0] != parts[1] and _bits(pair[0], kind) != _bits(pair[1], kind)
        if all(map(math.isfinite, parts[0])):
            scale.append(math.hypot(*map(float, parts[0])))
        if not all(math.isfinite(part) for number in parts for part in number):
            continue
        exact = [[Fraction(part) for part in number] for number in parts]
        gap = _modulus([one - other for one, other in zip(*exact, strict=True)])
        gaps.append(gap)
        if any(exact[0]):
            relative.append(gap / _modulus(exact[0]))
        steps.append(
            max(abs(one - other) for one, other in zip(*(_ranks(number, kind) for number in pair), strict=True))
        )
        for place, (one, other) in enumerate(((0, 0), (0, 1), (1, 1))):
            squares[place] += sum(a * b for a, b in zip(exact[one], exact[other], strict=True))
    steps = [min(step, _MOST_ULP) for step in steps]
    known["scale"] = max(scale, default=None)
    known["max_abs"], known["max_rel"] = (_capped(max(found, default=None)) for found in (gaps, relative))
    known["max_ulp"] = max(steps, default=None)
    known["ulp_histogram"] = [0] * (max(steps).bit_length() + 1 if steps else 0)
    for step in steps:
        known["ulp_histogram"][step.bit_length()] += 1
    known["cosine"] = squares
    return known


def assert_same(told: dict[str, Any], known: dict[str, Any], digits: float = 1e-6) -> None:
    """That a difference is what ``obvious`` says. ``digits``: how far off the cosine may be."""
    for name in _EXACT:
        assert told[name] == known[name], name
    for name in ("max_abs", "max_rel", "scale"):
        if known[name] is None:
            assert told[name] is None, name
        else:
            assert told[name] == pytest.approx(known[name], rel=1e-14, abs=5e-324), name
    squares = known["cosine"]
    if told["cosine"] is not None:
        root = Fraction(math.isqrt(math.floor(squares[0] * squares[2] * 2**4400)), 2**2200)  # which no float would hold
        assert told["cosine"] == pytest.approx(float(squares[1] / root), abs=digits)


def _bits(number: Any, kind: Any) -> bytes:
    return np.asarray(number).astype(kind).tobytes()


def _parts(number: Any, kind: Any) -> list[Any]:
    if kind.kind == "c":
        return [float(number.real), float(number.imag)]
    return [int(number) if kind.kind in "iub" or "int" in kind.name else float(number)]


def _modulus(parts: list[Fraction]) -> Fraction:
    """Exactly of one part; of two to 100 digits behind the point of what is not small."""
    if len(parts) == 1:
        return abs(parts[0])
    square = sum(part * part for part in parts)
    return Fraction(math.isqrt(math.floor(square * 2**2400)), 2**1200)


def _ranks(number: Any, kind: Any) -> list[int]:
    """The place of each part among the finite numbers of its type; both zeros have the same."""
    if kind.itemsize == 1 and kind.kind in "fV":
        every = np.arange(256, dtype="u1").view(kind).astype("f8")
        return [sorted(set(every[np.isfinite(every)].tolist())).index(float(number))]
    if kind.kind in "iub":
        return [int(number)]
    data, size = _bits(number, kind), kind.itemsize // (2 if kind.kind == "c" else 1)
    found = []
    for start in range(0, len(data), size):
        bits = int.from_bytes(data[start : start + size], sys.byteorder)
        sign, magnitude = bits >> (8 * size - 1), bits & ((1 << (8 * size - 1)) - 1)
        found.append(-magnitude if sign else magnitude)
    return found


def _capped(number: Fraction | None) -> float | None:
    return number if number is None else float(min(number, Fraction(LARGEST)))
