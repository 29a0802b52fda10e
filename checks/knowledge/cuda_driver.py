"""Which driver runs which CUDA."""

from __future__ import annotations

import functools

import msgspec

from checks.knowledge import Table, load
from checks.versions import release


class DriverMinimum(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The oldest driver that runs a build for one CUDA major version."""

    cuda_major: int
    linux: str
    windows: str
    source: str


class CudaDriver(Table, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """resources/knowledge/cuda_driver.toml."""

    minimum: tuple[DriverMinimum, ...]


@functools.cache
def cuda_driver() -> CudaDriver:
    """The oldest driver for each CUDA major version."""
    return load("cuda_driver", CudaDriver)


def driver_minimum(cuda_version: str) -> DriverMinimum | None:
    """The row for a CUDA version ("12.8"); None where the table does not know it."""
    major = release(cuda_version)[:1]
    return next((row for row in cuda_driver().minimum if (row.cuda_major,) == major), None)
