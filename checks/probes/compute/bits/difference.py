"""How far one array is from another of the same shape, in one pass.

The result is a dict with the fields of the fact ArrayDifference.

**What is measured.** Elements whose bits differ count as differing, signed zeros and NaNs of other bits among them.
Distances are those of the elements that are finite in both: the difference in float64; relative to the reference where
that is not 0; in ULP the number of steps from one to the other through the type's numbers, in which the two zeros are
one (of whole numbers the difference itself), at most 2^63 - 1. Of complex numbers the modulus, and the ULP of the part
that is farther apart. The cosine of types of up to 32 bits is right to six digits after the point, and that of arrays
which are near each other to six digits of its distance from 1. Arrays of two types are compared by value, and in ULP of
the type with fewer bits. The largest elements are those of rows along the last axis, of at most ROW elements; of an
array without such rows there are none.

**How.** The arrays are read once, in pieces that fit into a processor's own cache; on an accelerator, where every
operation takes some microseconds to start, in large ones. Python's threads do not help: at two microseconds for an
operation, two of them wait for Python's lock longer than they compute (20 million float32 on two processors: 0.055 s by
one thread, 0.06 to 0.25 s by two).
"""

import math

from . import pieces
from .array_types import LARGEST, of_numpy, of_torch

ROW = 1 << 18
TOP = 5
LEAST_SQUARE = 2.0**-960  # 2^-1074 is the smallest number: below this, the sum of squares has lost some
NEARLY = 1.0 - 2.0**-20  # more than what is computed in float32 is off, so that no candidate for the largest is missed
FAR = 0.5  # relative: farther than this, signs may differ
FARTHEST = 2.0**100  # relative: what float32 holds


def numpy_difference(numpy, reference, candidate):
    """Compare two arrays of NumPy.

    Raises:
        NotCompared: other shapes, or elements that are not numbers.
    """
    return _difference(of_numpy(numpy, reference, candidate))


def torch_difference(torch, reference, candidate):
    """Compare two tensors; on the processor by NumPy, which is quicker with small pieces, where that can take them.

    Raises:
        NotCompared: other shapes.
    """
    if reference.device.type == candidate.device.type == "cpu":
        try:
            import numpy as np

            arrays = [tensor.detach().resolve_conj().resolve_neg().numpy() for tensor in (reference, candidate)]
        except (ImportError, TypeError, RuntimeError):  # no NumPy, or none that fits; a type that it lacks
            pass
        else:
            return numpy_difference(np, *arrays)
    return tensor_difference(torch, reference, candidate)


def tensor_difference(torch, reference, candidate):
    """Compare two tensors on the reference's device; the candidate is copied there.

    Raises:
        NotCompared: other shapes.
    """
    return _difference(of_torch(torch, reference, candidate))


def _difference(arrays):
    shape = arrays.shape
    row = shape[-1] if shape and 1 < shape[-1] <= ROW and not arrays.is_complex else None
    most = max(1, arrays.part // row) * row if row else arrays.part
    total, start = _Tally(), 0
    with arrays.quietly():
        scratch = Scratch(arrays)
        for part in pieces.pieces(arrays.both, most, arrays.is_flat):
            total.add(_tally_of(arrays, scratch, part, start, row))
            start += len(part[0])
        fact = total.as_fact(shape)
        if fact["cosine"] is None and total.scale and arrays.is_float and not arrays.is_complex:
            fact["cosine"] = _cosine_of_odd_sizes(arrays, most)
    return fact


def _cosine_of_odd_sizes(arrays, most):
    """The cosine of numbers whose squares float64 does not hold, each array in units of its largest number."""

    def both():
        for part in pieces.pieces(arrays.both, most, arrays.is_flat):
            pair = [arrays.widened(side, array) for side, array in enumerate(part)]
            finite = arrays.xp.isfinite(pair[0]) & arrays.xp.isfinite(pair[1])
            if bool(finite.any()):
                yield [numbers[finite] for numbers in pair]

    largest = [0.0, 0.0]
    for pair in both():
        largest = [max(most, float(abs(numbers).max())) for most, numbers in zip(largest, pair)]
    if not all(largest):
        return None
    sums = [0.0, 0.0, 0.0]
    for pair in both():
        first, second = (numbers / most for numbers, most in zip(pair, largest))
        for place, (one, other) in enumerate(((first, first), (first, second), (second, second))):
            sums[place] += arrays.dot(one, other)
    return max(-1.0, min(1.0, sums[1] / math.sqrt(sums[0]) / math.sqrt(sums[2])))


class Scratch:
    """Memory that is used again and again: fresh memory would cost more than what is computed in it."""

    def __init__(self, arrays):
        self._arrays = arrays
        self._memory = {}
        self._views = {}

    def __call__(self, name, dtype, count):
        """An array of that many elements, with any content; of one name, of any type, all are the same memory."""
        kept = self._views.get((name, dtype))
        if kept is None or len(kept) != count:
            size = count * dtype.itemsize
            memory = self._memory.get(name)
            if memory is None or len(memory) < size:
                memory = self._memory[name] = self._arrays.memory(size)
            kept = self._views[name, dtype] = memory[:size].view(dtype)
        return kept


class _Tally:
    """What is counted of a part of the elements."""

    def __init__(self):
        self.elements = self.differing = self.nan = self.infinite = 0
        self.max_abs = self.max_rel = self.max_ulp = self.scale = None
        self.histogram = []
        self.products = [0.0] * 4  # sums: squares of the reference, products, squares of the candidate, of distances
        self.first = self.worst = None
        self.rows = self.same_top = self.same_top5 = 0

    def add(self, other):
        """Put together with what comes after it."""
        if other.max_abs is not None and (self.max_abs is None or other.max_abs > self.max_abs):
            self.worst = other.worst
        for name in ("max_abs", "max_rel", "max_ulp", "scale"):
            setattr(self, name, larger(getattr(self, name), getattr(other, name)))
        for name in ("elements", "differing", "nan", "infinite", "rows", "same_top", "same_top5"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        if self.first is None:
            self.first = other.first
        self.count(other.histogram)
        self.add_products(other.products)

    def add_products(self, products):
        """Add sums of products."""
        self.products = [mine + theirs for mine, theirs in zip(self.products, products)]

    def count(self, histogram):
        """Add a histogram."""
        self.histogram.extend([0] * (len(histogram) - len(self.histogram)))
        for place, count in enumerate(histogram):
            self.histogram[place] += count

    def as_fact(self, shape):
        """The fields of ArrayDifference."""
        return {
            "elements": self.elements,
            "differing": self.differing,
            "max_abs": self.max_abs,
            "max_rel": self.max_rel,
            "max_ulp": self.max_ulp,
            "scale": self.scale,
            "cosine": cosine_of(*self.products),
            "ulp_histogram": self.histogram,
            "nan": self.nan,
            "infinite": self.infinite,
            "first": index_of(self.first, shape),
            "worst": index_of(self.worst, shape) if self.max_abs else None,
            "same_top": self.same_top / self.rows if self.rows else None,
            "same_top5": self.same_top5 / self.rows if self.rows else None,
        }


def cosine_of(reference, both, candidate, apart):
    """The cosine from sums of products; None where there is none, or squares got lost."""
    if not all(LEAST_SQUARE <= square <= LARGEST for square in (reference, candidate)):
        return None
    first, second = math.sqrt(reference), math.sqrt(candidate)
    if apart < reference / 16:  # 1 - cosine without cancellation, by the law of cosines
        return 1.0 - max(0.0, apart - (first - second) ** 2) / (2 * first * second)
    return max(-1.0, min(1.0, both / first / second))


def larger(first, second):
    """The larger of two numbers, one of which may not be there."""
    if first is None or second is None:
        return second if first is None else first
    return max(first, second)


def index_of(flat, shape):
    """The index of the element at a place among all."""
    if flat is None:
        return None
    index = []
    for length in reversed(shape):
        flat, place = divmod(flat, length)
        index.append(place)
    return index[::-1]


def _tally_of(arrays, scratch, part, start, row):
    """A part, read in pieces of whole rows where a row is no longer than a piece."""
    tally = _Tally()
    most = max(1, arrays.piece // row) * row if row else arrays.piece
    for offset in range(0, len(part[0]), most):
        piece = [array[offset : offset + most] for array in part]
        farthest = _compare(arrays, scratch, tally, piece, start + offset)
        if row:
            _compare_rows(arrays, tally, [array.reshape(-1, row) for array in piece], farthest)
    return tally


def _compare(arrays, scratch, tally, piece, start):
    """Everything about one piece but its rows.

    Returns:
        The largest distance, where all of them are known: none of a NaN, none of infinities.
    """
    xp = arrays.xp
    tally.elements += len(piece[0])
    unequal = arrays.unequal(*piece)
    differing = int(xp.count_nonzero(unequal))
    first = arrays.values(scratch, 0, piece[0], arrays.work)
    size = arrays.size(scratch, "size", first)
    scale = float(size.max())
    if not differing:
        return _count_equal(arrays, scratch, tally, piece[0], first, scale)
    tally.differing += differing
    if tally.first is None:
        tally.first = start + int(arrays.bytes_of(unequal).argmax())
    second = arrays.values(scratch, 1, piece[1], arrays.work)
    apart, products = arrays.apart(scratch, first, second, piece)
    most = float(apart.max())
    if arrays.has_room(scale, most) and arrays.keeps_squares(products):
        tally.scale = larger(tally.scale, scale)
        _count_apart(arrays, scratch, tally, piece, (size, apart, most, products), lambda place: start + place)
        return most
    _compare_odd(arrays, scratch, tally, piece, unequal, start)
    return None


def _count_equal(arrays, scratch, tally, piece, first, scale):
    """A piece that has the same bits in both. Returns what _compare does."""
    farthest = 0.0
    if not arrays.has_room(scale, 0.0):
        first = arrays.values(scratch, 0, piece, arrays.wide)
        first = first[arrays.xp.isfinite(first)]
        farthest = 0.0 if len(first) == len(piece) else None
        if not len(first):
            return farthest
        scale = float(abs(first).max())
    tally.scale, tally.max_abs, tally.max_ulp = larger(tally.scale, scale), tally.max_abs or 0.0, tally.max_ulp or 0
    if scale:
        tally.max_rel = tally.max_rel or 0.0
    tally.count([len(first)])
    square = arrays.dot(first, first)
    tally.add_products((square, square, square, 0.0))
    return farthest


def _compare_odd(arrays, scratch, tally, piece, unequal, start):
    """A piece with numbers that are not finite, or so large or small that their squares or differences are not."""
    xp = arrays.xp
    first, second = (arrays.values(scratch, side, array, arrays.wide) for side, array in enumerate(piece))
    tally.nan += int(xp.count_nonzero(xp.isnan(first) != xp.isnan(second)))
    infinite = (xp.isinf(first) | xp.isinf(second)) & unequal & (first != second)
    tally.infinite += int(xp.count_nonzero(infinite))
    finite = xp.isfinite(first)
    if bool(finite.any()):
        tally.scale = larger(tally.scale, float(abs(first[finite]).max()))
    both = arrays.places(finite & xp.isfinite(second))
    if len(both):
        kept = [array[both] for array in piece]
        first, second = first[both], second[both]
        apart, products = arrays.apart(scratch, first, second, kept)
        figures = arrays.size(scratch, "size", first), apart, float(apart.max()), products
        _count_apart(arrays, scratch, tally, kept, figures, lambda place: start + int(both[place]))


def _count_apart(arrays, scratch, tally, piece, figures, place_of):
    """Distances of elements that are all finite.

    The computed distances show which may be the largest; these are then computed exactly.
    """
    size, apart, most, products = figures
    is_near = _count_relative(arrays, tally, piece, size, apart)
    if tally.max_abs is None or (most > tally.max_abs if is_near else most >= tally.max_abs * NEARLY):
        places = arrays.places(apart >= most * NEARLY)
        exact = arrays.exactly(piece, apart, places)[1]
        worst = min(float(exact.max()), LARGEST)
        if tally.max_abs is None or worst > tally.max_abs:
            tally.max_abs, tally.worst = worst, place_of(int(places[int(exact.argmax())]))
    ulp = arrays.ulp(scratch, *piece, is_near)
    largest = arrays.largest(ulp)
    if is_near and largest >= arrays.sign:  # zeros of unlike signs
        ulp = arrays.ulp(scratch, *piece)
        largest = arrays.largest(ulp)
    tally.max_ulp = larger(tally.max_ulp, largest)
    tally.count(arrays.histogram(scratch, ulp, largest))
    tally.add_products(products)


def _count_relative(arrays, tally, piece, size, apart):
    """The largest relative distance; ``size`` is lost. Only what may be beyond the largest so far is divided exactly.

    Returns:
        Whether all are so near each other that their distances are exact and no two signs differ but those of zeros.
    """
    least = tally.max_rel
    if least is None:
        some = size > 0
        if not bool(some.any()):
            return False
        least = float((apart[some] / size[some]).max())
        least = least if least < FAR else 0.0
    # Not only above: the bound of the smallest numbers of a type is rounded to what they are apart.
    beyond = apart >= arrays.xp.multiply(size, min(least, FARTHEST) * NEARLY, out=size)
    is_near = True
    if bool(beyond.any()):
        beyond &= apart > 0
    if bool(beyond.any()):
        sizes, exact = arrays.exactly(piece, apart, arrays.places(beyond))
        some = sizes > 0
        is_near = bool(some.all())
        if bool(some.any()):
            tally.max_rel = larger(tally.max_rel, min(float((exact[some] / sizes[some]).max()), LARGEST))
    if tally.max_rel is None:
        tally.max_rel = 0.0
    return is_near and tally.max_rel < FAR


def _compare_rows(arrays, tally, rows, most):
    """Count the rows whose largest elements are at the same places. A NaN is no largest element.

    ``most``: no two elements are farther apart; None where that is not known.
    """
    xp = arrays.xp
    count, length = rows[0].shape
    tally.rows += count
    if most != 0.0:
        rows = [arrays.numbers(side, row.reshape(-1)).reshape(row.shape) for side, row in enumerate(rows)]
        if most is not None and arrays.is_float and length > TOP:
            unclear = _unclear(arrays.largest_of(rows[0], TOP + 1), most)
            rows = [row[unclear] for row in rows]
    unclear = len(rows[0]) if most != 0.0 else 0
    tally.same_top += count - unclear
    tally.same_top5 += count - unclear
    if not unclear:
        return
    tops = [row.argmax(1) for row in rows]
    # A NaN counts as the largest.
    nan = [xp.isnan(row[xp.arange(len(row)), top]) for row, top in zip(rows, tops)]
    numbers = ~(nan[0] | nan[1])
    tally.same_top += int(xp.count_nonzero((tops[0] == tops[1]) & numbers))
    if length > TOP:
        masks = [row >= arrays.largest_of(row, TOP)[:, :1] for row in rows]
        numbers = (masks[0] == masks[1]).all(1) & numbers
    tally.same_top5 += int(xp.count_nonzero(numbers))


def _unclear(largest, most):
    """Which rows' largest elements could change places, when no element changes by more than ``most``."""
    gap = 2 * most / NEARLY
    return (largest[:, -1] - largest[:, -2] <= gap) | (largest[:, 1] - largest[:, 0] <= gap)
