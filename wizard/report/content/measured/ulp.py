"""How many representable numbers the elements of two results lie apart, as a plot."""

from __future__ import annotations

from collections.abc import Mapping

from checks.facts import ArrayDifference
from wizard.report.content.blocks import Plot, Series
from wizard.words import words

_MOST = 6  # results that are drawn together


def ulp_plot(differences: Mapping[str, ArrayDifference], language: str) -> Plot | None:
    """The shares of the elements of each result by their distance; None where no distances were counted."""
    counted = {name: difference for name, difference in differences.items() if _total(difference)}
    if not counted:
        return None
    farthest = max(counted, key=lambda name: _reach(counted[name]))
    share = 100 * counted[farthest].ulp_histogram[0] / _total(counted[farthest])
    return Plot(
        title=words("measurements.ulp-title", language),
        kind="lines",
        x_label=words("measurements.ulp-x", language),
        y_label=words("measurements.ulp-y", language),
        series=tuple(_series(name, difference) for name, difference in list(counted.items())[:_MOST]),
        summary=words(
            "measurements.ulp-summary", language, operation=farthest, reach=_reach(counted[farthest]), same=round(share)
        ),
        log_x=True,
    )


def _total(difference: ArrayDifference) -> int:
    return sum(max(0, count) for count in difference.ulp_histogram)


def _start(place: int) -> int:
    """The distance at which a class of the histogram begins: 0, 1, 2, 4, 8, ..."""
    return 2 ** (place - 1) if place else 0


def _reach(difference: ArrayDifference) -> int:
    last = max((place for place, count in enumerate(difference.ulp_histogram) if count > 0), default=0)
    return difference.max_ulp if difference.max_ulp is not None else _start(last)


def _series(name: str, difference: ArrayDifference) -> Series:
    total = _total(difference)
    return Series(
        name,
        tuple(float(_start(place)) for place in range(len(difference.ulp_histogram))),
        tuple(100 * max(0, count) / total for count in difference.ulp_histogram),
    )
