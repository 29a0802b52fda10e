"""What a clean result proves: which instability would have been seen.

An operation that gives another result than usual with the probability p in each repetition shows it in none of n with
the probability (1 - p)^n. So n equal results exclude, with the confidence c, every p above 1 - (1 - c)^(1/n): 300 of
them exclude one in a hundred with 95 % confidence, which is the rule of three (Hanley and Lippman-Hand, "If nothing
goes wrong, is everything all right?", JAMA 249, 1983). This holds where repetitions are independent of each other:
another card, another temperature or another program beside it was not tested.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

CONFIDENCE = 0.95
ENOUGH = 10  # equal results that tell something: a change in each fourth repetition would have been seen


def excluded_rate(repetitions: int, confidence: float = CONFIDENCE) -> float | None:
    """The rate of other results that so many equal ones exclude; None for one alone, which shows nothing."""
    if repetitions < 2:
        return None
    return -math.expm1(math.log1p(-confidence) / repetitions)


def confidence_of(repetitions: int, rate: float) -> float:
    """How surely an instability of this rate would have been seen in so many repetitions."""
    if repetitions < 2 or rate <= 0:
        return 0.0
    return 1.0 if rate >= 1 else -math.expm1(repetitions * math.log1p(-rate))


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


def needed(rate: float, confidence: float = CONFIDENCE) -> int:
    """The repetitions that it takes to see an instability of this rate with this confidence."""
    return max(2, math.ceil(math.log1p(-confidence) / math.log1p(-rate)))
