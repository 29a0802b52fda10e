"""What PyTorch computes on one device of this interpreter, a stage per kind of measurement.

Written for torch 1.8 to 2.15, on "cpu", "cuda:0", "mps" and "xpu:0". A kind KIND lies beside this file in
compute_torch_KIND.py, whose ``stage(argument, clock)`` yields what it measured.
"""

import importlib

import naosu_compute_fingerprint as fingerprint
import naosu_compute_kit as compute

KINDS = ("repeat", "experiment", "portrait", "precision", "flip", "health")  # the most telling first
ESSENTIAL = ("imported",)


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
            module = importlib.import_module("naosu_compute_torch_" + kind)
            yield from module.stage(argument, compute.Clock(seconds))

    measured.__name__ = kind
    return measured


STAGES = (imported, *(_stage(kind) for kind in KINDS))
