"""How far two results are apart that were never in one place: from their portraits (checks/probes/compute/portrait.py).

The same fingerprint is the same bits. Otherwise the sampled elements, drawn evenly, tell how far apart the results are
and how many elements differ; sums of blocks also notice an element that is far off and was not among the samples.

What can be missed: of n samples of which none differs, fewer than 3/n of all elements differ with 95 % confidence (the
rule of three: Hanley, Lippman-Hand, "If nothing goes wrong, is everything all right?", JAMA 249, 1983), and the same
holds for elements that are farther apart than every sample. Such an element shows in the sum of its block if it is
farther off than the others of the block are together; a sum has the error of its own roundings, so that differences in
float64, which are of the same size, do not show there. Two that cancel each other in one block do not show either.
"""

from __future__ import annotations

import math
import statistics
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from checks.facts import ArrayDifference, Portrait

_UNIT = 1 << 20  # elements of a block of which a longer block is made, and
_BLOCKS = 64  # blocks, as checks/probes/compute/portrait.py cuts them
_ROUNDOFF = 2.0**-53  # of the sums
_MOST_ULP = 2**63 - 1  # as checks/probes/compute/bits/difference.py counts them
_RULE_OF_THREE = 3.0
_OF_NORMAL = 1.4826  # standard deviations in the median distance from the median
_STANDS_OUT = 10.0  # standard deviations


@dataclass(frozen=True)
class PortraitDifference:
    """What two portraits of the same shape and type tell. Distances are of samples that are finite in both."""

    same_bits: bool
    elements: int  # of the whole result
    samples: int = 0
    differing: int = 0  # samples whose bits differ
    finite: int = 0  # samples that are finite in both
    max_abs: float | None = None
    max_rel: float | None = None
    max_ulp: int | None = None
    ulp_histogram: tuple[int, ...] = ()
    values: tuple[float, ...] = ()  # of the reference, and
    apart: tuple[float, ...] = ()  # how much larger the candidate is, of the samples that are finite in both
    places: tuple[int, ...] = ()  # which samples these are
    rms: float | None = None  # root of the mean square of the distances
    # The same from the sums of blocks, as it is where the errors of a block's elements are independent of each other
    # with mean zero: the sum of L of them is as large as the root of L.
    rms_of_sums: float | None = None
    mean: float | None = None  # how much larger the candidate's elements are, on average of all: a systematic error
    hidden: float = 0.0  # an element or more that no sample shows are together at least so far off
    block: int = 1  # elements of a block, and
    odd_blocks: tuple[float, ...] = ()  # how far off are the sums that stand out from all others
    nan: int = 0
    infinite: int = 0

    @property
    def unseen(self) -> float:
        """The share of elements that may be farther apart than any sample, with 95 % confidence."""
        return 0.0 if self.same_bits or self.samples >= self.elements else min(1.0, _RULE_OF_THREE / self.samples)


def compare_portraits(reference: Portrait, candidate: Portrait) -> PortraitDifference | None:
    """What is known of the distance of two results; None where they are not of one kind, or cannot be read."""
    if not reference.fingerprint or not candidate.fingerprint:
        return None
    if (reference.shape, reference.dtype) != (candidate.shape, candidate.dtype):
        return None
    elements = math.prod(reference.shape)
    if reference.fingerprint == candidate.fingerprint:
        return PortraitDifference(same_bits=True, elements=elements, max_abs=0.0, max_ulp=0, rms=0.0, rms_of_sums=0.0)
    kind = _KINDS.get(reference.dtype)
    try:
        bits = [[kind.split(sample) for sample in side.samples] for side in (reference, candidate)] if kind else []
        numbers = [[kind.number(pattern) for pattern in side] for side in bits] if kind else []
    except (ValueError, struct.error):
        return None
    if not kind or not bits[0] or len(bits[0]) != len(bits[1]):
        return None
    pairs = list(zip(*numbers, strict=True))
    finite = [place for place, pair in enumerate(pairs) if all(map(_is_finite, pair))]
    apart = [abs(pairs[place][1] - pairs[place][0]) for place in finite]
    steps = [kind.steps(bits[0][place], bits[1][place]) for place in finite]
    relative = [gap / abs(pairs[place][0]) for gap, place in zip(apart, finite, strict=True) if pairs[place][0]]
    sums = _Sums.of(reference, candidate, elements * kind.parts)
    sampled = max(apart, default=0.0)
    return PortraitDifference(
        same_bits=False,
        elements=elements,
        samples=len(pairs),
        differing=sum(first != second for first, second in zip(*bits, strict=True)),
        finite=len(finite),
        max_abs=max(apart, default=None),
        max_rel=max(relative, default=None),
        max_ulp=max(steps, default=None),
        ulp_histogram=_histogram(steps),
        values=tuple(pairs[place][0].real for place in finite) if kind.parts == 1 else (),
        apart=tuple((pairs[place][1] - pairs[place][0]).real for place in finite) if kind.parts == 1 else (),
        places=tuple(finite) if kind.parts == 1 else (),
        rms=math.hypot(*apart) / math.sqrt(len(apart)) if apart else None,
        rms_of_sums=sums.rms if sums else None,
        mean=sums.mean if sums else None,
        hidden=sums.hidden(sampled) if sums else 0.0,
        block=sums.length if sums else 1,
        odd_blocks=sums.odd if sums else (),
        nan=max(abs(candidate.nan - reference.nan), sum(_is_nan(a) != _is_nan(b) for a, b in pairs)),
        infinite=max(abs(candidate.infinite - reference.infinite), sum(_is_one_infinite(a, b) for a, b in pairs)),
    )


def portrait_difference(reference: Portrait, candidate: Portrait) -> ArrayDifference | None:
    """The same as the difference of two arrays; None where they are not of one kind, or cannot be read."""
    found = compare_portraits(reference, candidate)
    return None if found is None else difference_of(found, reference)


def difference_of(found: PortraitDifference, reference: Portrait) -> ArrayDifference:
    """What is known of two portraits, as the difference of two arrays.

    ``elements`` are those that were compared: the samples, or all where the bits are the same. Where no sample is apart
    the difference is what the sums show of it, or else the least that the type has at this size.
    """
    if found.same_bits:
        return ArrayDifference(elements=found.elements, differing=0, max_abs=0.0, scale=reference.scale)
    largest = max(found.max_abs or 0.0, found.hidden)
    if not largest and not found.differing:  # the fingerprints are not the same: something is apart
        largest = _KINDS[reference.dtype].least(reference.scale or 0.0)
    return ArrayDifference(
        elements=found.samples,
        differing=max(1, found.differing),
        max_abs=largest if found.finite or largest else None,
        max_rel=found.max_rel,
        max_ulp=found.max_ulp,
        ulp_histogram=found.ulp_histogram,
        scale=reference.scale,
        nan=found.nan,
        infinite=found.infinite,
    )


# --- sums of blocks ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Sums:
    """How far the sums of blocks are apart."""

    apart: tuple[float, ...]
    length: int  # elements of a block
    elements: int
    noise: float  # what the roundings of two sums can make

    @classmethod
    def of(cls, reference: Portrait, candidate: Portrait, elements: int) -> _Sums | None:
        """None where the sums cannot be compared."""
        try:
            pairs = zip(reference.block_sums, candidate.block_sums, strict=True)
            apart = tuple(float.fromhex(second) - float.fromhex(first) for first, second in pairs)
        except (ValueError, OverflowError):
            return None
        if not apart or not all(map(math.isfinite, apart)):
            return None
        length = _block_length(elements)
        # Adding by halves rounds each element as often as the length can be halved (Higham, Accuracy and Stability of
        # Numerical Algorithms, 2nd edition, SIAM 2002, section 4.2), and a long block's units one after the other.
        roundings = min(length, _UNIT).bit_length() + length // _UNIT
        scale = max(reference.scale or 0.0, candidate.scale or 0.0)
        return cls(apart, length, elements, 2 * roundings * _ROUNDOFF * length * scale)

    @property
    def rms(self) -> float:
        """Of the distances of elements, if these are independent with mean zero."""
        return math.hypot(*self.apart) / math.sqrt(self.elements)

    @property
    def mean(self) -> float:
        """Of the differences of elements."""
        return math.fsum(difference / self.elements for difference in self.apart)

    @property
    def odd(self) -> tuple[float, ...]:
        """Those that are far from the middle of all, by the median distance from it, which a few do not move."""
        middle = statistics.median(self.apart)
        spread = statistics.median(abs(apart - middle) for apart in self.apart)
        limit = _STANDS_OUT * _OF_NORMAL * spread + self.noise
        return tuple(abs(apart - middle) for apart in self.apart if abs(apart - middle) > limit)

    def hidden(self, sampled: float) -> float:
        """More than the elements of a block can be apart together, if each is no farther than twice the samples."""
        most = max(map(abs, self.apart))
        return most if most > 2 * self.length * sampled + self.noise else 0.0


def _block_length(elements: int) -> int:
    length = max(1, -(-elements // _BLOCKS))
    return length if length <= _UNIT else -(-length // _UNIT) * _UNIT


# --- numbers from their bits ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Kind:
    """How a type's numbers are written in bits. ``least``: of the differences that it has beside a number."""

    size: int  # bytes
    decode: Callable[[int], float]
    parts: int = 1  # of an element
    is_signed: bool = True  # by a sign and a magnitude, or whole numbers by two's complement
    is_whole: bool = False
    digits: int = 0

    def split(self, sample: str) -> tuple[int, ...]:
        """The bits of an element's parts."""
        data = bytes.fromhex(sample)
        if len(data) != self.size * self.parts:
            raise ValueError(sample)
        return tuple(int.from_bytes(data[at : at + self.size]) for at in range(0, len(data), self.size))

    def number(self, bits: tuple[int, ...]) -> complex:
        """The number."""
        return self.decode(bits[0]) if self.parts == 1 else complex(self.decode(bits[0]), self.decode(bits[1]))

    def steps(self, first: tuple[int, ...], second: tuple[int, ...]) -> int:
        """Numbers of the type from one to the other; of the part that is farther apart."""
        return min(max(abs(self._rank(a) - self._rank(b)) for a, b in zip(first, second, strict=True)), _MOST_ULP)

    def _rank(self, bits: int) -> int:
        top = 1 << (8 * self.size - 1)
        if not self.is_signed or not bits & top:
            return bits
        return bits - 2 * top if self.is_whole else top - bits

    def least(self, scale: float) -> float:
        """The distance of two neighbours of this size."""
        return 1.0 if self.is_whole else math.ldexp(scale, 1 - self.digits)


def _ieee(code: str) -> Callable[[int], float]:
    size = struct.calcsize(code)
    return lambda bits: float(struct.unpack(f">{code}", bits.to_bytes(size))[0])


def _short(exponent: int, bias: int, special: Callable[[int, int], float | None]) -> Callable[[int], float]:
    """Of a sign, exponent bits and the rest; ``special`` (of all bits, and those of the magnitude) goes first."""
    digits = 7 - exponent

    def decode(bits: int) -> float:
        magnitude = bits & 0x7F
        odd = special(bits, magnitude)
        if odd is not None:
            return odd
        power, rest = magnitude >> digits, magnitude & ((1 << digits) - 1)
        size = math.ldexp(rest + (1 << digits if power else 0), max(power, 1) - bias - digits)
        return -size if bits & 0x80 else size

    return decode


def _e5m2(bits: int, magnitude: int) -> float | None:
    if magnitude == 0x7C:
        return -math.inf if bits & 0x80 else math.inf
    return math.nan if magnitude > 0x7C else None


def _e4m3fn(_: int, magnitude: int) -> float | None:
    return math.nan if magnitude == 0x7F else None


def _fnuz(bits: int, _: int) -> float | None:
    return math.nan if bits == 0x80 else None


def _whole(size: int, is_signed: bool = True) -> _Kind:
    def decode(bits: int) -> float:
        return float(bits - (1 << (8 * size)) if is_signed and bits >> (8 * size - 1) else bits)

    return _Kind(size, decode, is_signed=is_signed, is_whole=True)


# The 8-bit types: OCP 8-bit Floating Point Specification 1.0, and for those without infinities and negative zero
# ("fnuz") Noune et al., "8-bit Numerical Formats for Deep Neural Networks", 2022.
_KINDS: Mapping[str, _Kind] = {
    "float64": _Kind(8, _ieee("d"), digits=53),
    "float32": _Kind(4, _ieee("f"), digits=24),
    "float16": _Kind(2, _ieee("e"), digits=11),
    "bfloat16": _Kind(2, lambda bits: _ieee("f")(bits << 16), digits=8),
    "float8_e4m3fn": _Kind(1, _short(4, 7, _e4m3fn), digits=4),
    "float8_e5m2": _Kind(1, _short(5, 15, _e5m2), digits=3),
    "float8_e4m3fnuz": _Kind(1, _short(4, 8, _fnuz), digits=4),
    "float8_e5m2fnuz": _Kind(1, _short(5, 16, _fnuz), digits=3),
    "complex64": _Kind(4, _ieee("f"), parts=2, digits=24),
    "complex128": _Kind(8, _ieee("d"), parts=2, digits=53),
    "bool": _whole(1, is_signed=False),
    **{f"int{8 * size}": _whole(size) for size in (1, 2, 4, 8)},
    **{f"uint{8 * size}": _whole(size, is_signed=False) for size in (1, 2, 4, 8)},
}


def _is_finite(number: complex) -> bool:
    return math.isfinite(number.real) and math.isfinite(number.imag)


def _is_nan(number: complex) -> bool:
    return math.isnan(number.real) or math.isnan(number.imag)


def _is_one_infinite(first: complex, second: complex) -> bool:
    infinite = [math.isinf(one.real) or math.isinf(one.imag) for one in (first, second)]
    return any(infinite) and first != second


def _histogram(steps: list[int]) -> tuple[int, ...]:
    """As ArrayDifference counts them: 0, 1, 2-3, 4-7, ..."""
    counts = [0] * (max(steps).bit_length() + 1 if steps else 0)
    for step in steps:
        counts[step.bit_length()] += 1
    return tuple(counts)
