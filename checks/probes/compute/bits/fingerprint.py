"""A fingerprint of all bits of an array, computed where it lives.

The same bits, shape and dtype give the same 16 hexadecimal digits from NumPy and PyTorch on any device.

**How.** The bytes are words of 32 bits, the words blocks of BLOCK; of each block the sum of weight times word modulo
2^64, with fixed odd weights of 64 bits. The sums are words of the next level, with other weights, until one is left,
which is hashed with shape and dtype. Integers add up to the same in any order, so that neither threads nor atomic
operations matter.

**What it sees.** Weights are odd and differ from each other in their low 33 bits: one changed word, or two words that
changed places in a block, always change the sum. For any other difference of two blocks the sums are equal with a
probability of at most 2^-32 over random odd weights (the least where only top bits differ, as in a negated tensor;
2^-63 for odd differences); in all levels together at most 2^-32 times their number, four for 4 GB. It is the
multilinear hash of Lemire and Kaser ("Strongly universal string hashing is fast", The Computer Journal 57, 2014) with
words half as wide as the sums: with words as wide as the sums, two changed signs would cancel out. The weights are
published: it finds accidents, not forgers.

**How fast.** As the sum of a block is linear in its bytes, it is also a product of matrices of bytes: with the weights
in eight digits of base 256, sum = sum over t of 256^t * (bytes @ digits shifted by t), exact in 32-bit integers. Where
PyTorch has such a product, one pass reads the data at the speed of the memory. Bytes are signed there, so that a word
is the sum of its four signed bytes times 256^b: for words as the processor has them, (word ^ LOW) - LOW. Which way is
right and quick on a device is found once, by trying both on blocks whose sums are known.
"""

import functools
import hashlib
import math
import time

from . import inputs, pieces

BLOCK = 1024  # words: the product of bytes is exact in 32 bits up to 32768
BYTES = 4 * BLOCK
LOW = 0x808080  # the top bits of the three bytes that are unsigned in a signed word
STREAM = 0x6E616F73  # the weights' own stream of the portable inputs
MODULUS = 1 << 64
ROWS = 16  # blocks at once: what is between stays in a processor's own cache, and PyTorch starts no threads for it
DEVICE_ROWS = 4096  # likewise in a GPU's
MATMUL_ROWS = 1 << 16  # blocks of one product: 256 MB
LEAST_ROWS = 17  # of a product of bytes, by CUDA's rule
PIECE_BYTES = MATMUL_ROWS * BYTES
TRIALS = 5  # to find the quick way: the best of some, as others use the machine
# Of some 70 KB each. What a GPU does with a few MB takes no longer than the calls: on one day's H100 the product was
# chosen (1345 GB/s), on the next one's not (283 GB/s). A processor gets the last number, and who has no room for more.
_TRIAL_COPIES = (1024, 64)
MUCH_SLOWER = 3.0  # than word by word is a product where the processor lacks it; less is chance

_ways = {}


class NotFingerprinted(TypeError):  # noqa: N818 - not an error but an answer
    """An array whose bits say nothing: Python objects, padding."""


@functools.lru_cache(maxsize=None)
def weights(level):
    """The weights of a level, as signed 64-bit integers."""
    words = inputs.integers(2 * BLOCK, STREAM + level)
    return [_signed((high << 32 | low) | 1) for high, low in zip(words[0::2], words[1::2])]


def digits(level):
    """The matrix of the product of bytes, column by column: BYTES rows, a column for each power of 256."""
    columns = [[0] * BYTES for _ in range(8)]
    for place, weight in enumerate(weights(level)):
        rest = weight
        for digit in range(8):
            signed = ((rest & 0xFF) ^ 0x80) - 0x80
            rest = (rest - signed) >> 8
            for byte in range(min(4, 8 - digit)):
                columns[digit + byte][4 * place + byte] = signed
    return columns


@functools.lru_cache(maxsize=None)
def correction(level):
    """What the sums of (word ^ LOW) * weight have too much."""
    return _signed(LOW * sum(weights(level)))


def _signed(number):
    number %= MODULUS
    return number - MODULUS if number >> 63 else number


def _finish(total, dtype, shape):
    text = "%s %s %016x" % (dtype, list(map(int, shape)), int(total) % MODULUS)
    return hashlib.blake2b(text.encode("ascii"), digest_size=8).hexdigest()


def _levels(count, first, rest):
    """One number from all. ``first()``: the sums of the data's blocks; ``rest(sums, level)``: of the sums' blocks."""
    if not count:
        return 0
    sums, level = first(), 0
    while len(sums) > 1:
        level += 1
        sums = rest(sums, level)
    return sums[0]


def _blocks(parts, cat, padded):
    """The bytes of all parts in order, in whole blocks but for the last, which is filled up with zeros."""
    left = None
    for part in parts:
        data = part if left is None else cat([left, part])
        whole = len(data) // BYTES * BYTES
        left = data[whole:] if whole < len(data) else None
        if whole:
            yield data[:whole]
    if left is not None:
        yield padded(left)


def combined(fingerprints):
    """One fingerprint of several, in their order."""
    return hashlib.blake2b(" ".join(fingerprints).encode("ascii"), digest_size=8).hexdigest()


# --- NumPy ------------------------------------------------------------------------------------------------------------


def numpy_fingerprint(numpy, array):
    """The fingerprint of an array.

    Raises:
        NotFingerprinted: it holds objects or texts, or numbers with bytes that mean nothing (long double).
    """
    array = numpy.asarray(array)
    dtype = array.dtype
    if not inputs.has_plain_bits(dtype):
        raise NotFingerprinted("an array of %s" % dtype)
    arrays = {}

    def sums_of(data, level):
        if level not in arrays:
            arrays[level] = numpy.array(weights(level), dtype=numpy.int64)
        return _numpy_sums(numpy, data, arrays[level], correction(level))

    def first():
        return numpy.concatenate([sums_of(data, 0) for data in _numpy_bytes(numpy, array)])

    def rest(sums, level):
        return sums_of(_numpy_padded(numpy, sums.view(numpy.uint8)), level)

    return _finish(_levels(array.size, first, rest), dtype.name, array.shape)


def _numpy_bytes(numpy, array):
    def parts():
        for (piece,) in pieces.pieces([array], PIECE_BYTES // array.dtype.itemsize, pieces.numpy_is_flat):
            yield (piece if piece.dtype.isnative else piece.astype(piece.dtype.newbyteorder("="))).view(numpy.uint8)

    return _blocks(parts(), numpy.concatenate, lambda data: _numpy_padded(numpy, data))


def _numpy_padded(numpy, data):
    missing = -len(data) % BYTES
    return numpy.concatenate([data, numpy.zeros(missing, numpy.uint8)]) if missing else data


def _numpy_sums(numpy, data, weight, too_much):
    words = data.view(numpy.int32).reshape(-1, BLOCK)
    sums = numpy.empty(len(words), numpy.int64)
    wide = numpy.empty((min(ROWS, len(words)), BLOCK), numpy.int64)
    for start in range(0, len(words), ROWS):
        part = words[start : start + ROWS]
        numpy.bitwise_xor(part, numpy.int32(LOW), out=wide[: len(part)])
        sums[start : start + ROWS] = numpy.einsum("ij,j->i", wide[: len(part)], weight)
    return sums - too_much


# --- PyTorch ----------------------------------------------------------------------------------------------------------


def torch_fingerprint(torch, tensor):
    """The fingerprint of a tensor, computed on its device."""
    return _finish(_torch_total(torch, tensor), inputs.name_of(tensor.dtype), tensor.shape)


def torch_codes(torch, tensors):
    """64 bits of several tensors, in their order, as a tensor that stays on their device: nothing waits for it.

    Equal where their fingerprints are equal; to tell the results of many repetitions apart, of which it is read once.
    """
    code = torch.zeros((), dtype=torch.int64, device=tensors[0].device)
    for tensor in tensors:
        named = _number_of("%s %s" % (inputs.name_of(tensor.dtype), list(map(int, tensor.shape))))
        code = code * CODE_FACTOR + _torch_total(torch, tensor) + named
    return code


CODE_FACTOR = 0x5851F42D4C957F2D  # odd, so that no bit is lost


@functools.lru_cache(maxsize=256)
def _number_of(text):
    return _signed(int.from_bytes(hashlib.blake2b(text.encode("ascii"), digest_size=8).digest(), "big"))


class TorchCodes:
    """64 bits of each of many results, that are to be distinguished and of which each is several tensors.

    Of small results the calls take longer than the bytes, so that many are looked at together. Nothing waits for the
    device until ``read``.
    """

    def __init__(self, torch):
        self._torch = torch
        self._codes, self._rows, self._numbers = [], [], []
        self._waiting = 0  # bytes

    def add(self, tensors):
        """One more result."""
        size = sum(tensor.numel() * tensor.element_size() for tensor in tensors)
        together, waiting = _TOGETHER["cpu" if tensors[0].device.type == "cpu" else "gpu"]
        if size > together:
            self._look()
            self._codes.append(torch_codes(self._torch, tensors).reshape(1))
            return
        if self._rows and len(self._rows[0]) != size:
            self._look()
        self._rows.append(_torch_row(self._torch, tensors))
        about = "; ".join("%s %s" % (tensor.dtype, list(tensor.shape)) for tensor in tensors)
        self._numbers.append(_number_of(about))
        self._waiting += size
        if self._waiting > waiting:
            self._look()

    def read(self):
        """The codes of all that were added since the last time, as integers."""
        self._look()
        codes, self._codes = self._codes, []
        return self._torch.cat(codes).tolist() if codes else []

    def _look(self):
        torch, rows, numbers = self._torch, self._rows, self._numbers
        self._rows, self._numbers, self._waiting = [], [], 0
        if not rows:
            return
        data = torch.stack(rows)
        if data.shape[1] % BYTES or not data.shape[1]:
            filled = data.new_zeros((len(rows), max(1, -(-data.shape[1] // BYTES)) * BYTES))
            filled[:, : data.shape[1]] = data
            data = filled
        sums = _Torch.of(torch, data.device).of_rows(data).to(data.device)
        if len(set(numbers)) > 1:  # of other shapes, with as many bytes
            self._codes.append(sums + torch.tensor(numbers, device=sums.device))
        else:
            self._codes.append(sums + numbers[0])


# Bytes of a result that is looked at with others, and of those that wait for it: what a processor's cache holds. A GPU
# has read 64 MB before the thirty calls for one result have even begun (0.4 ms of calls on an H100, 2026-11-22).
_TOGETHER = {"cpu": (1 << 18, 1 << 21), "gpu": (1 << 24, 1 << 26)}


def _torch_row(torch, tensors):
    """The bytes of several tensors, one after the other."""
    with torch.no_grad():
        rows = [pieces.flat(_plain(torch, tensor).contiguous()).view(torch.uint8) for tensor in tensors]
        return rows[0] if len(rows) == 1 else torch.cat(rows)


def _plain(torch, tensor):
    """The tensor with what was put off carried out."""
    if not inputs.is_of_numbers(torch, tensor):
        raise NotFingerprinted("a tensor of %s, %s" % (tensor.dtype, tensor.layout))
    return tensor.detach().resolve_conj().resolve_neg()


def _torch_total(torch, tensor):
    with torch.no_grad():
        plain = _plain(torch, tensor)
        state = _Torch.of(torch, plain.device)

        def first():
            return torch.cat([state.sums(data, 0) for data in _torch_bytes(torch, plain, state)])

        def rest(sums, level):
            return state.sums(_torch_padded(torch, sums.view(torch.uint8)), level)

        return _levels(plain.numel(), first, rest)


def torch_fingerprints(torch, tensors):
    """One fingerprint of several tensors, in their order; None may be among them."""
    if not isinstance(tensors, (tuple, list)):
        return torch_fingerprint(torch, tensors)
    return combined("none" if tensor is None else torch_fingerprints(torch, tensor) for tensor in tensors)


def _torch_bytes(torch, tensor, state):
    def parts():
        for (piece,) in pieces.pieces([tensor], PIECE_BYTES // tensor.element_size(), pieces.torch_is_flat):
            yield state.here(piece).view(torch.uint8)

    for data in _blocks(parts(), torch.cat, lambda data: _torch_padded(torch, data)):
        # An int32 view needs a start that is a multiple of four bytes.
        yield data if data.storage_offset() % 4 == 0 else data.clone()


def _torch_padded(torch, data):
    missing = -len(data) % BYTES
    return torch.cat([data, data.new_zeros(missing)]) if missing else data


class _Torch:
    """The sums of blocks on one device, in the way that is quickest there."""

    def __init__(self, torch, device):
        self.torch = torch
        self.device = device
        self._weights = {}
        self._digits = {}
        self._way = self._words
        self._way = self._quickest()
        if self._way is None:  # the device has no such integers: its bytes are copied
            self.device = torch.device("cpu")
            self._weights, self._digits = {}, {}
            self._way = self._quickest()

    @staticmethod
    def of(torch, device):
        """One for each device, made when first asked for."""
        if device not in _ways:
            _ways[device] = _Torch(torch, device)
        return _ways[device]

    def here(self, piece):
        """A piece on the device on which it is summed up."""
        return piece.to(self.device)

    def sums(self, data, level):
        """The sums of whole blocks of bytes."""
        way = self._way if len(data) >= LEAST_ROWS * BYTES else self._words
        return way(data, level)

    def of_rows(self, data):
        """One number for each row of whole blocks."""
        sums, level = self.sums(self.here(data).view(-1), 0).view(len(data), -1), 0
        while sums.shape[1] > 1:
            level += 1
            words = sums.contiguous().view(self.torch.int32)
            weight = self._weight(level)
            if words.shape[1] <= BLOCK:
                return words.bitwise_xor(LOW).mul(weight[: words.shape[1]]).sum(1)
            blocks = -(-words.shape[1] // BLOCK)
            filled = words.new_zeros((len(words), blocks * BLOCK))
            filled[:, : words.shape[1]] = words
            sums = self.sums(filled.view(self.torch.uint8).view(-1), level).view(len(data), -1)
        return sums[:, 0]

    def _weight(self, level):
        if level not in self._weights:
            self._weights[level] = self.torch.tensor(weights(level), dtype=self.torch.int64, device=self.device)
        return self._weights[level]

    def _words(self, data, level):
        torch, weight = self.torch, self._weight(level)
        words = data.view(torch.int32).view(-1, BLOCK)
        rows = ROWS if self.device.type == "cpu" else DEVICE_ROWS
        if len(words) <= rows:  # the usual case, of which the time is that of the calls
            return words.bitwise_xor(LOW).mul(weight).sum(1).sub_(correction(level))
        sums = words.new_empty(len(words), dtype=torch.int64)
        short = words.new_empty((rows, BLOCK))
        wide = sums.new_empty((rows, BLOCK))
        for start in range(0, len(words), rows):
            part = words[start : start + rows]
            count = len(part)
            torch.bitwise_xor(part, LOW, out=short[:count])
            torch.mul(short[:count], weight, out=wide[:count])
            torch.sum(wide[:count], 1, out=sums[start : start + count])
        return sums - correction(level)

    def _matmul(self, data, level):
        torch = self.torch
        if level not in self._digits:
            columns = torch.tensor(digits(level), dtype=torch.int8, device=self.device)
            powers = torch.tensor([1 << 8 * power for power in range(8)], dtype=torch.int64, device=self.device)
            self._digits[level] = columns.t(), powers
        columns, powers = self._digits[level]
        return torch._int_mm(data.view(torch.int8).view(-1, BYTES), columns).mul(powers).sum(1)

    def _quickest(self):
        """The quickest way that gives the right sums on this device; None where none does."""
        torch = self.torch
        known, expected = _example(torch)
        seconds = {}
        for way in (self._matmul, self._words):
            try:
                data = known.to(self.device)
                right = way(data, 0).tolist() == expected
                least = self._least(way, data)
            except Exception:  # this version, device or type of it has no such operation
                right = False
            if right:
                seconds[way] = least
        if self._matmul in seconds and seconds[self._matmul] < MUCH_SLOWER * seconds.get(self._words, math.inf):
            return self._matmul
        return self._words if self._words in seconds else None

    def _least(self, way, data):
        """The seconds of a trial, of less data where there is no room for it."""
        for copies in _TRIAL_COPIES[self.device.type == "cpu" :]:
            try:
                many = data.repeat(copies)
                way(many, 0)[-1].item()
                return min(self._timed(way, many) for _ in range(TRIALS))
            except RuntimeError:
                continue
        return math.inf

    @staticmethod
    def _timed(way, data):
        started = time.perf_counter()
        way(data, 0)[-1].item()
        return time.perf_counter() - started


def _example(torch):
    """(Blocks with the largest and smallest bytes, and any; their sums, computed by Python)."""
    rows = [bytes([value]) * BYTES for value in (0, 0x7F, 0x80, 0xFF)]
    rows += [b"\x80\x7f" * (BYTES // 2), b"\x7f\x80" * (BYTES // 2)]
    for row in range(LEAST_ROWS - len(rows) + 1):
        words = inputs.integers(BLOCK, STREAM - 1, row * BLOCK)
        rows.append(b"".join(word.to_bytes(4, "little") for word in words))
    expected = [_signed(_sum_of(row, 0)) for row in rows]
    return torch.tensor(list(b"".join(rows)), dtype=torch.uint8), expected


def _sum_of(block, level):
    """The sum of one block in plain Python."""
    signed = [(byte ^ 0x80) - 0x80 for byte in block]
    words = zip(signed[0::4], signed[1::4], signed[2::4], signed[3::4])
    return sum(
        weight * (first + (second << 8) + (third << 16) + (fourth << 24))
        for weight, (first, second, third, fourth) in zip(weights(level), words)
    )
