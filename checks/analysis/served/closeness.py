"""How close the two likeliest tokens were where an answer parts: whether rounding can have decided there.

A token is taken because it is the likeliest. Where two computations of one prompt round differently, the logprobs of
the tokens before the parting show by how much: a parting is *near* where the second likeliest token is no farther
behind than what was seen to vary, or than what float32 alone makes; then rounding decided, and neither answer is more
right. It is *wide* where the distance is many times what was seen, and so large that no rounding of a model that works
makes it: other weights, another prompt or sampling stand behind it. In between nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from checks.facts import ServedParting

_OF_FLOAT32 = 1e-3  # logprob: float32 logits of some tens, after thousands of additions
_TWO_SIDES = 2.0  # both tokens may have moved, in opposite directions
_WIDE = 1.0  # logprob: the likeliest is 2.7 times as likely
_MANY_TIMES = 8.0
_SURELY_BELOW = 0.05  # logprob by which a token that was taken is behind the likeliest: no rounding of one distribution


class Closeness(StrEnum):
    """Of one parting, or of the clearest of several."""

    NEAR = "near"  # rounding decided
    OPEN = "open"  # between the two
    WIDE = "wide"  # no rounding
    SAMPLED = "sampled"  # a token was taken that is not the likeliest
    UNTOLD = "untold"  # the server tells no probabilities


def gap_of(parting: ServedParting) -> float:
    """How far the likeliest token is ahead of the next, in the answer in which that is less; 0.0 of one not told."""
    return min((gap for gap in (parting.gap, parting.other_gap) if gap is not None), default=0.0)


def closeness(parting: ServedParting) -> Closeness:
    """Of one parting."""
    if parting.token is None or parting.gap is parting.other_gap is None:
        return Closeness.UNTOLD
    seen = parting.drift or 0.0
    if (parting.below or 0.0) > max(_SURELY_BELOW, _MANY_TIMES * seen):
        return Closeness.SAMPLED
    gap = gap_of(parting)
    if gap <= max(_OF_FLOAT32, _TWO_SIDES * seen):
        return Closeness.NEAR
    return Closeness.WIDE if gap > max(_WIDE, _MANY_TIMES * seen) else Closeness.OPEN


_GRAVEST = (Closeness.SAMPLED, Closeness.WIDE, Closeness.OPEN, Closeness.UNTOLD, Closeness.NEAR)


def gravest(partings: Iterable[ServedParting]) -> Closeness | None:
    """Of several partings that which rounding explains least; None of none."""
    found = {closeness(parting) for parting in partings}
    return next((grade for grade in _GRAVEST if grade in found), None)
