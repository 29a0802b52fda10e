"""Makers of GPUs, and the words by which a text tells whose it is about."""

import functools
import re

from checks.knowledge import Row, Table


class Vendor(Row):
    """One maker. ``pattern``: words that only its own things print."""

    name: str
    id: str
    pattern: str
    source: str


class Vendors(Table):
    vendor: tuple[Vendor, ...]


def vendor_names() -> tuple[str, ...]:
    """All of them."""
    return tuple(row.name for row in Vendors.read().vendor)


def vendors_in(text: str) -> frozenset[str]:
    """Those whose words stand in a text."""
    return frozenset(name for name, pattern in _patterns() if pattern.search(text))


@functools.cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((row.name, re.compile(row.pattern)) for row in Vendors.read().vendor)
