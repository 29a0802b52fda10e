"""Distributions that bring a module of the same name as an AI package, but are another project."""

from packaging.specifiers import SpecifierSet

from checks.facts import Package
from checks.knowledge import Row, Table


class SameName(Row):
    """A module that two projects have. ``wanted``: () where no release of the meant one is on the index.

    ``asks_for``: modules that only the other project imports, and that no Python of today has.
    """

    module: str
    wrong: tuple[str, ...]
    attributes: tuple[str, ...]
    certainty: float
    source: str
    wanted: tuple[str, ...] = ()
    asks_for: tuple[str, ...] = ()
    wrong_releases: str = ""  # only these releases are the other project's; "" all

    def is_wrong(self, package: Package) -> bool:
        """Whether an installed distribution is the other project."""
        if package.name not in self.wrong:
            return False
        try:
            return SpecifierSet(self.wrong_releases).contains(package.version, prereleases=True)
        except ValueError:
            return False


class SameNames(Table):
    """resources/knowledge/packages/same_names.toml."""

    row: tuple[SameName, ...]
