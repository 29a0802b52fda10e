"""A thread of mails or comments, in order, with who wrote what: mbox, .eml, JSON of a list or of a GitHub issue.

Everything in it is a stranger's: how much is read is bounded, nothing of it is followed, and what is no thread raises.
Quotes of earlier mails are removed, since they are what somebody else said, or said earlier.
"""

from __future__ import annotations

import io
import itertools
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from checks.readers.containers.source import Damaged
from checks.readers.html_text import without_comments
from checks.readers.mails.mail import Mail as OneMail
from checks.readers.mails.mail import is_mail, mail_of
from checks.readers.mails.mailbox import is_mailbox, mails_in
from checks.readers.mails.outlook import MAGIC, outlook_mail

LARGEST = 64 << 20  # bytes of a file of mails
MOST_MAILS = 500  # of one conversation
MOST_IN_BOX = 20_000
LONGEST_MAIL = 400_000  # characters
_HEAD = 1 << 16  # bytes by which it is told what a file is
_FROM = re.compile(
    rb"(?i)(?:from|subject)[ \t]*:[^\n]{1,500}\r?\n(?:[\w-]{1,60}:[^\n]{0,2000}\r?\n|[ \t][^\n]{0,2000}\n){0,200}\r?\n"
)
_ANSWERS = re.compile(r"^(?:(?:re|aw|fwd?|wg|sv|返信|回复|答复|转发)(?:\[\d+\])?[:：]\s*){1,20}", re.IGNORECASE)
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


class NotThread(ValueError):  # noqa: N818 - named for what it is about
    """A file that is no thread."""


class SeveralThreads(ValueError):  # noqa: N818 - named for what it is about
    """A mailbox of several ``conversations``."""

    def __init__(self, conversations: Sequence[Conversation]) -> None:
        super().__init__(f"{len(conversations)} conversations")
        self.conversations = conversations


class Mail(msgspec.Struct, frozen=True):
    """One mail or comment. ``author``: as the thread names them, "" where it does not; ``text``: without quotes."""

    author: str
    text: str


class Conversation(msgspec.Struct, frozen=True):
    """Mails that belong together, by their ``subject``."""

    subject: str
    mails: tuple[Mail, ...]


def read_thread(data: bytes, number: int | None = None) -> tuple[Mail, ...]:
    """The mails of a file, in its order, those of whose text something is left.

    ``number``: of the conversation, from 1, where a mailbox has several.

    Raises:
        NotThread: it is none, too large, or has no conversation of this number.
        SeveralThreads: it has more than one, and none was chosen.
    """
    if len(data) > LARGEST:
        raise NotThread("too large")
    begin = data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if begin in (b"[", b"{"):
        found: Sequence[Conversation] = (Conversation("", _kept(_of_json(data))),)
    else:
        found = tuple(_of_mails(data))
    found = tuple(conversation for conversation in found if conversation.mails)
    if not found:
        raise NotThread("no mail with a text")
    if number is None and len(found) > 1:
        raise SeveralThreads(found)
    if not 1 <= (number or 1) <= len(found):
        raise NotThread(f"it has {len(found)} conversations")
    return found[(number or 1) - 1].mails


def _kept(written: Iterable[tuple[str, str]]) -> tuple[Mail, ...]:
    """Who wrote what, without quotes."""
    mails = (Mail(author, without_quotes(text[:LONGEST_MAIL])) for author, text in written)
    return tuple(itertools.islice((mail for mail in mails if mail.text), MOST_MAILS))


def without_quotes(text: str) -> str:
    """What somebody wrote, without what they answer to and without their signature."""
    kept: list[str] = []
    lines = without_comments(text).replace("\r\n", "\n").split("\n")
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


def _of_mails(data: bytes) -> Iterator[Conversation]:
    """The conversations of a mailbox or of one mail, in the order in which they begin."""
    if data.startswith(MAGIC):
        try:
            mails = [outlook_mail(data)]
        except Damaged as error:
            raise NotThread(error.reason) from error
    elif is_mailbox(data[:_HEAD]):
        mails = [mail_of(mail) for mail in itertools.islice(mails_in(io.BytesIO(data)), MOST_IN_BOX)]
    elif is_mail(data[:_HEAD]) or _FROM.match(data):
        mails = [mail_of(data)]
    else:
        raise NotThread("neither mails nor JSON")
    for subject, found in _conversations(mails):
        yield Conversation(subject, _kept((mail.address, mail.text) for mail in found))


def _conversations(mails: Sequence[OneMail]) -> list[tuple[str, list[OneMail]]]:
    """Mails that answer each other, or have one subject; what tells neither belongs to the mail before it."""
    found: list[tuple[str, list[OneMail]]] = []
    known: dict[int | str, int] = {}  # a mail, or a subject -> its conversation
    for mail in mails:
        subject = _ANSWERS.sub("", mail.subject).strip()
        marks: tuple[int | str, ...] = (*mail.answers, *((subject.casefold(),) if subject else ()))
        place = next((known[mark] for mark in marks if mark in known), len(found) if marks or not found else -1)
        if place == len(found):
            found.append((subject, []))
        place %= len(found)
        found[place][1].append(mail)
        known |= dict.fromkeys((mail.id, *marks), place)
    return found
