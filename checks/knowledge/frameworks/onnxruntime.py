"""ONNX Runtime's packages and releases."""

import datetime as dt

from checks.facts.versions import minor, release
from checks.knowledge import Row, Table


class Flavour(Row):
    """A package that installs the folder "onnxruntime", and the execution providers it has beyond the CPU."""

    package: str
    providers: tuple[str, ...] = ()
    gpu_vendor: str = ""  # "nvidia", "amd", "intel", "apple", "any"; "" none
    note: str = ""


class GpuRelease(Row):
    """A release of onnxruntime-gpu: what it is built for, and what its providers ask the loader for (Linux names)."""

    version: str
    date: dt.date
    cuda: str
    cudnn: str  # major version
    tensorrt: str  # major version
    libraries: tuple[str, ...]
    linux_aarch64: bool
    python: tuple[str, ...]


class OnnxRuntimeTable(Table):
    flavour: tuple[Flavour, ...]
    gpu_release: tuple[GpuRelease, ...]


def flavour(package: str) -> Flavour | None:
    """The row of a package by its normalised name; None if it does not install the folder "onnxruntime"."""
    return next((row for row in OnnxRuntimeTable.read().flavour if row.package == package), None)


def gpu_release(version: str) -> GpuRelease | None:
    """The row of an onnxruntime-gpu, its own or that of its minor release; None where the table has neither."""
    rows = OnnxRuntimeTable.read().gpu_release
    exact = next((row for row in rows if release(row.version) == release(version)), None)
    return exact or next((row for row in rows if minor(row.version) == minor(version)), None)


def newest_gpu_release(cuda_major: int, python: str | None = None, *, is_arm: bool = False) -> GpuRelease | None:
    """The newest onnxruntime-gpu for a CUDA major version, with a wheel for the Python where one is given."""
    rows = [
        row
        for row in OnnxRuntimeTable.read().gpu_release
        if release(row.cuda)[0] == cuda_major
        and (python is None or python in row.python)
        and (row.linux_aarch64 or not is_arm)
    ]
    return max(rows, key=lambda row: release(row.version), default=None)
