"""TensorFlow's releases."""

import datetime as dt

from checks.facts.versions import minor, release
from checks.knowledge import Row, Table
from checks.knowledge.gpu.cuda_binary import runs_any


class TensorFlowRelease(Row):
    """One release: Python versions with a wheel, the CUDA and cuDNN it is built for, the GPU code in its wheel."""

    version: str
    date: dt.date
    python: tuple[str, ...]
    cuda: str
    cudnn: str
    sm: tuple[str, ...] = ()  # "sm_60", "compute_90"; () not sourced
    windows_gpu: bool  # uses a GPU on native Windows
    cuda_extra: bool  # "tensorflow[and-cuda]" exists
    graph_version: int | None = None  # what its graphs name as their producer


class Unserved(Row):
    """GPUs on which releases up to ``up_to`` are known to fail although their PTX should serve them."""

    compute_capability_major: int
    up_to: str
    source: str
    note: str = ""


class TensorFlowTable(Table):
    release: tuple[TensorFlowRelease, ...]
    unserved: tuple[Unserved, ...]


def tensorflow_release(version: str) -> TensorFlowRelease | None:
    """The row of a release, by its minor version; None where the table does not know it."""
    return next((row for row in TensorFlowTable.read().release if minor(row.version) == minor(version)), None)


def tensorflow_of_graph(producer: int | None) -> str | None:
    """The releases that write this number as their graphs' producer: "2.15", "1.6 – 1.10"; None where none does."""
    if producer is None:
        return None
    rows = [minor(row.version) for row in TensorFlowTable.read().release if row.graph_version == producer]
    if not rows:
        return None
    return rows[0] if len(rows) == 1 else f"{rows[0]} – {rows[-1]}"


def fitting_tensorflow(compute_capability: str, python: str | None = None) -> TensorFlowRelease | None:
    """The newest release that brings its CUDA along, runs on this GPU, and has a wheel for this Python ("3.12")."""
    rows = [
        row
        for row in TensorFlowTable.read().release
        if row.cuda_extra
        and (python is None or python in row.python)
        and runs_any(row.sm, compute_capability)
        and unserved(row.version, compute_capability) is None
    ]
    return max(rows, key=lambda row: release(row.version), default=None)


def unserved(version: str, compute_capability: str) -> Unserved | None:
    """The row that says that this release fails on this GPU; None where there is none."""
    major = release(compute_capability)[:1]
    return next(
        (
            row
            for row in TensorFlowTable.read().unserved
            if (row.compute_capability_major,) == major and release(minor(version)) <= release(row.up_to)
        ),
        None,
    )
