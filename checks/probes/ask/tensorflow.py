"""TensorFlow in this interpreter: what it was built for, which devices it finds, and whether they compute."""

import os
import re

from .. import kit

DEVICES = []  # grows from stage to stage

# TensorFlow prints its reasons ("Cannot dlopen some GPU libraries") as log lines: date and time, severity, place.
_SEVERE = re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+: [WEF] |^[WEF]\d{4} \d\d:\d\d:\d\d")
_printed = []


def imported(argument):
    """Import TensorFlow for real."""
    # Warnings and errors are printed whatever the user chose: they hold the reasons.
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "1"
    with kit.Warned() as warned, kit.Captured() as captured:
        import tensorflow as tf
    _keep(captured)
    return kit.import_facts(tf, warned.facts + _printed)


def _keep(captured):
    """The printed lines that warn or speak of GPUs, each once; a missing driver is logged as mere information."""
    for line in captured.text.splitlines():
        if (_SEVERE.match(line) or "GPU" in line) and line not in _printed:
            _printed.append(line)


def build(argument):
    """What it was built for."""
    import tensorflow as tf

    info = dict(tf.sysconfig.get_build_info())
    facts = {"is_cuda_build": bool(info.get("is_cuda_build")), "is_rocm_build": bool(info.get("is_rocm_build"))}
    facts["cuda_version"] = str(info.get("cuda_version", "")) if facts["is_cuda_build"] else ""
    # The cuDNN that it loads cannot be asked; this is the one that it was built for.
    if facts["is_cuda_build"] and "cudnn_version" in info:
        facts["cudnn_version"] = str(info["cudnn_version"])
    elif not facts["is_cuda_build"]:
        facts["cudnn_version"] = ""
    # From the metadata: asking tf.keras itself would import all of Keras.
    keras = kit.installed("keras")
    if keras:
        facts["keras_version"] = keras["keras"]
    return facts


def devices(argument):
    """The devices that it finds; the reason for a missing one is only printed."""
    import tensorflow as tf

    with kit.Warned() as warned, kit.Captured() as captured:
        found = tf.config.list_physical_devices()
    _keep(captured)
    for device in found:
        fact = {"device": device.name.replace("/physical_device:", "")}
        if device.device_type == "GPU":
            # Otherwise the first computation takes all the memory of the GPU, from whoever else uses it.
            tf.config.experimental.set_memory_growth(device, True)
            fact.update(_details(tf, device))
        DEVICES.append(fact)
    return {"devices": DEVICES, "warnings": warned.facts + _printed}


def _details(tf, device):
    try:
        details = tf.config.experimental.get_device_details(device)
    except Exception as error:
        return {"unread": {"name": str(error)}}
    fact = {}
    if details.get("device_name"):
        fact["name"] = str(details["device_name"])
    if details.get("compute_capability"):
        fact["compute_capability"] = ".".join(str(part) for part in details["compute_capability"])
    return fact


def kernels(argument):
    """A small computation on each device, reported one by one."""
    import tensorflow as tf

    def work(device):
        with tf.device("/" + device):
            left = tf.constant([[1.0, 2.0], [3.0, 4.0]])
            return tf.reduce_sum(tf.matmul(left, left) * 2.0 + 1.0).numpy().item()

    for fact in DEVICES:
        if fact["device"].startswith(("CPU", "GPU", "XLA", "TPU")):
            with kit.Captured() as captured:
                fact["kernel"] = kit.attempt(lambda name=fact["device"]: work(name), lambda result: result == 112.0)
            _keep(captured)
            yield {"devices": DEVICES}


STAGES = (imported, build, devices, kernels, kit.libraries)
ESSENTIAL = ("imported",)
