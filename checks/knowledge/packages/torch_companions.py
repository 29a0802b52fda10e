"""Which torch each torchvision, torchaudio and xformers is built for."""

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from checks.knowledge import Row, Table


class Fit(Row):
    """One release of a companion and the torch releases that it can be used with, as a version specifier."""

    package: str
    version: str
    torch: str
    source: str


class TorchCompanions(Table):
    fit: tuple[Fit, ...]


def companion_names() -> frozenset[str]:
    """The packages that the table knows."""
    return frozenset(row.package for row in TorchCompanions.read().fit)


def wanted_torch(package: str, version: str) -> str | None:
    """The torch that a companion ("torchvision", "0.21.0+cu124") is built for, as a specifier; None where unknown."""
    try:
        wanted = Version(version).public
    except ValueError:  # no version, or a number longer than Python converts
        return None
    return next(
        (row.torch for row in TorchCompanions.read().fit if (row.package, row.version) == (package, wanted)), None
    )


def fits(specifier: str, torch_version: str) -> bool | None:
    """Whether a torch ("2.6.0+cu124", "2.7.0a0+git") is what a companion asks for; None where either is unreadable.

    A build from source of a later commit ("2.7.0a0") counts as its release.
    """
    try:
        return SpecifierSet(specifier).contains(Version(Version(torch_version).base_version), prereleases=True)
    except ValueError:
        return None


def fitting(package: str, torch_version: str) -> str | None:
    """The newest release of a companion for a torch; None where the table has none."""
    rows = [row for row in TorchCompanions.read().fit if row.package == package and fits(row.torch, torch_version)]
    return max((row.version for row in rows), key=Version, default=None)
