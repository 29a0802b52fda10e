"""Modules of Python itself: which of them AI packages import, and which cannot be hidden."""

from checks.knowledge import Table


class StandardModules(Table):
    """resources/knowledge/packages/standard_modules.toml."""

    imported: tuple[str, ...]
    loaded_first: tuple[str, ...]


def is_imported_by_packages(module: str) -> bool:
    """Whether AI packages import this module of Python's."""
    return module in StandardModules.read().imported


def is_loaded_first(module: str) -> bool:
    """Whether Python has loaded it before it searches the folder of a program."""
    return module in StandardModules.read().loaded_first
