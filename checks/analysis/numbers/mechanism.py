"""What made the errors of a result against the truth: how they lie, and what was tried here, not their size alone.

A size confirms whatever makes errors of that size: one wrong element, a factor of 1.001 and TensorFloat-32 can be of
one size. So each cause needs what only it makes. A shorter format makes the errors that the same computation has from
inputs rounded to it, element by element. Rounding makes what it makes with the terms in other orders on this very
device, and another error with each of them; what lies beyond that and within the bound for any terms is unusual, and
nobody is blamed. A wrong element stands out from all others; values at other places are right when sorted; a factor
leaves nothing but rounding when it is taken out.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

from checks.analysis.numbers.magnitude import (
    Form,
    Magnitude,
    Size,
    Work,
    centred_bound,
    largest_of,
    likely_bound,
    magnitude,
    reckoned,
    smallest_of,
    unit_roundoff,
)
from checks.facts import Emulated, ErrorShape, Precision, Reordered

_CHANCE = 1e-6
_MARGIN = 2.0  # errors are not quite normal: some elements have larger ones than others
CLEARLY = 4.0  # times what rounding makes, from which on it is told how errors lie
_LEAST = 16.0  # unit roundoffs that are always within rounding: functions and constants are rounded, too
# ... of functions, element by element: a fast exponential is 3 + 2 |x| ulp off (Metal Shading Language Specification,
# fast math), which is 70 of them for the small numbers of our softmax, and its sum and quotient are rounded, too.
_LEAST_OF_FUNCTIONS = 80.0
MANY = 16  # elements, from which on it can be told how their errors lie
FEW = 20  # one element in so many, at the most, is a few
ALIKE = 0.3  # what is left of the errors without those of a shorter format, where they are these
ALIKE_ONE = 0.1  # ... of very few elements
_PARTLY = 0.4  # cosine from which on they are these in part: through several layers, or in some of them
_ALIKE_RMS = 2.0  # ... and by how much their sizes may differ
_NEAR = 1.5  # by how much the largest error differs from one time to the next
_CUT_TIMES = 4.0  # how much larger errors are where digits are cut off instead of rounded
_STORED_TIMES = 4.0  # ... and where the result is rounded, too
SIZES = {"tf32": Size.HALF, "tf32-cut": Size.HALF, "bfloat16": Size.BFLOAT16}


@dataclass(frozen=True)
class Limits:
    """How far rounding can bring an element apart, in units of its condition.

    ``seen``: as far as other orders of the terms went here, None where none was tried; ``moved``: as far as they moved
    the result; ``usual``: terms of such data; ``possible``: any terms.
    """

    usual: float
    possible: float
    seen: float | None = None
    moved: float | None = None

    @property
    def rounding(self) -> float:
        """What rounding makes of such data, and made here: beyond it something else is looked for."""
        return self.usual if self.seen is None else min(self.usual, self.seen)

    @property
    def surely(self) -> float:
        """What surely is rounding. An error that stays the same in every order may still be: of a sum of one sign."""
        return self.rounding if self.moved is None else min(self.rounding, self.moved)


def limits(
    terms: int, roundoff: float, elements: int, reordered: Reordered | None, *, centred: bool, least: float = _LEAST
) -> Limits:
    """From the bounds of the error analysis, and from what other orders made, which is ``least`` roundoffs at least."""
    terms, elements = reckoned(terms), reckoned(elements)
    possible = likely_bound(terms, roundoff, elements)
    usual = centred_bound(terms, roundoff, elements) if centred else possible
    if reordered is None or reordered.runs < 1:
        return Limits(usual, possible)
    spread = _MARGIN * largest_of(elements, _CHANCE) / smallest_of(elements * reckoned(reordered.runs), _CHANCE)
    seen, moved = (max(spread * apart, least * roundoff) for apart in (reordered.farthest, reordered.moved))
    return Limits(usual, possible, seen, moved)


def precision_magnitude(measured: Precision, *, products: bool, centred: bool) -> Magnitude:
    """The error of a result against the true one, and what made it."""
    if measured.against is None:
        return Magnitude((Size.NOTHING,))
    dtype = computed_in(measured)
    shorter = tried_shorter(measured)
    work = Work(dtype, measured.terms, measured.condition, products=products, centred=centred, sides=1, shorter=shorter)
    found = magnitude(measured.against, work)
    roundoff = unit_roundoff(dtype)
    is_other_type = dtype != measured.dtype
    no_number = measured.against.nan or measured.against.infinite
    if found.size in (Size.NOTHING, Size.IDENTICAL) or is_other_type or no_number or roundoff is None:
        return found
    if measured.farthest is None or not measured.terms:
        alike = recognised(measured)
        return found if alike is None else dataclasses.replace(found, sizes=(SIZES[alike],))
    elements = measured.against.elements
    least = _LEAST if centred else _LEAST_OF_FUNCTIONS
    here = limits(measured.terms, roundoff, elements, measured.reordered, centred=centred, least=least)
    sizes, form = _by_elements(measured, measured.farthest, here, found)
    bound = here.surely if measured.farthest <= here.surely or sizes == (Size.UNUSUAL,) else here.rounding
    times = measured.farthest / bound if bound > 0 else None
    allowed = bound * measured.condition if measured.condition else found.bound
    again = None if measured.reordered is None else measured.reordered.farthest > here.usual
    return Magnitude(sizes, bound=allowed, times=times, relative=found.relative, form=form, came_again=again)


def _by_elements(
    measured: Precision, farthest: float, here: Limits, by_size: Magnitude
) -> tuple[tuple[Size, ...], Form | None]:
    """The causes that it can be, and how the errors lie."""
    if farthest <= here.surely:
        return (Size.ROUNDING,), None
    elements = measured.against.elements if measured.against else 0
    form = form_of(measured.shape, elements, here.rounding) if measured.shape else None
    if form is not None and farthest > CLEARLY * here.rounding:
        return (Size.BEYOND,), form
    alike = recognised(measured, here)
    if alike is not None:
        return (SIZES[alike],), None
    stored = _stored_in(measured)
    if stored is not None:
        return (stored,), None
    is_partly_short = elements >= MANY and _is_partly_short(measured)
    if farthest <= here.possible and not is_partly_short:
        is_made_here = here.seen is None or here.moved is None or farthest <= min(here.seen, here.moved)
        return (Size.ROUNDING if is_made_here else Size.UNUSUAL,), None
    if measured.emulated and not is_partly_short:
        return (Size.BEYOND,), None
    return by_size.sizes, None


def form_of(shape: ErrorShape, elements: int, limit: float) -> Form | None:
    """How errors beyond ``limit`` lie, where that tells what made them."""
    if elements < MANY:
        return None
    # The ladder has the largest, the 2nd, the 4th: below the limit from that place on.
    odd = next((1 << place for place, error in enumerate(shape.ladder) if error <= limit), elements + 1) - 1
    if odd > 1 and shape.off_order is not None and shape.off_order <= limit:
        return Form.MOVED
    if odd <= max(1, elements // FEW):
        return Form.ELEMENTS
    if shape.off_slope is not None and shape.off_slope <= limit:
        return Form.SCALED
    return None


def tried_shorter(measured: Precision) -> tuple[tuple[Size, float, float], ...]:
    """What shorter formats made of this very work: the largest error of many is much the same each time."""
    tried = measured.emulated
    if not {"tf32", "tf32-cut", "bfloat16"} <= tried.keys():
        return ()
    half = (tried["tf32"].max_abs / _NEAR, tried["tf32-cut"].max_abs * _NEAR)
    bfloat16 = (max(tried["bfloat16"].max_abs / _NEAR, half[1]), tried["bfloat16"].max_abs * _NEAR * _CUT_TIMES)
    return ((Size.HALF, *half), (Size.BFLOAT16, *bfloat16))


def computed_in(measured: Precision) -> str:
    """The type of the result: under autocast and other mixed precision it is the shorter one."""
    mode, _, dtype = measured.setting.partition("-")
    return dtype if mode in ("autocast", "mixed") else measured.dtype


def recognised(measured: Precision, here: Limits | None = None) -> str | None:
    """The shorter format whose errors are those that were observed, element by element.

    Of very few elements the errors must be these to within rounding (``here``): one number is like any other.
    """
    left = {name: _left(measured.rms, result) for name, result in measured.emulated.items() if name in SIZES}
    name = min(left, key=lambda name: left[name], default=None)
    if name is None or measured.rms is None:
        return None
    elements = measured.against.elements if measured.against else 0
    if elements < MANY:
        limit = here.surely * (measured.condition or 0.0) if here else 0.0
        return name if left[name] <= min(limit, ALIKE_ONE * measured.rms) else None
    return name if left[name] <= ALIKE * measured.rms else None


def _left(rms: float | None, emulated: Emulated) -> float:
    """The root mean square of the errors without those of the shorter format."""
    if rms is None or emulated.likeness is None:
        return math.inf
    square = rms * rms + emulated.rms * emulated.rms - 2 * emulated.likeness * rms * emulated.rms
    return math.sqrt(max(0.0, square)) if math.isfinite(square) else math.inf


def partly_alike(likeness: float | None) -> bool:
    """Whether errors are those of a shorter format in part, by their cosine."""
    return likeness is not None and likeness >= _PARTLY


def _is_partly_short(measured: Precision) -> bool:
    rms = measured.rms or 0.0
    return any(
        partly_alike(result.likeness) and result.rms / _ALIKE_RMS <= rms <= result.rms * _ALIKE_RMS
        for result in measured.emulated.values()
    )


def _stored_in(measured: Precision) -> Size | None:
    """The format in which every element is a number, where errors are no larger than those that it makes."""
    shape, against = measured.shape, measured.against
    if shape is None or against is None or against.elements < MANY:
        return None
    if shape.stored_in not in SIZES or shape.stored_in not in measured.emulated:
        return None
    roundoff = unit_roundoff(shape.stored_in) or 0.0
    made = max(measured.emulated[shape.stored_in].max_abs, roundoff * (against.scale or 0.0))
    return SIZES[shape.stored_in] if (against.max_abs or 0.0) <= _STORED_TIMES * made else None
