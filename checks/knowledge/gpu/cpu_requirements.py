"""Packages whose x86 builds need instructions that older processors lack."""

from checks.facts.versions import release
from checks.knowledge import Row, Table


class CpuRequirement(Row):
    """What some releases of a package need; ``needs`` in the spelling of /proc/cpuinfo."""

    package: str
    first: str
    before: str
    needs: tuple[str, ...]
    source: str


class CpuRequirements(Table):
    row: tuple[CpuRequirement, ...]


def cpu_requirement(package: str, version: str) -> CpuRequirement | None:
    """What a release of a package needs; None where the table does not know it."""
    number = release(version)
    for row in CpuRequirements.read().row:
        is_within = release(row.first) <= number and (not row.before or number < release(row.before))
        if row.package == package and is_within:
            return row
    return None
