"""Packages that bring one and the same module under several names, so that only one of them can be installed."""

from checks.facts import InstalledPackage
from checks.knowledge import Row, Table

_LOST = 0.5  # share of a package's files that goes when a sibling is removed; what is damaged otherwise loses fewer


class Family(Row):
    """The distributions that install the same ``module``."""

    module: str
    packages: tuple[str, ...]
    source: str


class SharedModules(Table):
    """resources/knowledge/packages/shared_modules.toml."""

    family: tuple[Family, ...]


def family_of_package(name: str) -> Family | None:
    """The family of a distribution (normalised name); None: it shares its modules with none that we know."""
    return next((family for family in SharedModules.read().family if name in family.packages), None)


def lost_to_sibling(package: InstalledPackage) -> Family | None:
    """The family whose module a package lost most of, as happens when a sibling in the same folder is removed."""
    family = family_of_package(package.name)
    if family is None or family.module not in package.modules:
        return None
    return family if package.listed and package.damaged >= _LOST * package.listed else None
