"""Which suspect makes two runs of PyTorch differ: each is changed in both (``compute.torch.flip``)."""

from .. import flip, inputs
from ..operations import OPERATIONS, PICTURES
from ..runs import Run
from . import modes, settings
from .bench import LAYOUT, Bench


def stage(argument, clock):
    """The facts of the kind "flip"."""
    import torch

    bench = Bench(torch, argument["device"])
    told = flip.stage(bench, _pairs(torch, bench), lambda *what: _suspects(torch, *what), clock)
    yield from map(settings.refused, told)


def _pairs(torch, bench):
    """The pairs, the most telling first: (operation, names of the two, the two)."""
    for operation in OPERATIONS:
        if operation.terms == 1 or not bench.available(operation):
            continue
        device = bench.device
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
            yield operation, ("contiguous", LAYOUT), usual, usual.with_setting(LAYOUT)
        if device.startswith("cuda") and operation.name in PICTURES:
            yield operation, ("default", "autotune"), usual, usual.with_setting("autotune")


def _pairs_of_cpu(torch, operation, usual):
    threads = torch.get_num_threads()
    counts = modes.thread_counts(torch)[:1]
    for count in counts:
        names = ("threads-%d" % threads, "threads-%d" % count)
        yield operation, names, usual, usual.with_setting(names[1])
    if torch.backends.mkldnn.is_available() and operation.products:
        other = usual.with_setting("mkldnn-off")
        yield operation, ("default", "mkldnn-off"), usual, other
        if counts and operation.batch:  # everything at once, as between two machines
            both = other.with_setting("threads-%d" % counts[0]).changed(rows=1)
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
    if (LAYOUT in first.settings) != (LAYOUT in second.settings):
        yield "contiguous", lambda run: run.without(LAYOUT)
    for mode in _modes_in_question(torch, operation, first, second):
        yield flip.set_in_both(mode)
    if all(inputs.has_float64(torch, run.device) for run in (first, second)):
        yield flip.exact_in_both()


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
