"""A thread of mails or comments, in order, with who wrote what: mbox, .eml, JSON of a list or of a GitHub issue.

Everything in it is a stranger's: how much is read is bounded, nothing of it is followed, and what is no thread raises.
Quotes of earlier mails are removed, since they are what somebody else said, or said earlier.
"""

from __future__ import annotations

import contextlib
import email
import email.policy
import html
import json
import re
from collections.abc import Iterator
from email.message import EmailMessage, Message
from typing import Any

import msgspec

LARGEST = 64 << 20  # bytes of a file of mails
MOST_MAILS = 500
LONGEST_MAIL = 400_000  # characters
_MBOX = re.compile(rb"^From [^\n]{1,400}\n(?=[A-Za-z-]{1,60}: )", re.MULTILINE)
_HEADER = re.compile(rb"(?:[A-Za-z][A-Za-z0-9-]{0,60}: [^\n]{0,2000}\n|[ \t][^\n]{0,2000}\n){1,200}\r?\n")
# ">" quotes; ">>>" with a statement behind it is Python's prompt, which somebody pasted.
_QUOTED = re.compile(r"\s{0,3}>(?!>> (?:import |from |print|[\w.]+ ?[=.(\[]|[\w.]+$))")
_FROM_HERE_ON = re.compile(  # what was answered stands below, without marks
    r"-{3,} ?(?:Original Message|Original-Nachricht|Forwarded message|元のメッセージ|原始邮件) ?-{3,}|_{20,}$"
    r"|\s{0,2}(?:From|差出人|发件人): ?[^\n]{1,200}$",
    re.IGNORECASE,
)
_INTRODUCED = re.compile(
    r"\s{0,2}(?:On\b[^\n]{4,200}\bwrote:|[^\n]{4,200}(?:のメール|さんは書きました|写道)[:：]?)\s*$"
)
_HEADED = re.compile(r"\s{0,2}(?:Sent|Date|To|Subject|送信日時|宛先|件名|发送时间|收件人): ?", re.IGNORECASE)
_SIGNATURE = re.compile(r"-- ?$")
_TAGS = re.compile(r"<(?:style|script)\b.{0,50000}?</(?:style|script)>|<[^>]{0,2000}>", re.DOTALL | re.IGNORECASE)
_BREAKS = re.compile(r"<(?:br|/p|/div|/tr|/li|/h\d)\b[^>]{0,200}>", re.IGNORECASE)
_HIDDEN = re.compile(r"<!--.{0,20000}?-->", re.DOTALL)


class NotThread(ValueError):  # noqa: N818 - named for what it is about
    """A file that is no thread."""


class Mail(msgspec.Struct, frozen=True):
    """One mail or comment. ``author``: as the thread names them, "" where it does not; ``text``: without quotes."""

    author: str
    text: str


def read_thread(data: bytes) -> tuple[Mail, ...]:
    """The mails of a file, in its order, those of whose text something is left.

    Raises:
        NotThread: it is none, or too large.
    """
    if len(data) > LARGEST:
        raise NotThread("too large")
    begin = data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    found = _of_json(data) if begin in (b"[", b"{") else _of_mails(data)
    mails = []
    for author, text in found:
        left = without_quotes(text[:LONGEST_MAIL])
        if left:
            mails.append(Mail(author, left))
        if len(mails) >= MOST_MAILS:
            break
    if not mails:
        raise NotThread("no mail with a text")
    return tuple(mails)


def without_quotes(text: str) -> str:
    """What somebody wrote, without what they answer to and without their signature."""
    kept: list[str] = []
    lines = _HIDDEN.sub("", text).replace("\r\n", "\n").split("\n")
    for number, line in enumerate(lines):
        following = next((other for other in lines[number + 1 : number + 4] if other.strip()), "")
        if _SIGNATURE.match(line) or (_FROM_HERE_ON.match(line) and (_HEADED.match(following) or line[:1] == "-")):
            break
        if _QUOTED.match(line) or (_INTRODUCED.match(line) and _QUOTED.match(following)):
            continue
        if _INTRODUCED.match(line) and number + 1 < len(lines) and not line.startswith(" "):
            break
        kept.append(line)
    return "\n".join(kept).strip()


def _of_json(data: bytes) -> Iterator[tuple[str, str]]:
    try:
        plain = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise NotThread(str(error)) from error
    if isinstance(plain, list):
        yield from _comments(plain)
    elif isinstance(plain, dict):
        said = _text_of(plain)
        title = plain.get("title")
        yield _author_of(plain), "\n\n".join(part for part in (title, said) if isinstance(part, str) and part)
        comments = plain.get("comments")
        yield from _comments(comments if isinstance(comments, list) else [])


def _comments(plain: list[Any]) -> Iterator[tuple[str, str]]:
    for comment in plain:
        if not isinstance(comment, dict):
            raise NotThread("a comment that is none")
        yield _author_of(comment), _text_of(comment)


def _text_of(comment: dict[str, Any]) -> str:
    texts = (comment.get(name) for name in ("text", "body", "content"))
    return next((text for text in texts if isinstance(text, str)), "")


def _author_of(comment: dict[str, Any]) -> str:
    for name in ("author", "user", "from"):
        value = comment.get(name)
        if isinstance(value, dict):
            value = value.get("login") or value.get("name")
        if isinstance(value, str):
            return value
    return ""


def _of_mails(data: bytes) -> Iterator[tuple[str, str]]:
    data = data.replace(b"\r\n", b"\n")
    starts = [found.start() for found in _MBOX.finditer(data)]
    if starts[:1] == [0]:
        for start, end in zip(starts, [*starts[1:], len(data)], strict=True):
            yield _mail(data[data.find(b"\n", start) + 1 : end])
    elif _HEADER.match(data):
        yield _mail(data)
    else:
        raise NotThread("neither mails nor JSON")


def _mail(data: bytes) -> tuple[str, str]:
    """Author and text of one mail; of a broken one what can be read."""
    message = email.message_from_bytes(data, policy=email.policy.default)
    try:
        author = str(message.get("From", ""))
    except Exception:  # noqa: BLE001 - headers of strangers raise whatever the parser of the standard library does
        author = ""
    address = re.search(r"<([^<>\s]{3,200})>", author)
    return (address[1] if address else author).strip().casefold(), _body(message)


def _body(message: Message) -> str:
    plain, marked = "", ""
    for part in message.walk():
        if part.get_content_maintype() != "text" or part.get_filename():
            continue
        text = _decoded(part)
        if part.get_content_subtype() == "html":
            marked = marked or html.unescape(_TAGS.sub("", _BREAKS.sub("\n", text)))
        else:
            plain = plain or text
    return plain.strip() or marked.strip()


def _decoded(part: Message) -> str:
    with contextlib.suppress(Exception):  # unknown charsets, broken transfer encodings: the bytes are still there
        if isinstance(part, EmailMessage):
            return str(part.get_content())
    raw = part.get_payload(decode=True)
    return raw.decode("utf-8", "replace") if isinstance(raw, bytes) else str(part.get_payload() or "")
