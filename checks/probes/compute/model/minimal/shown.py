"""What two runs of one model show: which kind of difference, and whether another pair of runs shows the same."""

from .. import lost, outputs
from ..outputs import SHAPES, is_beyond
from .sides import Failed

# Kinds, from the worst. A kind is shown again only by its own: a difference within rounding is no proof of one beyond.
LOST, NOT_FINITE, BEYOND, DECISION, ROUNDING = "lost", "not-finite", "beyond", "decision", "rounding"
PART_OF_SIZE = 0.1  # of a difference beyond rounding, what is to be left of it, in units of the largest number


class Shown:
    """``kind``: a constant of this module, or the kind of a Failed; ``figures``: those of the comparison."""

    def __init__(self, kind, figures=None, failed=None):
        self.kind, self.figures, self.failed = kind, figures or {}, failed

    @property
    def size(self):
        """The largest difference in units of the largest number."""
        apart = self.figures.get("difference") or {}
        return (apart.get("max_abs") or 0.0) / (apart.get("scale") or 1.0)

    def is_again(self, first, size=None):
        """Whether this is the same as was shown at first. ``size``: how large that was where it began."""
        if first is None or self.kind != first.kind:
            return False
        if self.failed is not None:
            return self.failed.sign == first.failed.sign
        if self.kind == LOST:  # infinities are no proof of NaN
            return self.figures["lost"]["kind"] == first.figures["lost"]["kind"]
        return self.kind != BEYOND or self.size >= PART_OF_SIZE * min(size or first.size, first.size)


def attempt(run):
    """What a run gives, or the Failed that it raises."""
    try:
        return run()
    except Failed as failed:
        return failed


def lost_of(numpy, arrays, found):
    """What one run shows where numbers get lost in it: nothing that it takes is lost, and what it gives is."""
    if isinstance(found, Failed) or any(sum(lost.counts(numpy, array).values()) for array in arrays.values()):
        return None
    figures = lost.lost_in(numpy, found)
    return Shown(LOST, {"outputs": len(found), "lost": figures}) if figures else None


def difference_of(model, first, second, moved=None):
    """What two runs show; None where they give the same, or the first of them gives nothing.

    ``moved``: the first with its inputs moved by one unit.
    """
    if isinstance(first, Failed):
        return None
    if isinstance(second, Failed):
        return Shown(second.kind, failed=second)
    figures = outputs.compared(model, first, second, moved)
    apart = figures.get("difference")
    if figures.get("reason") == SHAPES:
        return Shown(DECISION, figures)
    if not apart or not apart["differing"]:
        return None
    if apart.get("nan") or apart.get("infinite"):
        return Shown(NOT_FINITE, figures)
    if figures.get("bound") is None:
        return Shown(DECISION, figures)
    return Shown(BEYOND if is_beyond(apart, figures["bound"]) else ROUNDING, figures)
