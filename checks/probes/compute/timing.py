"""How long a call takes that was made for another reason (``compute.timing``).

A time that is to be compared with another must come out again: it is the median of so many calls as
checks/analysis/numbers/repeats.py asks for, where these are quick; else of a few, and the number is told with it.

Standard library only, Python 3.8 and later.
"""

import statistics

ENOUGH, LEAST = 20, 3  # calls
PATIENCE = 0.03  # seconds that more calls than the least may take in all


def timed(seconds_of):
    """[The median of the seconds, the number of calls]. ``seconds_of``: makes one call and says how long it took."""
    times = [seconds_of() for _ in range(LEAST)]
    while len(times) < ENOUGH and sum(times) + times[-1] < PATIENCE:
        times.append(seconds_of())
    return [statistics.median(times), len(times)]


def facts(told):
    """The fields of a measurement; of a time without a number of calls, only the time. None: it was not timed."""
    if isinstance(told, (list, tuple)):
        return {"seconds": told[0], "timed": told[1]}
    return {"seconds": told}
