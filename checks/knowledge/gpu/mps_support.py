"""The oldest macOS for PyTorch's Metal backend."""

from __future__ import annotations

import functools

import msgspec

from checks.facts.versions import release
from checks.knowledge import Table, load


class MpsMinimum(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What PyTorch asks for from a release on."""

    torch_first: str
    macos_min: str
    source: str


class MpsSupport(Table, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """resources/knowledge/mps_support.toml; the newest release first."""

    row: tuple[MpsMinimum, ...]


@functools.cache
def mps_support() -> MpsSupport:
    """The table."""
    return load("mps_support", MpsSupport)


def mps_minimum(torch_version: str) -> MpsMinimum | None:
    """What this PyTorch asks for; None before it had the backend."""
    version = release(torch_version)
    return next((row for row in mps_support().row if release(row.torch_first) <= version), None)
