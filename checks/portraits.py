"""How far two results are apart that were never in one place: from their portraits (checks/probes/compute_portrait.py).

The same fingerprint is the same bits. Otherwise the sampled elements tell how far apart the results are and how many
elements differ; sums of blocks also notice an element that is far off and was not among the samples.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping

from checks.facts import ArrayDifference, Portrait

_NUMBERS: Mapping[str, Callable[[bytes], float]] = {
    "float64": lambda data: float(struct.unpack(">d", data)[0]),
    "float32": lambda data: float(struct.unpack(">f", data)[0]),
    "float16": lambda data: float(struct.unpack(">e", data)[0]),
    "bfloat16": lambda data: float(struct.unpack(">f", data + b"\0\0")[0]),
}


def portrait_difference(reference: Portrait, candidate: Portrait) -> ArrayDifference | None:
    """The difference of two results, of the samples alone; None where they are not of one kind, or cannot be read.

    ``elements`` are those that were compared: the samples, or all where the bits are the same.
    """
    if not reference.fingerprint or not candidate.fingerprint:
        return None
    if (reference.shape, reference.dtype) != (candidate.shape, candidate.dtype):
        return None
    if reference.fingerprint == candidate.fingerprint:
        return ArrayDifference(elements=math.prod(reference.shape), differing=0, max_abs=0.0, scale=reference.scale)
    try:
        first, second = _samples(reference), _samples(candidate)
    except (KeyError, ValueError, struct.error):
        return None
    if len(first) != len(second) or not first:
        return None
    finite = [abs(b - a) for a, b in zip(first, second, strict=True) if math.isfinite(a) and math.isfinite(b)]
    nan = sum(math.isnan(a) != math.isnan(b) for a, b in zip(first, second, strict=True))
    infinite = sum(_is_one_infinite(a, b) for a, b in zip(first, second, strict=True))
    sampled = max(finite, default=0.0)
    hidden = _hidden(reference, candidate, sampled)
    differing = sum(a != b for a, b in zip(reference.samples, candidate.samples, strict=True))
    return ArrayDifference(
        elements=len(first),
        differing=max(1, differing),  # the fingerprints are not the same
        max_abs=max(sampled, hidden) if finite or hidden else None,
        scale=reference.scale,
        nan=max(nan, abs(candidate.nan - reference.nan)),
        infinite=max(infinite, abs(candidate.infinite - reference.infinite)),
    )


def _samples(portrait: Portrait) -> list[float]:
    number = _NUMBERS[portrait.dtype]
    return [number(bytes.fromhex(each)) for each in portrait.samples]


def _is_one_infinite(first: float, second: float) -> bool:
    return math.isinf(first) != math.isinf(second) or (math.isinf(first) and math.isinf(second) and first != second)


def _hidden(reference: Portrait, candidate: Portrait, sampled: float) -> float:
    """A difference that no sample shows: of a block whose sums are farther apart than its elements can be together."""
    blocks = len(reference.block_sums)
    if blocks != len(candidate.block_sums) or not blocks:
        return 0.0
    length = -(-math.prod(reference.shape) // blocks)
    pairs = zip(reference.block_sums, candidate.block_sums, strict=True)
    try:
        apart = max(abs(float.fromhex(b) - float.fromhex(a)) for a, b in pairs)
    except (ValueError, OverflowError):
        return 0.0
    return apart if math.isfinite(apart) and apart > 2 * length * sampled else 0.0
