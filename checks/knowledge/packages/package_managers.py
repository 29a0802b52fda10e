"""Which package manager a Linux distribution comes with."""

from checks.facts.versions import major_number
from checks.knowledge import Row, Table


class ManagerRow(Row):
    """A package manager and the distributions (os-release's ID) that come with it."""

    name: str
    distributions: tuple[str, ...]


class FirstRelease(Row):
    """The first release of a distribution that came with today's manager."""

    distribution: str
    release: int


class PackageManagers(Table):
    manager: tuple[ManagerRow, ...]
    since: tuple[FirstRelease, ...]


def managers_of(distribution: str, version: str = "", like: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The manager of a distribution (os-release's ID, VERSION_ID and ID_LIKE), or of the first of its like.

    None where the distribution is unknown, or so old that it came with another one.
    """
    table = PackageManagers.read()
    if any(row.distribution == distribution and 0 < major_number(version) < row.release for row in table.since):
        return ()
    names = (row.name for system in (distribution, *like) for row in table.manager if system in row.distributions)
    return tuple(names)[:1]
