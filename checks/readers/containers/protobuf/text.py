"""Protocol Buffers in their text form, read as a stream of fields, without a schema.

https://protobuf.dev/reference/protobuf/textformat-spec/
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from checks.readers.containers.source import MIB, Damaged, Source

MOST_READ = 8 * MIB  # bytes of a file; what follows is left out
MOST_DEEP = 64
MOST_WORDS = 4_000_000
DAMAGED = "text-damaged"
_TOKEN = re.compile(
    r"""\s+|\#[^\n]*|(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?P<word>[\w.+\-/]+)|(?P<mark>[{}<>:\[\],;])""",
    re.ASCII,
)
_ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{1,2}|[0-7]{1,3}|.)", re.DOTALL)
_PLAIN = {"n": "\n", "t": "\t", "r": "\r"}


class TextField(NamedTuple):
    """A field with the path of its blocks. Of the beginning of a block ``key`` is ""; ``path`` then ends with it."""

    path: tuple[str, ...]
    key: str
    value: str


def read_text(source: Source) -> tuple[str, bool]:
    """The text of a file, and whether that is all of it. What is no UTF-8 becomes U+FFFD."""
    size = min(source.size, MOST_READ)
    return source.read(0, size).decode("utf-8", "replace"), size == source.size


def fields(text: str) -> Iterator[TextField]:
    """The fields, in order. Raises Damaged: "text-damaged", "truncated" where a block never ends, or "too-large"."""
    path: tuple[str, ...] = ()
    key = ""
    is_value = in_list = False  # a colon, a bracket or a comma came before
    for kind, piece, at in _pieces(text):
        if kind != "mark":
            if is_value and key:
                yield TextField(path, key, _plain(piece))
                is_value = False
            elif kind == "word":
                key = piece
        elif piece in "{<":
            path = _entered(path, key, at)
            yield TextField(path, "", "")
            is_value = in_list = False
        elif piece in "}>":
            if not path:
                raise Damaged(DAMAGED, f"a block ends at {at} that never began")
            key, path = path[-1], path[:-1]
            is_value = False
        else:
            in_list = piece == "[" or (in_list and piece != "]")
            is_value = piece in ":[" or (in_list and piece == ",")
    if path:
        raise Damaged("truncated", f"the block {path[0]} never ends")


def _pieces(text: str) -> Iterator[tuple[str, str, int]]:
    """Words, texts and marks, each with its kind and place; space and comments are stepped over."""
    at = 0
    for _ in range(MOST_WORDS):
        if at >= len(text):
            return
        found = _TOKEN.match(text, at)
        if found is None:
            raise Damaged("truncated" if text[at] in "\"'" else DAMAGED, f"at {at}: {text[at : at + 20]!r}")
        at = found.end()
        if found.lastgroup:
            yield found.lastgroup, found[0], at
    raise Damaged("too-large", f"more than {MOST_WORDS} words")


def _entered(path: tuple[str, ...], key: str, at: int) -> tuple[str, ...]:
    if not key or len(path) >= MOST_DEEP:
        raise Damaged(DAMAGED, f"a block at {at}")
    return (*path, key)


def _plain(piece: str) -> str:
    if piece[0] not in "\"'":
        return piece
    return _ESCAPE.sub(_unescaped, piece[1:-1]) if "\\" in piece else piece[1:-1]


def _unescaped(found: re.Match[str]) -> str:
    code = found[1]
    if code[0] == "x" and len(code) > 1:
        return chr(int(code[1:], 16))
    if code[0] in "01234567":
        return chr(int(code, 8))
    return _PLAIN.get(code, code)
