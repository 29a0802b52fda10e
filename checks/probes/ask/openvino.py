"""OpenVINO in this interpreter: the devices that it finds, and whether they compute."""

import os

from .. import kit

DEVICES = []  # grows from stage to stage


def imported(argument):
    """Import OpenVINO for real."""
    with kit.Warned() as warned:
        import openvino

        version = getattr(openvino, "__version__", None)
        if version is None:  # before 2023.1 only the runtime, which has to be imported itself, knows it
            from openvino.runtime import get_version

            version = get_version()
    return {
        "version": str(version),
        "location": os.path.dirname(openvino.__file__),
        "warnings": warned.facts,
    }


def core():
    """OpenVINO's runtime, by its name in this version."""
    try:
        from openvino import Core
    except ImportError:  # before 2022.3
        from openvino.runtime import Core
    return Core()


def devices(argument):
    """The devices that it finds: a GPU or NPU whose driver is missing is simply not among them."""
    runtime = core()
    for device in runtime.available_devices:
        fact = {"device": str(device)}
        try:
            fact["name"] = str(runtime.get_property(device, "FULL_DEVICE_NAME"))
        except Exception as error:
            fact["unread"] = {"name": str(error)}
        DEVICES.append(fact)
    return {"devices": DEVICES}


def kernels(argument):
    """A small computation on each device, reported one by one."""
    import numpy as np

    runtime = core()

    def work(device):
        compiled = runtime.compile_model(_model(), device)
        results = compiled([np.array([[1.0, 2.0], [3.0, 4.0]], dtype=np.float32)])
        return np.asarray(results[compiled.output(0)]).tolist()

    for fact in DEVICES:
        fact["kernel"] = kit.attempt(
            lambda name=fact["device"]: work(name), lambda result: result == [[15.0, 21.0], [31.0, 45.0]]
        )
        yield {"devices": DEVICES}


def _model():
    """The model y = x @ x * 2 + 1 for two by two floats."""
    import numpy as np

    try:
        from openvino import Model, opset8
    except ImportError:  # before 2023.1
        from openvino.runtime import Model, opset8

    x = opset8.parameter([2, 2], np.float32)
    two, one = np.array(2.0, dtype=np.float32), np.array(1.0, dtype=np.float32)
    product = opset8.matmul(x, x, False, False)
    return Model([opset8.add(opset8.multiply(product, two), one)], [x], "naosu")


STAGES = (imported, devices, kernels, kit.libraries)
ESSENTIAL = ("imported",)
