"""Whatever was given, opened and read into tickets: a folder, a mailbox, an export, an archive of any of them."""

from __future__ import annotations

import datetime as dt
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from checks.desk.sources.tables import is_table, rows_of
from checks.desk.sources.trackers import is_json, tickets_of
from checks.desk.tickets import NotRead, Ticket
from checks.readers.containers.folder import ZipFolder, inside
from checks.readers.containers.source import Cancelled, Damaged, Source, never, of_bytes, opened, raise_if
from checks.readers.containers.tar import TarFolder
from checks.readers.mails.mail import MOST as MOST_OF_MAIL
from checks.readers.mails.mail import Mail, is_mail, mail_of
from checks.readers.mails.mailbox import Threads, is_mailbox, mails_in
from checks.readers.mails.outlook import LARGEST, MAGIC, outlook_mail
from checks.readers.text import NotText, read_text, whole_characters
from checks.sharing.case import PACKED_LIMIT, SIZE_LIMIT

_DEEPEST = 3  # archives within archives, or within mails
_DEEPEST_FOLDER = 24
_WHOLE = 1 << 44  # bytes that may be read of one file, piece by piece
_MOST_NOT_READ = 1000
# A case, and the answer of the portable probe.
_CASE = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{(?:\s*"format"\s*:\s*\d|[^{]{0,200}"naosu-probe"\s*:)')
_PICTURES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"II*\0", b"MM\0*", b"RIFF")
_PACKED_TAR = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ")
_TAR, _AT_TAR = b"ustar", 257
_ARCHIVES = (b"7z\xbc\xaf", b"Rar!", b"\x28\xb5\x2f\xfd")


class Reader:
    """Reads the tickets of one place. ``not_read``: what was passed over, and why; ``answers``: mails of others.

    ``number_column``: where an export has the numbers of its tickets, if the user says so.
    """

    def __init__(self, cancelled: Cancelled = never, number_column: str = "") -> None:
        self.not_read: list[NotRead] = []
        self.left_out = 0  # more of these than are listed
        self._cancelled = cancelled
        self._number_column = number_column
        self._threads = Threads()

    @property
    def answers(self) -> int:
        """Mails that others wrote in a conversation, which are no tickets."""
        return self._threads.answers

    def tickets(self, path: Path) -> Iterator[Ticket]:
        """All tickets below a folder, or of one file.

        Raises:
            Damaged: "unreadable" where the path itself cannot be opened.
            Stopped: the work was cancelled.
        """
        if not path.is_dir():
            yield from self._file(path, whole_characters(path.name))
            return
        for file in _files(path, self.not_read):
            name = _named(file, path)
            try:
                yield from self._file(file, name)
            except Damaged as problem:
                self._pass(name, problem)

    def _file(self, path: Path, name: str) -> Iterator[Ticket]:
        with opened(path, self._cancelled) as source:
            written = dt.datetime.fromtimestamp(path.stat().st_mtime, dt.UTC).replace(tzinfo=None, microsecond=0)
            whole = source.part(0, source.size, name, most=_WHOLE)
            yield from self._source(whole, name, written.isoformat(), 0)

    def _pass(self, name: str, problem: Damaged) -> None:
        if len(self.not_read) >= _MOST_NOT_READ:
            self.left_out += 1
        else:
            self.not_read.append(NotRead(name, problem.reason, problem.detail))

    def _source(self, source: Source, name: str, written: str, depth: int) -> Iterator[Ticket]:
        """The tickets of a file; what is wrong with it is noted, and what was read of it before stays."""
        raise_if(self._cancelled)
        try:
            yield from self._by_content(source, name, written, depth)
        except Damaged as problem:
            self._pass(name, problem)

    def _by_content(self, source: Source, name: str, written: str, depth: int) -> Iterator[Ticket]:
        head = source.head
        _refuse(head)
        if head.startswith(b"PK\x03\x04"):
            yield from self._archive(source, name, written, depth)
        elif head.startswith(_PACKED_TAR) or head[_AT_TAR:].startswith(_TAR):
            yield from self._tar(source, name, written, depth)
        elif head.startswith(MAGIC):
            if source.size > LARGEST:
                raise Damaged("too-large", str(source.size))
            yield from self._mail(outlook_mail(source.stream().read()), name, "", depth)
        elif b"%PDF-" in head[:1024] or _CASE.match(head):
            yield _case(source, name, written)
        elif is_mailbox(head):
            for number, data in enumerate(mails_in(source.stream(), self._cancelled), start=1):
                yield from self._mail(mail_of(data), name, str(number), depth)
        elif is_mail(head):
            yield from self._mail(mail_of(source.stream().read(MOST_OF_MAIL)), name, "", depth)
        elif is_json(head) and not _is_log(head):
            yield from self._json(source, name, written)
        elif is_table(head, name):
            yield from rows_of(source.stream(), name, self._cancelled, self._number_column)
        else:
            yield _text(source, name, written)

    def _archive(self, source: Source, name: str, written: str, depth: int) -> Iterator[Ticket]:
        if depth >= _DEEPEST:
            raise Damaged("too-deep")
        yield from self._members(ZipFolder(source), name, written, depth)

    def _members(self, folder: ZipFolder | TarFolder, name: str, written: str, depth: int) -> Iterator[Ticket]:
        for member in folder.names:
            below = f"{name}/{member}"
            if not inside(member) or _is_hidden(member):
                continue
            try:
                with folder.file(member) as inner:
                    yield from self._source(inner, below, written, depth + 1)
            except Damaged as problem:
                self._pass(below, problem)

    def _tar(self, source: Source, name: str, written: str, depth: int) -> Iterator[Ticket]:
        if depth >= _DEEPEST:
            raise Damaged("too-deep")
        try:
            with TarFolder(source, self._cancelled) as folder:
                yield from self._members(folder, name, written, depth)
        except Damaged as problem:  # what is packed, and no tar
            reason = "archive-kind" if problem.reason == "archive-damaged" else problem.reason
            raise Damaged(reason, problem.detail) from problem

    def _mail(self, mail: Mail, name: str, number: str, depth: int) -> Iterator[Ticket]:
        thread = self._threads.thread_of(mail)
        if thread is not None and (mail.subject or mail.text.strip()):
            yield Ticket(
                key=f"mail:{mail.id:x}",
                source=name,
                number=number,
                title=mail.subject[:500],
                text=mail.text,
                created=mail.created,
                thread=thread,
            )
        for attached, data in mail.attached:
            below = "/".join(filter(None, (name, number, attached)))
            if depth >= _DEEPEST:
                self._pass(below, Damaged("too-deep"))
            else:
                yield from self._source(of_bytes(data, attached), below, mail.created, depth + 1)

    def _json(self, source: Source, name: str, written: str) -> Iterator[Ticket]:
        is_any = False
        try:
            for ticket in tickets_of(source.stream(), name, self._cancelled, self._number_column):
                is_any = True
                yield ticket
        except Damaged as problem:
            if is_any or name.lower().endswith((".json", ".jsonl", ".ndjson")):
                raise
            if problem.reason in ("no-tickets", "json-damaged"):  # a log may begin with a bracket, too
                yield _text(source, name, written)


def _refuse(head: bytes) -> None:
    if not head.strip():
        raise Damaged("empty")
    if head.startswith(_ARCHIVES):
        raise Damaged("archive-kind")
    if head.startswith(_PICTURES):
        raise Damaged("not-text")


def _text(source: Source, name: str, written: str) -> Ticket:
    try:
        text = read_text(source.stream())
    except NotText as error:
        raise Damaged("not-text") from error
    if not text.strip():
        raise Damaged("empty")
    title = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return Ticket(key=f"file:{name}", source=name, title=title[:200], text=text, created=written)


def _case(source: Source, name: str, written: str) -> Ticket:
    if source.size > (PACKED_LIMIT if b"%PDF-" in source.head else SIZE_LIMIT):
        raise Damaged("too-large", str(source.size))
    return Ticket(key=f"file:{name}", source=name, created=written, case=source.stream().read())


def _is_log(head: bytes) -> bool:
    """Whether what looks like JSON is the beginning of a log: "[2024-05-01 ...", "[INFO] ..."."""
    return re.match(rb"\s*\[\s*[^\s\"{\[\]]", head) is not None


def _is_hidden(name: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) for part in name.split("/"))


def _named(path: Path, root: Path) -> str:
    return whole_characters(path.relative_to(root).as_posix())


def _files(root: Path, not_read: list[NotRead]) -> Iterator[Path]:
    """The regular files below a folder in the order of their names; links are not followed, hidden ones passed over."""
    waiting = [(root, 0)]
    while waiting:
        folder, depth = waiting.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            not_read.append(NotRead(_named(folder, root), "unreadable", error.strerror or str(error)))
            continue
        for entry in entries:
            if entry.name.startswith("."):
                continue
            mode = entry.stat(follow_symlinks=False).st_mode
            if stat.S_ISREG(mode):
                yield Path(entry.path)
            elif stat.S_ISLNK(mode):
                not_read.append(NotRead(_named(Path(entry.path), root), "link"))
        if depth < _DEEPEST_FOLDER:
            below = [entry for entry in entries if entry.is_dir(follow_symlinks=False)]
            waiting += [(Path(entry.path), depth + 1) for entry in reversed(below) if not entry.name.startswith(".")]
