"""Folders and archives under one face: names, sizes, and files as sources. Nothing is unpacked to the disk."""

from __future__ import annotations

import contextlib
import os
import stat
import struct
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Protocol, cast

from checks.readers.containers.source import MIB, Damaged, Source, opened

MOST_NAMES = 20_000
DEEPEST = 12  # folders within folders
MOST_UNPACKED = 256 * MIB  # of one member
MOST_RATIO = 1100  # what deflate reaches at best is 1032
_IN_MEMORY = 16 * MIB
_COMPRESSED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00")  # gzip, bzip2, xz
_LOCAL_HEADER = 30  # bytes of a local file header before the name
_PIECE = MIB


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
            Damaged: it is not there or cannot be read; of an archive also "bomb", "encrypted" and "archive-damaged".
        """


def inside(name: str) -> bool:
    """Whether a name that stands in a model leads to a place in the model's own folder."""
    path = PurePosixPath(name.replace("\\", "/"))
    return bool(name) and "\0" not in name and not path.is_absolute() and ".." not in path.parts and ":" not in name


class DiskFolder:
    """A folder of the disk. Links are followed, but no folder twice."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = path.name
        self._names: tuple[str, ...] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """All files in it, sorted."""
        if self._names is None:
            self._names = tuple(sorted(_walk(self.path)))
        return self._names

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
        with opened(self.path / name) as source:
            source.name = name
            yield source


class SubFolder:
    """A folder within a folder or archive."""

    def __init__(self, folder: Folder, below: str) -> None:
        self._folder = folder
        self._below = below.rstrip("/") + "/"
        self.name = PurePosixPath(below).name

    @property
    def names(self) -> tuple[str, ...]:
        """All files in it, sorted."""
        start = len(self._below)
        return tuple(name[start:] for name in self._folder.names if name.startswith(self._below))

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
            Damaged: "archive-damaged", or "bomb" where the list names more than 20,000 members.
        """
        self.name = source.name
        self._source = source
        with _zip_errors():
            self._zip = zipfile.ZipFile(source.stream())
            members = self._zip.infolist()
        if len(members) > MOST_NAMES:
            raise Damaged("bomb", f"{len(members)} members")
        first = min((each.header_offset for each in members), default=0)
        if first > 0 and source.read(0, 2) == b"PK":
            # The list at the end is that of an archive within this one, whose own list is lost.
            raise Damaged("truncated", f"the list of members begins at {first}")
        self._members = {each.filename: each for each in members if each.filename[-1:] not in ("", "/")}
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
        if member.file_size > MOST_UNPACKED or member.file_size > MOST_RATIO * max(member.compress_size, 1):
            raise Damaged("bomb", f"{name}: {member.compress_size} bytes become {member.file_size}")
        with tempfile.SpooledTemporaryFile(_IN_MEMORY) as unpacked:
            with _zip_errors(), self._zip.open(member) as stream:
                left = MOST_UNPACKED
                while piece := stream.read(_PIECE):
                    left -= len(piece)
                    if left < 0:
                        raise Damaged("bomb", name)
                    unpacked.write(piece)
            yield Source(cast("BinaryIO", unpacked), name)

    def beginning_of(self, name: str, size: int) -> bytes:
        """At most so many first bytes of a member, without unpacking the rest of it.

        Raises:
            Damaged: as for :meth:`file`.
        """
        member = self._members.get(name)
        if member is None:
            raise Damaged("missing-part", name)
        if member.compress_type == zipfile.ZIP_STORED or member.flag_bits & 1:
            with self.file(name) as source:
                return source.read(0, min(size, source.size))
        with _zip_errors(), self._zip.open(member) as stream:
            return stream.read(min(size, MOST_UNPACKED))

    def is_packed(self, name: str) -> bool:
        """Whether a member is compressed."""
        member = self._members.get(name)
        return member is not None and member.compress_type != zipfile.ZIP_STORED

    def offset_of(self, name: str) -> int | None:
        """Where the bytes of a stored member begin in the archive; None for a compressed or missing one."""
        member = self._members.get(name)
        is_stored = member is not None and member.compress_type == zipfile.ZIP_STORED
        return self._start_of(member) if member is not None and is_stored else None

    def _start_of(self, member: zipfile.ZipInfo) -> int:
        header = self._source.read(member.header_offset, _LOCAL_HEADER)
        if header[:4] != b"PK\x03\x04":
            raise Damaged("archive-damaged", member.filename)
        name, extra = struct.unpack("<HH", header[26:30])
        return int(member.header_offset + _LOCAL_HEADER + name + extra)


class TarFolder:
    """A tar archive, compressed or not. Compressed ones are unpacked from the beginning for each file."""

    def __init__(self, path: Path) -> None:
        """Read the list of members.

        Raises:
            Damaged: "archive-damaged", "bomb" or "unreadable".
        """
        self.name = path.name
        self._path = path
        self._sizes: dict[str, int] = {}
        with self._open() as archive:
            for number, member in enumerate(archive):
                if number >= MOST_NAMES or archive.offset > 64 * MOST_UNPACKED:
                    raise Damaged("bomb", f"{number} members, {archive.offset} bytes")
                if member.isreg() and inside(member.name):
                    self._sizes[member.name.removeprefix("./")] = member.size
        self.names = tuple(sorted(self._sizes))

    def size_of(self, name: str) -> int | None:
        """Bytes of a member."""
        return self._sizes.get(name)

    @contextlib.contextmanager
    def file(self, name: str) -> Iterator[Source]:
        """A member, copied out in bounds."""
        if name not in self._sizes:
            raise Damaged("missing-part", name)
        if self._sizes[name] > MOST_UNPACKED:
            raise Damaged("too-large", name)
        with tempfile.SpooledTemporaryFile(_IN_MEMORY) as unpacked:
            with self._open() as archive:
                found = next((each for each in archive if each.name.removeprefix("./") == name and each.isreg()), None)
                stream = archive.extractfile(found) if found else None
                if stream is None:
                    raise Damaged("missing-part", name)
                while piece := stream.read(_PIECE):
                    unpacked.write(piece)
            yield Source(cast("BinaryIO", unpacked), name)

    @contextlib.contextmanager
    def _open(self) -> Iterator[tarfile.TarFile]:
        try:
            with tarfile.open(self._path, "r:*") as archive:
                yield archive
        except (tarfile.TarError, EOFError, zlib.error, ValueError, OverflowError, struct.error) as error:
            raise Damaged("archive-damaged", str(error)) from error
        except OSError as error:
            raise Damaged("unreadable" if error.errno else "archive-damaged", str(error)) from error


def is_tar(path: Path) -> bool:
    """Whether a file begins as a tar archive does, also within gzip, bzip2 or xz."""
    try:
        with open(path, "rb") as file:
            head = file.read(tarfile.BLOCKSIZE)
        if not head.startswith(_COMPRESSED) and b"ustar" not in head[257:265]:
            return False
        with tarfile.open(path, "r:*") as archive:
            return archive.next() is not None
    except (tarfile.TarError, OSError, EOFError, zlib.error, ValueError, OverflowError, struct.error):
        return False


@contextlib.contextmanager
def _zip_errors() -> Iterator[None]:
    """Everything that zipfile and its decompressors raise on hostile archives, as one kind."""
    try:
        yield
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        NotImplementedError,
        RuntimeError,  # a password is wanted, a decompressor is missing
        ValueError,
        OverflowError,
        OSError,
        struct.error,
        IndexError,
        KeyError,
        RecursionError,
    ) as error:
        raise Damaged("archive-damaged", str(error)) from error


def _walk(root: Path) -> Iterator[str]:
    """The files below a folder, by relative name, in bounds; a folder that leads back to itself is entered once."""
    seen: set[tuple[int, int]] = set()
    waiting = [("", 0)]
    count = 0
    while waiting:
        below, depth = waiting.pop()
        try:
            here = (root / below).stat()
            if (here.st_dev, here.st_ino) in seen and here.st_ino:
                continue
            seen.add((here.st_dev, here.st_ino))
            entries = sorted(os.scandir(root / below), key=lambda each: each.name)
        except OSError:
            continue
        for entry in entries:
            name = f"{below}/{entry.name}" if below else entry.name
            try:
                if entry.is_dir():
                    if depth < DEEPEST:
                        waiting.append((name, depth + 1))
                elif entry.is_file():
                    count += 1
                    if count > MOST_NAMES:
                        return
                    yield name
            except OSError:
                continue
