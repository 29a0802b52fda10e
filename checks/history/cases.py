"""The cases of the window, each saved by itself in the user's own data folder, until the user deletes it.

A case is a folder: a heading, which the list shows without reading more, and its versions, numbered. Secrets are never
written; names and paths are, since they are the owner's own, and nobody else may read the files. Whatever is wrong with
the folder never stops an examination. What cannot be read is passed over, and stays where it is.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import functools
import os
import re
import shutil
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from checks.facts.case import Case
from checks.interpreters.disk import names_in, start_of
from checks.prepared import prepared
from checks.sharing.case import SIZE_LIMIT, CaseError, decode, to_builtins
from checks.sharing.files import make_private, write_whole
from checks.sharing.redact import secretless, without_secrets

_FORMAT = 1
_HEADING = "heading.json"
_VERSION = re.compile(r"(\d{1,6})\.case")
_ID = re.compile(r"\d{8}-\d{6}-[0-9a-f]{6}")
_NO_LETTER = re.compile(r"[^0-9A-Za-z]+")
_DELETED = "deleted"
_LARGEST_HEADING = 64 * 1024  # bytes
_MOST = 1_000  # cases
_MOST_VERSIONS = 20  # of one case
_WORDS = 4_000  # characters of what was sent, by which a case is found again
_TITLE = 200  # characters
_SENTENCE = 2_000  # characters of a verdict
_DAYS_DELETED = 30  # after which what was deleted is gone
_LARGEST_REPLY = 1024 * 1024  # bytes
_TIME = 40  # characters of one in the name of a file


@functools.lru_cache(4 * _MOST)
def _folded(text: str) -> str:
    return text.casefold()  # of thousands at every key of a search


class Heading(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the list shows of a case. ``shown``: the number of the version that opens.

    ``sentences``: its verdict by language, and ``state`` as in the verdict ("blocking", "warning", "clear", ...).
    """

    format: int = _FORMAT
    id: str = ""
    title: str = ""  # the user's own
    sentences: dict[str, str] = {}
    state: str = ""
    created: str  # of the first version, and
    changed: str  # of the one that is shown: ISO 8601, UTC
    shown: int = 1
    is_ticket: bool = False
    is_answered: bool = False
    is_complete: bool = True
    words: str = ""

    def named(self, language: str) -> str:
        """What the user calls it, else its verdict in this language, or in any."""
        return self.title or self.sentences.get(language) or next(iter(self.sentences.values()), "")

    def has(self, text: str) -> bool:
        """Whether every word of a search stands in it, in any case of letters."""
        sought = text.casefold().split()
        where = tuple(map(_folded, (self.title, *self.sentences.values(), self.words))) if sought else ()
        return all(any(word in part for part in where) for word in sought)


class Reply(msgspec.Struct, frozen=True):
    """The answer to a ticket as its writer has changed it. ``of``: when the version was made that it answers."""

    of: str
    text: str


class Verdicts(msgspec.Struct, frozen=True):
    """How a case ends, in words that this package does not know."""

    sentences: dict[str, str]
    state: str


@dataclass(frozen=True)
class Cases:
    """The cases in one folder, which need not be there."""

    folder: Path

    def headings(self) -> tuple[Heading, ...]:
        """All cases that can be read, the last changed first."""
        found = [heading for name in names_in(self.folder) if (heading := self._heading(name)) is not None]
        return tuple(sorted(found, key=lambda heading: (heading.changed, heading.id), reverse=True))

    def add(self, case: Case, verdicts: Verdicts) -> Heading:
        """Save a new case. The oldest are deleted where there are too many.

        Raises:
            OSError: the disk is full, or the folder cannot be written.
        """
        make_private(self.folder)
        name = f"{dt.datetime.now(dt.UTC):%Y%m%d-%H%M%S}-{os.urandom(3).hex()}"
        (self.folder / name).mkdir(mode=0o700)
        try:
            heading = self._with(Heading(id=name, created=case.created, changed=case.created), case, verdicts, 1)
        except BaseException:
            shutil.rmtree(self.folder / name, ignore_errors=True)
            raise
        others = [other for other in self.headings() if other.id != name]  # the new one stays, whatever the clock says
        for old in others[_MOST - 1 :]:
            with contextlib.suppress(OSError):
                self.delete(old.id)
        return heading

    def add_version(self, name: str, case: Case, verdicts: Verdicts) -> Heading:
        """Save what a case has become. A whole report stays the one that opens where the new one was broken off.

        Raises:
            KeyError: there is no such case any more.
            OSError: the disk is full, or the folder cannot be written.
        """
        before = self._heading(name)
        if before is None:
            raise KeyError(name)
        number = max(self.versions(name), default=0) + 1
        if before.is_complete and not case.complete:
            self._write_version(name, number, case)
            self._prune(before)
            return before
        return self._with(before, case, verdicts, number)

    def replace(self, name: str, case: Case, verdicts: Verdicts, version: int | None = None) -> Heading:
        """Save a version anew: its remedies were tried, or carried out. Without a number it is the one that opens.

        Where that is another examination by now (this one was broken off, or another window has checked again), it
        stays, and this becomes a version of its own.

        Raises:
            KeyError: there is no such case any more.
            OSError: the disk is full, or the folder cannot be written.
        """
        heading = self._heading(name)
        if heading is None:
            raise KeyError(name)
        if version is not None and version != heading.shown:  # an earlier result stays one
            self._write_version(name, version, case)
            return heading
        if heading.changed != case.created:
            return self.add_version(name, case, verdicts)
        return self._with(heading, case, verdicts, heading.shown)

    def versions(self, name: str) -> tuple[int, ...]:
        """The numbers of the versions of a case, the oldest first."""
        found = (_VERSION.fullmatch(file) for file in names_in(self.folder / name))
        return tuple(sorted(int(version[1]) for version in found if version))

    def saved_at(self, name: str) -> dict[int, dt.datetime]:
        """When each version of a case was saved, by its number, the oldest first."""
        found = {}
        for version in self.versions(name):
            with contextlib.suppress(OSError, OverflowError, ValueError):
                seconds = self._file(name, version).lstat().st_mtime
                found[version] = dt.datetime.fromtimestamp(seconds, dt.UTC)
        return found

    def read(self, name: str, version: int | None = None) -> Case:
        """One version of a case, judged again by this program; without a number the one that opens.

        Where that one is damaged, the newest before it that is not.

        Raises:
            KeyError: there is no such case.
            CaseError: it is damaged, or cannot be read.
        """
        heading = self._heading(name)
        if heading is None:
            raise KeyError(name)
        if version is not None:
            return self._read(name, version)
        try:
            return self._read(name, heading.shown)
        except CaseError:
            for older in reversed([number for number in self.versions(name) if number < heading.shown]):
                with contextlib.suppress(CaseError):
                    return self._read(name, older)
            raise

    def _read(self, name: str, version: int) -> Case:
        data = start_of(self._file(name, version), SIZE_LIMIT)
        if not data:
            raise CaseError("file-missing", name)
        reader = zlib.decompressobj()
        try:
            plain = reader.decompress(data, SIZE_LIMIT)
        except zlib.error as error:
            raise CaseError("case-damaged", str(error)) from error
        if reader.unconsumed_tail or not reader.eof:
            raise CaseError("case-damaged", name)
        return decode(plain)

    def rename(self, name: str, title: str) -> Heading:
        """Give a case a title of the user's own; an empty one gives it its verdict again.

        Raises:
            KeyError: there is no such case.
            OSError: the folder cannot be written.
        """
        return self._edit(name, title=secretless(" ".join(title.split())[:_TITLE]))

    def mark(self, name: str, *, answered: bool) -> Heading:
        """Note whether whoever asked has had an answer.

        Raises:
            KeyError: there is no such case.
            OSError: the folder cannot be written.
        """
        return self._edit(name, is_answered=answered)

    def keep_reply(self, name: str, language: str, text: str, of: str) -> None:
        """Save the answer to a version as its writer has changed it; an empty one is as none. ``of``: when it was made.

        Raises:
            KeyError: there is no such case.
            OSError: the disk is full, or the folder cannot be written.
        """
        if self._heading(name) is None:
            raise KeyError(name)
        path = self._reply_file(name, language, of)
        if text.strip():
            self._write(path, msgspec.json.encode(Reply(of, secretless(text))))
        else:
            path.unlink(missing_ok=True)

    def reply(self, name: str, language: str, of: str) -> str:
        """What :meth:`keep_reply` saved for this version; "" where there is nothing."""
        path = self._reply_file(name, language, of)
        data = start_of(path, _LARGEST_REPLY + 1) if self._heading(name) is not None else b""
        if data and len(data) <= _LARGEST_REPLY:
            with contextlib.suppress(msgspec.DecodeError, UnicodeDecodeError):
                reply = msgspec.json.decode(data, type=prepared(Reply))
                return reply.text if reply.of == of else ""
        return ""

    def delete(self, name: str) -> None:
        """Put a case aside, from where :meth:`restore` brings it back, for thirty days.

        Raises:
            KeyError: there is no such case.
            OSError: it cannot be moved.
        """
        if self._heading(name) is None:
            raise KeyError(name)
        aside = self.folder / _DELETED
        make_private(aside)
        shutil.rmtree(aside / name, ignore_errors=True)
        (self.folder / name).rename(aside / name)
        os.utime(aside / name)  # when it was deleted

    def remove(self, name: str) -> None:
        """Remove a case for good, if it is there.

        Raises:
            OSError: it cannot be removed.
        """
        if self._heading(name) is not None:
            _remove(self.folder / name)

    def deleted(self) -> tuple[Heading, ...]:
        """What was put aside and can be brought back, the last deleted first."""
        aside = Cases(self.folder / _DELETED)
        found = []
        for heading in aside.headings():
            with contextlib.suppress(OSError):
                found.append(((aside.folder / heading.id).lstat().st_mtime, heading))
        return tuple(heading for _, heading in sorted(found, key=lambda one: one[0], reverse=True))

    def restore(self, name: str) -> Heading:
        """Bring back what was deleted; what is there stays as it is.

        Raises:
            KeyError: it is gone.
            OSError: it cannot be moved.
        """
        heading = self._heading(name)
        if heading is not None:
            return heading
        if not _ID.fullmatch(name) or not (self.folder / _DELETED / name).is_dir():
            raise KeyError(name)
        (self.folder / _DELETED / name).rename(self.folder / name)
        heading = self._heading(name)
        if heading is None:
            raise KeyError(name)
        return heading

    def delete_all(self) -> int:
        """Remove all cases for good, deleted and unreadable ones as well; returns how many the list had.

        Raises:
            OSError: one cannot be removed; the others are.
        """
        count, failed = len(self.headings()), None
        for name in names_in(self.folder):
            if _ID.fullmatch(name) or name == _DELETED:
                try:
                    _remove(self.folder / name)
                except OSError as error:
                    failed = error
        if failed is not None:
            raise failed
        return count

    def empty(self) -> None:
        """Remove for good what was deleted thirty days ago."""
        then = dt.datetime.now(dt.UTC).timestamp() - _DAYS_DELETED * 86_400
        for name in names_in(self.folder / _DELETED):
            place = self.folder / _DELETED / name
            with contextlib.suppress(OSError):
                if _ID.fullmatch(name) and place.lstat().st_mtime < then:
                    shutil.rmtree(place)

    def _heading(self, name: str) -> Heading | None:
        if not _ID.fullmatch(name):
            return None
        data = start_of(self.folder / name / _HEADING, _LARGEST_HEADING + 1)
        if not data or len(data) > _LARGEST_HEADING:
            return None
        with contextlib.suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            heading = msgspec.json.decode(data, type=prepared(Heading))
            return msgspec.structs.replace(heading, id=name) if heading.format == _FORMAT else None
        return None

    def _with(self, before: Heading, case: Case, verdicts: Verdicts, number: int) -> Heading:
        """The heading of a case whose new version is saved first, so that none is named that is not there."""
        clean = self._write_version(before.id, number, case)
        heading = msgspec.structs.replace(
            before,
            sentences={key: secretless(text[:_SENTENCE]) for key, text in verdicts.sentences.items()},
            state=verdicts.state,
            changed=case.created,
            shown=number,
            is_ticket=case.facts.reported,
            is_complete=case.complete,
            words=words_of(clean),
        )
        self._write_heading(heading)
        self._prune(heading)
        return heading

    def _prune(self, heading: Heading) -> None:
        """Let the oldest versions go, but never the one that opens."""
        others = [version for version in self.versions(heading.id) if version != heading.shown]
        for old in others[: -_MOST_VERSIONS + 1]:
            self._file(heading.id, old).unlink(missing_ok=True)

    def _edit(self, name: str, **edits: object) -> Heading:
        before = self._heading(name)
        if before is None:
            raise KeyError(name)
        heading = msgspec.structs.replace(before, **edits)
        self._write_heading(heading)
        return heading

    def _write_version(self, name: str, number: int, case: Case) -> Case:
        clean = without_secrets(case)
        data = zlib.compress(msgspec.json.encode(to_builtins(clean)), 3)
        self._write(self._file(name, number), data)
        return clean

    def _write_heading(self, heading: Heading) -> None:
        self._write(self.folder / heading.id / _HEADING, msgspec.json.encode(heading))

    @staticmethod
    def _write(path: Path, data: bytes) -> None:
        """A file that only its owner may read, whole or not at all."""
        with contextlib.suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        try:
            write_whole(path, data)  # a file that is there keeps its rights
        except BaseException:
            with contextlib.suppress(OSError):
                if not path.stat().st_size:
                    path.unlink()
            raise

    def _reply_file(self, name: str, language: str, of: str) -> Path:
        return self.folder / name / f"reply-{language}-{_NO_LETTER.sub('', of)[:_TIME]}.json"

    def _file(self, name: str, number: int) -> Path:
        return self.folder / name / f"{number:03}.case"


def _remove(path: Path) -> None:
    """Remove a folder; of a link or file that somebody put there only itself."""
    if path.is_symlink() or not path.is_dir():
        path.unlink()
    else:
        shutil.rmtree(path)


def cases_folder(variables: Mapping[str, str] = os.environ) -> Path | None:
    """Where this user's cases are saved; None where nothing is to be remembered, or there is no home."""
    from checks.history.store import Store

    folder = place_of_cases(variables)
    return folder if folder is not None and Store(folder.parent).is_on else None


def place_of_cases(variables: Mapping[str, str] = os.environ) -> Path | None:
    """Where the cases lie that were saved before the user switched that off in the window."""
    from checks.history.store import default_folder

    folder = default_folder(variables)
    return folder / "cases" if folder is not None else None


def words_of(case: Case) -> str:
    """By what a case is found again besides its verdict: what was sent, and the names of its files and programs."""
    return "\n".join(_words(case))[:_WORDS]


def _words(case: Case) -> Iterator[str]:
    facts = case.facts
    yield from (Path(model.path).name for model in facts.models[:20])
    yield from (" ".join(run.command) for run in facts.runs[:5])
    for sent in facts.logs[:5]:
        yield sent.name
        yield (sent.text or "")[:_WORDS]
