"""What made the difference of two portraits, by how it lies, as mechanism.py tells it of errors.

Of the elements 256 at the most are compared one by one. One that none of them shows is seen where the sum of its block
stands out from those of all other blocks.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

from checks.analysis.numbers.magnitude import Form, Magnitude, Size, Work, magnitude, unit_roundoff
from checks.analysis.numbers.mechanism import ALIKE, ALIKE_ONE, CLEARLY, FEW, MANY, SIZES, Limits, limits, partly_alike
from checks.analysis.numbers.portraits import PortraitDifference, compare_portraits, difference_of
from checks.facts import ArrayDifference, Portrait, Reordered

_NO_SQUARE = 1e150  # of such numbers squares are no numbers; a damaged case may hold them


def portrait_magnitude(first: Portrait, second: Portrait, work: Work) -> tuple[ArrayDifference, Magnitude] | None:
    """How far two results of the same work are apart, and what made it; None where they cannot be compared.

    Without a condition, or what the probes of today try beside a portrait, it is told by size alone.
    """
    found = compare_portraits(first, second)
    if found is None:
        return None
    difference = difference_of(found, first)
    size = magnitude(difference, work)
    roundoff = unit_roundoff(work.dtype)
    is_settled = size.size in (Size.NOTHING, Size.IDENTICAL) or difference.nan or difference.infinite
    is_compared = bool(found.apart) and _have_squares(found.apart, found.values)
    tried = [portrait.reordered for portrait in (first, second) if portrait.reordered is not None]
    condition = work.condition or 0.0
    if is_settled or not is_compared or roundoff is None or condition <= 0 or not work.terms or len(tried) < 2:
        return difference, size
    both = Reordered(
        moved=sum(one.moved for one in tried),
        runs=min(one.runs for one in tried),
    )
    of_one = limits(work.terms, roundoff, found.elements, both, centred=work.centred)
    here = dataclasses.replace(of_one, usual=2 * of_one.usual, possible=2 * of_one.possible, seen=of_one.moved)
    sizes, form = _by_samples(found, (first.shorter or second.shorter), here, condition, size)
    largest = difference.max_abs or 0.0
    bound = condition * here.surely
    times = largest / bound if bound > 0 else None
    return difference, dataclasses.replace(size, sizes=sizes, form=form, bound=bound, times=times)


def _by_samples(
    found: PortraitDifference, shorter: dict[str, tuple[float, ...]], here: Limits, condition: float, size: Magnitude
) -> tuple[tuple[Size, ...], Form | None]:
    far = max(map(abs, found.apart)) / condition
    limit = here.surely * condition
    if far <= here.surely:
        # So many elements that are apart by rounding add up to the root of their number.
        odd = [apart for apart in found.odd_blocks if apart > limit * math.sqrt(found.block)]
        return ((Size.BEYOND,), Form.ELEMENTS) if odd else ((Size.ROUNDING,), None)
    form = _form(found, limit)
    # One factor in all is what a sum has, too, that rounds to the same side in every order.
    least = here.surely if form is Form.ELEMENTS else here.usual
    if form is not None and far > CLEARLY * least:
        return (Size.BEYOND,), form
    left, name, likeness = _of_shorter(found, shorter)
    rms = found.rms or 0.0
    is_one = len(found.apart) < MANY
    if name and left <= (min(limit, ALIKE_ONE * rms) if is_one else ALIKE * rms):
        return (SIZES[name],), None
    if far <= here.possible:
        return (Size.UNUSUAL,), None
    if shorter and (is_one or not partly_alike(likeness)):
        return (Size.BEYOND,), None
    return size.sizes, None


def _form(found: PortraitDifference, limit: float) -> Form | None:
    if len(found.apart) < MANY:
        return None
    if sum(abs(apart) > limit for apart in found.apart) <= max(1, len(found.apart) // FEW):
        return Form.ELEMENTS
    square = math.fsum(value * value for value in found.values)
    slope = _product(found.values, found.apart) / square if square else 0.0
    if all(abs(apart - slope * value) <= limit for apart, value in zip(found.apart, found.values, strict=True)):
        return Form.SCALED
    return None


def _of_shorter(found: PortraitDifference, shorter: dict[str, tuple[float, ...]]) -> tuple[float, str, float]:
    """What is left (root mean square) without the errors of the format that explains most, which, and their cosine."""
    best = (math.inf, "", 0.0)
    for name, errors in shorter.items():
        both = [(apart, errors[at]) for apart, at in zip(found.apart, found.places, strict=True) if at < len(errors)]
        if not both or name not in SIZES:
            continue
        apart, made = zip(*both, strict=True)
        if not _have_squares(made):
            continue
        product = _product(apart, made)
        size = math.sqrt(_product(apart, apart) * _product(made, made))
        sign = math.copysign(1.0, product)  # either of the two may be the shorter one
        left = math.sqrt(math.fsum((one - sign * other) ** 2 for one, other in both) / len(both))
        best = min(best, (left, name, abs(product) / size if size else 0.0))
    return best


def _have_squares(*numbers: Sequence[float]) -> bool:
    return all(abs(number) < _NO_SQUARE for row in numbers for number in row)


def _product(first: Sequence[float], second: Sequence[float]) -> float:
    return math.fsum(one * other for one, other in zip(first, second, strict=True))
