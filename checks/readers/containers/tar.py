"""Tar archives as folders: read in place where they are plain, unpacked once where they are compressed."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import struct
import tarfile
import tempfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Self, cast

from checks.readers.containers.folder import MOST_NAMES, MOST_OF_ARCHIVE, MOST_UNPACKED, inside
from checks.readers.containers.source import MIB, Cancelled, Damaged, Source, never, opened, raise_if

_IN_MEMORY = 16 * MIB
PIECE = MIB
_COMPRESSED: dict[bytes, Callable[[BinaryIO], object]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\x00": lzma.LZMAFile,
}


class TarFolder:
    """A tar archive. A plain one is read in place, a compressed one is unpacked once, while the block lasts."""

    def __init__(self, tar: Path | Source, cancelled: Cancelled = never, most: int = MOST_OF_ARCHIVE) -> None:
        """Read the list of members. ``most``: bytes that are unpacked.

        Raises:
            Damaged: "archive-damaged", "bomb", "too-many-files" or "unreadable".
            Stopped: the work was cancelled.
        """
        self.name = tar.name
        self._tar = tar
        self._most = most
        self._cancelled = cancelled
        self._places: dict[str, tuple[int, int | None]] = {}  # name -> size, and where it begins if it was unpacked
        self._unpacked: BinaryIO | None = None
        try:
            self._read()
        except BaseException:
            self.__exit__()
            raise
        self.names = tuple(sorted(self._places))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._unpacked is not None:
            self._unpacked.close()

    def size_of(self, name: str) -> int | None:
        """Bytes of a member."""
        return self._places[name][0] if name in self._places else None

    @contextlib.contextmanager
    def file(self, name: str) -> Iterator[Source]:
        """A member."""
        size, start = self._places.get(name, (0, None))
        if name not in self._places:
            raise Damaged("missing-part", name)
        if start is None:
            raise Damaged("member-too-large", f"{name}: {size} bytes unpacked")
        if self._unpacked is not None:
            yield Source(self._unpacked, name, start, size, cancelled=self._cancelled)
            return
        with _source_of(self._tar, self._cancelled) as source:
            yield source.part(start, size, name)

    def _read(self) -> None:
        with archive_of(self._tar, self._cancelled) as (archive, is_compressed):
            if is_compressed:
                self._unpacked = cast("BinaryIO", tempfile.SpooledTemporaryFile(_IN_MEMORY))  # noqa: SIM115 - __exit__
            for number, member in enumerate(archive):
                if number >= MOST_NAMES:
                    raise Damaged("too-many-files", f"more than {MOST_NAMES} members")
                if archive.offset > 2 * MOST_OF_ARCHIVE:
                    raise Damaged("bomb", f"{archive.offset} bytes")
                if not member.isreg() or member.issparse() or not inside(member.name):
                    continue
                start = self._unpack(archive, member) if is_compressed else member.offset_data
                self._places[member.name.removeprefix("./")] = (member.size, start)

    def _unpack(self, archive: tarfile.TarFile, member: tarfile.TarInfo) -> int | None:
        """Where its bytes are now; None for a member that is too large."""
        stream = archive.extractfile(member)
        assert self._unpacked is not None  # noqa: S101 - made by the only caller
        start = self._unpacked.tell()
        if stream is None or member.size > MOST_UNPACKED or start + member.size > self._most:
            return None
        while piece := stream.read(PIECE):
            self._unpacked.write(piece)
        return start


class _InPieces:
    """A file for tarfile, which would read a name of a gigabyte at once."""

    def __init__(self, file: BinaryIO, cancelled: Cancelled) -> None:
        self.seek, self.tell = file.seek, file.tell
        self._read = file.read
        self._cancelled = cancelled

    def read(self, size: int) -> bytes:
        """The next bytes."""
        raise_if(self._cancelled)
        if size > PIECE:
            raise Damaged("bomb", f"{size} bytes of a header")
        return self._read(size)


@contextlib.contextmanager
def _source_of(tar: Path | Source, cancelled: Cancelled) -> Iterator[Source]:
    """The bytes of an archive, which may all be read."""
    with contextlib.ExitStack() as stack:
        source = tar if isinstance(tar, Source) else stack.enter_context(opened(tar, cancelled))
        yield source.part(0, source.size, most=MOST_OF_ARCHIVE)


@contextlib.contextmanager
def archive_of(tar: Path | Source, cancelled: Cancelled = never) -> Iterator[tuple[tarfile.TarFile, bool]]:
    """A tar archive, and whether it is compressed. Everything that its parts raise comes as one kind.

    At most ``PIECE`` bytes may be read of it at once.
    """
    try:
        with _source_of(tar, cancelled) as source:
            beginning = source.read(0, min(6, source.size))
            unpack = next((packing for magic, packing in _COMPRESSED.items() if beginning.startswith(magic)), None)
            plain = cast("BinaryIO", unpack(source.stream())) if unpack else source.stream()
            with tarfile.open(fileobj=cast("BinaryIO", _InPieces(plain, cancelled)), mode="r:") as archive:
                yield archive, unpack is not None
    except (tarfile.TarError, lzma.LZMAError, EOFError, zlib.error, ValueError, OverflowError, struct.error) as error:
        raise Damaged("archive-damaged", str(error)) from error
    except OSError as error:
        raise Damaged("unreadable" if error.errno else "archive-damaged", str(error)) from error


def is_tar(tar: Path | Source) -> bool:
    """Whether a file begins as a tar archive does, also within gzip, bzip2 or xz."""
    try:
        with _source_of(tar, never) as source:
            head = source.read(0, min(tarfile.BLOCKSIZE, source.size))
        if not head.startswith(tuple(_COMPRESSED)) and b"ustar" not in head[257:265]:
            return False
        with archive_of(tar) as (archive, _):
            return archive.next() is not None
    except (Damaged, OSError):
        return False
