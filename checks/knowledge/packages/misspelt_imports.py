"""Which module an import means that names a package ("scikit_learn"), or that has a slip in it ("sklern")."""

import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass

from checks.knowledge.packages.import_packages import (
    ImportPackagesTable,
    is_named,
    is_own_code,
    is_standard,
    modules_of_distribution,
)
from checks.knowledge.packages.known_packages import KnownPackages, is_known_package

_SHORTEST, _SHORTEST_MEANT = 4, 5  # letters of a slip, and of the name that it means


@dataclass(frozen=True)
class Meant:
    """The module that is meant, as it is written. ``is_sure``: it is the package's name or differs in case alone."""

    module: str
    is_sure: bool


def meant_by(module: str) -> Meant | None:
    """What the first part of an import that no table knows means; None where nothing is near, or it may be meant so.

    A name with one letter more at its end, or one less, may be a file of the user's own: "tokenizer", "datasets".
    """
    first = module.partition(".")[0]
    if is_named(first) or is_standard(first) or is_own_code(first):
        return None
    plain = first.lower()
    if (called := _called(plain)) is not None:
        return None if called == first else Meant(_written(called), is_sure=True)
    is_real = plain in ImportPackagesTable.read().misspelt.real.modules or is_known_package(plain)
    if is_real or len(plain) < _SHORTEST:
        return None
    near = {found for slip in _slips(plain) if len(slip) >= _SHORTEST_MEANT and (found := _called(slip)) is not None}
    return Meant(_written(near.pop()), is_sure=False) if len(near) == 1 else None


def nearest(name: str, there: Iterable[str]) -> tuple[str, ...]:
    """Of the names that are there those that differ from a written one by a slip, or by case alone; in their order."""
    plain = name.lower()
    slips = _slips(plain)
    return tuple(known for known in dict.fromkeys(there) if known.lower() in slips or known.lower() == plain != known)


def known_names(module: str) -> tuple[str, ...]:
    """What is taken most often from a module, for a text of which the module itself is not at hand."""
    return tuple(ImportPackagesTable.read().misspelt.names.get(module, "").split())


def _called(plain: str) -> str | None:
    """The module of this name in small letters, or of the package of this name."""
    known = _modules().get(plain)
    return known or next(iter(modules_of_distribution(re.sub(r"[-_.]+", "-", plain))), None)


def _written(module: str) -> str:
    return ImportPackagesTable.read().misspelt.written.get(module, module)


@functools.cache
def _modules() -> dict[str, str]:
    own_names = (name.replace("-", "_") for name in KnownPackages.read().packages if not modules_of_distribution(name))
    return {module.lower(): module for module in (*own_names, *ImportPackagesTable.read().modules)}


def _slips(word: str) -> set[str]:
    """Every word that is one slip away: a letter missing, too many, another, or two in the wrong order.

    Neither the first letter nor an "s" at the end counts: the one is seldom wrong, the other is another word.
    """
    letters = "abcdefghijklmnopqrstuvwxyz0123456789_"
    cuts = [(word[:at], word[at:]) for at in range(1, len(word) + 1)]
    fewer = {begin + end[1:] for begin, end in cuts if end}
    swapped = {begin + end[1] + end[0] + end[2:] for begin, end in cuts if len(end) > 1}
    more = {begin + letter + end for begin, end in cuts for letter in letters}
    other = {begin + letter + end[1:] for begin, end in cuts if end for letter in letters}
    return (fewer | swapped | more | other) - {word, f"{word}s", word.removesuffix("s")}
