"""How long a call takes that was made for another reason.

A time that is to be compared with another must come out again: it is the median of so many calls as
checks/analysis/numbers/repeats.py asks for, where these are quick; else of a few, and the number comes with it.
"""

import statistics
import time

ENOUGH, LEAST = 20, 3  # calls
PATIENCE = 0.03  # seconds that more calls than the least may take in all


def seconds_of(call):
    """Seconds of one call."""
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def timed(measure):
    """[The median of the seconds, the number of calls]. ``measure``: makes one call and gives its seconds."""
    times = [measure() for _ in range(LEAST)]
    while len(times) < ENOUGH and sum(times) + times[-1] < PATIENCE:
        times.append(measure())
    return [statistics.median(times), len(times)]


def facts(measured):
    """The fields of a measurement; of a time without a number of calls, only the time. None: it was not timed."""
    if isinstance(measured, (list, tuple)):
        return {"seconds": measured[0], "timed": measured[1]}
    return {"seconds": measured}
