"""What JAX computes on one device of this interpreter, a stage per kind of measurement.

Written for JAX 0.2 to 0.10, on "cpu:0", "gpu:0" and "tpu:0".
"""

import importlib
import os

from .. import kit as compute
from . import device as jax_device

KINDS = (
    "experiment",
    "repeat",
    "portrait",
    "precision",
    "flip",
)  # the most telling first, as in computation_catalogue.py
ESSENTIAL = ("imported",)

_shares = compute.Shares()

# Run-to-run determinism on GPUs, by XLA; it is read once, when the backend starts.
DETERMINISTIC = "--xla_gpu_deterministic_ops=true"


def imported(argument):
    """Import JAX, in the deterministic mode where it is asked for, and compute one number on the device."""
    # Otherwise the first computation takes most of the memory of each GPU, from whoever else uses it.
    os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
    if argument.get("setting") == "deterministic":
        os.environ["XLA_FLAGS"] = (os.environ.get("XLA_FLAGS", "") + " " + DETERMINISTIC).strip()
    jax_device.only_the_processor(argument["device"])
    import jax
    import numpy as np

    device = jax_device.chosen(jax, argument["device"])
    float(jax.device_put(np.ones(8, "float32"), device).sum())
    return {"version": str(jax.__version__), "device": argument["device"], "device_name": str(device.device_kind)}


def _stage(kind):
    def measured(argument):
        """The measurements of one kind, where time is given to it."""
        seconds = argument["seconds"].get(kind)
        if seconds:
            module = importlib.import_module("." + kind, __package__)
            yield from module.stage(argument, _shares.clock(kind, argument["seconds"]))

    measured.__name__ = kind
    return measured


STAGES = (imported, *(_stage(kind) for kind in KINDS))
