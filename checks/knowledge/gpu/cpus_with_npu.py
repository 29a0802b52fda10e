"""Processors with an NPU that shows on the PCI bus."""

from __future__ import annotations

import functools
import re

import msgspec

from checks.knowledge import Table, load


class CpuWithNpu(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A family of processors by a pattern on its name, and the PCI vendor id of its NPU."""

    pattern: str
    vendor: str


class CpusWithNpu(Table, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """resources/knowledge/cpus_with_npu.toml."""

    cpu: tuple[CpuWithNpu, ...]


@functools.cache
def cpus_with_npu() -> CpusWithNpu:
    """The table."""
    return load("cpus_with_npu", CpusWithNpu)


def npu_of_cpu(name: str) -> CpuWithNpu | None:
    """The row of a processor's name; None where it has no NPU, or the name does not tell."""
    return next((row for row in cpus_with_npu().cpu if re.search(row.pattern, name)), None)
