"""Of which kind the value of each placeholder is that stands in a command: resources/knowledge/commands."""

import functools
from enum import StrEnum

from checks.knowledge import Row, Table


class Kind(StrEnum):
    """What a value must be before it may stand in a command; the grammars are in checks/remedies/values.py."""

    PACKAGE = "package"  # one name
    CONDA_PACKAGE = "conda-package"  # the same, as conda names it
    REQUIREMENTS = "requirements"  # names with extras and releases
    SYSTEM_PACKAGE = "system-package"
    SYSTEM_RELEASE = "system-release"  # of one that this machine's own log names
    MODULES = "modules"  # of Python
    STATEMENT = "statement"  # an import of one of them
    INSTALLED_MODULES = "installed-modules"  # of packages that are installed where the case was made
    DATA_NAME = "data-name"  # that a package's own command fetches from its own place, or gives to what it makes
    VERSION = "version"
    NUMBER = "number"
    DEVICE = "device"  # of a framework
    VARIABLE = "variable"  # of the environment
    SETTING = "setting"  # a word that a variable accepts
    NODES = "nodes"  # of a model, with commas between
    GROUP = "group"  # of users
    LIBRARY = "library"  # a file name
    SETTINGS_FILE = "settings-file"  # of modprobe
    URL = "url"  # of our own tables
    PATH = "path"
    PROGRAM = "program"  # an interpreter


class Group(Row):
    """Groups of users that own devices, and no more rights than that."""

    names: tuple[str, ...]
    source: str


class Placeholders(Table):
    """``kinds``: kind -> the placeholders that are of it."""

    kinds: dict[Kind, tuple[str, ...]]
    groups: Group


@functools.cache
def kinds() -> dict[str, Kind]:
    """Placeholder -> its kind."""
    return {name: kind for kind, names in Placeholders.read().kinds.items() for name in names}


def device_groups() -> tuple[str, ...]:
    """The groups that a user may be told to join."""
    return Placeholders.read().groups.names
