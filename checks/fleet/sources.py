"""The answers in a folder, one after the other: JSON files, packed ones, and those in archives; all a stranger's.

Nothing is unpacked onto the disk, a link is not followed, and an archive in an archive is named, not opened.
"""

from __future__ import annotations

import gzip
import lzma
import os
import re
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from checks.readers.containers.folder import MOST_RATIO
from checks.readers.containers.packed_member import pieces_of
from checks.readers.containers.source import Damaged
from checks.readers.containers.tar import PIECE, archive_of
from checks.readers.text import whole_characters

LARGEST = 16 * 1024 * 1024  # bytes of one answer; the longest real one has some hundred kilobytes
_ALWAYS_UNPACKED = 1 << 30  # bytes; of an archive that is small without being a bomb
_ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.bz2")
_ANSWERS = (".json", ".json.gz")
# What a collector calls every answer alike; then the folder names the host.
_COMMON = ("naosu-answer", "answer", "naosu", "case", "report")
_DATE = re.compile(r"[-_.]20\d\d-?\d\d-?\d\d(?:[-_T.:]?\d+)*Z?$")  # behind the name of a host
_MEMBER = "!/"  # between an archive and what lies in it
_DAMAGED = (
    *(OSError, EOFError, ValueError, RuntimeError, NotImplementedError),
    *(Damaged, zlib.error, lzma.LZMAError, zipfile.BadZipFile, tarfile.TarError),
)


@dataclass(frozen=True)
class Source:
    """One answer: whose it is, where it lies, and its bytes, or why there are none (as in errors.toml)."""

    host: str
    place: str  # from the folder on; in an archive behind "!/"
    data: bytes = b""
    problem: str = ""


def answers_in(folder: Path) -> Iterator[Source]:
    """All answers in a folder, in the order of their names. Files of other kinds are passed over."""
    for path in _files(folder):
        place = whole_characters(path.relative_to(folder).as_posix())
        name = path.name.lower()
        if path.is_symlink() and name.endswith((*_ANSWERS, *_ARCHIVES)):
            yield Source(host_of(place), place, problem="link")
        elif name.endswith(_ANSWERS):
            yield _read(path, place)
        elif name.endswith(_ARCHIVES):
            yield from _in_archive(path, place)


def read_again(folder: Path, place: str) -> bytes | None:
    """The bytes of an answer that was read before; None where it is gone."""
    archive, _, member = place.partition(_MEMBER)
    path = folder / archive
    if not member:
        return _read(path, place).data or None
    return next((source.data for source in _in_archive(path, archive) if source.place == place), None) or None


def host_of(place: str) -> str:
    """The host that a file is called after: by its name without a date, or by its folder where all are called alike."""
    path = PurePosixPath(place.replace(_MEMBER, "/"))
    name = path.name
    for ending in (*_ANSWERS, *_ARCHIVES):
        if name.lower().endswith(ending):
            name = name[: -len(ending)]
            break
    stem = _DATE.sub("", name) or name
    folders = [part for part in path.parts[:-1] if not part.lower().endswith(_ARCHIVES)]
    return folders[0] if stem.lower() in _COMMON and folders else stem


def _files(folder: Path) -> Iterator[Path]:
    for here, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            yield Path(here) / name


def _read(path: Path, place: str) -> Source:
    host = host_of(place)
    try:
        if not path.is_file():
            return Source(host, place, problem="file-unreadable")
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
            return _bounded(_pieces(file), host, place)
    except _DAMAGED:
        return Source(host, place, problem="file-unreadable")


def _bounded(pieces: Iterable[bytes], host: str, place: str) -> Source:
    data = bytearray()
    for piece in pieces:
        data += piece
        if len(data) > LARGEST:
            return Source(host, place, problem="file-too-large")
    return Source(host, place, bytes(data))


def _pieces(file: IO[bytes] | gzip.GzipFile) -> Iterator[bytes]:
    while piece := file.read(min(PIECE, LARGEST + 1)):
        yield piece


def _in_archive(path: Path, place: str) -> Iterator[Source]:
    members = _in_zip if path.suffix.lower() == ".zip" else _in_tar
    try:
        if not path.is_file():  # to open a pipe would wait for ever
            yield Source(host_of(place), place, problem="file-unreadable")
            return
        yield from members(path, place)
    except _DAMAGED:
        yield Source(host_of(place), place, problem="archive-damaged")


def _in_zip(path: Path, place: str) -> Iterator[Source]:
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            inner = f"{place}{_MEMBER}{member.filename}"
            name = member.filename.lower()
            if name.endswith(_ARCHIVES):
                yield Source(host_of(inner), inner, problem="archive-in-archive")
            elif name.endswith(".json"):
                try:
                    yield _bounded(pieces_of(archive, member, PIECE), host_of(inner), inner)
                except _DAMAGED:
                    yield Source(host_of(inner), inner, problem="file-unreadable")


def _in_tar(path: Path, place: str) -> Iterator[Source]:
    most = max(_ALWAYS_UNPACKED, MOST_RATIO * path.stat().st_size)
    with archive_of(path) as (archive, _):
        for member in archive:
            if archive.offset > most:  # behind the member, which is not read yet
                raise Damaged("bomb", f"{archive.offset} bytes")
            archive.members.clear()  # type: ignore[attr-defined] # else all that were read are kept
            inner = f"{place}{_MEMBER}{whole_characters(member.name)}"
            name = member.name.lower()
            if not member.isreg() or member.issparse():
                continue
            if name.endswith(_ARCHIVES):
                yield Source(host_of(inner), inner, problem="archive-in-archive")
            elif name.endswith(".json"):
                file = archive.extractfile(member)
                if file is not None:
                    yield _bounded(_pieces(file), host_of(inner), inner)
