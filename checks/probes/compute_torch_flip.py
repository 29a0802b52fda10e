"""Which suspect makes two runs of PyTorch differ: each is changed in both, one at a time (``naosu_compute_torch_flip``).

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

CHANNELS_LAST = "channels-last"
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
    entries = list(_entries(torch, device))
    for place, (operation, names, first, second) in enumerate(entries):
        named = _named(operation, device, names)
        if clock.left <= 0:
            yield compute.told(dict(named, reason="no-time"))
            continue
        yield from _attributed(torch, named, operation, first, second, clock.part(len(entries) - place))


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


def _attributed(torch, named, operation, first, second, clock):
    """The facts of one pair: one per suspect, or a single one where there is nothing to attribute."""
    pair = []

    def before(_what, _clock):
        pair.extend((_result(torch, operation, first), _result(torch, operation, second)))
        if not all(_repeats(torch, operation, run, result) for run, result in zip((first, second), pair)):
            return {"reason": "not-repeatable"}
        return {"before": _difference(torch, *pair), "condition": _condition(torch, operation)}

    yield compute.measuring(named)
    (found,) = list(compute.measure([(named, None)], clock, before))[1:]
    fact = found["measurements+"][0]
    if "before" not in fact or not fact["before"]["differing"]:
        yield found
        return
    suspects = list(_suspects(torch, operation, first, second))

    def after(changes, _clock):
        return {"after": _difference(torch, *(_result(torch, operation, run) for run in changes))}

    flips = [(dict(fact, setting=suspect), changes) for suspect, changes in suspects]
    yield from compute.measure(flips, clock, after)


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
            yield operation, ("default", "other-machine"), usual, both


def _peers(torch, device):
    """Other devices of the same kind, each pair once."""
    kind, _, number = device.partition(":")
    module = getattr(torch, kind, None)
    count = module.device_count() if number and hasattr(module, "device_count") else 0
    return ["%s:%d" % (kind, other) for other in range(int(number or 0) + 1, count)]


def _suspects(torch, operation, first, second):
    """(suspect, the two runs with it set to the same), what may differ most often first."""

    def both(change):
        return change(first), change(second)

    if first.rows != second.rows:
        yield "batch-1", both(lambda run: run.changed(rows=1))
    if first.layout != second.layout:
        yield "contiguous", both(lambda run: run.changed(layout=""))
    if "cpu" in (first.device, second.device):
        yield "threads-1", both(lambda run: run.with_mode("threads-1"))
        if torch.backends.mkldnn.is_available() and operation.products:
            yield "mkldnn-off", both(lambda run: run.with_mode("mkldnn-off"))
    if any(run.device.startswith("cuda") for run in (first, second)):
        if operation.products:
            yield "tf32-off", both(lambda run: run.with_mode("tf32-off"))
        if operation.name in PICTURES:
            yield "autotune-off", both(lambda run: run.with_mode("autotune-off"))
            yield "cudnn-off", both(lambda run: run.with_mode("cudnn-off"))
        if operation.name == "attention":
            yield "attention-math", both(lambda run: run.with_mode("attention-math"))
    yield "deterministic", both(lambda run: run.with_mode("deterministic"))
    if not any(run.device == "mps" for run in (first, second)):
        yield "float64", both(lambda run: run.changed(dtype="float64"))


def _result(torch, operation, run):
    """What a run computes, on the processor, in the type of the question."""
    given = [each.to(getattr(torch, run.dtype)) for each in numeric.inputs(torch, operation, torch.float32, run.device)]
    if run.rows is not None:
        given[0] = given[0][: run.rows]
    if run.layout:
        given[0] = given[0].contiguous(memory_format=torch.channels_last)
    with torch.no_grad(), contextlib.ExitStack() as stack:
        for mode in run.modes:
            stack.enter_context(modes.applied(torch, mode, run.device))
        return numeric.run(torch, operation, given).cpu().float()


def _repeats(torch, operation, run, result):
    return not difference.torch_difference(torch, result, _result(torch, operation, run))["differing"]


def _difference(torch, first, second):
    """Of the rows that both have."""
    rows = min(len(first), len(second))
    return difference.torch_difference(torch, first[:rows], second[:rows])


def _condition(torch, operation):
    given = numeric.inputs(torch, operation, torch.float32, "cpu")
    return float(numeric.condition(torch, operation, [each.double() for each in given]).max())
