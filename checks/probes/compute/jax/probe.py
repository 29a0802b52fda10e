"""What JAX computes on one device of this interpreter, a stage per kind of measurement.

Written for JAX 0.2 to 0.10, on "cpu:0", "gpu:0" and "tpu:0".
"""

import os

from ..runner import stages
from . import device as jax_device

ESSENTIAL = ("imported",)

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


STAGES = stages("jax", imported, kinds=("experiment", "repeat", "portrait", "precision", "flip"))
