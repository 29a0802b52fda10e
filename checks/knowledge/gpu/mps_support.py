"""The oldest macOS for PyTorch's Metal backend."""

from checks.facts.versions import release
from checks.knowledge import Row, Table


class MpsMinimum(Row):
    """What PyTorch asks for from a release on."""

    torch_first: str
    macos_min: str
    source: str


class MpsSupport(Table):
    """The newest release first."""

    row: tuple[MpsMinimum, ...]


def mps_minimum(torch_version: str) -> MpsMinimum | None:
    """What this PyTorch asks for; None before it had the backend."""
    version = release(torch_version)
    return next((row for row in MpsSupport.read().row if release(row.torch_first) <= version), None)
