"""How far the sum of the squares of 0, 1e-6, ... 1 may be from the true one, by the order in which it is added up.

Each addition rounds its result by at most u of it. So the error is at most u times the sum of all partial sums, which
is the sum of the terms, each as often as it passes through an addition (Higham, Accuracy and Stability of Numerical
Algorithms, 2nd edition, SIAM 2002, section 4.2). That sum depends on the order: it is the largest where the largest
terms come first, one after the other, whatever tree of additions stands beside it. The j largest of n squares make
1 - (1 - j/n)^3 of the whole: on average over j 3/4 of it; the j smallest (j/n)^3: on average 1/4.

The bound for errors that are independent of each other (see checks/analysis/numbers/magnitude.py) does not hold
here: with the largest first, the small terms at the end are lost, all in the same direction. A plain sum of float32
in reverse order is off by 1.1e-3 of the whole, which that bound (4.5e-4) would call wrong.
"""

import math
from fractions import Fraction

from checks.analysis.numbers.magnitude import unit_roundoff
from checks.facts import Experiment

_ADDITIONS = 10**6
_LARGEST_FIRST, _SMALLEST_FIRST = 3 / 4, 1 / 4  # the partial sums on average, in units of the sum
# Of ways whose order is known: additions per term. A library may take any other order, or a tree, for the rest.
_PARTIAL_SUMS = {
    "sum-of-squares-running": _SMALLEST_FIRST * _ADDITIONS,
    "sum-of-squares-exact": 0.0,  # rounded once, which is counted with the terms
}
_MOST_GROWTH = 600.0  # shorter types hold no such sum: whatever a damaged case tells of them is within that bound
_OF_TERM = 4  # u: of each of two equal factors, of their product, of the last result


def error(value: float | None, expected: float | None) -> Fraction | None:
    """How far from the true sum, exactly: its decimal digits are few, and a float cannot hold them."""
    return None if value is None or expected is None else Fraction(value) - Fraction(repr(expected))


def in_figures(fraction: Fraction) -> float:
    """As a float, or infinite: a damaged case may hold two numbers that are farther apart than floats reach."""
    try:
        return float(fraction)
    except OverflowError:
        return math.inf


def largest_error(operation: str, roundoff: float) -> float:
    """What rounding makes at the most in this way of adding, as a part of the sum."""
    additions = _PARTIAL_SUMS.get(operation, _LARGEST_FIRST * _ADDITIONS)
    growth = math.exp(min(roundoff * _ADDITIONS, _MOST_GROWTH))  # a rounded partial sum is itself larger
    return (additions * growth + _OF_TERM) * roundoff


def beyond_rounding(measured: Experiment) -> float | None:
    """How far from the true sum, as a part of it, where rounding does not explain it; infinite for no number."""
    roundoff = unit_roundoff(measured.dtype)
    far = max((_relative(value, measured.expected) for (value, *_) in measured.values), default=0.0)
    if roundoff is None or far <= largest_error(measured.operation, roundoff):
        return None
    return far


def _relative(value: float | None, expected: float | None) -> float:
    found = error(value, expected)
    return math.inf if found is None or not expected else in_figures(abs(found / Fraction(repr(expected))))
