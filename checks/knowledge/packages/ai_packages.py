"""Which distributions are AI frameworks, and of which the checks read more than name and version."""

from __future__ import annotations

import functools
from collections.abc import Iterable

import msgspec

from checks.knowledge import Table, load


class Framework(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A framework and the names under which it is distributed."""

    name: str
    packages: tuple[str, ...]


class Companions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Distributions that stand beside frameworks."""

    packages: tuple[str, ...]


class Prefix(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Families of distributions, by how their names start."""

    starts: tuple[str, ...]


class AiPackages(Table, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """resources/knowledge/ai_packages.toml."""

    framework: tuple[Framework, ...]
    companion: tuple[Companions, ...]
    prefix: tuple[Prefix, ...]


@functools.cache
def ai_packages() -> AiPackages:
    """The whole table."""
    return load("ai_packages", AiPackages)


@functools.cache
def framework_of_package() -> dict[str, str]:
    """Distribution name -> framework: {"onnxruntime-gpu": "onnxruntime", ...}."""
    return {package: row.name for row in ai_packages().framework for package in row.packages}


@functools.cache
def examined_names() -> frozenset[str]:
    """Names of all distributions that a check reads; families by prefix are not among them."""
    companions = (package for row in ai_packages().companion for package in row.packages)
    return frozenset(framework_of_package()) | frozenset(companions)


@functools.cache
def _prefixes() -> tuple[str, ...]:
    return tuple(start for row in ai_packages().prefix for start in row.starts)


def is_examined(name: str) -> bool:
    """Whether a check reads more of this distribution (normalised name) than its version."""
    return name in examined_names() or name.startswith(_prefixes())


def frameworks_among(names: Iterable[str]) -> tuple[str, ...]:
    """The frameworks that these distributions (normalised names) bring, in the table's order, each once."""
    found = {framework_of_package().get(name) for name in names}
    return tuple(row.name for row in ai_packages().framework if row.name in found)
