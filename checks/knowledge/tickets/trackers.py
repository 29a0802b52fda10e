"""What trackers call the parts of a ticket in their exports: resources/knowledge/tickets/trackers.toml."""

from __future__ import annotations

from checks.knowledge import Row, Table


class Fields(Row):
    """Names of fields and columns, in lower case, for each part of a ticket; of JSON also dotted."""

    lists: tuple[str, ...]
    address: tuple[str, ...]
    number: tuple[str, ...]
    title: tuple[str, ...]
    text: tuple[str, ...]
    more: tuple[str, ...]
    created: tuple[str, ...]
    product: tuple[str, ...]
    comments: tuple[str, ...]
    comment_text: tuple[str, ...]
    author: tuple[str, ...]
    comment_author: tuple[str, ...]


class Trackers(Table):
    fields: Fields
