"""Processors with an NPU that shows on the PCI bus."""

import re

from checks.knowledge import Row, Table


class CpuWithNpu(Row):
    """A family of processors by a pattern on its name, and the PCI vendor id of its NPU."""

    pattern: str
    vendor: str


class CpusWithNpu(Table):
    cpu: tuple[CpuWithNpu, ...]


def npu_of_cpu(name: str) -> CpuWithNpu | None:
    """The row of a processor's name; None where it has no NPU, or the name does not tell."""
    return next((row for row in CpusWithNpu.read().cpu if re.search(row.pattern, name)), None)
