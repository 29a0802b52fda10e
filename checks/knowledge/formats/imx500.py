"""What Sony's IMX500 sensor holds."""

from __future__ import annotations

import functools

from checks.knowledge import Table, load


class Imx500Table(Table, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """resources/knowledge/imx500.toml. ``memory``: bytes for a network."""

    memory: int
    memory_source: str


@functools.cache
def imx500_table() -> Imx500Table:
    """The table."""
    return load("imx500", Imx500Table)
