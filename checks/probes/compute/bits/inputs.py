"""Inputs with the same bits on every system, version and device.

Words are those of Philox4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC11,
2011): four words of 32 bits from a counter and a key, by integer multiplication and exclusive or alone. Word i of
stream s is word i mod 4 of counter i div 4 under key s, so that any part can be made anywhere, in any order. The known
answers of the authors and ours are in tests/support/portable_inputs.toml.

A number in (-1, 1) is a sign and a whole number of magnitude below 2^bits, cut (not rounded) to as many leading bits as
the type's significand has, times 2^-bits: exact in the type, so that no conversion can round. Small numbers have as
many significant bits as large ones, like real data; with a fixed step, sums of half-precision products would be exact
in float32 and hide the order in which they were added. None is subnormal, which some devices take for 0.

TensorFlow's and JAX's arrays are NumPy's, which both depend on, copied to their device: JAX has 32-bit integers alone
unless the user chose otherwise.
"""

import functools
import re

MASK = 0xFFFFFFFF
MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
WEYL = (0x9E3779B9, 0xBB67AE85)
ROUNDS = 10
PART = 1 << 14  # words at once: what is between stays in a processor's own cache, and PyTorch starts no threads for it
DEVICE_PART = 1 << 22

# dtype -> (bits of the significand, bits of the magnitude: 2^-bits is no subnormal number)
FORMATS = {
    "float64": (53, 63), "float32": (24, 31), "bfloat16": (8, 31), "float16": (11, 14), "float8_e4m3fn": (4, 6),
    "float8_e4m3fnuz": (4, 7), "float8_e5m2": (3, 14), "float8_e5m2fnuz": (3, 15),
}  # fmt: skip
COMPLEX = {"complex64": "float32", "complex128": "float64"}
# Devices of PyTorch on which 64-bit integers wrap around as on the processor; for others, inputs are copied to them.
INTEGER_DEVICES = ("cpu", "cuda", "xpu")
# Types of PyTorch that only store: nothing can be computed with them, and a view of a quantised one ends the process.
_ONLY_STORED = re.compile(r"u?int[1-7]|qu?int\w+|bits\w+|float4\w+")


def philox(counter, key):
    """Four words for a counter of four words and a key of two: Python's integers, or 64-bit ones in arrays.

    A product may wrap around; its 64 bits are right all the same.
    """
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(ROUNDS):
        first, second = c0 * MULTIPLIERS[0], c2 * MULTIPLIERS[1]
        c0, c1 = (second >> 32) & MASK ^ c1 ^ k0, second & MASK
        c2, c3 = (first >> 32) & MASK ^ c3 ^ k1, first & MASK
        k0, k1 = (k0 + WEYL[0]) & MASK, (k1 + WEYL[1]) & MASK
    return c0, c1, c2, c3


def _key(stream):
    return stream & MASK, (stream >> 32) & MASK


def integers(count, stream, first=0):
    """The words ``first``, ``first`` + 1, ... of a stream, in plain Python: the reference for all others."""
    words = []
    for block in range(first // 4, (first + count + 3) // 4):
        words.extend(philox((block & MASK, block >> 32, 0, 0), _key(stream)))
    return words[first % 4 : first % 4 + count]


def below(words, limit):
    """Whole numbers in [0, limit) from words; the limit is at most 2^31."""
    return (words * limit) >> 32


def name_of(dtype):
    """The name of a dtype of any framework: "float32"."""
    if isinstance(dtype, str):
        return dtype
    name = getattr(dtype, "name", None) or getattr(dtype, "__name__", None) or str(dtype)
    return name.split(".")[-1]


def has_plain_bits(dtype):
    """Whether the elements of a dtype of NumPy are numbers whose every byte counts, or of one byte.

    Objects, texts and times are no numbers; long double has bytes that mean nothing. Of the numbers that ml_dtypes
    brings, which NumPy calls void, bfloat16 and those of one byte are known here.
    """
    if dtype.names or dtype.kind not in "biufcV" or (dtype.kind in "fc" and dtype.char in "gG"):
        return False
    return dtype.kind != "V" or dtype.name == "bfloat16" or (dtype.itemsize == 1 and not dtype.name.startswith("void"))


def is_of_numbers(torch, tensor):
    """Whether a tensor of PyTorch has its numbers in memory one by one, and can compute with them."""
    return tensor.layout == torch.strided and not _ONLY_STORED.fullmatch(name_of(tensor.dtype))


def _cut(magnitude, significant, length):
    """Without the bits that do not fit into the significand."""
    filled = magnitude
    shift = 1
    while shift < length:
        filled = filled | (filled >> shift)  # all bits below the leading one
        shift *= 2
    return magnitude & ~(filled >> significant)


def numerators(words, name):
    """Whole numbers that become the type's numbers times 2^-bits; of float64 from two words each."""
    significant, bits = FORMATS[name]
    if name == "float64":
        sign, magnitude = words[0::2] >> 31, ((words[0::2] & 0x7FFFFFFF) << 32) | words[1::2]
    else:
        sign, magnitude = words >> 31, (words & 0x7FFFFFFF) >> (31 - bits)
    return _cut(magnitude, significant, bits) * (1 - 2 * sign)


def _elements(shape):
    count = 1
    for length in shape:
        count *= int(length)
    return count


def _make(shape, per_element, out, words_of, convert, most=PART):
    """A flat array, filled part by part with what is made of so many words for each element."""
    count = _elements(shape) * per_element
    for start in range(0, count, most):
        words = min(most, count - start)
        out[start // per_element : (start + words) // per_element] = convert(words_of(start, words))
    return out.reshape(tuple(shape))


# --- NumPy ------------------------------------------------------------------------------------------------------------


def numpy_dtype(numpy, dtype):
    """A dtype by its name; those that NumPy lacks come from ml_dtypes, on which TensorFlow and JAX depend."""
    name = name_of(dtype)
    try:
        return numpy.dtype(name)
    except TypeError:
        import ml_dtypes

        return numpy.dtype(getattr(ml_dtypes, name))


def numpy_words(numpy, first, count, stream):
    """The words of a stream from ``first`` on, as int64; ``first`` is a multiple of 4."""
    block = numpy.arange(first // 4, (first + count + 3) // 4, dtype=numpy.int64)
    nought = numpy.zeros_like(block)
    words = philox((block & MASK, block >> 32, nought, nought), _key(stream))
    return numpy.stack(words, axis=1).reshape(-1)[:count]


def numpy_uniform(numpy, shape, dtype, stream):
    """An array of numbers in (-1, 1)."""
    name = name_of(dtype)
    if name in COMPLEX:
        parts = numpy_uniform(numpy, (*shape, 2), COMPLEX[name], stream)
        return parts.view(numpy.dtype(name)).reshape(tuple(shape))
    wide = numpy.float64 if name == "float64" else numpy.float32
    kind = numpy_dtype(numpy, name)
    step = wide(2.0 ** -FORMATS[name][1])

    def convert(words):
        return (numerators(words, name).astype(wide) * step).astype(kind)

    per_element = 2 if name == "float64" else 1
    out = numpy.empty(_elements(shape), kind)
    return _make(shape, per_element, out, functools.partial(numpy_words, numpy, stream=stream), convert)


def numpy_integers(numpy, shape, limit, stream, dtype="int64"):
    """An array of whole numbers in [0, limit); with the limit 2 and the dtype "bool" of truth values."""
    kind = numpy.dtype(name_of(dtype))
    out = numpy.empty(_elements(shape), kind)
    words_of = functools.partial(numpy_words, numpy, stream=stream)
    return _make(shape, 1, out, words_of, lambda words: below(words, limit).astype(kind))


# --- PyTorch ----------------------------------------------------------------------------------------------------------

_have_float64 = {}


def has_float64(torch, device):
    """Whether a device computes in float64.

    Metal does not; nor do Intel's Arc GPUs, which say so when they are to compute (intel/torch-xpu-ops issue 1742).
    """
    name = str(torch.device(device))
    if name not in _have_float64:
        try:
            twos = torch.ones(2, dtype=torch.float64, device=device) * 2
            _have_float64[name] = float(twos.sum()) == 4.0
        except (RuntimeError, TypeError):
            _have_float64[name] = False
    return _have_float64[name]


def torch_words(torch, first, count, stream, device="cpu"):
    """As numpy_words, made on the device."""
    block = torch.arange(first // 4, (first + count + 3) // 4, dtype=torch.int64, device=device)
    nought = torch.zeros_like(block)
    words = philox((block & MASK, block >> 32, nought, nought), _key(stream))
    return torch.stack(words, dim=1).reshape(-1)[:count]


def torch_uniform(torch, shape, dtype, stream, device="cpu"):
    """A tensor of numbers in (-1, 1)."""
    name = name_of(dtype)
    if name in COMPLEX:
        return torch.view_as_complex(torch_uniform(torch, (*shape, 2), COMPLEX[name], stream, device))
    wide = torch.float64 if name == "float64" else torch.float32
    kind = getattr(torch, name)
    step = 2.0 ** -FORMATS[name][1]

    def convert(words):
        return (numerators(words, name).to(wide) * step).to(kind)

    return _torch_make(torch, shape, 2 if name == "float64" else 1, kind, stream, device, convert)


def torch_integers(torch, shape, limit, stream, device="cpu", dtype="int64"):
    """A tensor of whole numbers in [0, limit); with the limit 2 and the dtype "bool" of truth values."""
    kind = getattr(torch, name_of(dtype))
    return _torch_make(torch, shape, 1, kind, stream, device, lambda words: below(words, limit).to(kind))


def _torch_make(torch, shape, per_element, kind, stream, device, convert):
    drawn_on = device if torch.device(device).type in INTEGER_DEVICES else "cpu"
    with torch.no_grad():
        out = torch.empty(_elements(shape), dtype=kind, device=drawn_on)
        words_of = functools.partial(torch_words, torch, stream=stream, device=drawn_on)
        most = PART if torch.device(drawn_on).type == "cpu" else DEVICE_PART
        return _make(shape, per_element, out, words_of, convert, most).to(device)


# --- TensorFlow and JAX -----------------------------------------------------------------------------------------------


def tensorflow_uniform(tensorflow, shape, dtype, stream, device="CPU:0"):
    """A tensor of numbers in (-1, 1)."""
    import numpy as np

    with tensorflow.device(device):
        return tensorflow.constant(numpy_uniform(np, shape, dtype, stream))


def tensorflow_integers(tensorflow, shape, limit, stream, device="CPU:0", dtype="int64"):
    """A tensor of whole numbers in [0, limit)."""
    import numpy as np

    with tensorflow.device(device):
        return tensorflow.constant(numpy_integers(np, shape, limit, stream, dtype))


def jax_uniform(jax, shape, dtype, stream, device=None):
    """An array of numbers in (-1, 1), on a device of ``jax.devices()``; as jax_integers, it refuses 64 bits."""
    import numpy as np

    return _to_jax(jax, numpy_uniform(np, shape, dtype, stream), device)


def jax_integers(jax, shape, limit, stream, device=None, dtype="int32"):
    """An array of whole numbers in [0, limit).

    Raises:
        TypeError: a 64-bit type, and JAX is not set to keep those.
    """
    import numpy as np

    return _to_jax(jax, numpy_integers(np, shape, limit, stream, dtype), device)


def _to_jax(jax, array, device):
    if array.dtype.itemsize // (2 if array.dtype.kind == "c" else 1) == 8 and not jax.config.jax_enable_x64:
        raise TypeError("JAX keeps no %s unless jax_enable_x64 is set" % array.dtype)
    return jax.device_put(array, device)
