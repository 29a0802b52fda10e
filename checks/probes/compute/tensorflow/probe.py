"""What TensorFlow computes on one device of this interpreter, a stage per kind of measurement.

Written for TensorFlow 2.1 to 2.21, on "CPU:0" and "GPU:0".
"""

import os

from ..runner import stages

ESSENTIAL = ("imported",)


def imported(argument):
    """Import TensorFlow, choose the deterministic mode where it is asked for, and compute one number on the device."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")
    import tensorflow as tf

    for device in tf.config.list_physical_devices("GPU"):
        # Otherwise the first computation takes all the memory of the GPU, from whoever else uses it.
        tf.config.experimental.set_memory_growth(device, True)
    facts = {"version": str(tf.__version__), "device": argument["device"]}
    if argument.get("setting") == "deterministic":
        facts["by"] = _be_deterministic(tf)
    with tf.device("/" + argument["device"]):
        float(tf.reduce_sum(tf.ones(8)))
    return facts


def _be_deterministic(tf):
    """By the function of 2.8. What came before it is a variable (2.1), which this process was started with."""
    enable = getattr(tf.config.experimental, "enable_op_determinism", None)
    if enable is None:
        return "TF_DETERMINISTIC_OPS"
    tf.random.set_seed(0)  # without a seed, random operations refuse to run in this mode
    enable()
    return "enable_op_determinism"


STAGES = stages("tensorflow", imported, kinds=("experiment", "repeat", "portrait", "precision", "flip"))
