"""Which suspect makes two runs of PyTorch differ: each is changed in both in turn (``naosu_compute_torch_flip``).

A pair are two runs of the same operation on the same inputs, as two machines or two programs would make them. Where
their results differ, everything stays as it was but one suspect, which is set to the same in both runs: what restores
the same bits was the cause, and what makes the difference a thousand times smaller (float64) tells that it was
rounding. Each run is made twice first: what does not repeat by itself cannot be attributed this way.
"""

import contextlib

import naosu_compute_difference as difference
import naosu_compute_kit as compute
import naosu_compute_torch_modes as modes
import naosu_compute_torch_numeric as numeric
from naosu_compute_operations import OPERATIONS

CHANNELS_LAST, EXACT = "channels-last", "float64"
DTYPE = "float32"
PICTURES = ("conv2d", "network")


class Run:
    """One of the two: ``rows`` of the batch (None: all), ``layout``, ``modes``, ``dtype``, and on which device."""

    def __init__(self, device, rows=None, layout="", with_modes=(), dtype=DTYPE):
        self.device, self.rows, self.layout = device, rows, layout
        self.modes, self.dtype = tuple(with_modes), dtype

    def changed(self, **fields):
        """The same run but for some of these."""
        kept = {"device": self.device, "rows": self.rows, "layout": self.layout}
        kept.update(with_modes=self.modes, dtype=self.dtype)
        kept.update(fields)
        return Run(**kept)

    def with_mode(self, mode):
        """The same run with a mode in place of those that it contradicts."""
        family = mode.partition("-")[0]
        return self.changed(with_modes=[each for each in self.modes if each.partition("-")[0] != family] + [mode])


def stage(argument, clock):
    """The facts of the kind "flip"."""
    import torch

    device = argument["device"]
    inputs = _Inputs(torch)
    for operation, names, first, second in _entries(torch, device):
        named = _named(operation, device, names)
        if clock.left <= 0:
            yield compute.told(dict(named, reason="no-time"))
            continue
        yield from _attributed(torch, named, operation, first, second, inputs, clock)


class _Inputs:
    """The inputs of the last operation, and its condition: to make them takes longer than the operation."""

    def __init__(self, torch):
        self._torch, self._name = torch, ""

    def of(self, operation):
        """On the processor, in float32."""
        if self._name != operation.name:
            self._given = numeric.inputs(self._torch, operation, self._torch.float32, "cpu")
            exact = [each.double() for each in self._given]
            self.condition = float(numeric.condition(self._torch, operation, exact).max())
            self._name = operation.name
        return self._given


def _named(operation, device, names):
    return {
        "kind": "flip",
        "framework": "torch",
        "operation": operation.name,
        "device": device,
        "dtype": DTYPE,
        "pair": list(names),
        "terms": operation.terms,
    }


def _attributed(torch, named, operation, first, second, inputs, clock):
    """The facts of one pair: one per suspect, or a single one where there is nothing to attribute."""
    given = inputs.of(operation)

    def before(_what, _clock):
        pair = [_result(torch, operation, run, given) for run in (first, second)]
        for run, result in zip((first, second), pair):
            if _difference(torch, result, _result(torch, operation, run, given))["differing"]:
                return {"reason": "not-repeatable"}
        return {"before": _difference(torch, *pair), "condition": inputs.condition}

    yield compute.measuring(named)
    (found,) = list(compute.measure([(named, None)], clock, before))[1:]
    fact = found["measurements+"][0]
    if "before" not in fact or not fact["before"]["differing"]:
        yield found
        return
    suspects = list(_suspects(torch, operation, first, second))

    def after(change, _clock):
        results = [_result(torch, operation, change(run), given) for run in (first, second)]
        return {"after": _difference(torch, *results)}

    def flipped(chosen):
        return compute.measure([(dict(fact, setting=name), change) for name, change in chosen], clock, after)

    is_restored = False
    for told in flipped(suspects):
        yield told
        is_restored = is_restored or any(map(_agrees, told.get("measurements+", ())))
    if (
        not is_restored and "+" in named["pair"][1]
    ):  # several things are different, and two of them may be the cause together
        yield from flipped(_two_at_once(suspects))


def _agrees(fact):
    return fact["setting"] != EXACT and "after" in fact and not fact["after"]["differing"]


def _two_at_once(suspects):
    """Two suspects as one, each pair once; what makes all rounding vanish is no suspect of a particular cause."""
    single = [each for each in suspects if each[0] not in (EXACT, "deterministic")]
    for place, (name, change) in enumerate(single):
        for other, also in single[place + 1 :]:
            yield "%s+%s" % (name, other), lambda run, first=change, second=also: second(first(run))


def _entries(torch, device):
    """The pairs, the most telling first: (operation, names of the two, the two)."""
    for operation in OPERATIONS:
        if operation.terms == 1 or not numeric.available(torch, operation):
            continue
        usual = Run(device)
        if device != "cpu":
            yield operation, ("cpu", device), Run("cpu"), usual
            for peer in _peers(torch, device):
                yield operation, (device, peer), usual, Run(peer)
        if operation.batch:
            yield operation, ("batch-%d" % operation.batch, "batch-1"), usual, usual.changed(rows=1)
        if device == "cpu":
            yield from _pairs_of_cpu(torch, operation, usual)
        if operation.name in PICTURES:
            yield operation, ("contiguous", CHANNELS_LAST), usual, usual.changed(layout=CHANNELS_LAST)
        if device.startswith("cuda") and operation.name in PICTURES:
            yield operation, ("default", "autotune"), usual, usual.with_mode("autotune")


def _pairs_of_cpu(torch, operation, usual):
    threads = torch.get_num_threads()
    counts = modes.thread_counts(torch)[:1]
    for count in counts:
        names = ("threads-%d" % threads, "threads-%d" % count)
        yield operation, names, usual, usual.with_mode(names[1])
    if torch.backends.mkldnn.is_available() and operation.products:
        other = usual.with_mode("mkldnn-off")
        yield operation, ("default", "mkldnn-off"), usual, other
        if counts and operation.batch:  # everything at once, as between two machines
            both = other.with_mode("threads-%d" % counts[0]).changed(rows=1)
            yield operation, ("default", "mkldnn-off+threads-%d+batch-1" % counts[0]), usual, both


def _peers(torch, device):
    """Other devices of the same kind, each pair once."""
    kind, _, number = device.partition(":")
    module = getattr(torch, kind, None)
    count = module.device_count() if number and hasattr(module, "device_count") else 0
    return ["%s:%d" % (kind, other) for other in range(int(number or 0) + 1, count)]


def _suspects(torch, operation, first, second):
    """(suspect, how a run is with it set to the same in both), what may differ most often first."""
    if first.rows != second.rows:
        yield "batch-1", lambda run: run.changed(rows=1)
    if first.layout != second.layout:
        yield "contiguous", lambda run: run.changed(layout="")
    for mode in _modes_in_question(torch, operation, first, second):
        yield mode, lambda run, mode=mode: run.with_mode(mode)
    if not any(run.device == "mps" for run in (first, second)):
        yield EXACT, lambda run: run.changed(dtype="float64")


def _modes_in_question(torch, operation, first, second):
    if "cpu" in (first.device, second.device):
        yield "threads-1"
        if torch.backends.mkldnn.is_available() and operation.products:
            yield "mkldnn-off"
    if any(run.device.startswith("cuda") for run in (first, second)):
        if operation.products:
            yield "tf32-off"
        if operation.name in PICTURES:
            yield "autotune-off"
            yield "cudnn-off"
        if operation.name == "attention":
            yield "attention-math"
    yield "deterministic"


def _result(torch, operation, run, given):
    """What a run computes, on the processor, in the type of the question."""
    given = [each.to(run.device, getattr(torch, run.dtype)) for each in given]
    if run.rows is not None:
        given = operation.rows(given, run.rows)
    if run.layout:
        given[0] = given[0].contiguous(memory_format=torch.channels_last)
    with torch.no_grad(), contextlib.ExitStack() as stack:
        for mode in run.modes:
            stack.enter_context(modes.applied(torch, mode, run.device))
        return numeric.run(torch, operation, given).cpu().float()


def _difference(torch, first, second):
    """Of the rows that both have."""
    rows = min(len(first), len(second))
    return difference.torch_difference(torch, first[:rows], second[:rows])
