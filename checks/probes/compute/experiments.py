"""What the experiments share in every framework.

The sum: the squares of 0, 1e-6, 2e-6, ... 1 added up ten times; that are 10**6 terms and the 0 at the start. The
network: two convolutions of 5 x 5 (32 and 64 channels), a maximum of 2 x 2 after each, a dense layer of 512 with
dropout, ten classes, trained on digits of 28 x 28 again and again with the same seed, weights and batches. Both are
those of the introductory program of TensorFlow that articles about changing results repeat.
"""

import struct
import time
from fractions import Fraction

from . import digits, timing
from . import kit as compute
from .bits import inputs

TERMS = 10**6
TRUE_SUM = Fraction(TERMS * (TERMS + 1) * (2 * TERMS + 1), 6 * TERMS**2)
SUMS = 10
RUNS = 5
STEPS = 1000
BATCH = 16
PICTURES, VALIDATION = 4096, 500
RATE, MOMENTUM, DROPOUT = 0.01, 0.9, 0.5
SEED = 66478
LEAST_RUNS = 2  # one run shows nothing

# Steps of a run, how often the validation error is reported in it, and the runs without which the next line shows more.
_LADDER = ((1000, 10, 5), (500, 10, 5), (200, 10, 5), (100, 5, 4), (50, 5, 3), (20, 2, 2))
_SHORTEST = (10, 4, 2)  # steps of runs that are made where the time suffices for none of these
_PATIENCE = 1.5  # times its time that the network may take for them; else it is left out
_LITTLE = 0.6  # so much of the time is left where the plan was too careful
_OF_SUMS = 0.2  # part of the time that the sums get at most

# The weights, with the channels last: shape, and the bound of the uniform distribution, a power of two near that which
# He et al. (2015, "Delving deep into rectifiers") derive from the number of inputs. A bound of 0 is a bias.
WEIGHTS = (
    ("convolution-1", (5, 5, 1, 32), 0.5), ("bias-1", (32,), 0.0), ("convolution-2", (5, 5, 32, 64), 0.0625),
    ("bias-2", (64,), 0.0), ("dense", (7 * 7 * 64, 512), 0.03125), ("bias-3", (512,), 0.0),
    ("classes", (512, 10), 0.125), ("bias-4", (10,), 0.0),
)  # fmt: skip
_STREAM = 7100


def named(framework, argument):
    """The facts that name an experiment."""
    setting = argument.get("setting", "default")
    return {"kind": "experiment", "framework": framework, "device": argument["device"], "setting": setting}


def bits(value, dtype):
    """The bits of a number in hexadecimal, the sign first."""
    return struct.pack(">f" if dtype == "float32" else ">d", value).hex()


def finite(value):
    """The number; None where it is none: JSON has no NaN."""
    return value if value - value == 0 else None


def sums(named, ways, clock):
    """The facts of the sum, ``ways``: (operation, dtype, setting, function that gives the sum as a float)."""
    pace = compute.Pace()

    def run(work, clock):
        function, dtype = work
        values, seconds = [], []
        call = timing.seconds_of(function)  # the first time a library may still choose its way
        pace.look(function, LEAST_RUNS, call, clock)
        while len(values) < SUMS and (clock.left > 0 or (len(values) < LEAST_RUNS and clock.whole.left > 0)):
            started = time.perf_counter()
            values.append(function())
            seconds.append(time.perf_counter() - started)
        if len(values) < LEAST_RUNS:
            raise compute.TooSlow(LEAST_RUNS * call, call)
        return {
            "values": [[finite(value)] for value in values],
            "exact": [[bits(value, dtype)] for value in values],
            "expected": float(TRUE_SUM),
            "seconds": compute.median(seconds),
        }

    entries = [
        (dict(named, operation=operation, dtype=dtype, setting=setting or named["setting"]), (function, dtype))
        for operation, dtype, setting, function in ways
    ]
    yield from compute.measure(entries, compute.Clock(clock.left * _OF_SUMS), run)


def numpy_terms(numpy, dtype):
    """0, 1e-6, ... 1, each rounded once to float64, then to the type."""
    return (numpy.arange(TERMS + 1, dtype="float64") / TERMS).astype(dtype)


def numpy_weights(numpy):
    """The weights at the start."""
    for place, (_, shape, bound) in enumerate(WEIGHTS):
        if bound:
            yield inputs.numpy_uniform(numpy, shape, "float32", _STREAM + place) * numpy.float32(bound)
        else:
            yield numpy.zeros(shape, "float32")


def numpy_digits(numpy, count, which):
    """Pictures (count, 28, 28, 1) with values from -0.5 to 0.5, and their digits."""
    drawn = numpy.array(digits.bank(which))
    parts_drawn = digits.parts(count, which, lambda *asked: inputs.numpy_integers(numpy, *asked).astype("int64"))
    across = numpy.arange(digits.SIZE)
    lit = digits.pictures(drawn, parts_drawn, across[:, None], across)
    return (lit.astype("float32") / numpy.float32(256) - numpy.float32(0.5))[..., None], parts_drawn["digit"]


def torch_terms(torch, dtype, device):
    """As numpy_terms."""
    return (torch.arange(TERMS + 1, dtype=torch.float64) / TERMS).to(getattr(torch, dtype)).to(device)


def torch_weights(torch, device):
    """As numpy_weights: with the channels last, in the order of WEIGHTS."""
    for place, (_, shape, bound) in enumerate(WEIGHTS):
        if bound:
            yield inputs.torch_uniform(torch, shape, torch.float32, _STREAM + place, "cpu").mul(bound).to(device)
        else:
            yield torch.zeros(shape, device=device)


def torch_digits(torch, count, which, device):
    """As numpy_digits."""
    drawn = torch.tensor(digits.bank(which))
    parts_drawn = digits.parts(count, which, lambda *asked: inputs.torch_integers(torch, *asked, "cpu").long())
    across = torch.arange(digits.SIZE)
    lit = digits.pictures(drawn, parts_drawn, across[:, None], across)
    return (lit.float() / 256 - 0.5)[..., None].to(device), parts_drawn["digit"].to(device)


def batch(step):
    """The pictures that a step learns from, as a slice."""
    start = step * BATCH % PICTURES
    return slice(start, start + BATCH)


def network(named, make, clock):
    """The facts of the trained network. ``make()`` gives the network of a framework on its device.

    It has ``begin()``: the weights and seeds as at the start of a program; ``step(number)``: learn from that batch, and
    give the loss as a float; ``judge()``: (wrong digits of the validation set, loss there); ``fingerprint()`` of the
    weights.
    """
    named = dict(named, operation="digits-network", dtype="float32")
    yield from compute.measure([(named, make)], clock, lambda make, clock: _trained(make(), clock))


def _trained(network, clock):
    left = clock.left
    done = _runs(network, clock)
    if not done:
        return {"reason": "no-time"}
    if len(done) < LEAST_RUNS:
        return {"reason": "too-slow", "detail": "%.2g s" % done[0].seconds, "seconds": done[0].seconds}
    has_parted = any(run.parted_from(done[0]) is not None for run in done)
    if done[0].steps < STEPS and not has_parted and clock.left > left * _LITTLE:
        # Something else had kept the machine busy when the time was planned.
        done = _runs(network, clock) or done
    return _figures(done)


def _runs(network, clock):
    runs, steps, rows = _plan(network, clock)
    if not runs:
        return []
    every = steps // rows
    first = _Run(network, steps, every, lambda spent: clock.left < spent)  # the time for another is gone
    done = [first]
    while len(done) < runs and (len(done) < LEAST_RUNS or clock.left > first.seconds):
        # What is needed may take longer than planned, but not many times.
        end = -clock.seconds if len(done) < LEAST_RUNS else 0.0
        run = _Run(network, first.steps, every, lambda _, end=end: clock.left <= end)
        if run.steps < first.steps:  # something else keeps the machine busy
            break
        done.append(run)
    return done


def _figures(done):
    first = done[0]
    return {
        "steps": [0, *first.rows],
        "values": [run.errors for run in done],
        "exact": [run.losses for run in done],
        "fingerprints": [run.fingerprint for run in done],
        "parted": [run.parted_from(first) for run in done],
        "seconds": compute.median([run.seconds for run in done]),
    }


def _plan(network, clock):
    """How many runs of how many steps the time suffices for, and how often to look; no run where it takes too long."""
    network.begin()
    network.step(0)  # what is compiled, chosen or loaded once
    seconds = []
    for number in range(1, 5):
        seconds.append(timing.seconds_of(lambda number=number: network.step(number)))
        if LEAST_RUNS * _SHORTEST[-1] * seconds[-1] > _PATIENCE * clock.seconds:
            return (0, 0, 0)
        if sum(seconds) > clock.seconds:
            break
    step = min(seconds)  # too few steps are never made more, too many are cut when the time is up
    judging = step * VALIDATION / BATCH / 3  # forward alone, of forward and both ways back
    for steps, rows, least in _LADDER:
        runs = int(clock.left // max(1e-9, steps * step + (rows + 1) * judging))
        if runs >= least:
            return (min(runs, RUNS), steps, rows)
    judging = timing.seconds_of(network.judge)  # of so short a run it is the most, and was only estimated
    for steps in _SHORTEST:
        if LEAST_RUNS * (steps * step + 2 * judging) <= _PATIENCE * clock.seconds:
            return (LEAST_RUNS, steps, 1)
    return (0, 0, 0)


class _Run:
    """The network trained once. It ends early at a row after which ``is_over``, asked with the seconds it took."""

    def __init__(self, network, steps, every, is_over):
        started = time.perf_counter()
        self.errors, self.losses, self.rows, self._each = [], [], [], []
        network.begin()
        self._look(network)
        for step in range(steps):
            self._each.append(bits(network.step(step), "float32"))
            if (step + 1) % every == 0:
                self._look(network)
                self.rows.append(step + 1)
                if is_over(time.perf_counter() - started):
                    break
        self.fingerprint = network.fingerprint()
        self.steps = len(self._each)
        self.seconds = time.perf_counter() - started

    def _look(self, network):
        wrong, loss = network.judge()
        self.errors.append(wrong / VALIDATION if finite(loss) is not None else None)
        self.losses.append(bits(loss, "float32"))

    def parted_from(self, other):
        """The first step with another loss than in the other run; None: never."""
        for step, (mine, its) in enumerate(zip(self._each, other._each), 1):
            if mine != its:
                return step
        # The loss of a step is that before it changes the weights.
        return None if self.fingerprint == other.fingerprint else self.steps
