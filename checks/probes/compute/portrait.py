"""What is kept of a result so that another machine can compare its own without it.

The result is a dict with fields of the fact Portrait. From the same bits comes the same portrait on every device and
with every version.

Samples are the elements at places that are drawn for their number alone. The elements in order are cut into at most
BLOCKS blocks of equal length, the last filled up with zeros (long ones into units again, whose sums are added in
order); a block's sum is taken in float64 by adding the second half of it to the first, again and again, so that the
order of the additions is the same everywhere, and each is rounded as IEEE 754 says. Elements that are not finite count
as zero there, and are counted. Of complex numbers each part is an element of its own.
"""

from . import kit as compute
from .bits import fingerprint as fingerprints
from .bits import inputs, pieces
from .operations import Stream
from .runs import FULL, NotTried, Run
from .tried import in_other_orders, in_shorter_formats

SAMPLES = 256
SHOWN = 64  # samples of which it is told what shorter formats make of them
BLOCKS = 64
STREAM = 0x70617274  # of the places
UNIT = 1 << 20  # elements of which float64 copies are made at once; the sum of a longer block is that of such units
INFINITY = float("inf")


def stage(backend, argument, clock):
    """The facts of the kind "portrait": each operation by default, and under the settings that tell machines apart.

    Where one machine's default is the other's result with one thread, the number of threads is the difference. The
    settings come last: a portrait without a partner helps nobody. Random numbers are drawn by default alone: settings
    of the arithmetic choose no generator.
    """
    default = argument.get("setting", "default")
    known = {}

    def measured(what, part):
        operation, setting = what
        if isinstance(operation, Stream):
            try:
                return backend.portrait(backend.stream(operation))
            except NotTried as answer:
                return answer.figures
        if operation.name not in known:
            drawn = backend.host_inputs(operation, FULL)
            exact = backend.exact(drawn)
            known[operation.name] = drawn, exact, backend.condition(operation, exact)
        drawn, exact, condition = known[operation.name]
        run = Run(backend.device)
        try:
            result, _ = backend.result(operation, drawn, run if setting == default else run.with_setting(setting), part)
        except NotTried as answer:
            return answer.figures
        figures = dict(backend.portrait(result), condition=condition)
        if setting == "default":
            figures.update(_tried(backend, operation, drawn, exact, condition, part))
        return figures

    yield from compute.measure_listed(_entries(backend, default), clock, measured, argument)


def _tried(backend, operation, drawn, exact, condition, clock):
    """What other orders and shorter formats make here."""
    truth = backend.truth(operation, exact)
    shown = places(len(truth.reshape(-1)))[:SHOWN]
    errors = in_shorter_formats(backend, operation, exact, truth)
    found = {"shorter": {name: [float("%.4g" % one) for one in of.reshape(-1)[shown]] for name, of in errors.items()}}
    results = in_other_orders(backend, operation, drawn, len(truth.reshape(-1)), clock) if operation.orders else []
    if results and condition > 0:
        first, *others = results
        moved = max(_farthest(backend.numbers, first, other) for other in others)
        found["reordered"] = {"moved": moved / condition, "runs": len(others)}
    return found


def _farthest(numbers, first, second):
    """The largest distance of what is finite in both; of nothing that is, 0."""
    both = numbers.isfinite(first) & numbers.isfinite(second)
    return float(abs(first[both] - second[both]).max()) if bool(both.any()) else 0.0


def _entries(backend, default):
    """(Facts that name it, (operation, setting)) of all portraits; ``default``: the setting of this process.

    Random numbers come first: they take milliseconds, and other ones from the same seed explain more than any rounding.
    """
    for stream in backend.streams if default == "default" else ():
        yield backend.named("portrait", stream, backend.drawn_as, setting=default), (stream, default)
    for setting in (default, *(backend.portraits() if default == "default" else ())):
        for operation in backend.operations:
            if backend.available(operation) and (setting == default or backend.matters(operation, setting)):
                yield backend.named("portrait", operation, FULL, setting=setting), (operation, setting)


def places(count):
    """Where the samples are taken: all places of a small array, else as many as SAMPLES, drawn."""
    if count <= SAMPLES:
        return list(range(count))
    words = inputs.integers(2 * SAMPLES, STREAM)
    return [((high << 32 | low) * count) >> 64 for high, low in zip(words[0::2], words[1::2])]


def block_length(count):
    """The elements of a block; of a long one a multiple of UNIT."""
    length = max(1, -(-count // BLOCKS))
    return length if length <= UNIT else -(-length // UNIT) * UNIT


def numpy_portrait(numpy, array):
    """The portrait of an array.

    Raises:
        compute.fingerprint.NotFingerprinted: its elements are no numbers.
    """
    array = numpy.asarray(array)
    figures = {"shape": list(array.shape), "fingerprint": fingerprints.numpy_fingerprint(numpy, array)}
    wanted = numpy.array(places(array.size), dtype=numpy.int64)
    all_of_them = array.size <= SAMPLES
    bits = array.reshape(-1) if all_of_them else array[numpy.unravel_index(wanted, array.shape)]
    bits = numpy.ascontiguousarray(bits.astype(bits.dtype.newbyteorder("<")))
    is_complex = array.dtype.kind == "c"
    figures["samples"] = _hexadecimal(bits.tobytes(), bits.dtype.itemsize, 2 if is_complex else 1)

    def parts(most):
        for (piece,) in pieces.pieces([array], most, pieces.numpy_is_flat):
            parts_of = numpy.ascontiguousarray(piece).view(piece.real.dtype) if is_complex else piece
            yield parts_of.astype(numpy.float64)

    return dict(figures, **_figures(numpy, numpy.concatenate, parts, array.size, is_complex))


def torch_portrait(torch, tensor):
    """The portrait of a tensor, computed on its device where that has float64."""
    with torch.no_grad():
        plain = tensor.detach().resolve_conj().resolve_neg()
        figures = {"shape": list(plain.shape), "fingerprint": fingerprints.torch_fingerprint(torch, plain)}
        taken = _torch_taken(torch, plain, places(plain.numel()))
        is_complex = plain.is_complex()
        data = bytes(taken.view(torch.uint8).tolist())
        figures["samples"] = _hexadecimal(data, plain.element_size(), 2 if is_complex else 1)

        def parts(most):
            for (piece,) in pieces.pieces([plain], most, pieces.torch_is_flat):
                parts_of = torch.view_as_real(piece).reshape(-1) if is_complex else piece
                yield (parts_of if inputs.has_float64(torch, piece.device) else parts_of.cpu()).to(torch.float64)

        return dict(figures, **_figures(torch, torch.cat, parts, plain.numel(), is_complex))


def _torch_taken(torch, tensor, wanted):
    """The elements at these places, on the processor."""
    index = []
    flat = torch.tensor(wanted, dtype=torch.int64)
    for length in reversed(tensor.shape):
        index.append((flat % max(1, length)).to(tensor.device))
        flat = torch.div(flat, max(1, length), rounding_mode="floor")
    return tensor[tuple(index[::-1])].reshape(-1).cpu().contiguous()


def _hexadecimal(data, size, numbers):
    """Elements as they are usually written: 1.0 in float32 is 3f800000. ``numbers``: in one element."""
    width = size // numbers
    written = [data[start : start + width][::-1].hex() for start in range(0, len(data), width)]
    return ["".join(written[start : start + numbers]) for start in range(0, len(written), numbers)]


def _figures(xp, cat, parts, count, is_complex):
    """Sums of blocks, the largest magnitude, and how many elements are not numbers."""
    count *= 2 if is_complex else 1
    length = block_length(count)
    unit = min(length, UNIT)
    most = max(1, UNIT // unit) * unit
    figures = {"scale": None, "nan": 0, "infinite": 0}
    units, left = [], None
    for part in parts(most // 2 if is_complex else most):
        numbers = _numbers(xp, part, figures)
        left = numbers if left is None else cat([left, numbers])
        whole = len(left) // unit * unit
        if whole:
            units.extend(_halved(cat, left[:whole].reshape(-1, unit)))
        left = left[whole:] if whole < len(left) else None
    if left is not None:
        zeros = xp.zeros_like(left[:1]).repeat(unit - len(left))
        units.extend(_halved(cat, cat([left, zeros]).reshape(1, unit)))
    count = length // unit
    sums = [sum(units[start : start + count]) for start in range(0, len(units), count)]
    return dict(figures, block_sums=[float(total).hex() for total in sums])


def _numbers(xp, part, figures):
    """The elements with zeros for those that are not finite, which are counted."""
    sizes = abs(part)
    largest = float(sizes.max())
    if not largest < INFINITY:
        figures["nan"] += int(xp.count_nonzero(xp.isnan(part)))
        figures["infinite"] += int(xp.count_nonzero(xp.isinf(part)))
        finite = xp.isfinite(part)
        part = xp.where(finite, part, xp.zeros_like(part))
        largest = float(abs(part).max()) if bool(finite.any()) else None
    if largest is not None:
        figures["scale"] = largest if figures["scale"] is None else max(largest, figures["scale"])
    return part


def _halved(cat, rows):
    """The sum of each row: the second half is added to the first, until one is left."""
    while rows.shape[1] > 1:
        half = rows.shape[1] // 2
        sums = rows[:, :half] + rows[:, half : 2 * half]
        rows = cat([sums, rows[:, 2 * half :]], 1) if rows.shape[1] % 2 else sums
    return rows[:, 0].tolist()
