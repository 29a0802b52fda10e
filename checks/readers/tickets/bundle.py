"""The text of a file that came with a ticket: as it is, compressed, or packed with others by a tool for support.

nvidia-bug-report.sh writes one compressed log, `sos report` an archive of thousands of files, people zip some logs.
Nothing is unpacked to the disk but in scratch files, and never more than is bounded here.
"""

from __future__ import annotations

import bz2
import contextlib
import errno
import itertools
import lzma
import os
import re
import stat
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Protocol

from checks.readers.containers.folder import Folder, ZipFolder, inside
from checks.readers.containers.source import MIB, Damaged, opened
from checks.readers.containers.tar import TarFolder, is_tar
from checks.readers.text import PIECE, NotText, kept, text_of

_MOST = 512 * MIB  # unpacked of one compressed text, or of all in one archive
_MOST_MEMORY = 128 * MIB  # for a decompressor of xz
_MOST_TEXTS = 200  # of one archive
_MOST_OF_ARCHIVE = 64 * MIB  # of all texts together
_ZIP = b"PK\x03\x04"
_ARCHIVE = re.compile(r"\.(?:zip|tar|tgz|txz|tbz2?|tar\.(?:gz|xz|bz2))$", re.IGNORECASE)
_TEXT = re.compile(r"\.(?:log|txt|out|err|md|csv|ya?ml|ini|cfg|conf)(?:\.\d+)?(?:\.gz|\.xz|\.bz2)?$", re.IGNORECASE)
# What a failure is told in, first: of a system report the rest is its settings.
_TELLING = re.compile(
    r"nvidia|cuda|rocm|amdgpu|dmesg|journal|xid|lspci|kern|messages|syslog|xorg|dkms|pip|conda|python|torch|tensorflow"
    r"|train|stderr|error|crash|trace|collect_env|dxdiag|uname|os-release|packages|installed-",
    re.IGNORECASE,
)
_OF_SYSTEM = re.compile(
    r"(?:^|/)(?:sos_commands|proc|var/log|lib/modules)/"
)  # of `sos report`, whose files have no endings


class _Machine(Protocol):
    """Unpacks one stream, piece by piece."""

    @property
    def eof(self) -> bool:
        """Whether the stream has ended."""

    @property
    def unused_data(self) -> bytes:
        """What came behind its end."""

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """At most so many bytes; what is left of the data is kept."""


def sent_text(path: Path) -> str:
    """The text of a file, or what matters of a very long one; of an archive that of every text in it, under its name.

    Raises:
        OSError: it cannot be read, or is a pipe or device, which may never end.
        NotText: neither it is a text, nor does it hold one.
    """
    if stat.S_IFMT(path.stat().st_mode) not in (stat.S_IFREG, stat.S_IFDIR):
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), str(path))
    if is_archive(path):
        return _texts_of(path)
    with open(path, "rb") as file:
        return plain_text(file)


def is_archive(path: Path) -> bool:
    """Whether a file is called as an archive of several."""
    return _ARCHIVE.search(path.name) is not None


class _Allowance:
    """``left``: bytes that may still be unpacked."""

    def __init__(self) -> None:
        self.left = _MOST


def plain_text(file: BinaryIO, allowance: _Allowance | None = None) -> str:
    """The text of an open file or pipe, also where it is compressed with gzip, bzip2 or xz.

    One that is cut or damaged is read as far as it goes. ``allowance``: shared with others of one archive.

    Raises:
        OSError: it cannot be read.
        NotText: it is no text.
    """
    head = file.read(PIECE)
    make = next((make for magic, make in _MACHINES.items() if head.startswith(magic)), None)
    if make is None:
        return text_of(itertools.chain((head,), iter(lambda: file.read(PIECE), b"")))
    unpacked = _unpacked(head, file, make, allowance or _Allowance())
    first = next(unpacked, b"")
    if not first:
        raise NotText
    return text_of(itertools.chain((first,), unpacked))


class _Deflated:
    """gzip with the face of the other decompressors, which keep what they have not used."""

    def __init__(self) -> None:
        self._machine = zlib.decompressobj(31)

    @property
    def eof(self) -> bool:
        return self._machine.eof

    @property
    def unused_data(self) -> bytes:
        return self._machine.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return self._machine.decompress(self._machine.unconsumed_tail + data, max_length)


_MACHINES: dict[bytes, Callable[[], _Machine]] = {
    b"\x1f\x8b": _Deflated,
    b"BZh": bz2.BZ2Decompressor,
    b"\xfd7zXZ\x00": lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, _MOST_MEMORY),
}


def _unpacked(data: bytes, file: BinaryIO, make: Callable[[], _Machine], allowance: _Allowance) -> Iterator[bytes]:
    machine = make()
    while allowance.left > 0:
        try:
            piece = machine.decompress(data, PIECE)
        except (zlib.error, lzma.LZMAError, OSError, EOFError, ValueError, MemoryError):
            return
        if piece:
            allowance.left -= len(piece)
            yield piece
        if machine.eof:  # several may follow each other
            data = machine.unused_data or file.read(PIECE)
            if not data:
                return
            machine = make()
        elif not piece:
            data = file.read(PIECE)
            if not data:
                return
        else:
            data = b""


def _texts_of(path: Path) -> str:
    """The texts of an archive, those that tell of a failure first."""
    try:
        with _folder(path) as folder:
            parts = list(_parts(folder))
    except Damaged as problem:
        if problem.reason == "unreadable":
            raise OSError(errno.EIO, problem.detail or problem.reason, str(path)) from problem
        raise NotText from problem
    if not parts:
        raise NotText
    return kept("\n".join(parts))


@contextlib.contextmanager
def _folder(path: Path) -> Iterator[Folder]:
    with opened(path) as source:
        if source.head.startswith(_ZIP):
            yield ZipFolder(source)
            return
    if not is_tar(path):
        raise Damaged("archive-damaged")
    with TarFolder(path) as folder:
        yield folder


def _parts(folder: Folder) -> Iterator[str]:
    names = [name for name in folder.names if inside(name) and _may_tell(name)]
    left, allowance = _MOST_OF_ARCHIVE, _Allowance()
    for name in sorted(names, key=lambda name: _TELLING.search(name) is None)[:_MOST_TEXTS]:
        left -= folder.size_of(name) or 0
        if left < 0:
            return
        with contextlib.suppress(Damaged, NotText), folder.file(name) as member:
            text = plain_text(member.stream(), allowance)
            if text.strip():
                yield f"==> {name} <==\n{text}"


def _may_tell(name: str) -> bool:
    return bool(_TEXT.search(name)) or bool(_OF_SYSTEM.search(name) and _TELLING.search(name))
