"""Which names and modules a package had, from which release and until which."""

import functools
from dataclasses import dataclass

from packaging.version import InvalidVersion, Version

from checks.facts.versions import minor
from checks.knowledge import Row, Table
from checks.knowledge.packages.moved_names import MovedNames, MovedRow


class Change(Row):
    """What came with the release ``first``, or is not in ``gone`` any more.

    Names of a module, or whole modules, with blanks between.
    """

    first: str = ""
    gone: str = ""
    module: str = ""
    names: str = ""
    modules: str = ""


class PackageNames(Row):
    """A distribution; ``python`` stands for the standard library. ``oldest``, ``newest``: of the releases read."""

    name: str
    oldest: str
    newest: str
    change: tuple[Change, ...]


class Names(Table):
    """resources/knowledge/packages/names.toml."""

    package: tuple[PackageNames, ...]


PYTHON = "python"


@dataclass(frozen=True)
class Wanted:
    """Between which releases a package has something. ``instead``: its new place, where somebody wrote that down."""

    package: str
    first: str = ""  # the oldest that has it; "": no row says
    gone: str = ""  # the oldest that has it no longer; "": the newest has it
    instead: str = ""
    backport: str = ""  # a distribution that brings it where it is gone
    source: str = ""

    @property
    def requirement(self) -> str:
        """The releases that have it, as a command takes it: "scipy<1.13", "transformers>=4.42.4"."""
        bounds = [f">={self.first}"] if self.first else []
        bounds += [f"<{_first_of_minor(self.gone)}"] if self.gone else []
        return f"{self.package}{','.join(bounds)}"

    def lacks(self, version: str) -> bool:
        """Whether a release lacks it by what the table says; a version that is none lacks nothing."""
        try:
            here = Version(version)
            is_early = bool(self.first) and here < Version(self.first)
            return is_early or (bool(self.gone) and here >= Version(_first_of_minor(self.gone)))
        except InvalidVersion:
            return False


def releases_with(package: str, module: str, name: str = "") -> Wanted | None:
    """Between which releases a package has ``name`` in ``module``, or the module itself; None: no row tells."""
    moved = _moved_row(package, module, name)
    if moved is not None:
        return Wanted(package, moved.first, moved.gone, moved.instead, moved.backport, moved.source)
    found: dict[str, str] = {}
    for change in _changes(package, module, name):
        found |= {"first": change.first} if change.first else {"gone": change.gone}
    return Wanted(package, found.get("first", ""), found.get("gone", ""), source=Names.read().source) if found else None


def _moved_row(package: str, module: str, name: str) -> MovedRow | None:
    """The row of a name, or of the module that should hold it; of a module, or of one that it lies in."""
    places = [(module, name), (f"{module}.{name}", "")] if name else []
    parts = module.split(".")
    places += [(".".join(parts[:count]), "") for count in range(len(parts), 0, -1)]
    return next((row for place in places if (row := _moved().get((package, *place)))), None)


def _changes(package: str, module: str, name: str) -> list[Change]:
    rows = _by_package().get(package)
    if rows is None:
        return []
    if name:
        found = [change for change in rows.change if change.module == module and name in change.names.split()]
        return found or _changes(package, f"{module}.{name}", "")
    parts = module.split(".")
    wholes = (".".join(parts[:count]) for count in range(1, len(parts) + 1))
    levels = [[change for change in rows.change if whole in change.modules.split()] for whole in wholes]
    # When what holds it came tells nothing of a module that has a row itself: it may have come back without it.
    nearest = next((level for level in reversed(levels) if level), [])
    return [*(change for level in levels for change in level if change.gone), *nearest]


def _first_of_minor(version: str) -> str:
    return minor(version) if version.count(".") >= 2 else version


@functools.cache
def _by_package() -> dict[str, PackageNames]:
    return {row.name: row for row in Names.read().package}


@functools.cache
def _moved() -> dict[tuple[str, str, str], MovedRow]:
    return {(row.package, row.module, name): row for row in MovedNames.read().row for name in row.names or ("",)}
