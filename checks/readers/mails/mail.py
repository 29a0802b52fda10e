"""One mail: its subject, what a person wrote in it, and what is attached. Broken MIME is read as far as it goes."""

from __future__ import annotations

import codecs
import email
import email.errors
import email.header
import itertools
import re
from dataclasses import dataclass
from email.message import Message

from checks.readers.html_text import text_of_page
from checks.readers.mails.dates import moment_of
from checks.readers.mails.numbering import number_of
from checks.readers.text import NotText, decoded, kept, whole_characters

MOST = 8 << 20  # bytes of one mail that are looked at; what is attached behind them is cut
_MOST_PARTS = 200
_MOST_ATTACHED = 20
_MOST_ANSWERED = 50
_LONGEST_HEAD = 200_000
_END_OF_HEAD = re.compile(rb"\r?\n\r?\n")
_IDS = re.compile(r"<[^<>\s]{1,500}>")
_HEADER = re.compile(
    rb"(?:(?:>?From [^\n]{1,200}\r?\n)?)(?:received|return-path|delivered-to|from|to|subject|date|message-id"
    rb"|mime-version|reply-to|content-type|dkim-signature|arc-seal|authentication-results|thread-topic"
    rb"|x-[\w-]{1,60})[ \t]*:",
    re.IGNORECASE,
)
_OTHERS = re.compile(rb"(?im)^(?:from|to|subject|date|message-id|mime-version|received)[ \t]*:")
# Codecs of Python alone. To decode a long text as Punycode takes hours.
_NO_CHARSETS = frozenset({"punycode", "idna", "unicode-escape", "raw-unicode-escape"})
_JAPANESE = b"\x1b$"  # how ISO-2022-JP turns to kanji
_PACKED = (b"PK\x03\x04", b"%PDF-", b"\xd0\xcf\x11\xe0", b"\x1f\x8b", b"BZh", b"\xfd7zXZ")
TEXTS = (".txt", ".log", ".md", ".py")  # ends of names of attached files that belong to what the mail says


@dataclass(frozen=True)
class Mail:
    """``id``, ``answers``: numbers of Message-IDs, the first of a conversation first. ``sender``: a number for it.

    ``address``: of the sender, in lower case, or their name where there is none.

    ``attached``: name and bytes of what may hold tickets of its own (a case, a report, an archive, a mail).
    """

    subject: str
    text: str
    created: str
    id: int
    answers: tuple[int, ...]
    sender: int
    address: str
    attached: tuple[tuple[str, bytes], ...]


def is_mail(head: bytes) -> bool:
    """Whether a file begins as a mail does: with a header of mails, and others behind it."""
    return _HEADER.match(head) is not None and len(set(map(bytes.lower, _OTHERS.findall(head)))) >= 2


def mail_of(data: bytes) -> Mail:
    """Read a mail. Whatever is wrong with it, its text is read as well as that is possible."""
    message, parts = _read(data[:MOST])
    answers = ids_in(_header(message, "References")) or ids_in(_header(message, "In-Reply-To"))[:1]
    own = next(iter(ids_in(_header(message, "Message-ID"))), None)
    plain, pages, attached = _sorted(parts)
    texts = plain if any(text.strip() for text in plain) else [text_of_page(page) for page in pages]
    address = _address(_header(message, "From"))
    return Mail(
        subject=" ".join(_header(message, "Subject").split()),
        text=kept("\n\n".join(texts)),
        created=moment_of(_header(message, "Date")),
        id=number_of(data[:MOST]) if own is None else own,
        answers=answers,
        sender=number_of(address.encode("utf-8", "replace")),
        address=address,
        attached=tuple(attached),
    )


def _read(data: bytes) -> tuple[Message, list[Message]]:
    """A mail and its parts. To go through a long text line by line is only needed where it has parts."""
    end = _END_OF_HEAD.search(data)
    head, body = (data[: end.end()], data[end.end() :]) if end else (data, b"")
    message = email.message_from_bytes(head[:_LONGEST_HEAD])
    if message.get_content_maintype() in ("multipart", "message"):
        try:
            whole = email.message_from_bytes(data)
            return whole, list(itertools.islice(whole.walk(), _MOST_PARTS))
        except (RecursionError, LookupError, ValueError, email.errors.MessageError):
            pass
    message.set_payload(body.decode("ascii", "surrogateescape"))
    return message, [message]


def ids_in(text: str) -> tuple[int, ...]:
    """The numbers of the Message-IDs that a header names, the first of a long conversation."""
    return tuple(number_of(found.encode("utf-8", "replace")) for found in _IDS.findall(text)[:_MOST_ANSWERED])


def _sorted(parts: list[Message]) -> tuple[list[str], list[str], list[tuple[str, bytes]]]:
    """Plain texts, pages of HTML, and what is attached."""
    plain: list[str] = []
    pages: list[str] = []
    attached: list[tuple[str, bytes]] = []
    for part in parts:
        kind = part.get_content_type()
        if part.is_multipart() and kind != "message/rfc822":
            continue
        name = _name(part)
        data = _bytes_of(part)
        if kind == "message/rfc822" or is_of_its_own(data):
            if data and len(attached) < _MOST_ATTACHED:
                attached.append((name or f"{len(attached) + 1}", data))
        elif kind == "text/html" and not name:
            pages.append(_text(part, data))
        elif kind.startswith(("text/", "multipart/")) or name.lower().endswith(TEXTS):
            text = _text(part, data)
            plain.append(f"{name}:\n{text}" if name and text else text)
    return plain, pages, attached


def is_of_its_own(data: bytes) -> bool:
    """Whether what is attached may hold tickets of its own: a case, a report, an archive, a mail."""
    is_case = data.lstrip()[:1] == b"{" and b'"format"' in data[:200]
    return data.startswith(_PACKED) or data[257:262] == b"ustar" or is_case


def _bytes_of(part: Message) -> bytes:
    try:
        if part.get_content_type() == "message/rfc822":
            inner = part.get_payload()
            return inner[0].as_bytes()[:MOST] if isinstance(inner, list) and isinstance(inner[0], Message) else b""
        data = part.get_payload(decode=True)
        return data if isinstance(data, bytes) else b""
    except (RecursionError, LookupError, ValueError, KeyError, IndexError, AttributeError, TypeError):
        return b""


def _text(part: Message, data: bytes) -> str:
    """The text of a part: ISO-2022-JP by its escapes, else what the part says it is, else what it looks like."""
    if _JAPANESE in data:
        return data.decode("iso2022_jp_ext", "replace")
    try:
        charset = str(part.get_content_charset("") or "")
        if charset and charset not in ("us-ascii", "unknown-8bit"):
            return whole_characters(data.decode(_codec(charset)))
    except (LookupError, ValueError, TypeError):  # an unknown name, or bytes that are none of it
        pass
    try:
        return decoded(data)
    except NotText:
        return ""


def _codec(charset: str) -> str:
    """Python's name of a charset.

    Raises:
        LookupError: it knows none of this name, or one that no mail is written in.
    """
    name = codecs.lookup(charset).name
    if name in _NO_CHARSETS:
        raise LookupError(charset)
    return name


def _header(message: Message, name: str) -> str:
    try:
        return _decoded_words(str(message.get(name, "")))
    except (ValueError, LookupError, IndexError, TypeError, email.errors.MessageError):
        return ""


def _address(sender: str) -> str:
    """The address of whoever sent it; "" where comments nest without end."""
    try:
        name, address = email.utils.parseaddr(sender)
        return (address or name).lower()
    except (RecursionError, ValueError, IndexError):
        return ""


def _name(part: Message) -> str:
    """What a part is called; "" where that is numbered with more digits than Python reads."""
    try:
        return _decoded_words(part.get_filename("") or "")
    except (ValueError, LookupError, TypeError):
        return ""


def _decoded_words(value: str) -> str:
    """A header with its encoded words (RFC 2047) as text; 8-bit characters as what they look like."""
    raw = value.encode("utf-8", "surrogateescape")
    if _JAPANESE in raw:
        return raw.decode("iso2022_jp_ext", "replace")
    if not value.isascii():
        try:
            value = decoded(raw)
        except NotText:
            return ""
    if "=?" not in value:
        return value
    try:
        parts = email.header.decode_header(value)
    except (ValueError, email.errors.HeaderParseError):
        return value
    return "".join(_word(part, charset) for part, charset in parts)


def _word(part: bytes | str, charset: str | None) -> str:
    if isinstance(part, str):
        return part
    try:
        return whole_characters(part.decode(_codec(charset or "utf-8"), "replace"))
    except LookupError:
        return part.decode("utf-8", "replace")
