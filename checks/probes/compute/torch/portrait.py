"""Portraits of what PyTorch computes, by which devices and machines are compared (``compute.torch.portrait``).

Each operation by default, and under the settings that most often tell two machines apart: where one machine's default
is the other's result with one thread, the number of threads is the difference.
"""

from .. import kit as compute
from .. import portrait
from ..operations import OPERATIONS, portrait_entries
from . import modes, numeric


def stage(argument, clock):
    """The facts of the kind "portrait"."""
    import torch

    device = argument["device"]
    drawn = {}

    def measured(what, _clock):
        operation, setting = what
        if operation.name not in drawn:
            made = numeric.inputs(torch, operation, torch.float32, "cpu")
            exact = [each.double() for each in made]
            drawn[operation.name] = made, float(numeric.condition(torch, operation, exact).max())
        given, condition = drawn[operation.name]
        with torch.no_grad(), modes.applied(torch, setting, device):
            result = numeric.run(torch, operation, [each.to(device) for each in given])
        return dict(portrait.torch_portrait(torch, result), condition=condition)

    yield from compute.measure_listed(_entries(torch, device), clock, measured, argument)


def _entries(torch, device):
    """First all by default: what is measured without a partner helps nobody."""
    settings = ["default", "threads-1", "mkldnn-off"] if device == "cpu" else ["default"]
    if device.startswith("cuda"):
        settings += ["tf32-off", "cudnn-off"]
    for setting in settings:
        known = {each.name for each in OPERATIONS if _matters(torch, each, setting)}
        for named, operation in portrait_entries("torch", {"device": device, "setting": setting}, known):
            yield named, (operation, setting)


def _matters(torch, operation, setting):
    if not numeric.available(torch, operation) or setting in ("default", "threads-1"):
        return numeric.available(torch, operation)
    return operation.products and (setting != "mkldnn-off" or torch.backends.mkldnn.is_available())
