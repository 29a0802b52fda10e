"""The streams of a watched program: passed on byte for byte as they come, and kept in bounded memory."""

from __future__ import annotations

import contextlib
import locale
import os
import re
import select
import sys
import threading
from collections import deque
from collections.abc import Callable

import re2

EDGE = 32 * 1024  # bytes that are kept of the beginning, and of the end; a case holds texts up to 100,000 characters
MOST_COMPLAINTS = 12 * 1024  # bytes of lines between them that are kept: the first, and the last
PER_CHUNK = 20  # of them; a program that prints nothing else is not read line by line
LONGEST_LINE = 2_000
_GAP = "\n[...]\n"
_CHUNK = 1 << 18
_PIPE = 1 << 20  # bytes that a pipe shall hold, so that a program that prints much waits less often for us
_LAST_WORDS = 2.0  # seconds to wait for what is still in a pipe whose writers have ended

# Linear in time: it passes over every byte of what may be gigabytes.
_COMPLAINS = re2.compile(
    rb"(?i)traceback|error|exception|warn|fatal|fail|cannot|can't|could not|unable|not found|no module|no such|"
    rb"kill|abort|segmentation|out of memory|denied|refused|invalid|missing|unsupported|not supported"
)
_TRACEBACK = b"Traceback (most recent call last)"
_COLOUR = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")


class Kept:
    """Of a stream its beginning, its end, and the lines between them that complain."""

    def __init__(self) -> None:
        self.count = 0
        self._head = bytearray()
        self._tail = bytearray()
        self._first: list[tuple[int, bytes]] = []  # complaints with where they begin
        self._last: deque[tuple[int, bytes]] = deque()
        self._room = [MOST_COMPLAINTS, MOST_COMPLAINTS]  # of both
        self._rest = b""  # of a line that has not ended

    def take(self, data: bytes) -> None:
        """The next bytes."""
        if len(self._head) < EDGE:
            self._head += data[: EDGE - len(self._head)]
        self._tail += data
        if len(self._tail) > 2 * EDGE:  # not each time: that would copy the whole edge for every line
            del self._tail[:-EDGE]
        if self.count + len(data) > EDGE:
            self._look(data)
        self.count += len(data)

    def _look(self, data: bytes) -> None:
        start = self.count - len(self._rest)
        data = self._rest + data
        whole = data.rfind(b"\n") + 1
        self._rest = data[whole:][-LONGEST_LINE:]
        here = 0
        for _ in range(PER_CHUNK):
            found = _COMPLAINS.search(data, here, whole)
            if found is None:
                return
            begin = data.rfind(b"\n", 0, found.start()) + 1
            here = _end_of_complaint(data, begin, whole)
            self._complaint(start + begin, data[begin:here])

    def _complaint(self, place: int, text: bytes) -> None:
        text = text[: MOST_COMPLAINTS // 2]
        if not self._last and len(text) <= self._room[0]:
            self._first.append((place, text))
            self._room[0] -= len(text)
            return
        self._last.append((place, text))
        self._room[1] -= len(text)
        while self._room[1] < 0:
            self._room[1] += len(self._last.popleft()[1])

    def text(self) -> str:
        """What is kept, with a line [...] where something was left out."""
        head, tail = bytes(self._head), bytes(self._tail[-EDGE:])
        if self.count <= len(head):
            return as_text(head)
        begin = max(len(head), self.count - len(tail))
        tail = tail[len(tail) - (self.count - begin) :]
        if begin == len(head):
            return as_text(head + tail)
        parts, here = [as_text(head)], len(head)
        for place, text in (*self._first, *self._last):
            if len(head) <= place < begin:
                parts += [*([_GAP] if place > here else []), as_text(text)]
                here = place + len(text)
        return "".join((*parts, _GAP, as_text(tail)))


def _end_of_complaint(data: bytes, begin: int, whole: int) -> int:
    """Where a complaint ends: with its line; of a traceback with the line behind its frames."""
    end = data.find(b"\n", begin, whole)
    if _TRACEBACK in data[begin:end]:
        while 0 <= end < min(whole, begin + 20 * LONGEST_LINE) - 1 and data[end + 1 : end + 2] in {b" ", b"\t"}:
            end = data.find(b"\n", end + 1, whole)
        end = data.find(b"\n", end + 1, whole) if 0 <= end < whole - 1 else end
        return whole if end < 0 else end + 1
    return whole if end < 0 else end + 1


def as_text(data: bytes) -> str:
    """As text without colours; what is no UTF-8 in the encoding of the system."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        encoding = locale.getpreferredencoding(do_setlocale=False) if sys.platform == "win32" else "utf-8"
        text = data.decode(encoding, "replace")
    return _COLOUR.sub("", text).replace("\r\n", "\n").replace("\0", "")


class Tee:
    """Reads one end of a program's stream on a thread of its own and passes on what comes.

    ``pass_on`` raises OSError where nobody listens any more: then the program meets that, too. The thread is a daemon:
    a process that cannot be killed may hold the other end for ever.
    """

    def __init__(self, source: int, pass_on: Callable[[bytes], None]) -> None:
        self.kept = Kept()
        self._source = source
        _widen(source)
        self._pass_on = pass_on
        self._thread = threading.Thread(target=self._copy, name="watched-stream", daemon=True)
        self._thread.start()

    def _copy(self) -> None:
        try:
            with contextlib.suppress(OSError, ValueError):  # EIO: the last one closed the pseudo-terminal
                while data := self._read():
                    self._pass_on(data)
                    self.kept.take(data)
        finally:
            with contextlib.suppress(OSError):
                os.close(self._source)

    def _read(self) -> bytes:
        while True:
            try:
                return os.read(self._source, _CHUNK)
            except BlockingIOError:
                select.select([self._source], [], [])

    def finish(self) -> None:
        """Wait for what is still in it after its writers have ended."""
        self._thread.join(_LAST_WORDS)

    @property
    def is_open(self) -> bool:
        """Whether more may come."""
        return self._thread.is_alive()


def _widen(pipe: int) -> None:
    if sys.platform == "linux":
        import fcntl

        with contextlib.suppress(OSError):  # it is a terminal, or the user has too many pipes
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE)


def writer_to(descriptor: int) -> Callable[[bytes], None]:
    """What writes all it is given to a stream of ours, also where that takes little at a time."""

    def write(data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[os.write(descriptor, rest) :]
            except BlockingIOError:
                select.select([], [descriptor], [])

    return write
