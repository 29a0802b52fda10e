"""Which requirements of an environment's packages are not met, from their metadata, as ``pip check`` tells them."""

from __future__ import annotations

import contextlib
import importlib.metadata
from collections.abc import Iterable, Iterator, Mapping

from packaging.markers import default_environment
from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from checks.facts import InterpreterFacts


def unmet(interpreter: InterpreterFacts, changed: Mapping[str, str | None] = {}) -> frozenset[str]:
    """One line for each; what cannot be read is left out.

    ``changed``: releases that would be there instead (None: that would be gone), whose own requirements are not asked.
    """
    there = {package.name: package.version for package in interpreter.packages or ()}
    versions = {name: version for name, version in {**there, **changed}.items() if version is not None}
    found = set()
    for name, release, wanted in _requirements(interpreter):
        installed = versions.get(canonicalize_name(wanted.name))
        try:
            is_met = installed is not None and wanted.specifier.contains(installed, prereleases=True)
        except (InvalidVersion, ValueError):
            continue
        if not is_met and canonicalize_name(name) not in changed:
            found.add(f"{name} {release}: {wanted.name}{wanted.specifier} ({installed or '–'})")
    return frozenset(found)


def clashes(interpreter: InterpreterFacts, words: Iterable[str]) -> tuple[str, ...]:
    """Requirements of installed packages that exclude what one of these words asks for, without any index."""
    wishes: dict[str, SpecifierSet] = {}
    for word in words:
        with contextlib.suppress(InvalidRequirement):
            wish = Requirement(word)
            wishes[canonicalize_name(wish.name)] = wish.specifier
    found = set()
    for name, release, wanted in _requirements(interpreter):
        wished = wishes.get(canonicalize_name(wanted.name))
        if wished is not None and canonicalize_name(name) not in wishes and not _agree(wished, wanted.specifier):
            found.add(f"{name} {release}: {wanted.name}{wanted.specifier} ({wished})")
    return tuple(sorted(found))


def _agree(one: SpecifierSet, other: SpecifierSet) -> bool:
    """Whether a release may meet both, of those around the bounds that they name."""
    around = [*_around(one), *_around(other), "1"]
    return any(one.contains(version) and other.contains(version) for version in around)


def _around(specifier: SpecifierSet) -> Iterator[str]:
    """The bounds of a specifier, and a release just below and above each."""
    for part in specifier:
        with contextlib.suppress(InvalidVersion):
            numbers = Version(part.version.removesuffix(".*")).release
            last = max((place for place, number in enumerate(numbers) if number), default=0)
            below = (*numbers[:last], max(0, numbers[last] - 1), 999)
            for release in (numbers, below, (*numbers, 0, 1), (numbers[0] + 1,)):
                yield ".".join(map(str, release))


def _requirements(interpreter: InterpreterFacts) -> Iterator[tuple[str, str, Requirement]]:
    """Of each distribution its name, its release, and a requirement that applies to this Python."""
    version = interpreter.version or ""
    environment = {
        **{name: str(value) for name, value in default_environment().items()},
        "python_full_version": version,
        "python_version": ".".join(version.split(".")[:2]),
        "extra": "",
    }
    folders = dict.fromkeys(package.location for package in interpreter.packages or () if package.location)
    told: set[str] = set()
    for distribution in importlib.metadata.distributions(path=list(folders)):
        metadata = distribution.metadata  # which is read anew whenever it is asked for
        name = metadata["Name"] or ""
        if not name or canonicalize_name(name) in told:  # one that stands in front hides the other
            continue
        told.add(canonicalize_name(name))
        for line in metadata.get_all("Requires-Dist") or distribution.requires or ():
            with contextlib.suppress(InvalidRequirement, InvalidVersion, ValueError, KeyError):
                wanted = Requirement(line)
                if wanted.marker is None or wanted.marker.evaluate(environment):
                    yield name, metadata["Version"], wanted
