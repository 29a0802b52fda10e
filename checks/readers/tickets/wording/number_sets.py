"""Sets of whole numbers in one table: the union of a few is found in a time that does not grow with all of them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]


class NumberSets:
    """Sets that stand behind each other in one ``table``. ``starts``: where each of them begins."""

    def __init__(self, table: Numbers, starts: Numbers) -> None:
        self.table, self.starts = table, starts
        self._lengths = np.diff(starts, append=len(table))
        self._end = int(table.max(initial=-1)) + 1

    @classmethod
    def of(cls, sets: Sequence[Sequence[int] | Numbers]) -> NumberSets:
        """A table of these sets."""
        starts = list(itertools.accumulate(map(len, sets), initial=0))[:-1]
        members = [np.asarray(numbers, np.int64) for numbers in sets]
        return cls(np.concatenate(members) if members else np.empty(0, np.int64), np.array(starts, np.int64))

    def members(self, chosen: Numbers) -> tuple[Numbers, Numbers]:
        """The members of the chosen sets behind each other, and where each set begins there."""
        lengths = self._lengths[chosen]
        ends = np.cumsum(lengths)
        starts = ends - lengths
        places = np.repeat(self.starts[chosen] - starts, lengths)
        return self.table[places + np.arange(len(places))], starts

    def distinct(self, chosen: Numbers) -> Numbers:
        """The union of the chosen sets, in ascending order."""
        return distinct(self.members(chosen)[0], self._end)


def distinct(numbers: npt.NDArray[np.integer], end: int) -> Numbers:
    """Each of these numbers from 0 to ``end`` once, in ascending order."""
    is_there = np.zeros(end, bool)
    is_there[numbers] = True
    return np.flatnonzero(is_there)
