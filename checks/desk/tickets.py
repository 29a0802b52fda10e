"""One ticket as it came in, whatever it came in."""

from __future__ import annotations

import msgspec

from checks.readers.mails.numbering import number_of


class Ticket(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one customer sent.

    ``key`` is the same when the same ticket is read again, also from a later export: an address, a tracker's id, a
    Message-ID, or the path in the folder that was given. ``source``: the file it was read from, relative to what was
    given; ``number``: how it is called there. ``created``: ISO 8601 in UTC, "" where nothing tells it. ``thread``: of
    mails that answer each other the same number. ``case``: the bytes of a saved case or a report PDF,
    instead of a text. ``is_number_chosen``: the user named the column that holds the number.
    """

    key: str
    source: str
    number: str = ""
    title: str = ""
    text: str = ""
    created: str = ""
    product: str = ""
    url: str = ""
    thread: int = 0
    case: bytes = b""
    is_number_chosen: bool = False

    @property
    def mark(self) -> str:
        """What is remembered instead of the key, which may hold names of people and companies."""
        return f"{number_of(self.key.encode('utf-8', 'replace')):016x}"

    @property
    def whole(self) -> str:
        """Title and text, as a ticket is judged."""
        is_repeated = not self.title or self.text.lstrip().startswith(self.title)
        return self.text if is_repeated else f"{self.title}\n\n{self.text}"

    @property
    def digest(self) -> int:
        """64 bits that change with what is judged."""
        return number_of(self.whole.encode("utf-8", "replace") + self.case)


class NotRead(msgspec.Struct, frozen=True):
    """A file, or a part of one, that was not read. ``reason``: an id of resources/words/desk.toml ("unread-...")."""

    source: str
    reason: str
    detail: str = ""
