"""The size of a difference between two results tells its cause: what rounding can make of so many terms, and what not.

Two results of the same sum of n products differ by identical bits, by the order in which they were rounded, by factors
with fewer digits (TensorFloat-32 and half precision: 11 significant digits; bfloat16: 8), or by more than any of these.
The bounds are those of rounding error analysis, for the number of terms, the unit roundoff u of the data type and the
condition, which is the largest sum of the magnitudes of the terms of one element:

* worst case: gamma(n) = n u / (1 - n u) times the condition, whatever the order (Higham, Accuracy and Stability of
  Numerical Algorithms, 2nd edition, SIAM 2002, sections 3.1 and 4.2);
* where rounding errors are independent of each other with mean zero: of the order sqrt(n) u, with a probability that is
  chosen (Higham and Mary, A New Approach to Probabilistic Rounding Error Analysis, SIAM J. Sci. Comput. 41, 2019);
* where the terms themselves have the mean zero, as those of inputs that we draw: of the order u, for any n (Higham and
  Mary, Sharper Probabilistic Backward Error Analysis for Basic Linear Algebra Kernels with Random Data, SIAM J. Sci.
  Comput. 42, 2020).

What shorter factors make is bounded from both sides: their errors add up like a random walk, and among many elements
the largest is neither far below nor far above what chance allows. Where the ranges of two causes overlap, both are
named: with few terms and few elements, or with terms of one sign, the size alone does not tell them apart.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from statistics import NormalDist

from checks.facts import ArrayDifference


class Size(StrEnum):
    """What a difference is as large as. The smaller come first."""

    NOTHING = "nothing"  # there was nothing to compare
    IDENTICAL = "identical"
    ROUNDING = "rounding"
    UNUSUAL = "unusual"  # no more than rounding can make, and far more than any other order made here
    HALF = "half"  # TensorFloat-32 or half precision
    BFLOAT16 = "bfloat16"
    STREAM = "stream"  # other random numbers from the same seed: no error of anything, however far apart they are
    BEYOND = "beyond"  # more than any rounding makes


# u: half of the distance from 1 to the next number (IEEE 754-2019 table 3.5; the 8-bit types: OCP 8-bit Floating Point
# Specification 1.0).
_ROUNDOFF: Mapping[str, float] = {
    "float64": 2.0**-53,
    "complex128": 2.0**-53,
    "float32": 2.0**-24,
    "complex64": 2.0**-24,
    "tf32": 2.0**-11,
    "float16": 2.0**-11,
    "bfloat16": 2.0**-8,
    "float8_e4m3fn": 2.0**-4,
    "float8_e5m2": 2.0**-3,
}
_SHORTER = ((Size.HALF, 2.0**-11), (Size.BFLOAT16, 2.0**-8))
_CHANCE = 1e-6  # that a difference of this cause lies outside of its range
_CHANCE_OF_SHORTER = 1e-4  # the same for shorter formats, which are named
# How the size of single terms spreads: the root of their mean square, in units of their mean size. 4/3 for products of
# two uniform numbers, 1.57 for those of two normal ones; 1 at the least, for terms of one size.
_SPREAD = 1.6
# What rounding does to a product of two factors, as root mean square in units of u: of each u / sqrt(3) just above a
# power of two, half of it just below the next; 0.59 in all for numbers that are spread evenly between them.
_LEAST_OF_PRODUCT, _MOST_OF_PRODUCT = 0.5, 0.6
_CUT_OFF = 1.5  # u by which digits that are cut off make a product smaller: 2 ln 2 on average
# The condition is that of one element; most others have at least this part of it, less where there are few terms.
_BELOW_LARGEST = 0.75
_FEW = 0.05  # of the elements: a shorter format changes nearly all, a wrong bit only what depends on it
_UNKNOWN_TERMS = 4096
_MOST = 1 << 53  # terms and elements that are reckoned with


@dataclass(frozen=True)
class Work:
    """What was computed. ``condition`` None: estimated from the largest result.

    ``products``: a device may compute it with shorter factors. ``centred``: the terms have both signs, with a mean near
    zero. ``sides``: how many of the two results are rounded (1: the other is the true one). ``shorter``: the least and
    the most that shorter formats make, where that was found by trying; it holds for work of several layers, too.
    """

    dtype: str
    terms: int | None = None
    condition: float | None = None
    products: bool = False
    centred: bool = False
    sides: int = 2
    shorter: tuple[tuple[Size, float, float], ...] = ()


class Form(StrEnum):
    """How errors lie that no rounding makes."""

    ELEMENTS = "elements"  # in a few elements, the others being right
    MOVED = "moved"  # the values are right, and some stand at other places
    SCALED = "scaled"  # every element is off by the same factor


@dataclass(frozen=True)
class Magnitude:
    """What a difference can be by its size. Several ``sizes``: they cannot be told apart.

    ``bound``: how far rounding order may bring such results apart, or, where they are farther, any results of so many
    terms; None where there is no bound (whole numbers). ``times``: the difference in units of it.
    ``relative``: in units of the largest result. ``form``: how the errors lie, where that tells more than their size.
    ``came_again``: whether such errors came with the terms in other orders, too; None where that was not tried.
    """

    sizes: tuple[Size, ...]
    bound: float | None = None
    times: float | None = None
    relative: float | None = None
    form: Form | None = None
    came_again: bool | None = None

    @property
    def size(self) -> Size:
        """The smallest size that it can be: what rounding explains is no fault."""
        return self.sizes[0]

    @property
    def is_certain(self) -> bool:
        """Whether it can be only one."""
        return len(self.sizes) == 1

    @property
    def is_within_rounding(self) -> bool:
        """Whether it is rounding alone, and no more than its bound: of a training no bound tells how far it goes."""
        return self.sizes == (Size.ROUNDING,) and self.times is not None and self.times <= 1

    @property
    def is_more_than_rounding(self) -> bool:
        """Whether rounding order cannot have made it."""
        return self.size in (Size.HALF, Size.BFLOAT16, Size.STREAM, Size.BEYOND)


def unit_roundoff(dtype: str) -> float | None:
    """The largest relative error of rounding to this type; None for whole numbers and types that are not known."""
    return _ROUNDOFF.get(dtype)


def reckoned(count: int) -> int:
    """A number of terms, elements or runs, of which a damaged case may tell any."""
    return max(1, min(count, _MOST))


def worst_bound(terms: int, roundoff: float) -> float:
    """gamma(n): what the error of a sum of n terms never exceeds, in units of its condition."""
    product = terms * roundoff
    return product / (1 - product) if product < 1 else math.inf


def likely_bound(terms: int, roundoff: float, elements: int, chance: float = _CHANCE) -> float:
    """What the error of none of so many sums exceeds but by that chance (Higham and Mary 2019, theorem 3.1)."""
    steps = math.sqrt(2 * math.log(2 * terms * max(elements, 1) / chance)) / (1 - roundoff)
    exponent = steps * math.sqrt(terms) * roundoff + terms * roundoff**2 / (1 - roundoff)
    return min(worst_bound(terms, roundoff), math.expm1(exponent) if exponent < 1 else math.inf)


def centred_bound(terms: int, roundoff: float, elements: int, chance: float = _CHANCE) -> float:
    """The same for terms with the mean zero, whose partial sums are a random walk, too.

    The k-th partial sum has the size sqrt(k), in units of that of a term, and is rounded by u/sqrt(3) of it; n of these
    errors add up to n u / sqrt(6). The condition has n such units, but for the spread of the terms.
    """
    usual = largest_of(elements, chance) * _SPREAD * roundoff / math.sqrt(6)
    return min(likely_bound(terms, roundoff, elements, chance), max(usual, roundoff))


def magnitude(difference: ArrayDifference, work: Work) -> Magnitude:
    """What the difference of two results of this work can be by its size."""
    if difference.elements == 0:
        return Magnitude((Size.NOTHING,))
    relative = _relative(difference)
    if difference.nan or difference.infinite:
        return Magnitude((Size.BEYOND,), relative=relative)
    if difference.differing == 0 or difference.max_abs == 0:  # +0 and -0 are apart in their bits only
        return Magnitude((Size.IDENTICAL,), relative=relative)
    roundoff = unit_roundoff(work.dtype)
    if difference.max_abs is None or roundoff is None:  # nothing finite in both; whole numbers are not rounded
        return Magnitude((Size.BEYOND,), relative=relative)
    terms = reckoned(work.terms) if work.terms and work.terms > 0 else _UNKNOWN_TERMS
    elements = reckoned(difference.elements)
    known = work.condition is not None and 0 < work.condition < math.inf
    condition = work.condition if known and work.condition else _estimated(difference, terms, centred=work.centred)
    possible = work.sides * likely_bound(terms, roundoff, elements) * condition
    usual = work.sides * centred_bound(terms, roundoff, elements) * condition if work.centred else possible
    found = _sizes(difference, difference.max_abs, work, _Ranges(terms, condition, elements, usual, possible, roundoff))
    bound = usual if difference.max_abs <= usual else possible
    return Magnitude(found, bound=bound, times=difference.max_abs / bound if bound > 0 else None, relative=relative)


@dataclass(frozen=True)
class _Ranges:
    terms: int
    condition: float
    elements: int
    usual: float  # what rounding makes of such data
    possible: float  # ... and of any
    roundoff: float

    def of(self, roundoff: float, scale: float) -> tuple[float, float]:
        """The least and the most that factors rounded to a shorter format make."""
        length = self.condition / math.sqrt(self.terms)  # of the vector of the terms, at the least
        few = smallest_of(self.elements, _CHANCE_OF_SHORTER)
        typical = length * _BELOW_LARGEST * (1 - 1 / math.sqrt(self.terms))
        many = largest_of(self.elements, _CHANCE_OF_SHORTER)
        likely = many * _MOST_OF_PRODUCT * _SPREAD * length + _CUT_OFF * scale
        worst = 4 * self.condition  # both factors lose less than 2 u, where digits are cut off
        return few * _LEAST_OF_PRODUCT * roundoff * typical, roundoff * min(likely, worst) + self.possible


def _sizes(difference: ArrayDifference, apart: float, work: Work, ranges: _Ranges) -> tuple[Size, ...]:
    """The causes in whose range it is; a shorter format changes nearly every element, so that few speak against it."""
    is_everywhere = difference.differing > _FEW * difference.elements
    shorter = [
        (size, *ranges.of(roundoff, difference.scale or 0.0))
        for size, roundoff in _SHORTER
        if work.products and is_everywhere and roundoff > 2 * ranges.roundoff
    ]
    if shorter and work.shorter:
        shorter = list(work.shorter)
    found = [size for size, least, most in shorter if least <= apart <= most]
    if apart <= ranges.usual:
        return (Size.ROUNDING, *found)
    if found:
        return tuple(found) if work.centred or apart > ranges.possible else (Size.ROUNDING, *found)
    # Between two ranges: the least that can have made it, such as a shorter format in a part of the work only; or
    # rounding in an unusual order, as of algorithms with fewer multiplications.
    next_ = next((size for size, _, most in shorter if apart <= most), None)
    if apart <= ranges.possible:
        return (Size.ROUNDING,) if next_ is None else (Size.ROUNDING, next_)
    return (next_ or Size.BEYOND,)


def _relative(difference: ArrayDifference) -> float | None:
    if difference.max_abs is None or not difference.scale:
        return None
    return difference.max_abs / difference.scale


def _estimated(difference: ArrayDifference, terms: int, *, centred: bool) -> float:
    """The condition where it was not computed: terms of both signs cancel to the root of their number."""
    return (difference.scale or difference.max_abs or 0.0) * (math.sqrt(terms) if centred else 1.0)


def largest_of(elements: int, chance: float) -> float:
    """What the largest of so many normal numbers exceeds only by that chance, in standard deviations."""
    return -NormalDist().inv_cdf(chance / (2 * max(elements, 1)))


def smallest_of(elements: int, chance: float) -> float:
    """What the largest of so many normal numbers is below only by that chance."""
    return -NormalDist().inv_cdf(-math.expm1(math.log(chance) / max(elements, 1)) / 2)
