"""How often an answer of a certain share was right, by what it rests on."""

from __future__ import annotations

import bisect
import functools

from checks.knowledge import Row, Table

BY_SIGNATURE, BY_CLUE, BY_CHECK, BY_WORDS = KINDS = ("signature", "clue", "check", "words")


class HonestRow(Row):
    """``kind``: of evidence. ``corners``: (share as it was weighed, share of these answers that were right), rising."""

    kind: str
    corners: tuple[tuple[float, float], ...]


class Honesty(Table):
    row: tuple[HonestRow, ...]


@functools.cache
def _corners() -> dict[str, tuple[tuple[float, float], ...]]:
    return {row.kind: row.corners for row in Honesty.read().row}


def honest(kind: str, share: float) -> float:
    """What a share is worth that rests on this kind of evidence; as it is where that was not counted."""
    corners = _corners().get(kind, ())
    if not corners:
        return share
    place = bisect.bisect_right([weighed for weighed, _ in corners], share)
    if place == 0:  # below what was counted it falls to nothing with the share
        return share * corners[0][1] / corners[0][0]
    if place == len(corners):
        return corners[-1][1]
    (low, low_right), (high, high_right) = corners[place - 1], corners[place]
    return low_right + (high_right - low_right) * (share - low) / (high - low)
