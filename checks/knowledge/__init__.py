"""Typed loader of resources/knowledge: what the world knows, in tables with source and as-of date.

Each table is one TOML file and one module here, whose structs refuse unknown keys. Every table starts with ``title``,
``source`` and ``checked`` (the day someone read the source). Code holds the comparison, the table the numbers.
"""

from __future__ import annotations

import datetime as dt
import tomllib
from typing import TypeVar

import msgspec

from checks.facts.paths import ROOT


class Table(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What every knowledge table has."""

    title: str
    source: str
    checked: dt.date


_Table = TypeVar("_Table", bound=Table)


def load(name: str, kind: type[_Table]) -> _Table:
    """Read resources/knowledge/<name>.toml.

    Raises:
        msgspec.ValidationError: the file does not follow the schema.
    """
    text = (ROOT / "knowledge" / f"{name}.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), kind)
