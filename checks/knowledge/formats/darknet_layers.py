"""Darknet's layers."""

from checks.knowledge import Table


class DarknetLayersTable(Table):
    """resources/knowledge/formats/darknet_layers.toml. ``fork``: what only AlexeyAB's Darknet and its heirs know."""

    original: tuple[str, ...]
    fork: tuple[str, ...]
