"""What the probes that compute share: their time, and the facts that their stages yield."""

import os
import re
import statistics
import time

from .. import kit
from ..model import kit as model_kit

HOST = os.path.join(os.path.dirname(os.path.abspath(kit.__file__)), "host.py")  # which runs a probe in another process

LOST_AFTER = 3  # errors of one kind in a row on an accelerator after which no more is tried
SURE, OTHERS = 30, 10  # repetitions, and results other than the usual one among them, that show how much varies
IDENTITY = ("kind", "operation", "dtype", "setting")  # what tells the entries of one process apart

_UNSUPPORTED = re.compile(
    r"not (?:yet )?(?:implemented|supported)|doesn't support|does not support|only supported|No (?:available|viable)|"
    r"NYI|MPS framework doesn't|Cannot convert a MPS Tensor|not compiled with|Could not run '|_NOT_SUPPORTED|"
    r"[uU]nsupported(?! operand type)"  # as Python says it, that is a mistake of ours
)
_BUSY = re.compile(
    r"devices?(?:\(s\))? (?:is/)?are busy or unavailable|CUDA_ERROR_DEVICE_UNAVAILABLE|DevicesUnavailable"
)
_TYPICAL = 3  # times as long as is usual is slow; and of so many others it must be known to say what is usual
_LEAST_PART = 0.25  # of its time that each kind keeps, however long those before it took
_PATIENCE = 4.0  # times its part of the time that what is slow may take before the others
_AT_ONCE = 1 / 8  # part of what is left that one may take while nothing is known of the others


class Clock:
    """The time that one kind of measurement has. ``left``: seconds until it is over. ``whole``: what it is a part of.

    What is begun may go on when its part is over, but not when the whole is.
    """

    def __init__(self, seconds, whole=None):
        self.seconds = seconds
        self.whole = whole or self
        self._end = time.monotonic() + seconds

    @property
    def left(self):
        """Seconds; negative where it is over."""
        return self._end - time.monotonic()

    def part(self, waiting):
        """The time for the next of so many that wait."""
        return Clock(max(0.0, self.left) / max(1, waiting), self)

    def less(self, times):
        """So many times less, of the same whole."""
        return Clock(max(0.0, self.left) / times, self.whole)


class Shares:
    """The time of one kind after the other; ``seconds``: of each kind, in their order.

    ``is_lent``: what a kind leaves of its time the next ones have, and lack what it took more. Else each has its own
    time, and what is left over is for the end.
    """

    def __init__(self, is_lent=True):
        self._is_lent, self._saved, self._last = is_lent, 0.0, None

    def clock(self, kind, seconds):
        """The clock of the kind that begins now."""
        self._collect()
        kinds, share = list(seconds), seconds[kind]
        if self._is_lent:
            waiting = sum(seconds[other] for other in kinds[kinds.index(kind) :])
            share *= max(_LEAST_PART, 1 + self._saved / waiting)
            self._saved -= share - seconds[kind]
        self._last = Clock(share)
        return self._last

    def rest(self):
        """The clock of all that is left over."""
        self._collect()
        self._last, self._saved = Clock(self._saved), 0.0
        return self._last

    def _collect(self):
        if self._last is not None:
            self._saved += self._last.left


class TooSlow(Exception):  # noqa: N818 - not an error but an answer
    """What was begun has to wait until all others had their turn, or is left out. ``needed``: seconds that it takes."""

    def __init__(self, needed, call):
        super().__init__(needed)
        self.needed = needed
        self.call = call  # seconds of one


class Pace:
    """Keeps what is slow from taking the time of the others."""

    def __init__(self):
        self._needs = {}
        self._waited = set()

    def look(self, what, calls, call, clock):
        """Go on with what needs so many calls of so many seconds, or raise TooSlow: once, to let the others go first.

        After that it does so only where the time does not suffice.
        """
        needed = calls * call
        self._needs[what] = max(needed, self._needs.get(what, 0.0))
        if needed > clock.whole.left or not (what in self._waited or self._is_its_turn(needed, clock)):
            self._waited.add(what)
            raise TooSlow(needed, call)

    def _is_its_turn(self, needed, clock):
        if needed <= _PATIENCE * clock.seconds:
            return True
        if len(self._needs) < _TYPICAL:
            return needed <= _AT_ONCE * clock.whole.left
        return needed <= _TYPICAL * statistics.median(self._needs.values())  # else all are slow here


def facts_of(measured):
    """What a stage yields for one measurement."""
    return {"measurements+": [measured], "measuring": None}


def measuring(measured):
    """What a stage yields before it measures, so that a crash leaves its name."""
    return {"measuring": measured}


def planned(entries):
    """What a stage yields before all: the names of what is to be measured, so that a crash leaves those behind it."""
    return {"planned+": [named for named, _ in entries]}


def has_reason(facts, *reasons):
    """Whether a measurement among the facts of a stage has one of these reasons."""
    return any(measured.get("reason") in reasons for measured in facts.get("measurements+", ()))


def identity(named):
    """One text that tells an entry from the others of its process."""
    return "/".join(named.get(field, "") for field in IDENTITY)


def waiting(entries, argument):
    """The entries without those that a process before this one was done with."""
    done = set(argument.get("done", ()))
    return [entry for entry in entries if identity(entry[0]) not in done]


def measure(entries, clock, run):
    """Measure entry by entry while there is time, as the facts that a stage yields.

    ``entries``: (facts that name it, whatever ``run`` needs). ``run(what, clock)``: the figures, as a dict. What no
    time is left for has the reason "no-time", an exception is a fact. Where it raises TooSlow, it
    comes again after all others, the quicker first. After some errors in a row that are the same the rest is left out:
    the device is lost, or does not compute such a thing at all.
    """
    entries = list(entries)
    slow = []
    lost = _Lost()
    for place, (named, what) in enumerate(entries):
        if clock.left <= 0:
            yield facts_of(dict(named, reason="no-time"))
        elif lost.is_certain(named):
            yield facts_of(dict(named, reason="device-lost"))
        else:
            yield measuring(named)
            try:
                yield facts_of(dict(named, **_figures(run, what, clock.part(len(entries) - place), lost)))
            except TooSlow as turn:
                slow.append((turn.needed, place, turn.call))
    slow.sort()
    for rank, (needed, place, call) in enumerate(slow):
        named, what = entries[place]
        seconds = call
        if needed <= clock.left and not lost.is_certain(named):
            yield measuring(named)
            try:
                yield facts_of(dict(named, **_figures(run, what, clock.part(len(slow) - rank), lost)))
                continue
            except TooSlow as turn:
                seconds = turn.call
        yield facts_of(dict(named, reason="too-slow", detail="%.2g s" % seconds, seconds=seconds))


def measure_listed(entries, clock, run, argument):
    """As ``measure``, without what a process before this one was done with; what is to be measured is announced."""
    entries = waiting(entries, argument)
    yield planned(entries)
    yield from measure(entries, clock, run)


def _figures(run, what, clock, lost):
    """The figures, or the error that came instead."""
    try:
        figures = run(what, clock)
    except TooSlow:
        raise
    except Exception as error:
        if model_kit.is_no_memory(error):
            return {"error": kit.describe(error), "reason": "no-memory"}
        if is_unsupported(error):
            return {"error": kit.describe(error), "reason": "not-on-device"}
        lost.failed(error)
        return {"error": kit.describe(error), "reason": "failed"}
    lost.computed()
    return figures


class _Lost:
    """Whether a device no longer answers: errors in a row that are the same."""

    def __init__(self):
        self._failures, self._last = 0, None

    def failed(self, error):
        """Another error."""
        self._failures, self._last = (self._failures + 1 if str(error) == self._last else 1), str(error)

    def computed(self):
        """It answers."""
        self._failures, self._last = 0, None

    def is_certain(self, named):
        """Of the device on which this is to be computed. A processor is never lost."""
        return self._failures >= LOST_AFTER and not is_processor(named.get("device", ""))


def is_settled(counts):
    """Whether what varies was repeated often enough. ``counts``: how often each result came.

    Whoever stops at the first other result takes what is seldom for what is frequent; and of so few nothing tells
    whether a setting has an effect.
    """
    calls = sum(counts)
    return calls >= SURE and calls - max(counts) >= OTHERS


def is_unsupported(error):
    """Whether an exception says that a device, or this build, does not compute such a thing."""
    return isinstance(error, NotImplementedError) or bool(_UNSUPPORTED.search(str(error)))


def is_busy(message):
    """Whether an error says that a GPU lets in no further process (CUDA's error 46, as its runtime words it)."""
    return bool(_BUSY.search(message))


def is_processor(device):
    """PyTorch says "cpu", TensorFlow "CPU:0", JAX "cpu:0"."""
    return device.lower().partition(":")[0] == "cpu"


def median(seconds):
    """The median; None where nothing was timed."""
    return statistics.median(seconds) if seconds else None
