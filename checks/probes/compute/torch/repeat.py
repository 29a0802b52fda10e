"""Operations of PyTorch again and again, with the same inputs and seeds.

Each operation is repeated as the framework does it by default, and again in its deterministic mode. What varies is then
asked with one thing changed at a time. Results are told apart on the device by 64 bits each, which are read back once
for many repetitions; whole results never leave it.
"""

import os
import re
import threading
import time

from ... import kit
from ...model import kit as model_kit
from .. import child, counting
from .. import kit as compute
from ..bits import difference, fingerprint
from . import operations as suite
from . import settings
from .timers import Events, Wall

SEED = 20
MOST = {"quick": 300, "standard": 1000, "thorough": 10000}  # repetitions; 300 show what happens in one of a hundred
FAR = 30  # repetitions among which the result is looked for that is the farthest from the first
CALLS = counting.LEAST + 1  # that it needs at the least: the first is not counted
AS_DEFAULT = ("default", "exact-inputs", "fresh-process")  # what was the first call is that by default
RECURRENT = ("lstm-backward", "gru-backward")  # those that need a workspace to repeat, and do not say so
BY_DEFAULT, MAIN = 0.75, 0.6  # part of the time that is left for all operations by default, under a setting, and so on
LEAST_MORE = 0.5  # seconds that are worth more repetitions
CHUNK = 0.05  # seconds between two looks at the results
DIRT = (0x00, 0xFF, 0x7F)  # bytes that are zero, no number, and a large number, in most types
# Numbers of one call, in multiples of those that suit a processor.
SCALE = {"cpu": 1.0}
SCALE_OF_DEVICE, LARGEST, SMALLEST, STEP = 64.0, 1024.0, 1 / 64, 4.0
SHORT, LONG = 7e-4, 0.05  # seconds of a call that is too short to measure, or too long to repeat
_WORDS = (  # what an error says -> why it was not measured
    (settings.NO_FORM + "|no deterministic", "no-deterministic-form"),
    (settings.WORKSPACE, "workspace-not-set"),
)
_of = {}  # device -> its Repeats, for when there is time for more


def stage(argument, clock):
    """The facts of the kind "repeat".

    All operations as they are by default come first, each as often as tells something before any is repeated more:
    where the time is short, which of them vary shows the most. Then what varies is asked further. Last comes what the
    deterministic mode costs where nothing varies.
    ``operations`` and ``settings`` of the argument limit it to some.
    """
    import torch

    kind, _, number = argument["device"].partition(":")
    if number and kind != "cpu":
        getattr(torch, kind).set_device(argument["device"])
    repeats = Repeats(torch, argument)
    only = argument.get("operations")
    if only is not None:
        pairs = [
            (operation, name)
            for operation in suite.OPERATIONS
            if operation.name in only
            for name in argument["settings"]
        ]
        yield from compute.measure(repeats.entries(pairs), clock, repeats.run)
        return
    _of[argument["device"]] = repeats
    yield compute.planned(repeats.entries([*repeats.by_default(), *repeats.in_deterministic_mode()]))
    steps = ((repeats.by_default, BY_DEFAULT), (repeats.of_what_varies, MAIN), (repeats.in_deterministic_mode, MAIN))
    for pairs, share in steps:
        part = compute.Clock(clock.left * share)
        yield from compute.measure(repeats.entries(pairs()), part, repeats.run)
    if repeats.wants_workspace:
        yield from repeats.with_workspace(clock)


def more(argument, clock):
    """What more is repeated in the time that all kinds left over: what had none, then what was repeated too seldom.

    An operation is reported again with all its repetitions.
    """
    repeats = _of.get(argument["device"])
    if repeats is not None and clock.left > LEAST_MORE:
        for facts in compute.measure(repeats.entries(repeats.unfinished()), clock, repeats.run):
            if not compute.has_reason(facts, "no-time", "too-slow"):  # that was reported
                yield facts


class Repeats:
    """Repeats operations on one device, and remembers which vary."""

    def __init__(self, torch, argument):
        self._torch, self._device, self._argument = torch, argument["device"], argument
        self._kind = self._device.split(":")[0]
        self._most = MOST[argument["effort"]]
        self._seed = settings.seeding(torch, self._device, SEED)
        self._timer = Events(torch, self._device) if self._kind == "cuda" else Wall(torch, self._kind)
        self._pace = compute.Pace()
        self._pool = None
        self._prepared = _Prepared((None, None), 0.0)
        self._scales = {}  # of each operation, as it was prepared last
        self._calls = {}  # seconds of a call of each operation, likewise
        self._needed = []  # seconds that operations took until they were repeated as often as tells something
        self._asked = ()  # what was asked of those that vary
        self._counts = {}  # (operation, setting) -> what came of its repetitions until now
        self._ended = set()  # those that cannot be repeated
        # What varied in a process before this one, that crashed, is asked further.
        self._varied = [operation for operation in suite.OPERATIONS if operation.name in argument.get("varied", ())]
        self._want_workspace = []

    def entries(self, pairs):
        """What is measured: names, and the operation with its setting."""
        about = {"kind": "repeat", "framework": "torch", "device": self._device}
        entries = [
            (dict(about, operation=operation.name, dtype=operation.dtype, setting=setting), (operation, setting))
            for operation, setting in pairs
        ]
        return compute.waiting(entries, self._argument)

    def run(self, what, clock):
        """The figures of one operation under one setting."""
        operation, setting = what
        self._ended.add(what)
        if not _has(self._torch, operation.needs):
            return {"reason": "not-in-version", "detail": "torch." + operation.needs}
        try:
            if setting == "deterministic" and operation not in self._varied:
                clock = clock.less(4)  # to see whether it raises, and what it costs
            figures = self._measured(what, clock)
        except (RuntimeError, TypeError) as error:
            reason = _reason(error)
            if reason is None:
                raise
            if reason == "workspace-not-set":
                self._want_workspace.append(operation)
            return {"reason": reason, "error": kit.describe(error)}
        except compute.TooSlow:
            self._ended.discard(what)
            raise
        self._ended.discard(what)
        if figures["distinct"] > 1 and setting == "default" and operation not in self._varied:
            self._varied.append(operation)
        if figures["distinct"] > 1 and setting == "deterministic" and operation.name in RECURRENT:
            self._want_workspace.append(operation)
        return figures

    @staticmethod
    def by_default():
        """All operations, the most telling first."""
        return [(operation, "default") for operation in suite.OPERATIONS]

    def of_what_varies(self):
        """What varies in deterministic mode, and what else is asked of it."""
        self._asked = tuple(self._varied)
        return [*((operation, "deterministic") for operation in self._asked), *self.questions()]

    def in_deterministic_mode(self):
        """All operations but those that were asked already."""
        return [(operation, "deterministic") for operation in suite.OPERATIONS if operation not in self._asked]

    def questions(self):
        """What is asked of the operations that vary, one thing changed at a time; and whether autotuning matters."""
        for operation in self._varied:
            if operation.exact:
                yield operation, "exact-inputs"
            if self._kind == "cpu":
                yield operation, "threads-1"
                continue
            if self._torch.backends.cudnn.benchmark:
                yield operation, "autotune-off"
            for setting in operation.settings:
                yield operation, setting
        if self._kind == "cuda" and self._torch.backends.cudnn.is_available():
            yield next(known for known in suite.OPERATIONS if known.name == "conv2d"), "autotune"

    def unfinished(self):
        """What more time shows more of, by default and of what varies in deterministic mode.

        First what had none, then what had too little to tell anything.
        """
        pairs = [*self.by_default(), *((varied, "deterministic") for varied in self._varied)]
        waiting = [pair for pair in pairs if pair not in self._counts and pair not in self._ended]
        begun = [pair for pair in pairs if pair in self._counts and not self._counts[pair].is_enough(self._most)]
        return waiting + sorted(begun, key=lambda pair: len(self._counts[pair].order) >= counting.TELLING)

    @property
    def wants_workspace(self):
        """Whether something was refused, or varied, for want of a variable."""
        return self._kind == "cuda" and bool(self._want_workspace) and not settings.workspace_is_set()

    def with_workspace(self, clock):
        """The deterministic mode again where it wants a variable that only a new process can have.

        cuBLAS and torch read it once, at the first product of a process.
        """
        if clock.left <= 0:
            return
        setting = "deterministic-workspace"
        entries = self.entries((operation, setting) for operation in dict.fromkeys(self._want_workspace))
        argument = dict(
            self._argument,
            seconds={"repeat": clock.left},
            operations=[named["operation"] for named, _ in entries],
            settings=[setting],
        )
        yield from child.measured(
            os.path.join(os.path.dirname(os.path.abspath(__file__)), "probe.py"),
            argument,
            {settings.WORKSPACE: settings.WORKSPACE_VALUE},
            60 + 3 * clock.left,
            [named for named, _ in entries],
        )

    # --- one operation ---

    def _measured(self, what, clock):
        operation, setting = what
        exact, smaller = setting == "exact-inputs", 0
        while True:
            try:
                self._make_ready(what, exact, clock)
                with settings.applied(self._torch, setting):
                    figures = self._repeated(what, clock)
            except (RuntimeError, MemoryError) as error:
                scale = self._prepared.scale / STEP
                if not model_kit.is_no_memory(error) or scale < SMALLEST:
                    raise
                smaller += 1
                self._counts.pop(what, None)  # of another size
                self._prepared = _Prepared((operation, exact), scale)  # the next turn makes it of this scale
                getattr(getattr(self._torch, self._kind, None), "empty_cache", lambda: None)()
                continue
            scale = self._prepared.scale
            if operation.terms is not None:
                figures["terms"] = int(operation.terms * max(1.0, scale))
            return dict(figures, scale=scale, **({"shrunk": smaller} if smaller else {}))

    def _make_ready(self, what, exact, clock):
        """The operation with its inputs, of a size that takes about a millisecond; the last one is kept."""
        operation, wanted = what[0], (what[0], exact)
        scale = self._scales.get(operation, SCALE.get(self._kind, SCALE_OF_DEVICE))
        known = fits = operation in self._calls  # of one size under all settings, so that their times can be compared
        if known:
            self._pace.look(what, CALLS, self._calls[operation], clock)
        if self._prepared.wanted == wanted:
            if self._prepared.call is not None:
                return
            scale, fits = self._prepared.scale, True
        if self._pool is None:
            self._pool = suite.Pool(self._torch, self._device)
        before = float("inf")  # seconds of a call with more numbers
        while True:
            prepared = self._prepared = _Prepared(wanted, scale)
            call = operation.make(suite.Drawn(self._pool, scale, exact, operation.dtype))
            seconds = self._first_call(call)
            # The first call of a library may take long, and shows nothing about the others.
            if (self._kind != "cpu" or seconds > LONG) and seconds < clock.whole.left:
                seconds = self._timer.once(call)
            if not fits and self._kind != "cpu" and seconds < SHORT and scale < LARGEST:
                scale *= STEP
            elif (
                not known
                and seconds > max(LONG, clock.left / counting.LEAST)
                and scale / STEP >= SMALLEST
                and seconds < before / 2  # else it is not the numbers that take the time
            ):
                scale, fits, before = scale / STEP, True, seconds
                self._scales[operation] = scale  # with which to begin where it has to wait
                self._pace.look(what, 1, seconds, clock)
            else:
                self._scales[operation], self._calls[operation] = scale, seconds
                if not known:
                    self._pace.look(what, CALLS, seconds, clock)
                prepared.call, prepared.seconds = call, seconds
                return

    def _first_call(self, call):
        started = time.perf_counter()
        self._seed()
        result = call()
        self._prepared.code = self._code(result)
        seconds = time.perf_counter() - started
        self._prepared.sizes = {tensor.numel() * tensor.element_size() for tensor in result}
        return seconds

    def _repeated(self, what, clock):
        """Repeat, until the time is up or nothing more is to be learned."""
        torch, setting, call, expected = self._torch, what[1], self._prepared.call, self._prepared.seconds
        if setting == "autotune":
            call = _in_threads(call)
        counted = self._counts.get(what) or counting.Counted()
        if not counted.order and setting not in AS_DEFAULT:
            expected = self._first_call(call)
            self._pace.look(what, counting.LEAST, expected, clock)
        counted.warm_up = self._prepared.code if counted.warm_up is None else counted.warm_up
        self._timer.reset()
        first, code, other, done = None, None, None, 0
        turn = counting.Turn(clock, self._needed if setting == "default" and not counted.order else None)
        while len(counted.order) < self._most and turn.goes_on(done):
            codes = fingerprint.TorchCodes(torch)
            for place in range(min(self._chunk(expected, clock), self._most - len(counted.order))):
                if place and clock.whole.left <= 0:
                    break
                if place < len(DIRT):
                    self._leave_dirt(done + place)
                self._seed()
                with self._timer:
                    result = call()
                first = result if first is None else first
                codes.add(result)
                self._timer.marked()
            read = codes.read()
            inside, whole = self._timer.read()
            expected = whole / len(inside)
            counted.add(read, inside, whole)
            done += len(read)
            code = read[0] if code is None else code
            other = result if read[-1] != code else other
            if counted.is_enough(self._most):
                break
            if (
                done < counting.LEAST and not counted.varies
            ):  # it may have become slower: something else keeps the machine busy
                self._pace.look(what, counting.LEAST - done, expected, clock)
        if len(counted.order) < min(counting.LEAST, self._most) and not counted.varies:
            raise compute.TooSlow(CALLS * expected, expected)
        self._counts[what] = counted
        if len(counted.found) > 1 and counted.spread is None:
            counted.spread = self._spread(call, first, code, other, clock)
        return counted.figures()

    @staticmethod
    def _chunk(expected, clock):
        """So many repetitions until the next look at the results."""
        return max(1, min(256, int(min(CHUNK, clock.left) / max(expected, 1e-5))))

    def _code(self, result):
        codes = fingerprint.TorchCodes(self._torch)
        codes.add(result)
        return codes.read()[0]

    def _leave_dirt(self, turn):
        """Leave other bytes in the memory that the next call gets, so that what is never written shows."""
        for size in self._prepared.sizes:
            self._torch.empty(max(1, size), dtype=self._torch.uint8, device=self._device).fill_(DIRT[turn % len(DIRT)])

    def _spread(self, call, first, code, other, clock):
        """The first result beside the farthest of some more that differ from it; ``other``: one that is at hand."""
        farthest = None
        for _ in range(FAR):
            if other is None:
                if clock.left <= 0 and (farthest is not None or clock.whole.left <= 0):
                    break
                self._seed()
                other = call()
            if self._code(other) != code:
                for one, another in zip(first, other):
                    if one.shape != another.shape:  # as many as there are: not to be compared element by element
                        continue
                    apart = difference.torch_difference(self._torch, one, another)
                    if farthest is None or _distance(apart) > _distance(farthest):
                        farthest = apart
            other = None
        return farthest


class _Prepared:
    """What is repeated now. ``wanted``: (operation, whether its inputs are exact). ``code``: of the very first result.

    ``call``: None where it is not made yet. ``seconds``: of a call. ``sizes``: bytes of its results.
    """

    def __init__(self, wanted, scale):
        self.wanted, self.scale = wanted, scale
        self.call, self.code, self.seconds, self.sizes = None, None, 0.0, ()


def _in_threads(call):
    """The call in a new thread each time: what torch remembers of the algorithms of cuDNN is of a thread (2.1)."""

    def fresh():
        kept = []
        thread = threading.Thread(target=lambda: kept.append(_outcome(call)))
        thread.start()
        thread.join()
        result, error = kept[0]
        if error is not None:
            raise error
        return result

    return fresh


def _outcome(call):
    try:
        return call(), None
    except Exception as error:  # raised by the thread that waits
        return None, error


def _reason(error):
    message = str(error)
    reason = next((reason for words, reason in _WORDS if re.search(words, message)), None)
    return reason or ("not-on-device" if compute.is_unsupported(error) else None)


def _has(torch, needs):
    value = torch
    for part in needs.split(".") if needs else ():
        value = getattr(value, part, None)
    return value is not None


def _distance(apart):
    """How far apart, to find the farthest: first by numbers that are none, then by the difference to the scale."""
    bad = apart.get("nan", 0) + apart.get("infinite", 0)
    size = apart.get("max_abs") or 0.0
    return bad, size / apart["scale"] if apart.get("scale") else size, apart.get("differing", 0)
