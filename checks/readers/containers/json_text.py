"""JSON of a file, in bounds: before anything is made of it."""

from __future__ import annotations

from checks.readers.containers.source import Damaged, Source

_MOST_BRACKETS = 1_000_000  # each can be an object in memory


def json_text(source: Source, most: int) -> bytes:
    """The text of a file that is JSON from its beginning to its end.

    Raises:
        Damaged: "too-large": it has more than ``most`` bytes, or more brackets than any model.
    """
    if source.size > most:
        raise Damaged("too-large", f"{source.size} bytes of JSON")
    text = source.read(0, source.size)
    if text.count(b"{") + text.count(b"[") > _MOST_BRACKETS:
        raise Damaged("too-large", f"more than {_MOST_BRACKETS} brackets")
    return text
