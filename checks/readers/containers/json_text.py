"""JSON of a file, in bounds: before anything is made of it."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from checks.prepared import prepared
from checks.readers.containers.source import Damaged, Source

# What decoding JSON raises: a wrong shape, no UTF-8, brackets without end.
JSON_ERRORS = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
_MOST_BRACKETS = 1_000_000  # each can be an object in memory
_Kind = TypeVar("_Kind")


def decoded(text: bytes | msgspec.Raw, kind: type[_Kind], name: str = "") -> _Kind:
    """JSON as a type. ``name``: of the file, for the detail. Raises Damaged: "json-damaged"."""
    try:
        return msgspec.json.decode(text, type=prepared(kind))
    except JSON_ERRORS as error:
        raise Damaged("json-damaged", f"{name}: {error}"[:300] if name else str(error)) from error


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
