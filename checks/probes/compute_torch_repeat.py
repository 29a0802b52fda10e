"""Operations of PyTorch again and again, with the same inputs and seeds (``naosu_compute_torch_repeat``).

Each operation is repeated as the framework does it by default, and again in its deterministic mode. What varies is then
asked with one thing changed at a time. Results are told apart on the device by 64 bits each, which are read back once
for many repetitions; whole results never leave it.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time

import naosu_compute_difference as difference
import naosu_compute_fingerprint as fingerprint
import naosu_compute_kit as compute
import naosu_compute_torch_operations as suite
import naosu_compute_torch_settings as settings
import naosu_kit as kit

SEED = 20
MOST = {"quick": 300, "standard": 1000, "thorough": 10000}  # repetitions; 300 show what happens in one of a hundred
SURE = 30  # repetitions after which an operation that varies needs no more
LEAST = 3  # repetitions of what was begun, whatever the time
FINGERPRINTS, ORDER = 20, 300  # as many of each are told
RECURRENT = ("lstm-backward", "gru-backward")  # those that need a workspace to repeat, and do not say so
MAIN = 0.6  # part of the time that is left for all operations under a setting, and so on
CHUNK = 0.05  # seconds between two looks at the results

# Numbers of one call, in multiples of those that suit a processor.
SCALE = {"cpu": 1.0}
SCALE_OF_DEVICE, LARGEST, SMALLEST, STEP = 64.0, 1024.0, 1 / 64, 4.0
SHORT, LONG = 7e-4, 0.05  # seconds of a call that is too short to measure, or too long to repeat

_WORDS = (  # what an error says -> why it was not measured
    (r"does not have a deterministic implementation|no deterministic", "no-deterministic-form"),
    (settings.WORKSPACE, "workspace-not-set"),
    (
        (
            r"not (?:yet )?(?:implemented|supported)|doesn't support|does not support|No (?:available|viable)|NYI|"
            r"MPS framework doesn't|Cannot convert a MPS Tensor|not compiled with|unsupported|Could not run '"
        ),
        "not-on-device",
    ),
)
_MEMORY = re.compile(r"out of memory|not enough memory|can't allocate memory|CUBLAS_STATUS_ALLOC_FAILED", re.IGNORECASE)


def stage(argument, clock):
    """The facts of the kind "repeat". ``operations`` and ``settings`` of the argument limit it to some.

    All operations as they are by default come first: where the time is short, which of them vary tells the most.
    """
    import torch

    if argument["device"].startswith("cuda"):
        torch.cuda.set_device(argument["device"])
    repeats = Repeats(torch, argument["device"], argument["effort"])
    only = argument.get("operations")
    if only is not None:
        pairs = [(each, name) for each in suite.OPERATIONS if each.name in only for name in argument["settings"]]
        yield from compute.measure(repeats.entries(pairs), clock, repeats.run)
        return
    for pairs in (repeats.by_default, repeats.in_deterministic_mode):
        part = compute.Clock(clock.left * MAIN)
        yield from compute.measure(repeats.entries(pairs()), part, repeats.run)
    part = compute.Clock(clock.left * MAIN) if repeats.wants_workspace else clock
    yield from compute.measure(repeats.entries(repeats.questions()), part, repeats.run)
    if repeats.wants_workspace:
        yield from repeats.with_workspace(argument, clock)


class Repeats:
    """Repeats operations on one device, and remembers which vary."""

    def __init__(self, torch, device, effort):
        self._torch, self._device = torch, device
        self._kind = device.split(":")[0]
        self._most = MOST[effort]
        self._timer = _Events(torch, device) if self._kind == "cuda" else _Wall(torch, self._kind)
        self._pool = None
        # What is repeated now: ((operation, exact), call, scale, code of the very first result, seconds of a call).
        self._prepared = (None, None, 0.0, None, 0.0)
        self._scales = {}  # of each operation, as it was prepared last
        self._varied = []
        self._want_workspace = []

    def entries(self, pairs):
        """What compute_kit measures: names, and the operation with its setting."""
        about = {"kind": "repeat", "framework": "torch", "device": self._device}
        return [
            (dict(about, operation=each.name, dtype=each.dtype, setting=setting), (each, setting))
            for each, setting in pairs
        ]

    def run(self, what, clock):
        """The figures of one operation under one setting."""
        operation, setting = what
        if not _has(self._torch, operation.needs):
            return {"reason": "not-in-version", "detail": "torch." + operation.needs}
        try:
            if setting == "deterministic" and operation not in self._varied:
                clock = compute.Clock(clock.left / 4)  # to see whether it raises, and what it costs
            figures = self._measured(operation, setting, clock)
        except (RuntimeError, TypeError) as error:
            reason = _reason(error)
            if reason is None:
                raise
            if reason == "workspace-not-set":
                self._want_workspace.append(operation.name)
            return {"reason": reason, "error": kit.describe(error)}
        if figures["distinct"] > 1 and setting == "default":
            self._varied.append(operation)
        if figures["distinct"] > 1 and setting == "deterministic" and operation.name in RECURRENT:
            self._want_workspace.append(operation.name)
        return figures

    @staticmethod
    def by_default():
        """All operations, the most telling first."""
        return [(each, "default") for each in suite.OPERATIONS]

    def in_deterministic_mode(self):
        """All operations, those that vary first."""
        rest = [each for each in suite.OPERATIONS if each not in self._varied]
        return [(each, "deterministic") for each in (*self._varied, *rest)]

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
            yield next(each for each in suite.OPERATIONS if each.name == "conv2d"), "autotune"

    @property
    def wants_workspace(self):
        """Whether something was refused, or varied, for want of a variable."""
        return self._kind == "cuda" and bool(self._want_workspace) and not settings.workspace_is_set()

    def with_workspace(self, argument, clock):
        """The deterministic mode again where it wants a variable that only a new process can have.

        cuBLAS and torch read it once, at the first product of a process.
        """
        if clock.left <= 0:
            return
        told = dict(
            argument,
            seconds={"repeat": clock.left},
            operations=self._want_workspace,
            settings=["deterministic-workspace"],
        )
        yield from _in_new_process(told, {settings.WORKSPACE: settings.WORKSPACE_VALUE}, 60 + 3 * clock.left)

    # --- one operation ---

    def _measured(self, operation, setting, clock):
        exact, smaller = setting == "exact-inputs", 0
        while True:
            try:
                self._make_ready(operation, exact, clock)
                with settings.applied(self._torch, setting):
                    figures = self._repeated(setting, clock)
            except (RuntimeError, MemoryError) as error:
                scale = self._prepared[2] / STEP
                if not _is_memory(error) or scale < SMALLEST:
                    raise
                smaller += 1
                self._prepared = ((operation, exact), None, scale, None, 0.0)  # the next turn makes it of this scale
                getattr(getattr(self._torch, self._kind, None), "empty_cache", lambda: None)()
                continue
            scale = self._prepared[2]
            if operation.terms is not None:
                figures["terms"] = int(operation.terms * max(1.0, scale))
            return dict(figures, scale=scale, **({"shrunk": smaller} if smaller else {}))

    def _make_ready(self, operation, exact, clock):
        """The operation with its inputs, of a size that takes about a millisecond; the last one is kept."""
        wanted = (operation, exact)
        scale = self._scales.get(operation, SCALE.get(self._kind, SCALE_OF_DEVICE))
        known = fits = operation in self._scales  # of one size under all settings, so that their times can be compared
        if self._prepared[0] == wanted:
            if self._prepared[1] is not None:
                return
            scale, fits = self._prepared[2], True
        if self._pool is None:
            self._pool = suite.Pool(self._torch, self._device)
        before = float("inf")  # seconds of a call with more numbers
        while True:
            self._prepared = (wanted, None, scale, None, 0.0)
            call = self._seeded(operation.make(suite.Drawn(self._pool, scale, exact, operation.dtype)))
            started = time.perf_counter()
            first = self._code(call())
            seconds = time.perf_counter() - started
            if self._kind != "cpu" or seconds > LONG:  # the first call of a library may take long
                seconds = self._timer.once(call)
            if not fits and self._kind != "cpu" and seconds < SHORT and scale < LARGEST:
                scale *= STEP
            elif (
                not known
                and seconds > max(LONG, clock.left / LEAST)
                and scale / STEP >= SMALLEST
                and seconds < before / 2  # else it is not the numbers that take the time
            ):
                scale, fits, before = scale / STEP, True, seconds
            else:
                self._prepared = (wanted, call, scale, first, seconds)
                self._scales[operation] = scale
                return

    def _seeded(self, call):
        torch = self._torch

        def seeded():
            torch.manual_seed(SEED)
            return call()

        return seeded

    def _repeated(self, setting, clock):
        """Repeat, until the time is up or nothing more is to be learned."""
        torch, (_, call, _, warm_up, expected) = self._torch, self._prepared
        if setting == "autotune":
            call = _in_threads(call)
        if setting not in ("default", "exact-inputs"):
            warm_up = self._code(call())
        self._timer.reset()
        found, order, seconds, spent = [], [], [], 0.0
        first = None
        while len(order) < self._most and (clock.left > 0 or len(order) < LEAST):
            self._dirty(first, len(order))
            codes = []
            for _ in range(min(self._chunk(expected, clock), self._most - len(order))):
                with self._timer:
                    result = call()
                first = result if first is None else first
                codes.append(self._code(result))
                self._timer.marked()
            read = torch.stack(codes).tolist()
            inside, whole = self._timer.read()
            seconds += inside
            spent += whole
            expected = whole / len(inside)
            for code in read:
                if code not in found:
                    found.append(code)
                order.append(found.index(code))
            if len(found) > 1 and len(order) >= SURE:
                break
        figures = {
            "repetitions": len(order),
            "distinct": len(found),
            "fingerprints": [_hex(code) for code in found[:FINGERPRINTS]],
            "counts": [order.count(place) for place in range(min(len(found), FINGERPRINTS))],
            "seconds": compute.median(seconds),
            "share": min(1.0, sum(seconds) / spent) if spent else None,
        }
        if len(found) > 1:
            figures["order"] = order[:ORDER]
            figures["spread"] = self._spread(call, first, found[0], clock)
        if int(warm_up) != found[0]:
            figures["warm_up"] = _hex(int(warm_up))
        return figures

    @staticmethod
    def _chunk(expected, clock):
        """So many repetitions until the next look at the results."""
        return max(1, min(256, int(min(CHUNK, clock.left) / max(expected, 1e-5))))

    def _code(self, result):
        return fingerprint.torch_codes(self._torch, result)

    def _dirty(self, result, turn):
        """Leave other bytes in the memory that the next calls get, so that what is never written shows."""
        if result is None:
            return
        value = (0.0, float("nan"), 1e30)[turn % 3]
        for size in {each.numel() for each in result if isinstance(each, self._torch.Tensor)}:
            self._torch.full((max(1, size),), value, device=self._device)

    def _spread(self, call, first, code, clock):
        """The first result beside the farthest of some more that differ from it."""
        farthest, tries = None, 0
        while tries < SURE and (farthest is None or clock.left > 0):
            tries += 1
            result = call()
            if int(self._code(result)) == code:
                continue
            for one, other in zip(first, result):
                if one.shape != other.shape:  # as many as there are: not to be compared element by element
                    continue
                apart = difference.torch_difference(self._torch, one, other)
                if farthest is None or _distance(apart) > _distance(farthest):
                    farthest = apart
        return farthest


class _Wall:
    """Times calls by the clock; on an accelerator each is waited for."""

    def __init__(self, torch, kind):
        self._wait = getattr(getattr(torch, kind, None), "synchronize", None) if kind != "cpu" else None
        self._inside, self._began, self._start = [], None, None

    def __enter__(self):
        self._start = time.perf_counter()
        self._began = self._start if self._began is None else self._began

    def __exit__(self, *error):
        if self._wait and error[0] is None:
            self._wait()
        self._inside.append(time.perf_counter() - self._start)

    def reset(self):
        """Forget what an error left."""
        self._inside, self._began = [], None

    def marked(self):
        """The bookkeeping of a call is under way."""

    def read(self):
        """Seconds of each call since the last look, and of everything; to be asked when all has been read back."""
        inside, whole = self._inside, time.perf_counter() - self._began
        self._inside, self._began = [], None
        return inside, whole

    def once(self, call):
        """Seconds of one call."""
        self.reset()
        with self:
            call()
        return self.read()[0][0]


class _Events:
    """Times calls on a CUDA device by its own events, so that nothing waits."""

    def __init__(self, torch, device):
        self._torch, self._device = torch, device
        self._events = []

    def _mark(self):
        event = self._torch.cuda.Event(enable_timing=True)
        event.record(self._torch.cuda.current_stream(self._device))
        return event

    def __enter__(self):
        self._events.append([self._mark()])

    def __exit__(self, *error):
        if error[0] is None:
            self._events[-1].append(self._mark())

    def reset(self):
        """Forget what an error left."""
        self._events = []

    def marked(self):
        """All that belongs to one repetition is on its way to the device."""
        self._events[-1].append(self._mark())

    def read(self):
        """Seconds of each call since the last look, and of everything; to be asked when all has been read back."""
        events, self._events = self._events, []
        self._torch.cuda.synchronize(self._device)
        inside = [each[0].elapsed_time(each[1]) / 1000 for each in events]
        return inside, events[0][0].elapsed_time(events[-1][-1]) / 1000

    def once(self, call):
        """Seconds of one call."""
        self.reset()
        with self:
            call()
        self.marked()
        return self.read()[0][0]


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
    except Exception as error:  # told by the thread that waits
        return None, error


def _in_new_process(argument, environment, limit):
    """The measurements of the same probe in a process with other variables."""
    here = os.path.dirname(os.path.abspath(__file__))
    with tempfile.TemporaryDirectory(prefix="naosu-") as folder:
        answer = os.path.join(folder, "answer")
        command = [sys.executable, "-B", os.path.join(here, "host.py"), os.path.join(here, "compute_torch_probe.py")]
        try:
            subprocess.run(
                [*command, answer, json.dumps(argument)],
                check=False,
                env=dict(os.environ, **environment),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=limit,
            )
        except subprocess.TimeoutExpired:
            pass  # what it told until then counts
        if not os.path.exists(answer):
            return
        with open(answer, encoding="ascii") as file:
            for line in file:
                try:
                    said = json.loads(line)
                except ValueError:  # it was ended while it wrote
                    continue
                if "measurements+" in (said.get("facts") or {}):
                    yield said["facts"]


def _reason(error):
    if isinstance(error, NotImplementedError):
        return "not-on-device"
    said = str(error)
    return next((reason for words, reason in _WORDS if re.search(words, said)), None)


def _is_memory(error):
    return isinstance(error, MemoryError) or bool(_MEMORY.search(str(error)))


def _has(torch, needs):
    """Whether this torch has what is named with dots."""
    value = torch
    for part in needs.split(".") if needs else ():
        value = getattr(value, part, None)
    return value is not None


def _distance(apart):
    """How far apart, to find the farthest: first by numbers that are none, then by the difference to the scale."""
    bad = apart.get("nan", 0) + apart.get("infinite", 0)
    size = apart.get("max_abs") or 0.0
    return bad, size / apart["scale"] if apart.get("scale") else size, apart.get("differing", 0)


def _hex(code):
    return "%016x" % (code & (1 << 64) - 1)
