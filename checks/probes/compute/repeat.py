"""An operation again and again, in frameworks whose results are looked at as NumPy's arrays.

For those that depend on NumPy. PyTorch, whose results can be distinguished on their device, has a module of its own.
"""

import re
import time

from .. import kit
from . import kit as compute
from .bits import difference, fingerprint

MOST = {"quick": 300, "standard": 1000, "thorough": 10000}  # repetitions; 300 show what happens in one of a hundred
LEAST = 4  # repetitions of what was begun, while the time of all lasts
FINGERPRINTS = 20  # as many are reported

# The error of TensorFlow in its deterministic mode, since 2.6, of an operation that has no such form.
_REFUSED = re.compile(r"deterministic (?:GPU|XLA) implementation", re.IGNORECASE)


def stage(named, operations, argument, clock):
    """The facts of the kind "repeat".

    ``operations``: (id, dtype, terms, what draws the inputs and returns a function that gives a list of arrays). Those
    that the argument names are repeated alone, where it names some.
    """
    only = argument.get("operations")
    entries = [
        (dict(named, kind="repeat", operation=operation, dtype=dtype), (make, terms))
        for operation, dtype, terms, make in operations
        if only is None or operation in only
    ]
    pace, most = compute.Pace(), MOST[argument["effort"]]
    yield from compute.measure_listed(entries, clock, lambda what, clock: _figures(what, clock, most, pace), argument)


def _figures(what, clock, most, pace):
    make, terms = what
    try:
        figures = repeated(make(), clock, most, lambda calls, call: pace.look(make, calls, call, clock))
    except Exception as error:
        if not _REFUSED.search(str(error)):
            raise
        return {"reason": "no-deterministic-form", "error": kit.describe(error)}
    return dict(figures, **({"terms": terms} if terms else {}))


def repeated(call, clock, most, look):
    """How many different results ``call`` gives, and how far apart they are.

    ``look``: may raise TooSlow, where so many calls more, of so many seconds each, have to wait.
    """
    import numpy as np

    warm_up = _code(np, call())  # what is compiled, chosen or loaded once
    found, counts, seconds, first, farthest = [], [], [], None, None
    while len(seconds) < most and (clock.left > 0 or len(seconds) < LEAST):
        if 0 < len(seconds) < LEAST and len(found) == 1:
            look(LEAST - len(seconds), seconds[-1])
        started = time.perf_counter()
        result = call()
        seconds.append(time.perf_counter() - started)
        first = result if first is None else first
        code = _code(np, result)
        if code in found:
            counts[found.index(code)] += 1
        else:
            found.append(code)
            counts.append(1)
            if len(found) > 1:
                farthest = _farther(np, farthest, first, result)
        if compute.is_settled(counts):
            break
    figures = {
        "repetitions": len(seconds),
        "distinct": len(found),
        "fingerprints": found[:FINGERPRINTS],
        "counts": counts[:FINGERPRINTS],
        "seconds": compute.median(seconds),
    }
    if warm_up != found[0]:
        figures["warm_up"] = warm_up
    return dict(figures, spread=farthest) if farthest else figures


def _code(numpy, arrays):
    return fingerprint.combined([fingerprint.numpy_fingerprint(numpy, array) for array in arrays])


def _farther(numpy, farthest, first, result):
    for one, other in zip(first, result):
        apart = difference.numpy_difference(numpy, one, other)
        if farthest is None or _size(apart) > _size(farthest):
            farthest = apart
    return farthest


def _size(apart):
    return apart.get("nan", 0) + apart.get("infinite", 0), apart.get("max_abs") or 0.0, apart.get("differing", 0)
