"""What NumPy and PyTorch do differently where arrays are compared: the numbers of a type, and their order by bits."""

import math

from . import inputs, pieces

PIECE = 1 << 17  # bytes of what is computed at once: with all that is between 0.7 MB
PART = 1 << 20  # elements that are copied at once of an array that is not contiguous
SERIAL = 1 << 14  # elements for which PyTorch starts no threads, which are slow where others use the processor
DEVICE_PIECE = 1 << 22
DOT = 1 << 13  # elements: BLAS would start threads of its own for more
LINE = 64  # bytes
ONE = 127  # the exponent of 1 in float32
MOST_ULP = (1 << 63) - 1
LARGEST = 1.7976931348623157e308  # float64's: two finite numbers can be farther apart
ROOM = (2.0**-40, 2.0**40)  # magnitudes whose squares float32 holds


class NotCompared(TypeError):  # noqa: N818 - not an error but an answer
    """Arrays that cannot be compared: other shapes, or elements that are not numbers."""


class _Format:
    """How the bits of a type are numbers."""

    def __init__(self, name, size, is_short=False):
        """``is_short``: not all bits of its bytes count."""
        self.name = name
        self.is_complex = name.startswith("complex")
        self.bits = 8 * size // (2 if self.is_complex else 1)
        self.is_float = self.is_complex or "float" in name
        self.by_table = is_short or (self.is_float and self.bits == 8)
        self.is_unsigned = name.startswith("uint") or name == "bool"
        self.sign = 1 << (self.bits - 1)


class _Arrays:
    """What both have in common: the order of numbers by their bits."""

    def __init__(self, formats):
        self.formats = formats
        self.is_same_type = formats[0].name == formats[1].name
        self.is_complex = any(form.is_complex for form in formats)
        self.is_float = any(form.is_float for form in formats)
        self.is_wide = any(form.bits == 64 for form in formats)
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

    def keeps_squares(self, products):
        """Whether the squares of the candidate were kept: beside a far larger reference its own may have got lost."""
        return not self.is_narrow or products[2] >= ROOM[0] ** 2

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
        for side, array in enumerate((reference, candidate)):
            bits.append(self.integers(array if side == self.coarser or self.is_same_type else self.as_coarser(array)))
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
            return [int(counted) for counted in self.xp.bincount(exponents)[[0, *range(ONE, ONE + most)]]]
        ranges = [ONE - 1 + power if power else 0 for power in range(most)]
        counts = [int(self.xp.count_nonzero(exponents == exponent)) for exponent in ranges]
        return [*counts, len(ulp) - sum(counts)]

    def per_element(self, steps):
        """Of a complex number those of the part that is farther apart."""
        return self.xp.maximum(steps[0::2], steps[1::2]) if self.is_complex else steps


class _Numpy(_Arrays):
    part = PART
    sees_zeros = True  # of unlike signs, by distances read as numbers without a sign
    most_counted = 10  # ranges of ULP that are quicker counted one by one

    def __init__(self, numpy, reference, candidate):
        reference, candidate = numpy.asarray(reference), numpy.asarray(candidate)
        if reference.shape != candidate.shape:
            raise NotCompared("shapes %s and %s" % (reference.shape, candidate.shape))
        self.xp = numpy
        self.both = [self._native(reference), self._native(candidate)]
        self.shape, self.count = reference.shape, reference.size
        self.is_flat = pieces.numpy_is_flat
        kinds = [array.dtype for array in self.both]
        super().__init__([_Format(kind.name, kind.itemsize, _is_of_ml_dtypes(kind)) for kind in kinds])
        self._kinds = {kind.name: kind for kind in kinds}
        self.float32, self.float64 = numpy.dtype("f4"), numpy.dtype("f8")
        self.int32, self.uint8 = numpy.dtype("i4"), numpy.dtype("u1")
        self._bits = {}  # type -> the whole numbers of its bits
        self.wide = numpy.dtype("c16") if self.is_complex else self.float64
        self.work = self.float32 if self.is_narrow else self.wide
        self.piece = PIECE // self.work_size

    @staticmethod
    def _native(array):
        if not inputs.has_plain_bits(array.dtype):
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
            numbers = numpy.arange(256, dtype="u1").view(self._kinds[name]).astype("f4")
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
            return total + _sum(some.ravel().tolist())
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
        for tensor in (reference, candidate):
            if not inputs.is_of_numbers(torch, tensor):
                raise NotCompared("a tensor of %s, %s" % (tensor.dtype, tensor.layout))
        self.xp = torch
        device = reference.device if inputs.has_float64(torch, reference.device) else torch.device("cpu")
        self.both = [tensor.detach().resolve_conj().resolve_neg().to(device) for tensor in (reference, candidate)]
        self.device = device
        self.shape, self.count = tuple(reference.shape), reference.numel()
        self.is_flat = pieces.torch_is_flat
        super().__init__([_Format(inputs.name_of(tensor.dtype), tensor.element_size()) for tensor in self.both])
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
            return piece.to(self.xp.complex64 if form.is_complex else self.xp.float32)
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


def _is_of_ml_dtypes(dtype):
    """Whether a type of one byte comes from ml_dtypes: numbers of 8 bits and fewer."""
    return dtype.itemsize == 1 and dtype.name not in ("int8", "uint8", "bool")


def _sum(numbers):
    """Their sum; NaN where it has none: infinities of both signs, or numbers that are too large."""
    try:
        return math.fsum(numbers)
    except (OverflowError, ValueError):
        return math.nan


of_numpy, of_torch = _Numpy, _Torch  # made of two arrays; raise NotCompared
