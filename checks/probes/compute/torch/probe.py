"""What PyTorch computes on one device of this interpreter, a stage per kind of measurement.

Written for torch 1.8 to 2.15, on "cpu", "cuda:0", "mps" and "xpu:0". A kind KIND lies beside this file in
compute_torch_KIND.py, whose ``stage(argument, clock)`` yields what it measured.
"""

import importlib
import os

from .. import fingerprint
from .. import kit as compute

KINDS = ("repeat", "experiment", "portrait", "precision", "flip", "health")  # the most telling first
ESSENTIAL = ("imported",)
LOST = 75  # exit status

_saved = []  # seconds that the kinds took less than they were given, or more


def imported(argument):
    """Import torch, and compute one number on the device: the first time takes long and is none of the others'."""
    import torch

    device = argument["device"]
    int(fingerprint.torch_codes(torch, (torch.ones(2, device=device),)))
    facts = {"version": str(torch.__version__), "device": device}
    if device.startswith("cuda"):
        facts["device_name"] = torch.cuda.get_device_name(device)
    return facts


def _stage(kind):
    def measured(argument):
        """The measurements of one kind, where time is given to it."""
        seconds = argument["seconds"].get(kind)
        if seconds:
            module = importlib.import_module("." + kind, __package__)
            clock = compute.Clock(seconds)
            yield from _unless_lost(module.stage(argument, clock))
            _saved.append(clock.left)

    measured.__name__ = kind
    return measured


def compiled(argument):
    """Digits of what torch.compile compiles, where the time that is left over suffices."""
    yield from _in_the_rest(argument, "precision", "compiled")


def more(argument):
    """More repetitions in the time that is left over then."""
    yield from _in_the_rest(argument, "repeat", "more")


def _in_the_rest(argument, kind, name):
    if kind in argument["seconds"]:
        clock = compute.Clock(sum(_saved))
        module = importlib.import_module("." + kind, __package__)
        yield from _unless_lost(getattr(module, name)(argument, clock))
        _saved[:] = [clock.left]


def _unless_lost(told):
    """The facts. A process to which the device is lost computes no more, and ends: a new one may."""
    is_lost = False
    for facts in told:
        yield facts
        is_lost = is_lost or compute.is_lost(facts)
    if is_lost:
        os._exit(LOST)


STAGES = (imported, *(_stage(kind) for kind in KINDS), compiled, more)
