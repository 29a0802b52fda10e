"""How long one operation is repeated, and what came of its repetitions, told apart by their codes."""

from . import kit as compute

LEAST = 3  # repetitions of what was begun, while the time of all lasts
TELLING = 10  # ... by default, while it takes no more than PATIENCE times its part: fewer tell next to nothing
PATIENCE = 4.0
FINGERPRINTS, ORDER = 20, 300  # as many of each are reported


class Turn:
    """How long one operation is repeated. ``needed``: seconds that those before it took until that told something.

    Those that wait need as much, and have a share in what is left beyond that. None: it had its turn before, and has
    its part of the time.
    """

    def __init__(self, clock, needed):
        self._clock, self._needed, self._end = clock, needed, None

    def goes_on(self, done):
        """Whether it is repeated once more, after so many times."""
        clock = self._clock
        took = clock.seconds - clock.left
        if done < LEAST or clock.whole.left <= 0:
            return clock.whole.left > 0
        if self._needed is None:
            return clock.left > 0
        if done < TELLING:
            return took < PATIENCE * clock.seconds
        if self._end is None:
            self._needed.append(took)
            self._end = took + clock.seconds - sum(self._needed) / len(self._needed)
        return took < self._end


class Counted:
    """What came of the repetitions of one operation under one setting."""

    def __init__(self):
        self.found, self.order, self._counts = [], [], []
        self.warm_up, self.spread = None, None
        self._seconds, self._spent = [], 0.0

    def add(self, codes, seconds, spent):
        """Some more. ``seconds``: of each call; ``spent``: of everything."""
        for code in codes:
            if self._is_settled:  # to stop is decided call by call, however many are read at once
                break
            if code not in self.found:
                self.found.append(code)
                self._counts.append(0)
            place = self.found.index(code)
            self.order.append(place)
            self._counts[place] += 1
        self._seconds += seconds
        self._spent += spent

    @property
    def varies(self):
        """Whether there was another result."""
        return len(self.found) > 1 or bool(self.found and self.found[0] != self.warm_up)

    def is_enough(self, most):
        """Whether more show nothing new."""
        return self._is_settled or len(self.order) >= most

    @property
    def _is_settled(self):
        return len(self.found) > 1 and compute.is_settled(self._counts)

    def figures(self):
        """The fields of Repeat."""
        figures = {
            "repetitions": len(self.order),
            "distinct": len(self.found),
            "fingerprints": [_hex(code) for code in self.found[:FINGERPRINTS]],
            "counts": self._counts[:FINGERPRINTS],
            "seconds": compute.median(self._seconds),
            "share": min(1.0, sum(self._seconds) / self._spent) if self._spent else None,
        }
        if len(self.found) > 1:
            figures.update(order=self.order[:ORDER], spread=self.spread)
        if self.warm_up != self.found[0]:
            figures["warm_up"] = _hex(self.warm_up)
        return figures


def _hex(code):
    return "%016x" % (code & (1 << 64) - 1)
