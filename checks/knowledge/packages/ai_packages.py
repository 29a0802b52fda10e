"""Which distributions are AI frameworks, and of which the checks read more than name and version."""

import functools
from collections.abc import Iterable

from checks.knowledge import Row, Table


class Framework(Row):
    """A framework and the names under which it is distributed."""

    name: str
    packages: tuple[str, ...]


class Companions(Row):
    """Distributions that stand beside frameworks."""

    packages: tuple[str, ...]


class Prefix(Row):
    """Families of distributions, by how their names start."""

    starts: tuple[str, ...]


class AiPackages(Table):
    framework: tuple[Framework, ...]
    companion: tuple[Companions, ...]
    standalone: tuple[Companions, ...]
    installer: tuple[Companions, ...]
    prefix: tuple[Prefix, ...]


@functools.cache
def framework_of_package() -> dict[str, str]:
    """Distribution name -> framework: {"onnxruntime-gpu": "onnxruntime", ...}."""
    return {package: row.name for row in AiPackages.read().framework for package in row.packages}


@functools.cache
def examined_names() -> frozenset[str]:
    """Names of all distributions that a check reads; families by prefix are not among them."""
    companions = (package for row in AiPackages.read().companion for package in row.packages)
    return frozenset(framework_of_package()) | frozenset(companions)


@functools.cache
def _prefixes() -> tuple[str, ...]:
    return tuple(start for row in AiPackages.read().prefix for start in row.starts)


def is_examined(name: str) -> bool:
    """Whether a check reads more of this distribution (normalised name) than its version."""
    return name in examined_names() or name.startswith(_prefixes())


def frameworks_among(names: Iterable[str]) -> tuple[str, ...]:
    """The frameworks that these distributions (normalised names) bring, in the table's order, each once."""
    found = {framework_of_package().get(name) for name in names}
    return tuple(row.name for row in AiPackages.read().framework if row.name in found)


def needs_no_framework(names: Iterable[str]) -> bool:
    """Whether one of these distributions (normalised names) is what computes here, without a framework."""
    alone = {package for row in AiPackages.read().standalone for package in row.packages}
    return not alone.isdisjoint(names)


def brings_nothing(names: Iterable[str]) -> bool:
    """Whether these distributions (normalised names) only install others, so that nobody has filled the environment."""
    installers = {package for row in AiPackages.read().installer for package in row.packages}
    return installers.issuperset(names)
