"""Folders and archives under one face: names, sizes, and files as sources. Nothing is unpacked to the disk."""

from __future__ import annotations

import bisect
import contextlib
import functools
import itertools
import lzma
import os
import re
import stat
import struct
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Protocol, cast

from checks.readers.containers.packed_member import pieces_of
from checks.readers.containers.source import MIB, Cancelled, Damaged, Source, never, opened

MOST_NAMES = 20_000
DEEPEST = 12  # folders within folders
MOST_UNPACKED = 256 * MIB  # of one member
MOST_OF_ARCHIVE = 8192 * MIB  # read of one archive, and unpacked of one
MOST_RATIO = 1100  # what deflate reaches at best is 1032
_MOST_RATIO_OF_LARGE = 100  # numbers of a model reach 2
_IN_MEMORY = 16 * MIB
_LOCAL_HEADER = 30  # bytes of a local file header before the name
_END, _END_64 = b"PK\x05\x06", b"PK\x06\x06"  # what follows the list of a zip's members
_LONGEST_END = 22 + (1 << 16) + 76  # bytes: with a comment, and with what 64 bits need
_MOST_LIST = 400 * MOST_NAMES  # bytes of a zip's list
PIECE = MIB
_OF_THE_SYSTEM = frozenset({"lost+found", "System Volume Information", "$RECYCLE.BIN"})  # no user may list them
# What zipfile and its decompressors raise; RuntimeError where a password is wanted or a decompressor is missing.
_ZIP_ERRORS = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError, RuntimeError, ValueError,
    OverflowError, OSError, struct.error, IndexError, KeyError, RecursionError,
)  # fmt: skip
_CACHED = re.compile("(?:models|datasets|spaces)--")  # a repository in the cache of Hugging Face
_AFTER_SLASH = "0"  # the character that follows the slash in the order of names


class Folder(Protocol):
    """Files under one roof. Names are relative, with slashes."""

    name: str

    @property
    def names(self) -> tuple[str, ...]:
        """All files in it, sorted, at most 20,000."""

    def size_of(self, name: str) -> int | None:
        """Bytes of a file; None where there is no such file, or its name leads out of the folder."""

    def file(self, name: str) -> contextlib.AbstractContextManager[Source]:
        """A file as a source while the block lasts.

        Raises:
            Damaged: it is not there or cannot be read; of an archive also "bomb", "member-too-large", "encrypted" and
                "archive-damaged".
        """


def inside(name: str) -> bool:
    """Whether a name that stands in a model leads to a place in the model's own folder."""
    path = PurePosixPath(name.replace("\\", "/"))
    has_drive = re.match(r"[A-Za-z]:", name) is not None
    return bool(name) and "\0" not in name and not path.is_absolute() and ".." not in path.parts and not has_drive


class DiskFolder:
    """A folder of the disk. Links within it are followed, no folder twice; one that leads out of it is only named.

    ``beside``: a file that was given, itself perhaps a link: where it really lies belongs to the folder.
    """

    def __init__(self, path: Path, cancelled: Cancelled = never, beside: Path | None = None) -> None:
        self.path = path
        self.name = path.name
        self._cancelled = cancelled
        root = Path(os.path.realpath(path))
        self._roots = (root, *_blobs(root), *((Path(os.path.realpath(beside)).parent,) if beside else ()))

    @functools.cached_property
    def _listed(self) -> _Listed:
        listed = _Listed()
        found = list(itertools.islice(_walk(self.path, listed, self._leads_out), MOST_NAMES + 1))
        listed.has_more = len(found) > MOST_NAMES
        listed.names = tuple(sorted(found[:MOST_NAMES]))
        return listed

    @property
    def names(self) -> tuple[str, ...]:
        """All files in it, sorted."""
        return self._listed.names

    @property
    def locked(self) -> tuple[str, ...]:
        """The folders in it whose files could not be listed, sorted; "" is the folder itself."""
        return tuple(sorted(self._listed.locked))

    @property
    def links_out(self) -> tuple[tuple[str, str], ...]:
        """The links in it that lead out of it, sorted, each with where to."""
        return tuple(sorted(self._listed.links_out))

    @property
    def has_more(self) -> bool:
        """Whether there are more files than it gives names of."""
        return self._listed.has_more

    def size_of(self, name: str) -> int | None:
        """Bytes of a file."""
        try:
            found = (self.path / name).stat() if inside(name) else None
        except (OSError, ValueError):
            return None
        return found.st_size if found and stat.S_ISREG(found.st_mode) else None

    @contextlib.contextmanager
    def file(self, name: str) -> Iterator[Source]:
        """A file of it."""
        if not inside(name):
            raise Damaged("outside", name)
        there = self._leads_out(name)
        if there is not None:
            raise Damaged("linked-outside", there)
        with opened(self.path / name, self._cancelled) as source:
            source.name = name
            yield source

    def _leads_out(self, name: str) -> str | None:
        """Where a name in it really leads, if that is out of it."""
        real = os.path.realpath(self.path / name)
        return None if any(Path(real).is_relative_to(root) for root in self._roots) else real


@dataclass
class _Listed:
    """What the walk through a folder of the disk found."""

    names: tuple[str, ...] = ()
    locked: list[str] = field(default_factory=list)
    links_out: list[tuple[str, str]] = field(default_factory=list)
    has_more: bool = False


def _blobs(root: Path) -> Iterator[Path]:
    """Where the files of a snapshot lie to which Hugging Face's cache links: beside all snapshots of the model.

    https://huggingface.co/docs/huggingface_hub/guides/manage-cache
    """
    for folder in (root, *root.parents):
        if folder.parent.name == "snapshots" and _CACHED.match(folder.parent.parent.name):
            yield folder.parent.parent / "blobs"


class SubFolder:
    """A folder within a folder or archive."""

    def __init__(self, folder: Folder, below: str) -> None:
        self._folder = folder
        self._below = below.rstrip("/") + "/"
        self.name = PurePosixPath(below).name

    @property
    def names(self) -> tuple[str, ...]:
        """All files in it, sorted."""
        length = len(self._below)
        names = self._folder.names  # in their order, so that those below stand together
        start = bisect.bisect_left(names, self._below)
        end = bisect.bisect_left(names, self._below[:-1] + _AFTER_SLASH, start)
        return tuple(name[length:] for name in names[start:end])

    def size_of(self, name: str) -> int | None:
        """Bytes of a file."""
        return self._folder.size_of(self._below + name) if inside(name) else None

    def file(self, name: str) -> contextlib.AbstractContextManager[Source]:
        """A file of it."""
        if not inside(name):
            raise Damaged("outside", name)
        return self._folder.file(self._below + name)


class ZipFolder:
    """A zip archive, read where it lies."""

    def __init__(self, source: Source) -> None:
        """Read the list of members.

        Raises:
            Damaged: "archive-damaged", or "too-many-files" where the list names more than 20,000 members.
        """
        self.name = source.name
        self._source = source = source.part(0, source.size, most=MOST_OF_ARCHIVE)
        _check_list(source)
        with _zip_errors():
            self._zip = zipfile.ZipFile(source.stream())
            members = self._zip.infolist()
        if len(members) > MOST_NAMES:
            raise Damaged("too-many-files", f"{len(members)} members")
        first = min((member.header_offset for member in members), default=0)
        if first > 0 and source.read(0, 2) == b"PK":
            # The list at the end is that of an archive within this one, whose own list is lost.
            raise Damaged("truncated", f"the list of members begins at {first}")
        self._members: dict[str, zipfile.ZipInfo] = {}
        for member in members:
            if member.filename[-1:] not in ("", "/"):
                hidden = self._members.get(member.filename)
                self._members[member.filename] = member
                if hidden is not None:  # of two members of one name another program may take the other
                    self._members[f"{member.filename} ({len(self._members)})"] = hidden
        self._unpacked = self._blown_up = 0
        self._room: BinaryIO | None = None  # holds what is unpacked now
        self._in_room = 0
        self.names = tuple(sorted(self._members))

    def size_of(self, name: str) -> int | None:
        """Bytes of a member, unpacked."""
        member = self._members.get(name)
        return None if member is None else member.file_size

    @contextlib.contextmanager
    def file(self, name: str) -> Iterator[Source]:
        """A member: a stored one is read in place, a compressed one is unpacked in bounds."""
        member = self._members.get(name)
        if member is None:
            raise Damaged("missing-part", name)
        if member.flag_bits & 1:
            raise Damaged("encrypted", name)
        if member.compress_type == zipfile.ZIP_STORED:
            yield self._source.part(self._start_of(member), member.file_size, name)
            return
        most = MOST_RATIO if member.file_size <= MOST_UNPACKED else _MOST_RATIO_OF_LARGE
        if member.file_size > most * max(member.compress_size, 1):
            raise Damaged("bomb", f"{name}: {member.compress_size} bytes become {member.file_size}")
        self._unpacked += member.file_size
        self._blown_up += member.file_size if member.file_size > _MOST_RATIO_OF_LARGE * member.compress_size else 0
        if self._blown_up > MOST_UNPACKED:
            raise Damaged("bomb", f"{name}: with others {self._blown_up} bytes out of almost nothing")
        if member.file_size > MOST_UNPACKED or self._unpacked > MOST_OF_ARCHIVE:
            raise Damaged("member-too-large", f"{name}: {member.file_size} bytes unpacked")
        with self._shared_room() as room:
            start = room.seek(0, os.SEEK_END)
            self._unpack(member, room)
            yield Source(room, name, start, room.tell() - start)

    def _unpack(self, member: zipfile.ZipInfo, room: BinaryIO) -> None:
        left = MOST_UNPACKED
        with _zip_errors():
            for piece in pieces_of(self._zip, member, PIECE):
                left -= len(piece)
                if left < 0:
                    raise Damaged("bomb", member.filename)
                room.write(piece)

    @contextlib.contextmanager
    def _shared_room(self) -> Iterator[BinaryIO]:
        """One file for all members that are in use at the same time: thousands may be, of which each alone is small."""
        if self._room is None:
            self._room = cast("BinaryIO", tempfile.SpooledTemporaryFile(_IN_MEMORY))  # noqa: SIM115 - closed below
        self._in_room += 1
        try:
            yield self._room
        finally:
            self._in_room -= 1
            if not self._in_room:
                self._room.close()
                self._room = None

    def beginning_of(self, name: str, size: int) -> bytes:
        """At most so many first bytes of a member, without unpacking the rest of it."""
        member = self._members.get(name)
        if member is None:
            raise Damaged("missing-part", name)
        if member.compress_type == zipfile.ZIP_STORED or member.flag_bits & 1:
            with self.file(name) as source:
                return source.read(0, min(size, source.size))
        most, beginning = min(size, MOST_UNPACKED), bytearray()
        with _zip_errors():
            for piece in pieces_of(self._zip, member, min(most, PIECE)):
                beginning += piece
                if len(beginning) >= most:
                    break
        return bytes(beginning[:most])

    def is_packed(self, name: str) -> bool:
        """Whether a member is compressed."""
        member = self._members.get(name)
        return member is not None and member.compress_type != zipfile.ZIP_STORED

    def _start_of(self, member: zipfile.ZipInfo) -> int:
        header = self._source.read(member.header_offset, _LOCAL_HEADER)
        if header[:4] != b"PK\x03\x04":
            raise Damaged("archive-damaged", member.filename)
        name, extra = struct.unpack("<HH", header[26:30])
        return int(member.header_offset + _LOCAL_HEADER + name + extra)


def _check_list(source: Source) -> None:
    """Refuse a zip whose list is longer than any archive's that is read here, before a million entries are made of it.

    Raises:
        Damaged: "too-many-files".
    """
    end = source.read(max(0, source.size - _LONGEST_END), min(_LONGEST_END, source.size))
    for mark, code, place in ((_END, "<I", 12), (_END_64, "<Q", 40)):
        at = end.rfind(mark) + place
        size = struct.unpack_from(code, end, at)[0] if place <= at <= len(end) - struct.calcsize(code) else 0
        if size > _MOST_LIST and not (mark == _END and size == 0xFFFFFFFF):
            raise Damaged("too-many-files", f"a list of {size} bytes")


@contextlib.contextmanager
def _zip_errors() -> Iterator[None]:
    """Turn everything that hostile archives raise into one kind."""
    try:
        yield
    except _ZIP_ERRORS as error:
        raise Damaged("archive-damaged", str(error)) from error


def _walk(root: Path, listed: _Listed, leads_out: Callable[[str], str | None]) -> Iterator[str]:
    """The files below a folder, by relative name; a folder that leads back to itself is entered once.

    ``listed`` takes the folders that could not be listed, and the links that are not followed.
    """
    seen: set[tuple[int, int]] = set()
    waiting = [("", 0)]
    while waiting:
        below, depth = waiting.pop()
        try:
            here = (root / below).stat()
            if (here.st_dev, here.st_ino) in seen and here.st_ino:
                continue
            seen.add((here.st_dev, here.st_ino))
            entries = sorted(os.scandir(root / below), key=lambda item: item.name)
        except OSError:
            if PurePosixPath(below).name not in _OF_THE_SYSTEM:
                listed.locked.append(below)
            continue
        for entry in entries:
            name = f"{below}/{entry.name}" if below else entry.name
            try:
                there = leads_out(name) if _is_link(entry) else None
                if there is not None:
                    if len(listed.links_out) < MOST_NAMES:
                        listed.links_out.append((name, there))
                elif entry.is_dir():
                    if depth < DEEPEST:
                        waiting.append((name, depth + 1))
                elif entry.is_file():
                    yield name
            except OSError:
                continue


def _is_link(entry: os.DirEntry[str]) -> bool:
    """A symbolic link; on Windows also a junction, or whatever else its file system leads elsewhere."""
    if sys.platform == "win32":
        return bool(entry.stat(follow_symlinks=False).st_reparse_tag)
    return entry.is_symlink()
