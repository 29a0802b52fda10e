"""Packages whose x86 builds need instructions that older processors lack."""

from __future__ import annotations

import functools

import msgspec

from checks.facts.versions import release
from checks.knowledge import Table, load


class CpuRequirement(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What some releases of a package need; ``needs`` in the spelling of /proc/cpuinfo."""

    package: str
    first: str
    before: str
    needs: tuple[str, ...]
    source: str


class CpuRequirements(Table, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """resources/knowledge/cpu_requirements.toml."""

    row: tuple[CpuRequirement, ...]


@functools.cache
def cpu_requirements() -> CpuRequirements:
    """The table."""
    return load("cpu_requirements", CpuRequirements)


def cpu_requirement(package: str, version: str) -> CpuRequirement | None:
    """What a release of a package needs; None where the table does not know it."""
    number = release(version)
    for row in cpu_requirements().row:
        is_within = release(row.first) <= number and (not row.before or number < release(row.before))
        if row.package == package and is_within:
            return row
    return None
