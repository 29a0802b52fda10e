"""How far one array is from another of the same shape, in one pass (``compute.difference``).

Standard library only, Python 3.8 and later; NumPy or PyTorch comes as an argument. The result is a dict with the fields
of the fact ArrayDifference.

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

from . import inputs, pieces

PIECE = 1 << 17  # bytes of what is computed at once: with all that is between 0.7 MB
PART = 1 << 20  # elements that are copied at once of an array that is not contiguous
SERIAL = 1 << 14  # elements for which PyTorch starts no threads, which are slow where others use the processor
DEVICE_PIECE = 1 << 22
DOT = 1 << 13  # elements: BLAS would start threads of its own for more
LINE = 64  # bytes
ONE = 127  # the exponent of 1 in float32
ROW = 1 << 18
TOP = 5
MOST_ULP = (1 << 63) - 1
LARGEST = 1.7976931348623157e308  # float64's: two finite numbers can be farther apart
LEAST_SQUARE = 2.0**-960  # 2^-1074 is the smallest number: below this, the sum of squares has lost some
NEARLY = 1.0 - 2.0**-20  # more than what is computed in float32 is off, so that no candidate for the largest is missed
FAR = 0.5  # relative: farther than this, signs may differ
FARTHEST = 2.0**100  # relative: what float32 holds
ROOM = (2.0**-40, 2.0**40)  # magnitudes whose squares float32 holds


class NotCompared(TypeError):  # noqa: N818 - not an error but an answer
    """Arrays that cannot be compared: other shapes, or elements that are no numbers."""


def numpy_difference(numpy, reference, candidate):
    """Compare two arrays of NumPy.

    Raises:
        NotCompared: other shapes, or elements that are no numbers.
    """
    return _difference(_Numpy(numpy, numpy.asarray(reference), numpy.asarray(candidate)))


def torch_difference(torch, reference, candidate):
    """Compare two tensors; on the processor by NumPy, which is quicker with small pieces, where that can take them.

    Raises:
        NotCompared: other shapes.
    """
    if reference.device.type == candidate.device.type == "cpu":
        try:
            import numpy as np

            arrays = [each.detach().resolve_conj().resolve_neg().numpy() for each in (reference, candidate)]
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
    return _difference(_Torch(torch, reference, candidate))


def _difference(arrays):
    shape = arrays.shape
    row = shape[-1] if shape and 1 < shape[-1] <= ROW and not arrays.is_complex else None
    most = max(1, arrays.part // row) * row if row else arrays.part
    total, start = _Tally(), 0
    with arrays.quietly():
        scratch = _Scratch(arrays)
        for part in pieces.pieces(arrays.both, most, arrays.is_flat):
            total.add(_tally_of(arrays, scratch, part, start, row))
            start += len(part[0])
    return total.told(shape)


class _Scratch:
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

    def told(self, shape):
        """The fields of ArrayDifference."""
        return {
            "elements": self.elements,
            "differing": self.differing,
            "max_abs": self.max_abs,
            "max_rel": self.max_rel,
            "max_ulp": self.max_ulp,
            "scale": self.scale,
            "cosine": _cosine(*self.products),
            "ulp_histogram": self.histogram,
            "nan": self.nan,
            "infinite": self.infinite,
            "first": _index(self.first, shape),
            "worst": _index(self.worst, shape) if self.max_abs else None,
            "same_top": self.same_top / self.rows if self.rows else None,
            "same_top5": self.same_top5 / self.rows if self.rows else None,
        }


def _cosine(reference, both, candidate, apart):
    """The cosine from sums of products; None where there is none, or squares of very small numbers got lost."""
    if not all(LEAST_SQUARE <= each <= LARGEST for each in (reference, candidate)):
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


def _index(flat, shape):
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
        piece = [each[offset : offset + most] for each in part]
        farthest = _compare(arrays, scratch, tally, piece, start + offset)
        if row:
            _compare_rows(arrays, tally, [each.reshape(-1, row) for each in piece], farthest)
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
    if arrays.has_room(scale, most):
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
    first, second = (arrays.values(scratch, side, each, arrays.wide) for side, each in enumerate(piece))
    tally.nan += int(xp.count_nonzero(xp.isnan(first) != xp.isnan(second)))
    infinite = (xp.isinf(first) | xp.isinf(second)) & unequal & (first != second)
    tally.infinite += int(xp.count_nonzero(infinite))
    finite = xp.isfinite(first)
    if bool(finite.any()):
        tally.scale = larger(tally.scale, float(abs(first[finite]).max()))
    both = arrays.places(finite & xp.isfinite(second))
    if len(both):
        kept = [each[both] for each in piece]
        first, second = first[both], second[both]
        apart, products = arrays.apart(scratch, first, second, kept)
        figures = arrays.size(scratch, "size", first), apart, float(apart.max()), products
        _count_apart(arrays, scratch, tally, kept, figures, lambda place: start + int(both[place]))


def _count_apart(arrays, scratch, tally, piece, figures, place_of):
    """Distances of elements that are all finite.

    Those that may be the largest are told by the distances as they were computed, and are then computed exactly.
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
        rows = [arrays.numbers(side, each.reshape(-1)).reshape(each.shape) for side, each in enumerate(rows)]
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
    nan = [xp.isnan(each[xp.arange(len(each)), top]) for each, top in zip(rows, tops)]
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


# --- what NumPy and PyTorch do differently ----------------------------------------------------------------------------


class _Format:
    """How the numbers of a type are told by their bits."""

    def __init__(self, name, size):
        self.name = name
        self.is_complex = name.startswith("complex")
        self.bits = 8 * size // (2 if self.is_complex else 1)
        self.is_float = self.is_complex or "float" in name
        self.by_table = self.is_float and self.bits == 8
        self.is_unsigned = name.startswith("uint") or name == "bool"
        self.sign = 1 << (self.bits - 1)


class _Arrays:
    """What both have in common: the order of numbers by their bits."""

    def __init__(self, formats):
        self.formats = formats
        self.is_same_type = formats[0].name == formats[1].name
        self.is_complex = any(each.is_complex for each in formats)
        self.is_float = any(each.is_float for each in formats)
        self.is_wide = any(each.bits == 64 for each in formats)
        # ULP are those of the type with fewer bits, of a floating-point type if one is.
        self.coarser = min((0, 1), key=lambda side: (not formats[side].is_float, formats[side].bits))
        self.sign = formats[self.coarser].sign
        # Short types are compared in float32, which is twice as quick; what decides is computed in float64.
        self.is_narrow = self.is_same_type and self.is_float and formats[0].bits <= 32 and not self.is_complex
        self.work_size = 4 if self.is_narrow else 16 if self.is_complex else 8  # bytes
        self._tables = {}

    def unequal(self, reference, candidate):
        """Where the bits differ; of two types, where the values do."""
        xp = self.xp
        if not self.is_same_type:
            first, second = self.numbers(0, reference), self.numbers(1, candidate)
            return (first != second) & ~(xp.isnan(first) & xp.isnan(second))
        unequal = self.integers(reference) != self.integers(candidate)
        return unequal.reshape(-1, 2).any(1) if self.is_complex else unequal

    def apart(self, scratch, first, second, piece):
        """(The distances, the sums of products)."""
        gap = self.xp.subtract(second, first, out=scratch("gap", first.dtype, len(first)))
        products = self.products(first, second, gap)
        if self.is_float:
            return (self.size(scratch, "apart", gap) if self.is_complex else self.xp.abs(gap, out=gap)), products
        steps = self.ulp(scratch, *piece)
        apart = self.copied(steps, scratch("apart", self.float64, len(first)))
        return (self.xp.where(steps == MOST_ULP, abs(gap), apart) if self.is_wide else apart), products

    def size(self, scratch, name, numbers):
        """The magnitudes."""
        kind = self.float64 if self.is_complex else numbers.dtype
        return self.xp.abs(numbers, out=scratch(name, kind, len(numbers)))

    def has_room(self, scale, apart):
        """Whether these numbers can be squared and subtracted in the type that is worked in. A NaN has none."""
        if self.is_narrow:
            return (scale == 0.0 or scale >= ROOM[0]) and scale <= ROOM[1] and apart <= ROOM[1]
        return scale <= LARGEST and apart <= LARGEST

    def products(self, first, second, gap):
        """Squares of the reference, products, squares of the candidate, squares of the distances: the sums.

        Of arrays that are near each other, the second and third by what the candidate has more than the reference.
        """
        reference, apart = self.dot(first, first), self.dot(gap, gap)
        if apart < reference / 16:
            both = reference + self.dot(first, gap)
            return reference, both, 2 * both - reference + apart, apart
        return reference, self.dot(first, second), self.dot(second, second), apart

    def exactly(self, piece, apart, places):
        """(Magnitudes of the reference, distances) at these places, in float64."""
        first = self.widened(0, piece[0][places])
        return abs(first), abs(self.widened(1, piece[1][places]) - first) if self.is_narrow else apart[places]

    def widened(self, side, piece):
        """The numbers in the type that holds them all."""
        return self.cast(self.numbers(side, piece), self.wide)

    def values(self, scratch, side, piece, kind):
        """The numbers in a type."""
        numbers = self.numbers(side, piece)
        if numbers.dtype == kind:
            return numbers
        return self.copied(numbers, scratch("values%d" % side, kind, len(piece)))

    def ulp(self, scratch, reference, candidate, is_near=False):
        """How many numbers of the type from one to the other; ``is_near``: no two signs differ but those of zeros."""
        form = self.formats[self.coarser]
        bits = []
        for side, each in enumerate((reference, candidate)):
            bits.append(self.integers(each if side == self.coarser or self.is_same_type else self.as_coarser(each)))
        if form.is_float and not form.by_table:
            work = scratch("gap", bits[0].dtype, len(bits[0]))  # which is not needed any more
            has_signs = is_near and self.sees_zeros and not self.is_complex
            if has_signs or int(self.xp.bitwise_xor(*bits, out=work).min()) >= 0:
                steps = self.xp.abs(self.xp.subtract(*bits, out=work), out=work)
                return self.per_element(steps)
        return self.per_element(self.steps(*(self.key(form, bit) for bit in bits)))

    def key(self, form, bits):
        """Whole numbers in the order of the elements, one step for each number of the type."""
        if form.by_table:
            return self.table(form.name)[1][self.indices(bits)]
        if form.is_float:
            negative = bits >> (form.bits - 1)
            return (bits ^ (negative & (form.sign - 1))) - negative
        return bits ^ -form.sign if form.is_unsigned else bits

    def histogram(self, scratch, ulp, largest):
        """Elements that are 0, 1, 2-3, 4-7, ... apart; where one is far, by the exponent of the distance in float32."""
        most = largest.bit_length()
        if most <= 8:
            ulp, count = self.copied(ulp, scratch("short", self.uint8, len(ulp))), self.xp.count_nonzero
            farther = [len(ulp), int(count(ulp)), *[int(count(ulp >= (1 << power))) for power in range(1, most)], 0]
            return [farther[power] - farther[power + 1] for power in range(most + 1)]
        if most > 24:  # would be rounded up to the next power of two; without the second bit it is not
            ulp = ulp & ~(ulp >> 1)
        exponents = self.exponents(scratch, ulp)
        if most > self.most_counted:
            return [int(each) for each in self.xp.bincount(exponents)[[0, *range(ONE, ONE + most)]]]
        ranges = [ONE - 1 + power if power else 0 for power in range(most)]
        counts = [int(self.xp.count_nonzero(exponents == each)) for each in ranges]
        return [*counts, len(ulp) - sum(counts)]

    def per_element(self, steps):
        """Of a complex number those of the part that is farther apart."""
        return self.xp.maximum(steps[0::2], steps[1::2]) if self.is_complex else steps


class _Numpy(_Arrays):
    part = PART
    sees_zeros = True  # of unlike signs, by distances read as numbers without a sign
    most_counted = 10  # ranges of ULP that are quicker counted one by one

    def __init__(self, numpy, reference, candidate):
        if reference.shape != candidate.shape:
            raise NotCompared("shapes %s and %s" % (reference.shape, candidate.shape))
        self.xp = numpy
        self.both = [self._native(reference), self._native(candidate)]
        self.shape, self.count = reference.shape, reference.size
        self.is_flat = pieces.numpy_is_flat
        super().__init__([_Format(each.dtype.name, each.dtype.itemsize) for each in self.both])
        self.float32, self.float64 = numpy.dtype("f4"), numpy.dtype("f8")
        self.int32, self.uint8 = numpy.dtype("i4"), numpy.dtype("u1")
        self._bits = {}  # type -> the whole numbers of its bits
        self.wide = numpy.dtype("c16") if self.is_complex else self.float64
        self.work = self.float32 if self.is_narrow else self.wide
        self.piece = PIECE // self.work_size

    @staticmethod
    def _native(array):
        if array.dtype.kind in "OSUMm" or array.dtype.names or array.dtype.char in "gG":
            raise NotCompared("an array of %s" % array.dtype)
        return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))

    def quietly(self):
        return self.xp.errstate(all="ignore")

    def bytes_of(self, mask):
        return mask.view("u1")

    def memory(self, size):
        # To write where a line of the processor's cache begins takes half the time.
        room = self.xp.empty(size + LINE, "u1")
        start = -room.ctypes.data % LINE
        return room[start : start + size]

    def integers(self, piece):
        kind = self._bits.get(piece.dtype)
        if kind is None:
            size = piece.dtype.itemsize // (2 if piece.dtype.kind == "c" else 1)
            kind = self._bits[piece.dtype] = self.xp.dtype("i%d" % size)
        return piece.view(kind)

    def largest(self, ulp):
        return int(ulp.view("u%d" % ulp.dtype.itemsize).max())

    def indices(self, bits):
        return bits.view("u1")

    def copied(self, numbers, out):
        self.xp.copyto(out, numbers, casting="unsafe")
        return out

    def numbers(self, side, piece):
        """In a type that NumPy is quick with."""
        form = self.formats[side]
        if form.by_table:
            return self.table(form.name)[0][self.indices(self.integers(piece))]
        if form.name == "bfloat16":
            return (self.integers(piece).astype("i4") << 16).view("f4")
        return piece.astype("f4") if form.name == "float16" else piece

    def cast(self, numbers, kind):
        return numbers.astype(kind)

    def table(self, name):
        """(Numbers, keys) of the 256 values of a type."""
        if name not in self._tables:
            numpy = self.xp
            numbers = numpy.arange(256, dtype="u1").view(inputs.numpy_dtype(numpy, name)).astype("f4")
            order = numpy.unique(numbers[numpy.isfinite(numbers)])
            keys = numpy.searchsorted(order, numpy.where(numpy.isfinite(numbers), numbers, 0))
            self._tables[name] = numbers, keys.astype("i4")
        return self._tables[name]

    def as_coarser(self, piece):
        return piece.astype(self.both[self.coarser].dtype)

    def exponents(self, scratch, ulp):
        real = self.copied(ulp, scratch("real", self.float32, len(ulp)))
        wide = self.xp.right_shift(real.view("i4"), 23, out=scratch("exponents", self.int32, len(ulp)))
        short = scratch("short", self.uint8, len(ulp))
        self.xp.copyto(short, wide, casting="unsafe")
        return short

    def steps(self, first, second):
        numpy = self.xp
        if first.dtype.itemsize < 4:
            first, second = first.astype("i4"), second.astype("i4")
        apart = (numpy.maximum(first, second) - numpy.minimum(first, second)).view("u%d" % first.dtype.itemsize)
        return numpy.minimum(apart, numpy.uint64(MOST_ULP)) if apart.dtype.itemsize == 8 else apart

    def dot(self, first, second):
        dot = self.xp.vdot if self.is_complex else self.xp.dot
        whole = len(first) // DOT * DOT
        total = float(dot(first[whole:], second[whole:]).real) if whole < len(first) else 0.0
        if whole and not self.is_complex:
            # One call for all: as many products of a row and a column.
            some = self.xp.matmul(first[:whole].reshape(-1, 1, DOT), second[:whole].reshape(-1, DOT, 1))
            return total + math.fsum(some.ravel().tolist())
        for start in range(0, whole, DOT):
            total += float(dot(first[start : start + DOT], second[start : start + DOT]).real)
        return total

    def places(self, mask):
        return self.xp.flatnonzero(mask)

    def largest_of(self, rows, count):
        """The largest of each row, in ascending order."""
        start = rows.shape[1] - count
        return self.xp.sort(self.xp.partition(rows, start, axis=1)[:, start:], axis=1)


class _Torch(_Arrays):
    sees_zeros = False
    most_counted = 64

    def __init__(self, torch, reference, candidate):
        if reference.shape != candidate.shape:
            raise NotCompared("shapes %s and %s" % (tuple(reference.shape), tuple(candidate.shape)))
        self.xp = torch
        device = reference.device if inputs.has_float64(torch, reference.device) else torch.device("cpu")
        self.both = [each.detach().resolve_conj().resolve_neg().to(device) for each in (reference, candidate)]
        self.device = device
        self.shape, self.count = tuple(reference.shape), reference.numel()
        self.is_flat = pieces.torch_is_flat
        super().__init__([_Format(inputs.name_of(each.dtype), each.element_size()) for each in self.both])
        self.float64, self.uint8 = torch.float64, torch.uint8
        self.float32 = torch.float32
        self.wide = torch.complex128 if self.is_complex else torch.float64
        self.work = torch.float32 if self.is_narrow else self.wide
        is_host = device.type == "cpu"
        self.piece, self.part = (SERIAL, PART) if is_host else (DEVICE_PIECE, DEVICE_PIECE)

    def quietly(self):
        return self.xp.no_grad()

    def bytes_of(self, mask):
        return mask.view(self.xp.uint8)

    def memory(self, size):
        return self.xp.empty(size, dtype=self.uint8, device=self.device)

    def integers(self, piece):
        torch = self.xp
        if piece.is_complex():
            piece = torch.view_as_real(piece).reshape(-1)
        return piece.view({1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[piece.element_size()])

    def largest(self, ulp):
        return int(ulp.max())

    def indices(self, bits):
        return bits.view(self.xp.uint8).to(self.xp.int64)

    def copied(self, numbers, out):
        return out.copy_(numbers)

    def numbers(self, side, piece):
        """In a type that every device computes with."""
        form = self.formats[side]
        if form.by_table:
            return self.table(form.name)[0][self.indices(self.integers(piece))]
        if form.is_float and form.bits < 32:
            return piece.to(self.xp.float32)
        return piece if form.is_float else piece.to(self.xp.float64)

    def cast(self, numbers, kind):
        return numbers.to(kind)

    def table(self, name):
        """(Numbers, keys) of the 256 values of a type."""
        if name not in self._tables:
            torch = self.xp
            numbers = torch.arange(256, dtype=torch.uint8).view(getattr(torch, name)).to(torch.float32)
            order = torch.unique(numbers[torch.isfinite(numbers)])
            keys = torch.searchsorted(order, torch.where(torch.isfinite(numbers), numbers, torch.zeros_like(numbers)))
            self._tables[name] = numbers.to(self.device), keys.to(self.device)
        return self._tables[name]

    def as_coarser(self, piece):
        return piece.to(self.both[self.coarser].dtype)

    def exponents(self, _, ulp):
        return ulp.to(self.xp.float32).view(self.xp.int32) >> 23

    def steps(self, first, second):
        torch = self.xp
        first, second = first.to(torch.int64), second.to(torch.int64)
        apart = torch.maximum(first, second) - torch.minimum(first, second)
        return torch.where(apart < 0, torch.full_like(apart, MOST_ULP), apart)

    def dot(self, first, second):
        torch = self.xp
        return float(torch.vdot(first, second).real if self.is_complex else torch.dot(first, second))

    def places(self, mask):
        return self.xp.nonzero(mask).reshape(-1)

    def largest_of(self, rows, count):
        return self.xp.topk(rows, count, dim=1).values.flip(1)
