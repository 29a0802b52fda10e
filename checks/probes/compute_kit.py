"""What the probes that compute share: their time, and how they tell what they measure (``naosu_compute_kit``).

Standard library only, Python 3.8 and later.
"""

import statistics
import time

import naosu_kit as kit

LOST_AFTER = 3  # errors of one kind in a row on an accelerator after which no more is tried


class Clock:
    """The time that one kind of measurement has. ``left``: seconds until it is over."""

    def __init__(self, seconds):
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    @property
    def left(self):
        """Seconds; negative where it is over."""
        return self._end - time.monotonic()

    def part(self, waiting):
        """The time for the next of so many that wait."""
        return Clock(max(0.0, self.left) / max(1, waiting))


def told(measured):
    """What a stage yields for one measurement."""
    return {"measurements+": [measured]}


def measuring(measured):
    """What a stage yields before it measures, so that a crash leaves its name."""
    return {"measuring": measured}


def measure(entries, clock, run):
    """Measure entry by entry while there is time, as the facts that a stage yields.

    ``entries``: (facts that name it, whatever ``run`` needs). ``run(what, clock)``: the figures, as a dict. What no
    time is left for is told with the reason "no-time", an exception as the fact that it is. After some in a row that
    are the same the rest is left out: the device is lost, or does not compute such a thing at all.
    """
    entries = list(entries)
    failures, last = 0, None
    for place, (named, what) in enumerate(entries):
        if clock.left <= 0:
            yield told(dict(named, reason="no-time"))
            continue
        if failures >= LOST_AFTER and not _is_processor(named.get("device", "")):
            yield told(dict(named, reason="device-lost"))
            continue
        yield measuring(named)
        try:
            figures = run(what, clock.part(len(entries) - place))
        except Exception as error:
            failures, last = (failures + 1 if str(error) == last else 1), str(error)
            yield told(dict(named, error=kit.describe(error), reason="failed"))
        else:
            failures, last = 0, None
            yield told(dict(named, **figures))


def _is_processor(device):
    """PyTorch says "cpu", TensorFlow "CPU:0", JAX "cpu:0"."""
    return device.lower().partition(":")[0] == "cpu"


def median(seconds):
    """The median; None where nothing was timed."""
    return statistics.median(seconds) if seconds else None
