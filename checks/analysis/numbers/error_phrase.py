"""How far a result is from where it should be, as a sentence of a finding; what is no number has no distance."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite

from checks.analysis.numbers.digits import figure
from checks.facts import ArrayDifference
from checks.knowledge.phrases import phrase

HOW_FAR = "how_far"  # the texts name it as {how_far_en} and {how_far_ja}


def how_far(
    relative: float | None, times: float | None, differences: Iterable[ArrayDifference | None] = (), told: str = ""
) -> dict[str, str]:
    """The values for a finding.

    ``relative``: in units of the largest value; ``times``: in units of what rounding makes; ``told``: what a
    difference without a size comes to.
    """
    given = [difference for difference in differences if difference is not None]
    lost = next((each for each in given if each.nan or each.infinite), None)
    if lost is not None:
        key = "no-number" if lost.nan else "infinite"
        return phrase(HOW_FAR, f"how-far-{key}", count=str(lost.nan or lost.infinite), elements=str(lost.elements))
    if relative is None or not isfinite(relative):
        return phrase(HOW_FAR, "how-far-told", told=told) if told else phrase(HOW_FAR, "how-far-unknown")
    if times is None or not isfinite(times):
        return phrase(HOW_FAR, "how-far", error=figure(relative))
    return phrase(HOW_FAR, "how-far-times", error=figure(relative), times=figure(times))
