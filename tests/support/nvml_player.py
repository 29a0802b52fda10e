"""An NVML that plays a recording, put in the place of the library that nvidia-ml-py has loaded (``pynvml.nvmlLib``).

The real binding stays in between: its argument types, its two-step calls and its errors are part of what is tested.
A recording is a JSON object::

    {"source": ..., "init": "NVML_SUCCESS", "system": {function: value}, "devices": [{function: value}]}

A value is what the C function gives: a number or text, a list for several outputs, an object for a structure, the
name of an error, or "hang". Where the result depends on an input (a clock type), the value is {"by": {input: value}}.
A function that no part of the recording names does not exist in this library, as in an old driver.
"""

import ctypes
import json
import time

import pynvml

ARRAYS = ("nvmlDeviceGetRetiredPages",)  # they give as many numbers as there are
PROCESSES = ("nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetGraphicsRunningProcesses_v3")
ALWAYS = ("nvmlInitWithFlags", "nvmlErrorString", "nvmlDeviceGetCount_v2", "nvmlDeviceGetHandleByIndex_v2")
MIG = 1000  # handle of MIG device n of GPU i: (i + 1) * MIG + n


def install(path):
    """Let this process's NVML play the recording in a file."""
    with open(path, encoding="utf-8") as file:
        play(json.load(file))


def play(recording):
    """Let this process's NVML play a recording."""
    pynvml._nvmlGetFunctionPointer_cache.clear()
    pynvml.nvmlLib = Player(recording)


class Player:
    """The loaded library: its attributes are the functions."""

    def __init__(self, recording):
        self.recording = recording
        self.devices = recording.get("devices", [])
        self.names = {*ALWAYS, *recording.get("system", {}), *(name for device in self.devices for name in device)}

    def __getattr__(self, name):
        if name not in self.names:
            raise AttributeError(name)
        return Function(self, name)

    def call(self, name, arguments):
        """The return code of a call; its outputs are written."""
        if name == "nvmlInitWithFlags":
            return give(self.recording.get("init", "NVML_SUCCESS"), ())
        if name == "nvmlErrorString":
            return b"recorded error"
        if name == "nvmlDeviceGetCount_v2":
            return give(self.recording.get("count", len(self.devices)), arguments)
        if name == "nvmlDeviceGetHandleByIndex_v2":
            return self.handle(arguments)
        if name in self.recording.get("system", {}):
            return give(self.recording["system"][name], arguments)
        number = ctypes.cast(arguments[0], ctypes.c_void_p).value
        index, mig = (number // MIG - 1, number % MIG) if number >= MIG else (number - 1, None)
        device = self.devices[index]
        if mig is not None:
            device = device["mig"][mig]
        if name == "nvmlDeviceGetMigDeviceHandleByIndex":
            return self.mig_handle(device, index, arguments)
        if name == "nvmlDeviceGetFieldValues":
            return fields(device[name], arguments)
        if name in PROCESSES:
            return processes(device.get(name, "NVML_ERROR_NOT_SUPPORTED"), arguments)
        return give(device.get(name, "NVML_ERROR_NOT_SUPPORTED"), arguments[1:], name in ARRAYS)

    def handle(self, arguments):
        """A device's handle is its index and one."""
        index = arguments[0].value
        refused = self.devices[index].get("nvmlDeviceGetHandleByIndex_v2", "NVML_SUCCESS")
        if refused == "hang":
            return give(refused, ())
        set_pointer(arguments[1], index + 1)
        return code(refused)

    def mig_handle(self, device, index, arguments):
        """MIG devices that are not there are not found, as in NVML."""
        wanted = arguments[1].value
        if wanted >= len(device.get("mig", ())):
            return pynvml.NVML_ERROR_NOT_FOUND
        set_pointer(arguments[2], (index + 1) * MIG + wanted)
        return pynvml.NVML_SUCCESS


class Function:
    """One function of the library; the binding sets ``restype`` on some."""

    def __init__(self, player, name):
        self.player = player
        self.name = name
        self.restype = None

    def __call__(self, *arguments):
        return self.player.call(self.name, arguments)


def code(name):
    """The number of an NVML return code."""
    return getattr(pynvml, name)


def is_output(argument):
    """Whether the callee writes into it: a reference, or a buffer of characters."""
    return type(argument).__name__ == "CArgObject" or isinstance(argument, ctypes.Array)


def set_pointer(reference, number):
    ctypes.c_void_p.from_buffer(reference._obj).value = number


def give(value, arguments, is_array=False):
    """Write a recorded value into the outputs of a call."""
    if isinstance(value, dict) and "by" in value:
        inputs = [
            str(getattr(argument, "value", argument))
            for argument in arguments
            if not is_output(argument) and argument is not None
        ]
        value = value["by"].get(",".join(inputs), "NVML_ERROR_INVALID_ARGUMENT")
    if value == "hang":
        while True:
            time.sleep(60)
    if isinstance(value, str) and value.startswith("NVML_"):
        return code(value)
    if is_array:
        return array(value, [argument for argument in arguments if argument is None or is_output(argument)])
    outputs = [argument for argument in arguments if is_output(argument)]
    values = value if isinstance(value, list) else [value]
    for output, each in zip(outputs, values, strict=True):
        write(output, each)
    return pynvml.NVML_SUCCESS


def write(output, value):
    """A buffer takes text, a structure takes its fields, everything else a number."""
    if isinstance(output, ctypes.Array):
        output.value = value.encode()
    elif isinstance(value, dict):
        for name, each in value.items():
            setattr(output._obj, name, each.encode() if isinstance(each, str) else each)
    else:
        output._obj.value = value


def array(values, outputs):
    """NVML's two-step call: without room the count, with room the numbers."""
    count, room = outputs
    if room is None:
        count._obj.value = len(values)
        return pynvml.NVML_ERROR_INSUFFICIENT_SIZE if values else pynvml.NVML_SUCCESS
    for index, each in enumerate(values):
        room[index] = each
    count._obj.value = len(values)
    return pynvml.NVML_SUCCESS


def processes(values, arguments):
    """The same for structures; no process at all succeeds at once."""
    if isinstance(values, str):
        return give(values, ())
    _, count, room = arguments
    count._obj.value = len(values)
    if not values:
        return pynvml.NVML_SUCCESS
    if room is None:
        return pynvml.NVML_ERROR_INSUFFICIENT_SIZE
    for index, each in enumerate(values):
        for name, value in each.items():
            setattr(room[index], name, value)
    return pynvml.NVML_SUCCESS


def fields(values, arguments):
    """Field values: each has a return code of its own."""
    if isinstance(values, str):
        return give(values, ())
    for each in arguments[2]._obj:
        value = values.get(str(each.fieldId), "NVML_ERROR_NOT_SUPPORTED")
        if isinstance(value, str):
            each.nvmlReturn = code(value)
        else:
            each.nvmlReturn = pynvml.NVML_SUCCESS
            each.value.uiVal = value
    return pynvml.NVML_SUCCESS
