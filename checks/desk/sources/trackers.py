"""What trackers export as JSON: GitHub, GitLab, Jira, Redmine, Zendesk, or lines of JSON, one ticket after another.

Which field holds what is a table, resources/knowledge/tickets/trackers.toml.
"""

from __future__ import annotations

import codecs
import itertools
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

from checks.desk.tickets import Ticket
from checks.knowledge.tickets.trackers import Trackers
from checks.readers.containers.source import Cancelled, Damaged, never, raise_if
from checks.readers.mails.dates import moment_of
from checks.readers.text import kept

_PIECE = 1 << 20
_LONGEST = 16 << 20  # characters of one ticket
_MOST_COMMENTS = 200
_DEEPEST = 20  # levels of Jira's documents
_SPACE = re.compile(r"[\s,]*")
_BEGINNING = 4 << 20  # characters in which the list of tickets begins


def is_json(head: bytes) -> bool:
    """Whether a file begins as JSON does."""
    return head.removeprefix(codecs.BOM_UTF8).lstrip()[:1] in (b"{", b"[")


def tickets_of(
    stream: BinaryIO, source: str, cancelled: Cancelled = never, number_column: str = ""
) -> Iterator[Ticket]:
    """The tickets of an export. ``number_column``: which field holds their numbers, where the user says so.

    Raises:
        Damaged: "no-tickets": it is no JSON, or holds none; "json-damaged" where it stops being JSON further on.
    """
    is_any = False
    for number, plain in enumerate(_objects(_Text(stream, cancelled)), start=1):
        ticket = _ticket(plain, source, number, number_column.strip().lower())
        if ticket is not None:
            is_any = True
            yield ticket
    if not is_any:
        raise Damaged("no-tickets")


class _Text:
    """What is read of a file, and not yet done with."""

    def __init__(self, stream: BinaryIO, cancelled: Cancelled) -> None:
        self._stream, self._cancelled = stream, cancelled
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self.is_over = False
        self.rest = ""
        self.at = 0

    def more(self) -> None:
        raise_if(self._cancelled)
        piece = self._stream.read(max(_PIECE, len(self.rest) - self.at))
        self.is_over = not piece
        self.rest = self.rest[self.at :] + self._decoder.decode(piece, final=self.is_over)
        self.at = 0


def _objects(text: _Text) -> Iterator[dict[str, Any]]:
    """The objects of a list, of lines, or of the lists that an object holds; nothing but one at a time is kept."""
    text.more()
    start = _start_of_list(text)
    while start is not None:
        text.at = start
        start = None
        for plain in _each(text):
            if isinstance(plain, dict):
                inner = _listed(plain) if _is_wrapper(plain) else None
                yield from inner if inner is not None else (plain,)


def _start_of_list(text: _Text) -> int | None:
    """Where the first ticket may begin: behind "[", or behind "issues": [ of an object that is too long for one."""
    found = _SPACE.match(text.rest)
    start = found.end() if found else 0
    if text.rest[start : start + 1] == "[":
        return start + 1
    if text.rest[start : start + 1] != "{":
        return None
    try:
        json.JSONDecoder().raw_decode(text.rest, start)
    except (ValueError, RecursionError):
        names = "|".join(map(re.escape, Trackers.read().fields.lists))
        begin = re.compile(rf'"(?:{names})"\s*:\s*\[').search(text.rest, start, start + _BEGINNING)
        if begin is not None and not text.is_over:
            return begin.end()
    return start


def _each(text: _Text) -> Iterator[Any]:
    """One value after another, up to the end of the list."""
    decoder = json.JSONDecoder()
    while True:
        found = _SPACE.match(text.rest, text.at)
        text.at = found.end() if found else text.at
        if text.at >= len(text.rest):
            if text.is_over:
                return
            text.more()
            continue
        if text.rest[text.at] in "]}":
            return
        try:
            plain, text.at = decoder.raw_decode(text.rest, text.at)
        except RecursionError as error:
            raise Damaged("json-damaged", "nested too deeply") from error
        except ValueError as error:
            if text.is_over or len(text.rest) - text.at > _LONGEST:
                raise Damaged("json-damaged", str(error)) from error
            text.more()
            continue
        yield plain


def _is_wrapper(plain: dict[str, Any]) -> bool:
    names = Trackers.read().fields
    return not any(_value(plain, name) for name in (*names.title, *names.text)) and _listed(plain) is not None


def _listed(plain: dict[str, Any], depth: int = 0) -> list[dict[str, Any]] | None:
    for name in Trackers.read().fields.lists:
        value = plain.get(name)
        if isinstance(value, list):
            return [_opened(inner) for inner in value if isinstance(inner, dict)]
        if isinstance(value, dict) and depth < 4 and (inner := _listed(value, depth + 1)) is not None:
            return inner
    if depth < 4:  # {"data": {"repository": {"issues": {"nodes": [...]}}}}
        for value in itertools.islice(plain.values(), 20):
            if isinstance(value, dict) and (inner := _listed(value, depth + 1)) is not None:
                return inner
    return None


def _opened(plain: dict[str, Any]) -> dict[str, Any]:
    """{"ticket": {...}} and {"node": {...}} are their only value."""
    only = next(iter(plain.values())) if len(plain) == 1 else None
    return only if isinstance(only, dict) else plain


def _ticket(plain: dict[str, Any], source: str, number: int, number_column: str) -> Ticket | None:
    names = Trackers.read().fields
    plain = _opened(plain)
    title, text = _first(plain, names.title), _first(plain, names.text)
    if not (title or text):
        return None
    chosen = _first(plain, (number_column,)) if number_column else ""
    named, address = chosen or _first(plain, names.number), _first(plain, names.address)
    own = (*(filter(None, (text, _first(plain, names.more)))), *_own_comments(plain, text))
    return Ticket(
        key=address or f"{source}#{named or number}",
        source=source,
        number=named or str(number),
        title=" ".join(title.split())[:500],
        text=kept("\n\n".join(own)),
        created=moment_of(_first(plain, names.created)),
        product=_first(plain, names.product)[:100],
        url=address if address.startswith(("https://", "http://")) else "",
        is_number_chosen=bool(chosen),
    )


def _own_comments(plain: dict[str, Any], text: str) -> Iterator[str]:
    """What the one who opened the ticket added to it."""
    names = Trackers.read().fields
    author = _first(plain, names.author)
    for name in names.comments if author else ():
        comments = _value(plain, name)
        for comment in comments[:_MOST_COMMENTS] if isinstance(comments, list) else ():
            if isinstance(comment, dict) and _first(comment, names.comment_author) == author:
                added = _first(comment, names.comment_text)
                if added and added != text:  # Zendesk's first comment is the description
                    yield added


def _first(plain: dict[str, Any], names: Sequence[str]) -> str:
    return next((said for name in names if (said := _said(_value(plain, name)))), "")


def _value(plain: Any, dotted: str) -> Any:
    for name in dotted.split("."):
        if not isinstance(plain, dict):
            return None
        plain = plain.get(name) if name in plain else next((plain[key] for key in plain if key.lower() == name), None)
    return plain


def _said(value: Any, depth: int = 0) -> str:
    """A value as text: also Jira's documents, names of projects and the first of several components."""
    if isinstance(value, str):
        return value.strip().encode("utf-8", "replace").decode()
    if isinstance(value, bool) or value is None:
        return ""
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, list) and value and depth < _DEEPEST:
        return _said(value[0], depth + 1)
    if isinstance(value, dict) and depth < _DEEPEST:
        if value.get("type") == "doc":
            return "".join(_document(value, depth)).strip()
        return _said(value.get("name"), depth + 1)
    return ""


def _document(node: Any, depth: int) -> Iterator[str]:
    """The text of a document of Jira Cloud (Atlassian Document Format)."""
    if depth > _DEEPEST or not isinstance(node, dict):
        return
    if isinstance(node.get("text"), str):
        yield node["text"]
    if node.get("type") == "hardBreak":
        yield "\n"
    inner = node.get("content")
    for child in inner if isinstance(inner, list) else ():
        yield from _document(child, depth + 1)
    if node.get("type") in ("paragraph", "codeBlock", "heading", "listItem"):
        yield "\n"
