"""One distribution's list of files against the disk. Sizes only; content where it is asked for."""

from __future__ import annotations

import base64
import hashlib
import os
import stat
import struct
import time
from collections.abc import Iterator
from pathlib import Path

from checks.facts.installed import ChangedFile, FileState
from checks.interpreters.disk import start_of
from checks.interpreters.installed.record import LIBRARY, Listed

_HEAD = 512  # bytes of a file that holds nothing but zeros that are looked at first
_CHUNK = 2**20


class Disk:
    """The sizes of files, a folder at a time: on Windows that is many times faster than asking for each.

    ``seconds``: after them, or after ``most`` files, nothing more is looked at.
    """

    def __init__(self, seconds: float, most: int) -> None:
        self._until = time.monotonic() + seconds
        self._most = most
        self._folders: dict[str, dict[str, os.DirEntry[str]] | None] = {}
        self.looked_at = 0

    @property
    def is_spent(self) -> bool:
        """Whether there is no time left, or too many files were looked at."""
        return self.looked_at >= self._most or time.monotonic() > self._until

    def status(self, folder: str, path: str) -> os.stat_result | None:
        """What the system says of a file; None where it is missing.

        Raises:
            OSError: it may be there, but cannot be seen.
        """
        self.looked_at += 1
        parent, _, name = path.rpartition("/")
        entry = (self._entries(f"{folder}{os.sep}{parent}" if parent else folder) or {}).get(name)
        try:
            # A name may be spelled in another case or form there, or the folder not be listed.
            return entry.stat() if entry is not None else os.stat(f"{folder}{os.sep}{path}")  # noqa: PTH116 - strings
        except (FileNotFoundError, NotADirectoryError):
            return None

    def _entries(self, folder: str) -> dict[str, os.DirEntry[str]] | None:
        if folder not in self._folders:
            try:
                with os.scandir(folder) as entries:
                    self._folders[folder] = {entry.name: entry for entry in entries}
            except (OSError, ValueError):
                self._folders[folder] = None
        return self._folders[folder]


def changed_files(folder: Path, files: list[Listed], disk: Disk, *, by_content: bool = False) -> Iterator[ChangedFile]:
    """The files that are not as they were listed, until the time of ``disk`` is over."""
    root = str(folder)
    for listed in files:
        if disk.is_spent:
            return
        try:
            status = disk.status(root, listed.path)
        except (OSError, ValueError):  # forbidden, or no name for a file: nothing was seen
            continue
        state = _state(f"{root}{os.sep}{listed.path}", listed, status, by_content=by_content)
        if state is not None:
            yield ChangedFile(
                path=listed.path,
                state=state.value,
                size=status.st_size if status is not None else None,
                recorded=listed.size,
            )


def _state(path: str, listed: Listed, status: os.stat_result | None, *, by_content: bool) -> FileState | None:
    if status is None:
        return FileState.MISSING
    if not stat.S_ISREG(status.st_mode):
        return None
    size = status.st_size
    if listed.size is not None and size == 0 and listed.size > 0:
        return FileState.EMPTY
    if size and (_has_no_blocks(status) or by_content) and is_zeros(path, size):
        return FileState.ZEROS
    if listed.size is not None and size != listed.size:
        if is_zeros(path, size):
            return FileState.ZEROS
        return FileState.CUT if LIBRARY.search(listed.path) and is_cut(path, size) else FileState.SIZE
    return FileState.CONTENT if by_content and has_other_content(path, listed.digest) else None


def _has_no_blocks(status: os.stat_result) -> bool:
    """Whether the system stores nothing for it, as after a crash; some systems keep small files elsewhere."""
    return getattr(status, "st_blocks", 1) == 0


def is_zeros(path: str, size: int) -> bool:
    """Whether a file holds nothing but zero bytes at its beginning, middle and end."""
    head = start_of(path, _HEAD)
    if not head or head.strip(b"\0"):
        return False
    try:
        with open(path, "rb", buffering=0) as file:
            for offset in (size // 2, max(size - _HEAD, 0)):
                file.seek(offset)
                if file.read(_HEAD).strip(b"\0"):
                    return False
    except OSError:
        return False
    return True


def is_cut(path: str, size: int) -> bool:
    """Whether the headers of an ELF or PE library speak of bytes behind its end. Stripped ones are whole."""
    head = start_of(path, 4096) or b""
    try:
        if head[:4] == b"\x7fELF":
            return _elf_end(head) > size
        if head[:2] == b"MZ":
            return _pe_end(head) > size
    except struct.error:
        return True
    return bool(head) and head[:4] not in (b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"\xce\xfa\xed\xfe")


def _elf_end(head: bytes) -> int:
    """Where the last section or segment ends (ELF gABI: e_phoff, e_shoff and the program headers)."""
    order = ">" if head[5] == 2 else "<"
    if head[4] == 2:
        phoff, shoff = struct.unpack_from(order + "QQ", head, 32)
        phentsize, phnum, shentsize, shnum = struct.unpack_from(order + "HHHH", head, 54)
        at_offset, at_size, word = 8, 32, "Q"
    else:
        phoff, shoff = struct.unpack_from(order + "II", head, 28)
        phentsize, phnum, shentsize, shnum = struct.unpack_from(order + "HHHH", head, 42)
        at_offset, at_size, word = 4, 16, "I"
    ends = [shoff + shentsize * shnum]
    for index in range(phnum):
        start = phoff + index * phentsize
        if start + phentsize > len(head):
            break
        offset = struct.unpack_from(order + word, head, start + at_offset)[0]
        ends.append(offset + struct.unpack_from(order + word, head, start + at_size)[0])
    return int(max(ends))


def _pe_end(head: bytes) -> int:
    """Where the last section ends (PE format: PointerToRawData and SizeOfRawData)."""
    (offset,) = struct.unpack_from("<I", head, 60)
    sections, optional = struct.unpack_from("<H12xH", head, offset + 6)
    ends = [0]
    for index in range(min(sections, 96)):
        start = offset + 24 + optional + 40 * index
        if start + 40 > len(head):
            break
        size, pointer = struct.unpack_from("<II", head, start + 16)
        ends.append(pointer + size)
    return max(ends)


def has_other_content(path: str, digest: str) -> bool:
    """Whether a file's sha256 is another than the recorded one; False where none was recorded or it is unread."""
    name, equals, wanted = digest.partition("=")
    if equals and name != "sha256":
        return False
    if not equals:
        wanted = digest
    if not wanted:
        return False
    found = hashlib.sha256()
    try:
        with open(path, "rb", buffering=0) as file:
            while chunk := file.read(_CHUNK):
                found.update(chunk)
    except OSError:
        return False
    if equals:
        return base64.urlsafe_b64encode(found.digest()).rstrip(b"=").decode() != wanted.rstrip("=")
    return found.hexdigest() != wanted.lower()
