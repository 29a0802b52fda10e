"""How far a result is from where it should be, as a sentence of a finding; what is no number has no distance."""

from collections.abc import Iterable
from math import isfinite

from checks.analysis.numbers.digits import figure
from checks.analysis.numbers.magnitude import Form
from checks.facts import ArrayDifference
from checks.facts.phrase import Phrase
from checks.knowledge.phrases import phrase


def error_phrase(
    relative: float | None,
    times: float | None,
    differences: Iterable[ArrayDifference | None] = (),
    unsized: str = "",
    form: Form | None = None,
    is_once: bool = False,
) -> Phrase:
    """The size of an error in a sentence.

    ``relative``: in units of the largest value; ``times``: in units of what rounding makes; ``unsized``: what a
    difference without a size comes to; ``form``: how errors lie, where that was found, and ``is_once`` whether
    they were gone when it was computed again.
    """
    known = [difference for difference in differences if difference is not None]
    lost = next((difference for difference in known if difference.nan or difference.infinite), None)
    if lost is not None:
        key = "no-number" if lost.nan else "infinite"
        return phrase(f"how-far-{key}", count=str(lost.nan or lost.infinite), elements=str(lost.elements))
    if relative is None or not isfinite(relative):
        return phrase("how-far-told", told=unsized) if unsized else phrase("how-far-unknown")
    if form is not None and times is not None and isfinite(times):
        return phrase(f"how-far-{form.value}{'-once' if is_once else ''}", error=figure(relative), times=figure(times))
    if times is None or not isfinite(times):
        return phrase("how-far", error=figure(relative))
    return phrase("how-far-times", error=figure(relative), times=figure(times))
