"""Which packages we know well enough to let a command install them on a stranger's word."""

import functools
import re

from packaging.utils import canonicalize_name

from checks.knowledge import Table
from checks.knowledge.packages.ai_packages import examined_names
from checks.knowledge.packages.import_packages import ImportPackagesTable


class KnownPackages(Table):
    """resources/knowledge/packages/known_packages.toml."""

    packages: tuple[str, ...]
    families: tuple[str, ...]
    elsewhere: tuple[str, ...]


def is_known_package(name: str, *, of_conda: bool = False) -> bool:
    """Whether a table of ours names this package, and pip's index (or conda's) has it under that name."""
    plain = canonicalize_name(name)
    if plain in KnownPackages.read().elsewhere:
        return of_conda
    return plain in _names() or _families().fullmatch(plain) is not None


@functools.cache
def _names() -> frozenset[str]:
    imported = (package for packages in ImportPackagesTable.read().modules.values() for package in packages)
    return frozenset((*KnownPackages.read().packages, *examined_names(), *imported))


@functools.cache
def _families() -> re.Pattern[str]:
    return re.compile("|".join(KnownPackages.read().families), re.ASCII)
