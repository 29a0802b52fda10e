"""A mailbox (mbox), mail by mail, in bounded memory whatever its size, and which mails belong together.

The standard library's ``mailbox`` lists all mails first and holds each whole; a mailbox may have five gigabytes.
https://www.rfc-editor.org/rfc/rfc4155
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from checks.readers.containers.source import Cancelled, never, raise_if
from checks.readers.mails.mail import MOST, Mail

_PIECE = 1 << 20
# The line before each mail: "From somebody Thu Jan  1 00:00:00 1970", behind an empty line or at the beginning.
_POSTMARK = rb"From [^\r\n]{0,300}?\d\d:\d\d[^\r\n]{0,100}\r?\n"
_FIRST = re.compile(_POSTMARK)
_BEFORE = b"\nFrom "  # looked for first, which is fifty times as fast as a pattern
_LONGEST = 500  # bytes of a postmark with the empty line before it
_QUOTED = re.compile(rb"^>(>*From )", re.MULTILINE)  # in mboxrd
_MOST_KNOWN = 500_000  # mails that are remembered to know an answer to them


def is_mailbox(head: bytes) -> bool:
    """Whether a file begins as a mailbox does."""
    return _FIRST.match(head) is not None


def mails_in(stream: BinaryIO, cancelled: Cancelled = never) -> Iterator[bytes]:
    """Each mail without its postmark; of a longer one than is looked at the beginning."""
    buffer, kept = b"", bytearray()
    while True:
        raise_if(cancelled)
        piece = stream.read(_PIECE)
        buffer += piece
        start = 0
        for end, following in _ends(buffer):
            _keep(kept, buffer, start, end)
            yield _mail(kept)
            kept, start = bytearray(), following
        end = len(buffer) if not piece else max(start, len(buffer) - _LONGEST)
        _keep(kept, buffer, start, end)
        buffer = buffer[end:]
        if not piece:
            break
    if kept:
        yield _mail(kept)


def _ends(buffer: bytes) -> Iterator[tuple[int, int]]:
    """Where mails end, without the empty line behind them, and where the next ones begin."""
    at = buffer.find(_BEFORE)
    while at >= 0:
        end = at - 1 if buffer[at - 1 : at] == b"\r" else at
        is_behind_an_empty_line = buffer[end - 1 : end] == b"\n"
        if is_behind_an_empty_line and _FIRST.match(buffer, at + 1):
            yield end - (2 if buffer[end - 2 : end] == b"\r\n" else 1), at + 1
        at = buffer.find(_BEFORE, at + 1)


def _keep(kept: bytearray, buffer: bytes, start: int, end: int) -> None:
    kept += buffer[start : min(end, start + MOST - len(kept))]


def _mail(kept: bytearray) -> bytes:
    data = bytes(kept)
    found = _FIRST.match(data)
    data = data[found.end() :] if found else data
    return _QUOTED.sub(rb"\1", data) if b">From " in data else data


@dataclass
class Threads:
    """Which mail answers which. A conversation belongs to whoever began it; of the others, what they wrote is advice.

    ``answers``: how many mails of others were met.
    """

    answers: int = 0
    _begun: dict[int, tuple[int, int]] = field(default_factory=dict)  # mail -> its conversation, and who began that

    def thread_of(self, mail: Mail) -> int | None:
        """The number of its conversation; None where somebody else than who began that wrote it."""
        known = next((self._begun[mark] for mark in mail.answers if mark in self._begun), None)
        thread, sender = known or (mail.answers[0] if mail.answers else mail.id, mail.sender)
        for mark in {mail.id, thread}:
            self._begun.setdefault(mark, (thread, sender))
        while len(self._begun) > _MOST_KNOWN:
            del self._begun[next(iter(self._begun))]
        if sender != mail.sender:
            self.answers += 1
            return None
        return thread
