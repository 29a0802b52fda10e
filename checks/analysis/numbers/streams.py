"""Whether two places draw the same random numbers from the same seed.

They do, bit for bit; or the generators give the same bits, and another logarithm or sine makes normal numbers of them,
which moves each by a few roundings; or these are other numbers altogether. In between there is nothing: independent
normal numbers are 1.1 apart on average, and of hundreds of pairs never are all as near as rounding leaves them.
"""

from checks.analysis.numbers.magnitude import Magnitude, Size
from checks.analysis.numbers.portraits import compare_portraits, difference_of
from checks.facts import ArrayDifference, Portrait
from checks.knowledge.frameworks.computations import known_operations

# How far apart the same bits may become. A normal number is sqrt(-2 log u) times a sine: where u is near 1 the
# logarithm is near 0, and keeps few of the digits of float32. PyTorch 2.13.0 with and without AVX2 is up to 2.2e-6
# apart in 1,048,576 numbers; functions of less accuracy may be farther, and other numbers always are.
NEAR = 2.0**-13


def is_stream(operation: str) -> bool:
    """Whether an operation draws random numbers."""
    known = known_operations().get(operation)
    return known is not None and known.stream


def stream_magnitude(first: Portrait, second: Portrait) -> tuple[ArrayDifference, Magnitude] | None:
    """How two streams differ; None where they cannot be compared: each framework has generators of its own."""
    found = compare_portraits(first, second) if first.framework == second.framework else None
    if found is None:
        return None
    difference = difference_of(found, first)
    if found.same_bits:
        return difference, Magnitude((Size.IDENTICAL,), relative=0.0)
    apart = difference.max_abs
    if apart is None or apart > NEAR or difference.nan or difference.infinite:
        return difference, Magnitude((Size.STREAM,))
    relative = apart / difference.scale if difference.scale else None
    return difference, Magnitude((Size.ROUNDING,), bound=NEAR, times=apart / NEAR, relative=relative)
