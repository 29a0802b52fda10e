"""Record what NVML answers on this machine, in the form that tests/support/nvml_player.py plays.

    python -m tests.tools.record_nvml FILE SOURCE

The questions are those of checks/probes/ask/nvidia.py: the probe runs over a library that passes each call on to the
driver's and writes down what came back. SOURCE says which machine it was. UUIDs and paths of processes are not kept.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pynvml

from tests.support.nvml_player import PROCESSES, is_output

FIELD_VALUES = "nvmlDeviceGetFieldValues"
RETIRED = "nvmlDeviceGetRetiredPages"
NAMES = {number: name for name, number in vars(pynvml).items() if name.startswith(("NVML_ERROR_", "NVML_SUCCESS"))}


class Recorder:
    """The loaded library, which remembers what it answered."""

    def __init__(self, library: Any) -> None:
        self._library = library
        self.system: dict[str, Any] = {}
        self.devices: list[dict[str, Any]] = []
        self._handles: dict[int, int] = {}  # a handle of the driver -> the index of its GPU

    def __getattr__(self, name: str) -> Any:
        function = getattr(self._library, name)  # one that it lacks: AttributeError, as without us
        return _Passed(function, lambda code, arguments: self._keep(name, code, arguments))

    def _keep(self, name: str, code: int, arguments: tuple[Any, ...]) -> None:
        if name.startswith("nvmlSystem"):
            self.system[name] = _value(code, arguments)
        elif name == "nvmlDeviceGetHandleByIndex_v2":
            self._handles[_number(arguments[1])] = arguments[0].value
            self.devices.append({})
        elif name.startswith("nvmlDevice") and (index := self._handles.get(_handle(arguments))) is not None:
            _keep_of_device(self.devices[index], name, code, arguments[1:])


class _Passed:
    """One function of the library; the binding sets ``restype`` on some."""

    def __init__(self, function: Any, keep: Callable[[int, tuple[Any, ...]], None]) -> None:
        self._function = function
        self._keep = keep
        self.restype = None

    def __call__(self, *arguments: Any) -> Any:
        if self.restype is not None:
            self._function.restype = self.restype
        answer = self._function(*arguments)
        if isinstance(answer, int):
            self._keep(answer, arguments)
        return answer


def _keep_of_device(device: dict[str, Any], name: str, code: int, arguments: tuple[Any, ...]) -> None:
    if code == pynvml.NVML_ERROR_INSUFFICIENT_SIZE:
        return  # asked for the count: the numbers come with the next call
    if name in PROCESSES:
        device[name] = _processes(code, arguments)
        return
    if name == FIELD_VALUES:
        device[name] = _fields(code, arguments)
        return
    inputs = [str(getattr(each, "value", each)) for each in arguments if not is_output(each) and each is not None]
    if any(isinstance(each, ctypes.Array) for each in arguments):
        inputs = []  # the room in a buffer
    if name == RETIRED:
        device[name] = NAMES[code] if code else list(arguments[-1] or ())
    elif inputs:
        device.setdefault(name, {"by": {}})["by"][",".join(inputs)] = _value(code, arguments)
    else:
        device[name] = _value(code, arguments)


def _value(code: int, arguments: tuple[Any, ...]) -> Any:
    """What one call gave: a number or text, a list of several outputs, an object for a structure; the error's name."""
    if code:
        return NAMES.get(code, f"NVML_ERROR_{code}")
    values = [_output(each) for each in arguments if is_output(each)]
    return values[0] if len(values) == 1 else values


def _output(argument: Any) -> Any:
    if isinstance(argument, ctypes.Array):
        return bytes(argument).partition(b"\0")[0].decode()
    held = argument._obj
    return _structure(held) if isinstance(held, ctypes.Structure) else held.value


def _structure(held: ctypes.Structure) -> dict[str, Any]:
    """Its numbers and texts; bytes that are no text, such as the fabric's UUID, are left out."""
    fields: dict[str, Any] = {}
    for name, *_ in held._fields_:
        value = getattr(held, name)
        if isinstance(value, bytes):
            value = value.decode()
        if isinstance(value, int | str):
            fields[name] = value
    return fields


def _processes(code: int, arguments: tuple[Any, ...]) -> Any:
    if code:
        return NAMES[code]
    count, room = arguments
    return [_structure(room[index]) for index in range(count._obj.value)] if room is not None else []


def _fields(code: int, arguments: tuple[Any, ...]) -> Any:
    if code:
        return NAMES[code]
    values = arguments[1]._obj
    return {str(each.fieldId): NAMES[each.nvmlReturn] if each.nvmlReturn else each.value.uiVal for each in values}


def _handle(arguments: tuple[Any, ...]) -> int:
    return ctypes.cast(arguments[0], ctypes.c_void_p).value or 0


def _number(reference: Any) -> int:
    return ctypes.cast(reference._obj, ctypes.c_void_p).value or 0


def without_owner(recording: dict[str, Any]) -> dict[str, Any]:
    """The recording without what names one card or one person."""
    for index, device in enumerate(recording["devices"]):
        device["nvmlDeviceGetUUID"] = f"GPU-00000000-0000-0000-0000-{index:012d}"
    name = recording["system"].get("nvmlSystemGetProcessName")
    if isinstance(name, str) and "/" in name:
        recording["system"]["nvmlSystemGetProcessName"] = "/usr/bin/" + name.rpartition("/")[2]
    return recording


def main() -> None:
    """Record the GPUs of this machine."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("file", type=Path)
    arguments.add_argument("source", help="which machine it is, and when it was recorded")
    given = arguments.parse_args()
    probe = importlib.import_module("checks.probes.ask.nvidia")
    probe.library({})
    pynvml.nvmlInit()  # loads the library
    recorder = Recorder(pynvml.nvmlLib)
    pynvml._nvmlGetFunctionPointer_cache.clear()
    pynvml.nvmlLib = recorder
    for stage in probe.stages():
        stage({})
    recording = {"source": given.source, "system": recorder.system, "devices": recorder.devices}
    given.file.write_text(json.dumps(without_owner(recording), indent=1) + "\n", encoding="utf-8")
    print(given.file, len(recorder.devices), "GPUs")


if __name__ == "__main__":
    main()
