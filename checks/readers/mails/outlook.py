"""A mail that Outlook saved (.msg): a compound file whose streams are named by MAPI's numbers of properties.

https://learn.microsoft.com/openspecs/exchange_server_protocols/ms-oxmsg
"""

from __future__ import annotations

import contextlib
import datetime as dt
import io
import re
import struct
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from checks.readers.containers.source import Damaged
from checks.readers.mails.mail import MOST, TEXTS, Mail, ids_in, is_of_its_own, mail_of
from checks.readers.mails.numbering import number_of
from checks.readers.text import NotText, decoded, kept

if TYPE_CHECKING:
    from olefile import OleFileIO

MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
LARGEST = 64 << 20  # bytes of one file
_SUBJECT, _BODY, _HEADERS, _ID, _SENDER, _HTML = "0037", "1000", "007D", "1035", "0C1F", "1013"
_ANSWERS = ("1039", "1042")  # all mails of the conversation, and the one that it answers
_FOLDER_OF_ATTACHED, _MOST_ATTACHED = "__attach_version1.0_", 20
_DATA, _LONG_NAME, _SHORT_NAME = "3701", "3707", "3704"
_DATES = (0x0039, 0x0E06)  # submitted, delivered
_WIDE, _NARROW, _BINARY, _TIME = "001F", "001E", "0102", 0x0040
_PROPERTIES, _HEAD_OF_PROPERTIES, _ENTRY = "__properties_version1.0", 32, 16
_1601 = dt.datetime(1601, 1, 1, tzinfo=dt.UTC)
_MOST_STREAMS = 2000


def outlook_mail(data: bytes) -> Mail:
    """Read one.

    Raises:
        Damaged: "outlook-damaged": it is no such file, or its tables lead nowhere.
    """
    import olefile

    try:
        with olefile.OleFileIO(io.BytesIO(data)) as file:
            streams = [names for names in file.listdir(streams=True, storages=False)[:_MOST_STREAMS] if len(names) == 1]
            texts = {names[0]: file.openstream(names).read(MOST) for names in streams}
            attached = tuple(_attached(file))
    # Whatever its tables say is a stranger's: the reader's own errors, and those of the numbers that it takes from it.
    except (OSError, ValueError, IndexError, KeyError, TypeError, struct.error, RecursionError, MemoryError) as error:
        raise Damaged("outlook-damaged", str(error)) from error
    if not any(name.startswith("__substg1.0_") for name in texts):
        raise Damaged("outlook-damaged", "no property of a mail")
    headers = _text(texts, _HEADERS)
    told = mail_of(f"{headers}\n\n".encode("utf-8", "replace")) if headers else None
    body = _text(texts, _BODY) or _page(texts)
    sender = _text(texts, _SENDER).lower()
    return Mail(
        subject=" ".join((_text(texts, _SUBJECT) or (told.subject if told else "")).split()),
        text=kept("\n\n".join((body, *_texts(attached)))),
        created=(told.created if told else "") or _created(texts.get(_PROPERTIES, b"")),
        id=next(iter(ids_in(_text(texts, _ID))), number_of(data)),
        answers=(told.answers if told else ()) or ids_in("".join(_text(texts, number) for number in _ANSWERS)),
        sender=number_of(sender.encode("utf-8", "replace")),
        address=sender,
        attached=tuple((name, data) for name, data in attached if is_of_its_own(data)),
    )


def _attached(file: OleFileIO) -> Iterator[tuple[str, bytes]]:
    """Name and bytes of the files that lie in a mail; of a mail within it, which is a storage, nothing."""
    listed = [names for names in file.listdir(streams=True, storages=False)[:_MOST_STREAMS] if len(names) == 2]
    folders = dict.fromkeys(names[0] for names in listed if names[0].startswith(_FOLDER_OF_ATTACHED))
    for number, folder in enumerate(list(folders)[:_MOST_ATTACHED], start=1):
        data = [folder, f"__substg1.0_{_DATA}{_BINARY}"]
        if data in listed:
            inner = {names[1]: file.openstream(names).read(MOST) for names in listed if names[0] == folder}
            name = _text(inner, _LONG_NAME) or _text(inner, _SHORT_NAME) or str(number)
            yield name, inner[data[1]]


def _texts(attached: Sequence[tuple[str, bytes]]) -> Iterator[str]:
    """What attached logs say, each behind its name."""
    for name, data in attached:
        if name.lower().endswith(TEXTS) and not is_of_its_own(data):
            with contextlib.suppress(NotText):
                yield f"{name}:\n{decoded(data)}"


def _text(texts: dict[str, bytes], number: str) -> str:
    wide = texts.get(f"__substg1.0_{number}{_WIDE}")
    if wide is not None:
        return wide.decode("utf-16-le", "replace").rstrip("\0")
    try:
        return decoded(texts.get(f"__substg1.0_{number}{_NARROW}", b"")).rstrip("\0")
    except NotText:
        return ""


def _page(texts: dict[str, bytes]) -> str:
    """The text of a mail that is HTML alone."""
    page = texts.get(f"__substg1.0_{_HTML}{_BINARY}", b"") or _text(texts, _HTML).encode("utf-8", "replace")
    if not page:
        return ""
    return mail_of(b"Content-Type: text/html\n\n" + re.sub(rb"\r\n", b"\n", page)).text


def _created(properties: bytes) -> str:
    """The first of the dates in the table of properties of fixed size: 100 nanoseconds since 1601."""
    found: dict[int, int] = {}
    for start in range(_HEAD_OF_PROPERTIES, len(properties) - _ENTRY + 1, _ENTRY):
        kind, number, _, value = struct.unpack_from("<HHIQ", properties, start)
        if kind == _TIME and number in _DATES:
            found[number] = value
    for number in _DATES:
        try:
            moment = _1601 + dt.timedelta(microseconds=found.get(number, 0) // 10)
        except OverflowError:
            continue
        if moment.year > 1970:
            return moment.replace(tzinfo=None, microsecond=0).isoformat()
    return ""
