"""What a clean result proves: which instability would have been seen, and whether a setting has an effect.

A computation gives its usual result with the probability 1 - p, and another one with the probability p. That n calls
all give the same has the probability (1 - p)^n + p^n at most, where there is one other result that comes as often as p
allows (p up to one half; above that no result comes more often than 1 - p, so that it is (1 - p)^(n-1) at most). So n
equal results exclude every p for which that is below 1 - c: 300 of them exclude one in a hundred with 95 % confidence,
which is the rule of three (Hanley and Lippman-Hand, "If nothing goes wrong, is everything all right?", JAMA 249, 1983).

Of what gave another result k times in n calls, p is p0 at the least, with P(Binomial(n, p0) >= k) = 1 - c: the
one-sided bound of Clopper and Pearson ("The use of confidence or fiducial limits illustrated in the case of the
binomial", Biometrika 26, 1934). It holds as well where one stops as soon as there were k others, since these needed no
more than n calls exactly where n calls have k of them or more (inverse sampling: Haldane, "On a method of estimating
frequencies", Biometrika 33, 1945). A setting under which m calls gave the same has an effect where no p makes both
likely: where P(Binomial(n, p) >= k) (1 - p)^(m-1) is below 1 - c for every p. Then a setting without effect is called
one that has any with the probability 1 - c at most: for each p these are the k and n of which P(Binomial(n, p) >= k)
is below (1 - c) / (1 - p)^(m-1), and that is also how often they come.

All this holds where repetitions are independent of each other: another card, another temperature or another program
beside it was not tested. Of many statements together that all are to hold, each has its part of 1 - c (Bonferroni).
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

CONFIDENCE = 0.95
ENOUGH = 10  # equal results that tell something: a change in each fourth repetition would have been seen
_HALF = 0.5
_STEPS = 60  # of a search for a rate: of two parts or of three, to ten digits
_MOST = 100_000  # calls that are reckoned with
_NEGLIGIBLE = 1e-12  # part of a sum
_ALMOST_ALL = 1 - 1e-15


def chance_of_alike(repetitions: int, rate: float) -> float:
    """How likely so many calls all give the same, at the most, where the usual result fails to come at this rate."""
    if rate <= 0 or repetitions < 2:
        return 1.0
    if rate > _HALF:
        return (1 - rate) ** (repetitions - 1) if rate < 1 else 0.0
    return math.exp(repetitions * math.log1p(-rate)) + rate**repetitions


def excluded_rate(repetitions: int, confidence: float = CONFIDENCE, among: int = 1) -> float | None:
    """The rate of other results that so many equal ones exclude; None for one alone, which shows nothing.

    ``among``: of so many computations together, with the confidence that it is true of all of them.
    """
    if repetitions < 2:
        return None
    least, most, unseen = 0.0, 1.0, (1 - confidence) / max(1, among)
    for _ in range(_STEPS):
        middle = (least + most) / 2
        least, most = (middle, most) if chance_of_alike(repetitions, middle) > unseen else (least, middle)
    return most


def chance_without_effect(others: int, calls: int, alike: int) -> float:
    """How likely, at the most, a setting that does nothing looks as if it did.

    ``others``: how many of the ``calls`` without it gave another result than the usual one. ``alike``: the calls with
    it, which all gave the same. 1 where nothing was other or one call alone is to show it. Of very many calls fewer are
    reckoned with, with the same share of others, which shows less.
    """
    if not 1 <= others <= calls or alike < 2:
        return 1.0
    if calls > _MOST:
        others, calls = max(1, others * _MOST // calls), _MOST
    low, high = 0.0, 1.0
    for _ in range(_STEPS):  # the logarithm of both factors is concave in p: there is one maximum
        third = (high - low) / 3
        if _log_of_both(others, calls, alike, low + third) < _log_of_both(others, calls, alike, high - third):
            low += third
        else:
            high -= third
    return math.exp(_log_of_both(others, calls, alike, (low + high) / 2))


def _log_of_both(others: int, calls: int, alike: int, rate: float) -> float:
    if not 0 < rate < 1:
        return -math.inf
    return _log_of_tail(others, calls, rate) + (alike - 1) * math.log1p(-rate)


def _log_of_tail(least: int, calls: int, rate: float) -> float:
    """The logarithm of P(Binomial(calls, rate) >= least), from the larger terms to the smaller."""
    odds = rate / (1 - rate)
    upward = least > calls * rate
    first = least if upward else least - 1
    log_first = math.lgamma(calls + 1) - math.lgamma(first + 1) - math.lgamma(calls - first + 1)
    log_first += first * math.log(rate) + (calls - first) * math.log1p(-rate)
    term = total = 1.0
    for place in range(first, calls) if upward else range(first, 0, -1):
        term *= (calls - place) / (place + 1) * odds if upward else place / (calls - place + 1) / odds
        total += term
        if term < total * _NEGLIGIBLE:
            break
    log_sum = log_first + math.log(total)
    return log_sum if upward else math.log1p(-min(math.exp(log_sum), _ALMOST_ALL))


def rounded_up(rate: float, digits: int = 2) -> str:
    """A rate in percent with so many significant digits, never smaller than it is: 0.0099361 gives "1.0"."""
    percent = 100 * rate
    if percent <= 0:
        return "0"
    step = 10.0 ** (math.floor(math.log10(percent)) + 1 - digits)
    shown = min(100.0, math.ceil(percent / step * (1 - _NEGLIGIBLE)) * step)
    return f"{shown:.{max(0, digits - 1 - math.floor(math.log10(shown)))}f}"


@dataclass(frozen=True)
class Reach:
    """How often several things were repeated: the fewest, as often as most of them (three quarters) at least, the most.

    ``few``: those that were repeated too few times to tell anything.
    """

    fewest: int
    usual: int
    most: int
    few: int


def reach(repetitions: Iterable[int]) -> Reach | None:
    """What holds for all of them together; None without any. The worst one alone is not representative."""
    counts = sorted(repetitions)
    if not counts:
        return None
    few = sum(count < ENOUGH for count in counts)
    return Reach(counts[0], counts[len(counts) // 4], counts[-1], few)
