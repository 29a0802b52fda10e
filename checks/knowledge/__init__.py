"""Typed tables of what the world knows: resources/knowledge, with the source and the day of each table.

Each table is one TOML file, resources/knowledge/<subject>/<name>.toml, and one module here with the same path: the
structs of its rows, one ``Table`` and the questions that are asked of it. ``TheTable.read()`` gives the whole table.
Code holds the comparison, the table the numbers.
"""

import datetime as dt
import functools
from typing import Any, Self, cast, dataclass_transform

import msgspec
import tomli

from checks.languages import translated
from checks.paths import ROOT
from checks.prepared import prepared


class _Strict(msgspec.StructMeta):
    """Makes structs that never change, are built by keyword, and refuse unknown keys."""

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **config: Any) -> Any:
        strict = {"frozen": True, "kw_only": True, "forbid_unknown_fields": True}
        return super().__new__(cls, name, bases, namespace, **{**strict, **config})


@dataclass_transform(field_specifiers=(msgspec.field,), kw_only_default=True, frozen_default=True)
class Row(msgspec.Struct, frozen=True, metaclass=_Strict):
    """A row of a table."""


class Worded(Row):
    """A row with a sentence in each language."""

    en: str
    ja: str

    def of(self, language: str) -> str:
        """The sentence in a language."""
        return self.ja if language == "ja" else translated(self.en, language)


class Table(Row):
    """A table. ``checked`` is the day on which someone read the ``source``."""

    title: str
    source: str
    checked: dt.date

    @classmethod
    def read(cls) -> Self:
        """The table of this class, from the file beside its module's name. It is read once.

        Raises:
            msgspec.ValidationError: the file does not follow the schema.
        """
        return cast(Self, _read(cls))


@functools.cache
def _read(table: type[Table]) -> Table:
    subject, name = table.__module__.split(".")[-2:]
    text = (ROOT / "knowledge" / subject / f"{name}.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomli.loads(text), prepared(table))
