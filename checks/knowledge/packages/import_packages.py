"""Which distribution brings a module."""

import functools
import re
import sys

from checks.knowledge import Row, Table


class OwnCode(Row):
    """Modules that lie beside the program, and that no distribution brings."""

    modules: tuple[str, ...]


class Misspelt(Row):
    """Of misspelt imports. ``written``: first part -> what to write. ``real``: what is one letter away and is meant.

    ``names``: module -> names that are taken from it, with blanks between.
    """

    written: dict[str, str]
    real: OwnCode
    names: dict[str, str]


class ImportPackagesTable(Table):
    """``modules``: first part of an import -> distributions that bring it."""

    modules: dict[str, tuple[str, ...]]
    own_code: OwnCode
    misspelt: Misspelt


def distributions_of(module: str) -> tuple[str, ...]:
    """The distributions (normalised names) of which any brings the module, by its first part ("sklearn.svm").

    Empty for the standard library and for modules of a program's own. One that the table does not know: its own name.
    """
    first = module.partition(".")[0]
    if is_standard(first) or is_own_code(first):
        return ()
    return ImportPackagesTable.read().modules.get(first, (re.sub(r"[-_.]+", "-", first).lower(),))


@functools.cache
def _modules_by_distribution() -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for module, names in ImportPackagesTable.read().modules.items():
        for name in names:
            found.setdefault(name, []).append(module)
    return {name: tuple(modules) for name, modules in found.items()}


def modules_of_distribution(name: str) -> tuple[str, ...]:
    """The modules that a distribution (normalised name) brings, as far as the table names them."""
    return _modules_by_distribution().get(name, ())


def module_of_distribution(name: str) -> str:
    """The module by which a distribution (normalised name) is tried: of the table, or its own name."""
    return next(iter(modules_of_distribution(name)), name.replace("-", "_"))


def is_named(module: str) -> bool:
    """Whether the table names what brings the module, so that nothing else can be meant."""
    return module.partition(".")[0] in ImportPackagesTable.read().modules


def is_standard(module: str) -> bool:
    """Whether a module comes with Python: this one's, or Python 2 under its old names."""
    first = module.partition(".")[0]
    return first in sys.stdlib_module_names or first in ("__builtin__", "copy_reg", "cPickle", "Queue", "StringIO")


def is_own_code(module: str) -> bool:
    """Whether the module lies beside the program that wrote the file."""
    return module.partition(".")[0] in ImportPackagesTable.read().own_code.modules
