"""What is computed to measure a device: names of operations and settings, and what documents call them."""

import functools
from collections.abc import Mapping

from checks.knowledge import Table, Worded
from checks.knowledge.frameworks.determinism import Named


class KnownSetting(Worded):
    """A setting under which something is computed."""

    id: str


class KnownOperation(KnownSetting):
    """An operation. ``documented``: its names in determinism.toml.

    ``products``: its terms are products, which a device may compute with fewer digits. ``centred``: the terms that our
    inputs make have both signs, with a mean near zero. ``choice``: where values are equal or places are written twice,
    which one is taken may vary. ``control``: it has one result in whatever order it is computed, so that only a device
    that computes wrongly makes it vary. ``stream``: it draws random numbers from a seed.
    """

    documented: tuple[Named, ...] = ()
    choice: bool = False
    control: bool = False
    products: bool = False
    centred: bool = False
    stream: bool = False


class ComputationsTable(Table):
    operation: tuple[KnownOperation, ...]
    setting: tuple[KnownSetting, ...]


@functools.cache
def known_operations() -> Mapping[str, KnownOperation]:
    """The operations by their ids."""
    return {row.id: row for row in ComputationsTable.read().operation}


@functools.cache
def known_settings() -> Mapping[str, KnownSetting]:
    """The settings by their ids."""
    return {row.id: row for row in ComputationsTable.read().setting}


def operation_name(operation: str, language: str) -> str:
    """An operation in words; what is not of ours (a node of a model) keeps its name."""
    return _name(known_operations().get(operation), operation, language)


def setting_name(setting: str, language: str) -> str:
    """A setting in words; of several that hold at once ("batch-1+threads-1") each, and numbers are taken out of ids."""
    return " + ".join(_setting_name(part, language) for part in setting.split("+"))


def _setting_name(setting: str, language: str) -> str:
    known = known_settings().get(setting)
    name, _, count = setting.rpartition("-")
    if known is None and count.isdecimal():
        return _name(known_settings().get(name + "-{count}"), setting, language).replace("{count}", count)
    return _name(known, setting, language)


def _name(known: KnownSetting | None, plain: str, language: str) -> str:
    return plain if known is None else known.of(language)
