"""How far one array is from another of the same shape, in one pass (``naosu_compute_difference``).

Standard library only, Python 3.8 and later; NumPy or PyTorch comes as an argument. The result is a dict with the fields
of the fact ArrayDifference.

**What is measured.** Elements whose bits differ count as differing, signed zeros and NaNs of other bits among them.
Distances are those of the elements that are finite in both: the difference in float64; relative to the reference where
that is not 0; in ULP the number of steps from one to the other through the type's numbers, in which the two zeros are
one (of whole numbers the difference itself), at most 2^63 - 1. Of complex numbers the modulus, and the ULP of the part
that is farther apart. Arrays of two types are compared by value, and in ULP of the type with fewer bits.

**How.** Pieces that fit into a processor's own cache are read once; most of what is asked of a piece follows from a few
passes over it there. Equal bits need the magnitudes alone. NumPy's operations release the lock, so that threads share
the pieces; their results are put together in the order of the pieces, so that they do not depend on the threads.
"""

import math

import naosu_compute_inputs as inputs
import naosu_compute_pieces as pieces

PIECE = 1 << 14  # elements: the float64 of both, and what comes of them, are half a MB
DEVICE_PIECE = 1 << 22  # on an accelerator, where every operation takes some microseconds to start
ROW = 1 << 18  # the longest last axis of which the largest elements are asked: more is no row of classes
MOST_ULP = (1 << 63) - 1
TOP = 5
SMALL_FLOATS = "float8"  # by tables: 256 values


class NotCompared(TypeError):
    """Arrays that cannot be compared: other shapes, or elements that are no numbers."""


def numpy_difference(numpy, reference, candidate):
    """Compare two arrays of NumPy.

    Raises:
        NotCompared: other shapes, or elements that are no numbers.
    """
    reference, candidate = numpy.asarray(reference), numpy.asarray(candidate)
    with numpy.errstate(all="ignore"):
        return _difference(_Numpy(numpy, reference, candidate), PIECE)


def torch_difference(torch, reference, candidate):
    """Compare two tensors where they are; the candidate is copied to the reference's device.

    Raises:
        NotCompared: other shapes, or elements that are no numbers.
    """
    with torch.no_grad():
        return _difference(_Torch(torch, reference, candidate), DEVICE_PIECE)


def _difference(arrays, most):
    if arrays.shape[0] != arrays.shape[1]:
        raise NotCompared("shapes %s and %s" % arrays.shape)
    shape = arrays.shape[0]
    row = shape[-1] if shape else 0
    total = _Tally()
    rows = _Rows(arrays, row) if 1 < row <= ROW and not arrays.is_complex else None
    if rows:
        most = max(1, most // row) * row
    start = 0
    for reference, candidate in pieces.pieces(arrays.both, most, arrays.is_flat):
        part = _Tally()
        _compare(arrays, part, reference, candidate, start)
        if rows:
            rows.add(part, reference, candidate)
        total.add(part)
        start += len(reference)
    return total.told(shape)


class _Tally:
    """What is counted of one piece, and of all."""

    def __init__(self):
        self.elements = self.differing = self.nan = self.infinite = 0
        self.max_abs = self.max_rel = self.max_ulp = self.scale = None
        self.histogram = []
        self.squares = [[], [], []]  # of the reference, of both, of the candidate: a number of each piece
        self.first = self.worst = None
        self.rows = self.same_top = self.same_top5 = 0

    def add(self, other):
        """Put together with what comes after it."""
        if other.max_abs is not None and (self.max_abs is None or other.max_abs > self.max_abs):
            self.worst = other.worst
        for name in ("max_abs", "max_rel", "max_ulp", "scale"):
            setattr(self, name, _larger(getattr(self, name), getattr(other, name)))
        for name in ("elements", "differing", "nan", "infinite", "rows", "same_top", "same_top5"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        if self.first is None:
            self.first = other.first
        self.histogram.extend([0] * (len(other.histogram) - len(self.histogram)))
        for place, count in enumerate(other.histogram):
            self.histogram[place] += count
        for mine, theirs in zip(self.squares, other.squares):
            mine.extend(theirs)

    def told(self, shape):
        """The fields of ArrayDifference."""
        reference, both, candidate = map(math.fsum, self.squares)
        norms = math.sqrt(reference) * math.sqrt(candidate)
        return {
            "elements": self.elements,
            "differing": self.differing,
            "max_abs": self.max_abs,
            "max_rel": self.max_rel,
            "max_ulp": self.max_ulp,
            "scale": self.scale,
            "cosine": max(-1.0, min(1.0, both / norms)) if norms and math.isfinite(norms) else None,
            "ulp_histogram": self.histogram,
            "nan": self.nan,
            "infinite": self.infinite,
            "first": _index(self.first, shape),
            "worst": _index(self.worst, shape) if self.max_abs else None,
            "same_top": self.same_top / self.rows if self.rows else None,
            "same_top5": self.same_top5 / self.rows if self.rows else None,
        }


def _larger(first, second):
    if first is None or second is None:
        return second if first is None else first
    return max(first, second)


def _index(flat, shape):
    """The index of an element that has this place among all."""
    if flat is None:
        return None
    index = []
    for length in reversed(shape):
        flat, place = divmod(flat, length)
        index.append(place)
    return index[::-1]


def _compare(arrays, part, reference, candidate, start):
    """Everything about one piece but its rows."""
    xp = arrays.xp
    part.elements = len(reference)
    unequal = arrays.unequal(reference, candidate)
    part.differing = int(xp.count_nonzero(unequal))
    first = arrays.values(0, reference)
    size = abs(first)
    part.scale = float(size.max())
    if not math.isfinite(part.scale):
        finite = size[xp.isfinite(size)]
        part.scale = float(finite.max()) if len(finite) else None
    if not part.differing:
        finite = first if len(first) == len(size) and arrays.all_finite(size) else first[xp.isfinite(first)]
        square = arrays.dot(finite, finite)
        for each in part.squares:
            each.append(square)
        part.max_abs, part.max_ulp = (0.0, 0) if len(finite) else (None, None)
        part.histogram = [len(finite)] if len(finite) else []
        return
    part.first = start + arrays.place(unequal)
    second = arrays.values(1, candidate)
    keys = arrays.keys(reference, candidate)
    places = None
    apart = arrays.apart(first, second, keys)
    if not arrays.all_finite(apart):
        _count_odd(xp, part, first, second, unequal)
        places = arrays.places(xp.isfinite(first) & xp.isfinite(second))
        if not len(places):
            return
        first, second, keys = first[places], second[places], [each[places] for each in keys]
        apart, size = arrays.apart(first, second, keys), abs(first)
    ulp = arrays.ulp(*keys)
    worst = int(apart.argmax())
    part.worst = start + (worst if places is None else int(places[worst]))
    part.max_abs = min(float(apart[worst]), LARGEST)
    part.max_rel = arrays.relative(apart, size)
    part.max_ulp = int(ulp.max())
    part.histogram = _histogram(xp, ulp, part.max_ulp)
    part.squares = [[arrays.dot(first, first)], [arrays.dot(first, second)], [arrays.dot(second, second)]]


LARGEST = 1.7976931348623157e308  # float64's: two finite numbers can be farther apart


def _count_odd(xp, part, first, second, unequal):
    part.nan = int(xp.count_nonzero(xp.isnan(first) != xp.isnan(second)))
    infinite = xp.isinf(first) | xp.isinf(second)
    part.infinite = int(xp.count_nonzero(infinite & unequal & (first != second)))


def _histogram(xp, ulp, largest):
    """Elements that are 0, 1, 2-3, 4-7, ... apart."""
    at_least = [len(ulp)]
    for power in range(largest.bit_length()):
        at_least.append(int(xp.count_nonzero(ulp >= (1 << power))))
    at_least.append(0)
    return [more - fewer for more, fewer in zip(at_least, at_least[1:])]


class _Rows:
    """How many rows have their largest elements at the same places. NaN is no largest element."""

    def __init__(self, arrays, length):
        self.arrays = arrays
        self.length = length

    def add(self, part, reference, candidate):
        """Count the rows of a piece."""
        xp, length = self.arrays.xp, self.length
        part.rows = len(reference) // length
        if not part.differing:
            part.same_top = part.same_top5 = part.rows
            return
        rows = [self.arrays.ordered(side, each).reshape(-1, length) for side, each in enumerate((reference, candidate))]
        tops = [each.argmax(1) for each in rows]
        numbers = ~(xp.isnan(rows[0]).any(1) | xp.isnan(rows[1]).any(1))
        part.same_top = int(xp.count_nonzero((tops[0] == tops[1]) & numbers))
        if length <= TOP:
            part.same_top5 = int(xp.count_nonzero(numbers))
            return
        masks = [each >= self.arrays.nth_largest(each, TOP) for each in rows]
        part.same_top5 = int(xp.count_nonzero((masks[0] == masks[1]).all(1) & numbers))


# --- what NumPy and PyTorch do differently ----------------------------------------------------------------------------


class _Format:
    """How the numbers of a type are told by their bits."""

    def __init__(self, name, size):
        self.name = name
        self.is_complex = name.startswith("complex")
        self.bits = 8 * size // (2 if self.is_complex else 1)
        self.is_float = self.is_complex or "float" in name
        self.by_table = name.startswith(SMALL_FLOATS)
        self.is_unsigned = name.startswith("uint") or name == "bool"
        self.sign = 1 << (self.bits - 1)


class _Arrays:
    """What both have in common. Subclasses: ``xp`` and the methods that are not here."""

    def __init__(self, shapes, formats):
        self.shape = shapes
        self.formats = formats
        self.is_same_type = formats[0].name == formats[1].name
        self.is_complex = any(each.is_complex for each in formats)
        self.is_float = any(each.is_float for each in formats)
        # ULP are those of the coarser type.
        self.coarser = min((0, 1), key=lambda side: (not formats[side].is_float, formats[side].bits))

    def unequal(self, reference, candidate):
        """Where the bits differ; of two types, where the values do."""
        if self.is_same_type:
            different = self.integers(reference) != self.integers(candidate)
            return different.reshape(-1, 2).any(1) if self.is_complex else different
        first, second = self.values(0, reference), self.values(1, candidate)
        return (first != second) & ~(self.xp.isnan(first) & self.xp.isnan(second))

    def keys(self, reference, candidate):
        """Whole numbers in the order of the elements, one step for each number of the type."""
        return [self.key(side, each) for side, each in enumerate((reference, candidate))]

    def key(self, side, piece):
        """The keys of one side."""
        form = self.formats[self.coarser]
        if not self.is_same_type and side != self.coarser:
            piece = self.as_coarser(piece)
        bits = self.integers(piece)
        if form.by_table:
            return self.table(form.name)[1][self.indices(bits)]
        if form.is_float:
            negative = bits >> (form.bits - 1)
            return (bits ^ (negative & (form.sign - 1))) - negative
        return bits ^ -form.sign if form.is_unsigned else bits

    def apart(self, first, second, keys):
        """The distances."""
        return abs(first - second) if self.is_float else self.real(self.ulp(*keys))

    def all_finite(self, sizes):
        """Whether all are; by the largest, as a NaN is the largest."""
        return math.isfinite(float(sizes.max()))

    def relative(self, apart, size):
        """The largest distance beside the reference."""
        some = size > 0
        if not bool(some.all()):
            apart, size = apart[some], size[some]
        return min(float((apart / size).max()), LARGEST) if len(size) else None

    def place(self, mask):
        """The first place that is set."""
        return int(self.real(mask).argmax())

    def ordered(self, side, piece):
        """Numbers in the order of the elements, for their largest."""
        return self.values(side, piece)


class _Numpy(_Arrays):
    def __init__(self, numpy, reference, candidate):
        self.xp = numpy
        self.both = [self._plain(reference), self._plain(candidate)]
        formats = [_Format(each.dtype.name, each.dtype.itemsize) for each in self.both]
        super().__init__((reference.shape, candidate.shape), formats)
        self.is_flat = pieces.numpy_is_flat
        self._tables = {}

    def _plain(self, array):
        if array.dtype.kind in "OSUMm" or array.dtype.names or array.dtype.char in "gG":
            raise NotCompared("an array of %s" % array.dtype)
        return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))

    def integers(self, piece):
        size = piece.dtype.itemsize // (2 if piece.dtype.kind == "c" else 1)
        return self.xp.ascontiguousarray(piece).view("i%d" % size)

    def indices(self, bits):
        return bits.view("u1")

    def values(self, side, piece):
        form = self.formats[side]
        if form.by_table:
            return self.table(form.name)[0][self.indices(self.integers(piece))]
        if form.name == "bfloat16":
            return (self.integers(piece).astype("i4") << 16).view("f4").astype("f8")
        if form.name == "float16":
            return piece.astype("f4").astype("f8")
        return piece.astype("c16" if form.is_complex else "f8")

    def table(self, name):
        if name not in self._tables:
            numpy = self.xp
            numbers = numpy.arange(256, dtype="u1").view(inputs.numpy_dtype(numpy, name)).astype("f8")
            order = numpy.unique(numbers[numpy.isfinite(numbers)])
            keys = numpy.searchsorted(order, numpy.where(numpy.isfinite(numbers), numbers, 0))
            self._tables[name] = numbers, keys.astype("i4")
        return self._tables[name]

    def as_coarser(self, piece):
        return piece.astype(self.both[self.coarser].dtype)

    def real(self, numbers):
        return numbers.astype("f8") if numbers.dtype.kind != "b" else numbers

    def ulp(self, first, second):
        numpy = self.xp
        if first.dtype.itemsize < 4:
            first, second = first.astype("i4"), second.astype("i4")
        apart = (numpy.maximum(first, second) - numpy.minimum(first, second)).view("u%d" % first.dtype.itemsize)
        if apart.dtype.itemsize == 8:
            apart = numpy.minimum(apart, numpy.uint64(MOST_ULP))
        return apart.reshape(-1, 2).max(1) if self.is_complex else apart

    def dot(self, first, second):
        return float(self.xp.vdot(first, second).real)

    def places(self, mask):
        return self.xp.flatnonzero(mask)

    def nth_largest(self, rows, place):
        length = rows.shape[1]
        return self.xp.partition(rows, length - place, axis=1)[:, length - place, None]


class _Torch(_Arrays):
    WIDTHS = {8: "int8", 16: "int16", 32: "int32", 64: "int64"}

    def __init__(self, torch, reference, candidate):
        self.xp = torch
        candidate = candidate.to(reference.device)
        self.both = [each.detach().resolve_conj().resolve_neg() for each in (reference, candidate)]
        if reference.device.type == "mps":  # has no float64
            self.both = [each.cpu() for each in self.both]
        formats = [_Format(inputs.name_of(each.dtype), each.element_size()) for each in self.both]
        super().__init__((tuple(reference.shape), tuple(candidate.shape)), formats)
        self.is_flat = pieces.torch_is_flat
        self._tables = {}

    def integers(self, piece):
        torch = self.xp
        if piece.is_complex():
            return torch.view_as_real(piece).reshape(-1).view(self._integer(piece.element_size() * 4))
        return piece.view(self._integer(piece.element_size() * 8))

    def _integer(self, bits):
        return getattr(self.xp, self.WIDTHS[bits])

    def indices(self, bits):
        return bits.view(self.xp.uint8).to(self.xp.int64)

    def values(self, side, piece):
        form = self.formats[side]
        if form.by_table:
            return self.table(form.name)[0][self.indices(self.integers(piece))]
        return piece.to(self.xp.complex128 if form.is_complex else self.xp.float64)

    def table(self, name):
        if name not in self._tables:
            torch = self.xp
            numbers = (
                torch.arange(256, dtype=torch.uint8).view(getattr(torch, name)).to(torch.float32).to(torch.float64)
            )
            order = torch.unique(numbers[torch.isfinite(numbers)])
            keys = torch.searchsorted(order, torch.where(torch.isfinite(numbers), numbers, torch.zeros_like(numbers)))
            self._tables[name] = numbers.to(self.both[0].device), keys.to(self.both[0].device)
        return self._tables[name]

    def as_coarser(self, piece):
        return piece.to(self.both[self.coarser].dtype)

    def real(self, numbers):
        return numbers.to(self.xp.float64)

    def ulp(self, first, second):
        torch = self.xp
        first, second = first.to(torch.int64), second.to(torch.int64)
        apart = torch.maximum(first, second) - torch.minimum(first, second)
        apart = torch.where(apart < 0, torch.full_like(apart, MOST_ULP), apart)
        return apart.reshape(-1, 2).amax(1) if self.is_complex else apart

    def dot(self, first, second):
        return float(self.xp.vdot(first, second).real) if self.is_complex else float(self.xp.dot(first, second))

    def places(self, mask):
        return self.xp.nonzero(mask).reshape(-1)

    def nth_largest(self, rows, place):
        return self.xp.topk(rows, place, dim=1).values[:, -1:]
