"""What the user's own model computes: again, and on the devices and under the settings of one runtime.

Argument: ``path``; ``format``, an id of model_formats.toml; ``runtime``, "onnxruntime" or "torch"; ``inputs``, an .npz,
an .npy or a picture of the user's (None: drawn ones); ``providers`` of ONNX Runtime that start, ``devices`` of PyTorch
that compute (None: all that there are); ``done``, those that ended the process before, or the step on the processor
that did; ``effort``; ``seconds`` for all comparisons; ``search_seconds`` for finding inputs; ``safety``, the lists of
model_safety.toml. Everything that is written goes to the folder in which the probe runs.
"""

import importlib

from ... import kit
from .. import kit as compute

ESSENTIAL = ("imported",)


def imported(argument):
    """Import the runtime for real."""
    module = importlib.import_module(argument["runtime"])
    return {"version": str(module.__version__)}


def model(argument):
    """All comparisons."""
    module = importlib.import_module("." + argument["runtime"], __package__)
    with kit.Warned():
        yield from module.measured(argument, compute.Clock(argument["seconds"]))


STAGES = (imported, model)
