"""The nodes of a model in their order, so many at once as their values fit in memory."""

from .ways import is_of_model

AT_ONCE = 32  # nodes whose values are given out by the first session, fewer where they are likely to be large
TIMES_LARGEST = 32  # what one value within is taken to have at the most, in sizes of the largest input or output
GROWTH = 8  # times as many by the next, where their values are small
MOST_BYTES = 256 << 20  # of values at once


class Slices:
    """``known``: arrays of the model, by whose size that of its values is guessed until one was seen (``look``)."""

    def __init__(self, nodes, known, clock):
        self._nodes, self._clock = nodes, clock
        self._largest = max((array.nbytes for array in known), default=0)
        self._most_bytes = 1  # of the values of a node, so far
        self.starts = []  # where each slice begins

    def look(self, array):
        """Take the size of a value into account."""
        self._most_bytes = max(self._most_bytes, array.nbytes)

    def go(self, take):
        """Call ``take(start, end)`` for slice after slice; of one whose values the model does not give, for its halves.

        Returns:
            The label of the node at which the time was up; "" where it was not.
        """
        place, count = 0, self.first_count()
        while place < len(self._nodes):
            if self._clock.left <= 0:
                return self._nodes[place].label
            self.starts.append(place)
            self._take(place, min(place + count, len(self._nodes)), take)
            place += count
            count = max(1, min(count * GROWTH, MOST_BYTES // self._most_bytes))
        return ""

    def first_count(self):
        """How many nodes are given out at first, when nobody knows how large their values are."""
        return max(1, min(AT_ONCE, MOST_BYTES // max(1, TIMES_LARGEST * self._largest)))

    def _take(self, start, end, take):
        try:
            take(start, end)
        except Exception as error:  # a value that cannot be given out, or too little memory for all of them at once
            if not is_of_model(error):
                raise
            if end - start > 1 and self._clock.left > 0:
                half = (start + end) // 2
                self._take(start, half, take)
                self._take(half, end, take)
