"""TensorRT's releases and the GPUs that each knows."""

import datetime as dt

from checks.facts.versions import minor, release
from checks.knowledge import Row, Table


class TensorRtRelease(Row):
    """One release ("10.8", "10.13.2"). ``newest`` is the newest generation served; None where it was not sourced.

    ``onnx_opset_max``: the newest operator set of ONNX that its parser names; None where that was not sourced.
    """

    version: str
    date: dt.date | None = None
    cuda: tuple[str, ...] = ()
    oldest: str
    newest: str | None = None
    onnx_opset_max: int | None = None
    source: str
    note: str = ""


class TensorRtTable(Table):
    release: tuple[TensorRtRelease, ...]


def tensorrt_release(version: str) -> TensorRtRelease | None:
    """The row of a TensorRT ("10.13.2.6"), within its minor release the newest that is not newer; None without any."""
    rows = [row for row in TensorRtTable.read().release if minor(row.version) == minor(version)]
    not_newer = [row for row in rows if release(row.version) <= release(version)]
    return max(not_newer or rows, key=lambda row: release(row.version), default=None)


def fitting_tensorrt(compute_capability: str) -> TensorRtRelease | None:
    """The newest release that serves a GPU; None where no row says that it does."""
    rows = [row for row in TensorRtTable.read().release if serves(row, compute_capability)]
    return max(rows, key=lambda row: release(row.version), default=None)


def onnx_opset_of(version: str) -> TensorRtRelease | None:
    """The row that bounds the ONNX operator set of a TensorRT: its own, or the next later one that names a number.

    None where no row is as new: what a newer parser takes is not known.
    """
    here = release(minor(version))
    rows = [row for row in TensorRtTable.read().release if row.onnx_opset_max is not None]
    later = [row for row in rows if release(minor(row.version)) >= here]
    return min(later, key=lambda row: release(row.version), default=None)


def serves(row: TensorRtRelease, compute_capability: str) -> bool:
    """Whether a release serves a GPU; where its newest generation was not sourced, only the oldest counts."""
    gpu = release(compute_capability)
    is_old_enough = row.newest is None or gpu[0] <= release(row.newest)[0]
    return gpu >= release(row.oldest) and is_old_enough
