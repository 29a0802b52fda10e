"""What the differences that a text tells can be, by their size alone: never more than its numbers show.

What was computed is not known, so the bounds are those of magnitude.py for a product of many terms. The size is taken
in units of the largest value that stands with a difference: the relative difference of a single small element says
nothing, since terms that cancel leave as little as one likes. Where no value stands there, it is reckoned as around 1,
and ``is_assumed`` says so; where no format is named, as float32, which all frameworks compute in by default.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from checks.analysis.numbers.magnitude import Size, Work, magnitude, unit_roundoff
from checks.facts import ArrayDifference, ReportedDifference, ReportedNumbers

FULL = "float32"
_FINEST = ("float64", "float32", "float16", "bfloat16")
# Units in the last place that are within the last digits; of the short formats two are a hundredth already.
_LAST_DIGITS = {"float64": 8.0, "float32": 8.0, "float16": 2.0, "bfloat16": 1.0}
# ... that rounding makes of results in a short format, whose terms are added up in float32.
_ROUNDED_SHORT = {"float16": 16.0, "bfloat16": 16.0}
SHORT = frozenset(_ROUNDED_SHORT)
_EXACT = 2.0**8  # whole numbers up to here are exact in bfloat16, too
_WHOLE = 0.3  # of the largest value, from which on results are others
_SMALL = 1e-2  # an absolute difference beside which a relative one above 1 is of elements near 0
# Numbers that are so small and so near, of float32 and float64, may be left of numbers around 1 that were subtracted.
_LEFT_OVER, _TINY = 64.0, 1e-3


@dataclass(frozen=True)
class ReportedSize:
    """The largest difference of a text.

    ``relative``: at most, in units of the largest value; ``at_least``: the same at least. ``ulps``: ``relative`` in
    units in the last place of ``dtype``. ``sizes``: what can have made it in one operation, the smallest first.
    ``is_last_digits``: it is so near that nothing but rounding is likely, in the finest format that is named.
    ``is_assumed``: the text does not tell how large the values are. ``is_of_any_element``: it tells the relative
    difference of the element that has the largest, which bounds ``relative`` from above alone. ``about``: in what
    differences can have grown to it (ReportedNumbers). ``is_left_over``: both are so small that they may be what larger
    numbers left.
    """

    difference: ReportedDifference
    relative: float
    at_least: float
    dtype: str
    ulps: float
    sizes: tuple[Size, ...]
    is_last_digits: bool
    is_assumed: bool
    about: str = ""
    is_left_over: bool = False
    is_of_any_element: bool = False

    @property
    def is_rounding(self) -> bool:
        """Whether the order of rounding alone can have made it."""
        return self.sizes[0] is Size.ROUNDING

    @property
    def is_one_operation(self) -> bool:
        """Whether nothing is named in which small differences can have grown."""
        return not self.about

    @property
    def is_too_far_to_have_grown(self) -> bool:
        """Whether it is beyond all rounding, and so far that no layers of a model have made it of rounding."""
        return self.is_beyond and self.about != "training" and (self.is_one_operation or self.at_least >= _WHOLE)

    @property
    def is_of_whole_numbers(self) -> bool:
        """Whether both are whole numbers so small that every format adds and multiplies them exactly."""
        pair = (self.difference.first, self.difference.second)
        return self.at_least > 0 and all(one.endswith((".", ".0")) and abs(float(one)) <= _EXACT for one in pair)

    @property
    def is_of_small_elements(self) -> bool:
        """Whether a large relative difference is stated, and a small absolute one or none: it is of elements near 0."""
        stated, most = self.difference.relative or 0.0, self.difference.most
        return stated >= 1 and most is not None and most <= _SMALL * max(self.difference.scale or 1.0, 1.0)

    @property
    def is_half(self) -> bool:
        """Whether float32 results are as far apart as products of 11 significant digits, which TensorFloat-32 has."""
        return self.sizes[0] is Size.HALF and self.at_least > 0 and not self.is_assumed and not self.is_of_any_element

    @property
    def is_beyond(self) -> bool:
        """Whether no rounding of any format makes it in one operation."""
        return self.sizes == (Size.BEYOND,) and not self.is_assumed and not self.is_of_any_element


def largest_reported(numbers: ReportedNumbers) -> ReportedSize | None:
    """The difference that is the largest in units of its values; None where none can be sized.

    One that no size stands with counts only where all are so: what the others are of is known. Likewise a large one of
    any element, which says nothing.
    """
    told = [size for difference in numbers.differences if (size := _size_of(difference, numbers)) is not None]
    telling = [size for size in told if size.is_rounding or not size.is_of_any_element] or told
    known = [size for size in telling if not size.is_assumed] or telling
    return max(known, key=lambda size: size.relative, default=None)


def _size_of(difference: ReportedDifference, numbers: ReportedNumbers) -> ReportedSize | None:
    named = sorted({difference.dtype} - {""} or set(numbers.formats), key=_FINEST.index) or [FULL]
    finest, coarsest = named[0], named[-1]
    relative, at_least, is_assumed, is_of_any = _relative(difference)
    is_left_over = coarsest not in SHORT and _is_left_over(difference, coarsest)
    if is_left_over:
        relative, at_least, is_assumed, is_of_any = difference.most, difference.least or 0.0, True, False
    if relative is None or not math.isfinite(relative):
        return None
    is_last = _ulps(relative, finest) <= _LAST_DIGITS[finest]
    return ReportedSize(
        difference,
        relative,
        at_least,
        coarsest,
        _ulps(relative, coarsest),
        (Size.ROUNDING,) if is_last else _sizes(coarsest, relative, at_least, difference.elements or 1),
        is_last_digits=is_last,
        is_assumed=is_assumed,
        about=numbers.about,
        is_left_over=is_left_over,
        is_of_any_element=is_of_any,
    )


def _relative(difference: ReportedDifference) -> tuple[float | None, float, bool, bool]:
    """At most, at least, whether the size of the values is assumed, and whether ``is_of_any_element``.

    No element is farther off, in units of itself, than the largest relative difference, the largest one included: that
    bounds from above. From below it says nothing, since it may be that of an element near 0.
    """
    most, least, scale = difference.most, difference.least or 0.0, difference.scale
    of_any = difference.relative
    if most is not None and scale:
        known = most / scale
        nearer = of_any is not None and of_any < known
        return (of_any if nearer else known), min(least / scale, of_any or math.inf), False, False
    if most is not None and (of_any is None or of_any > most):
        return most, least, True, False
    return of_any, 0.0, False, True


def _is_left_over(difference: ReportedDifference, dtype: str) -> bool:
    """Whether both are tiny, far from each other, and no farther than rounding brings numbers around 1."""
    most, scale = difference.most, difference.scale
    if most is None or not scale or scale >= _TINY or _ulps(most / scale, dtype) <= _LAST_DIGITS[dtype]:
        return False
    return _ulps(most, dtype) <= _LEFT_OVER


def _sizes(dtype: str, relative: float, at_least: float, elements: int) -> tuple[Size, ...]:
    """What can have made it, the smallest first; of few elements the errors of a shorter format may all be small."""
    short = _ROUNDED_SHORT.get(dtype)
    work = Work(FULL if short else dtype, products=True, centred=True)
    found = {
        size
        for value in (relative, at_least)
        if value > 0
        for size in magnitude(
            ArrayDifference(elements=elements, differing=elements, max_abs=value, scale=1.0), work
        ).sizes
    }
    if short and _ulps(at_least, dtype) <= short:
        found.add(Size.ROUNDING)
    return tuple(size for size in (Size.ROUNDING, Size.HALF, Size.BFLOAT16) if size in found) or (Size.BEYOND,)


def _ulps(relative: float, dtype: str) -> float:
    return relative / (2 * (unit_roundoff(dtype) or math.inf))
