"""Servers of language models: how each is told from outside, and what it offers against varying answers."""

from collections.abc import Mapping

from checks.knowledge import Table, Worded


class ServerRow(Worded):
    """One server; what it offers, in a sentence. The fields: resources/knowledge/frameworks/served.toml."""

    id: str
    name: str
    source: str
    owners: tuple[str, ...] = ()
    path: str = ""
    shown_by: tuple[str, ...] = ()
    version: str = ""
    settings: tuple[str, ...] = ()
    promised_by: str = ""
    bypass: Mapping[str, str | bool] = {}
    mode: str = ""


class ServedTable(Table):
    server: tuple[ServerRow, ...]


def server_of(kind: str) -> ServerRow | None:
    """The row of a kind of server; None: not one that is known."""
    return next((row for row in ServedTable.read().server if row.id == kind), None)


def server_name(kind: str) -> str:
    """A kind of server by its name; "" where it is not known."""
    row = server_of(kind)
    return row.name if row else ""
