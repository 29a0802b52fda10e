"""Darknet's layers."""

from checks.knowledge import Table


class DarknetLayersTable(Table):
    """``fork``: what only AlexeyAB's Darknet and its heirs know."""

    original: tuple[str, ...]
    fork: tuple[str, ...]
