"""The bytes of one file, read by piece and in bounds: headers are read, weights are not."""

from __future__ import annotations

import contextlib
import io
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

MIB = 1 << 20
_HEAD = 4096
_WINDOW = 1 << 16  # bytes read ahead: headers lie close together
MOST_AT_ONCE = 64 * MIB
MOST_IN_ALL = 512 * MIB  # bytes read of one file; a parser that is led in circles ends here
Cancelled = Callable[[], bool]  # asked before each piece of a long work; True: the user does not want it any more


def never() -> bool:
    """Nobody cancels."""
    return False


class Damaged(Exception):  # noqa: N818 - describes the file, not a fault of ours
    """The bytes are not what they should be. ``reason`` is an id of resources/words/models.toml."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail


class Stopped(BaseException):
    """The work was cancelled."""


class Source:
    """A stretch of an open file. Offsets count from its own beginning.

    Raises everywhere:
        Damaged: "truncated" where bytes are asked for beyond the end, "too-large" where too many are asked for.
        Stopped: the work was cancelled.
    """

    def __init__(
        self, file: BinaryIO, name: str, start: int = 0, size: int | None = None, *, cancelled: Cancelled = never
    ) -> None:
        self.name = name
        self._file = file
        self._cancelled = cancelled
        self._start = start
        self.size = file.seek(0, io.SEEK_END) - start if size is None else size
        self._window = b""
        self._window_at = 0
        self._left = MOST_IN_ALL

    @property
    def head(self) -> bytes:
        """The first 4 KiB, or all there is."""
        return self.read(0, min(_HEAD, self.size))

    def read(self, offset: int, size: int, *, ahead: int = _WINDOW) -> bytes:
        """Exactly ``size`` bytes at ``offset``. ``ahead``: less than usual for pieces that lie far from each other."""
        if offset < 0 or size < 0 or offset + size > self.size:
            raise Damaged("truncated", f"{size} bytes at {offset} of {self.size}")
        if size > MOST_AT_ONCE:
            raise Damaged("too-large", f"{size} bytes at {offset}")
        inside = offset - self._window_at
        if inside >= 0 and inside + size <= len(self._window):
            return self._window[inside : inside + size]
        if size >= ahead:
            return self._fetch(offset, size)
        self._window = self._fetch(offset, min(ahead, self.size - offset))
        self._window_at = offset
        return self._window[:size]

    def part(self, offset: int, size: int, name: str = "", most: int = MOST_IN_ALL) -> Source:
        """A stretch of it as a source of its own (a stored member, a wrapped file), which may read ``most`` bytes."""
        if offset < 0 or size < 0 or offset + size > self.size:
            raise Damaged("truncated", f"{size} bytes at {offset} of {self.size}")
        part = Source(self._file, name or self.name, self._start + offset, size, cancelled=self._cancelled)
        part._left = most
        return part

    def stream(self) -> BinaryIO:
        """It as a seekable file, for libraries that want one; it reads in the same bounds."""
        return io.BufferedReader(_Stream(self), _WINDOW)

    def _fetch(self, offset: int, size: int) -> bytes:
        raise_if(self._cancelled)
        self._left -= size
        if self._left < 0:
            raise Damaged("too-large", f"more than {MOST_IN_ALL} bytes read")
        try:
            self._file.seek(self._start + offset)
            data = self._file.read(size)
        except (OSError, ValueError) as error:
            raise Damaged("unreadable", str(error)) from error
        if len(data) != size:
            raise Damaged("truncated", f"{size} bytes at {offset}, {len(data)} came")
        return data


class _Stream(io.RawIOBase):
    def __init__(self, source: Source) -> None:
        super().__init__()
        self._source = source
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._source.size}[whence]
        self._at = max(0, base + offset)
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        size = max(0, min(len(buffer), self._source.size - self._at))
        buffer[:size] = self._source.read(self._at, size)
        self._at += size
        return size


def raise_if(cancelled: Cancelled) -> None:
    """Raise Stopped if the work was cancelled."""
    if cancelled():
        raise Stopped


def of_bytes(data: bytes, name: str = "") -> Source:
    """Bytes in memory as a source."""
    return Source(io.BytesIO(data), name, 0, len(data))


@contextlib.contextmanager
def opened(path: Path, cancelled: Cancelled = never) -> Iterator[Source]:
    """A file of the disk as a source, while the block lasts.

    Raises:
        Damaged: "unreadable" (with the system's own words), "not-a-file" for a pipe or device, which may never end.
    """
    try:
        with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise Damaged("not-a-file")
            yield Source(file, path.name, cancelled=cancelled)
    except OSError as error:
        raise Damaged("unreadable", error.strerror or str(error)) from error
