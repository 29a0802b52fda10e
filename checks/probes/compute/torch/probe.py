"""What PyTorch computes on one device of this interpreter, a stage per kind of measurement.

Written for torch 1.8 to 2.15, on "cpu", "cuda:0", "mps" and "xpu:0".
"""

from ..bits import fingerprint
from ..runner import stages

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


STAGES = stages(
    "torch",
    imported,
    kinds=("repeat", "experiment", "portrait", "precision", "flip", "health"),
    rest=(("precision", "compiled", "compiled"), ("repeat", "repeat", "more")),
)
