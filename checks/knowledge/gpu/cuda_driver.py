"""Which driver runs which CUDA, and which GPUs a driver branch knows."""

import re
from enum import StrEnum

from checks.facts.versions import release
from checks.knowledge import Row, Table
from checks.knowledge.gpu.gpu_architectures import NvidiaArchitecture


class DriverMinimum(Row):
    """The oldest driver that runs a build for one CUDA major version, or (before CUDA 11) for one minor version."""

    cuda_major: int
    cuda_minor: int | None = None
    linux: str
    windows: str
    source: str


class Branch(Row):
    """A driver branch ("R580") and the CUDA version that it serves."""

    branch: int
    cuda: str


class OpenModule(Row):
    """The compute capabilities that the open kernel module serves, and those that it alone serves."""

    first: str
    only_from: str
    source: str


class CudaDriver(Table):
    minimum: tuple[DriverMinimum, ...]
    branch: tuple[Branch, ...]  # the newest first
    open_module: OpenModule


class Fit(StrEnum):
    """Whether a driver branch knows a GPU."""

    FITS = "fits"
    TOO_OLD = "too-old"
    DROPPED = "dropped"


def driver_minimum(cuda_version: str) -> DriverMinimum | None:
    """The row for a CUDA version ("12.8"); None where the table does not know it."""
    major, minor = (*release(cuda_version), 0, 0)[:2]
    rows = (row for row in CudaDriver.read().minimum if row.cuda_major == major)
    return next((row for row in rows if row.cuda_minor in (None, minor)), None)


def driver_number(version: str) -> str:
    """NVIDIA's own number of a driver: Windows prints "32.0.15.7283" for 572.83; other forms stay as they are."""
    found = re.fullmatch(r"\d+\.\d+\.\d*(\d)\.(\d{2})(\d{2})", version)
    return f"{found[1]}{found[2]}.{found[3]}" if found else version


def driver_branch(version: str) -> int | None:
    """The branch of a driver: "572.16" -> 570, "535.104.05" -> 535; None below the oldest branch of the table."""
    major = release(driver_number(version))[:1]
    return next((row.branch for row in CudaDriver.read().branch if (row.branch,) <= major), None)


def first_branch(architecture: NvidiaArchitecture) -> int | None:
    """The first driver branch that knows an architecture: the first one that serves a CUDA with code for it."""
    if architecture.first_driver_branch is not None or architecture.first_cuda is None:
        return architecture.first_driver_branch
    first_cuda = release(architecture.first_cuda)
    return min((row.branch for row in CudaDriver.read().branch if release(row.cuda) >= first_cuda), default=None)


def driver_fit(architecture: NvidiaArchitecture, version: str) -> Fit | None:
    """Whether a driver version knows an architecture; None where the tables do not tell.

    A GPU of a newer architecture than its branch, but a later chip than the first of that architecture, counts as
    fitting: the tables know architectures, not single chips.
    """
    branch = driver_branch(version)
    if branch is None or architecture.integrated:
        return None
    first = first_branch(architecture)
    if first is not None and branch < first:
        return Fit.TOO_OLD
    if architecture.last_driver_branch is not None and branch > architecture.last_driver_branch:
        return Fit.DROPPED
    return Fit.FITS


def right_flavour(architecture: NvidiaArchitecture, flavour: str | None) -> str | None:
    """The flavour of kernel module ("open", "proprietary") that this GPU needs in place of the loaded one.

    None where the loaded flavour serves it, or is unknown.
    """
    rule, capability = CudaDriver.read().open_module, release(architecture.compute_capability)
    if flavour == "open" and capability < release(rule.first):
        return "proprietary"
    if flavour == "proprietary" and capability >= release(rule.only_from):
        return "open"
    return None
