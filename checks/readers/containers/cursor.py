"""A place in a source that moves on with each number or text read: for formats that are read from front to back."""

from __future__ import annotations

import struct

from checks.readers.containers.source import MIB, Damaged, Source

_WINDOW = MIB


class Cursor:
    """Reads numbers and texts one after the other. A window is kept, for millions of small pieces are read.

    Raises everywhere:
        Damaged: "truncated" beyond the end, "too-large" for more at once than a source gives.
    """

    def __init__(self, source: Source, at: int = 0, *, big_endian: bool = False) -> None:
        self.source = source
        self.at = at
        self.order = ">" if big_endian else "<"
        self._window = b""
        self._window_at = 0

    def number(self, code: str) -> int:
        """A number by its code of :mod:`struct` ("I" for 32 bits without a sign)."""
        packed = struct.Struct(self.order + code)
        value: int = packed.unpack(self.bytes(packed.size))[0]
        return value

    def float(self, code: str = "f") -> float:
        """A number with a fraction."""
        packed = struct.Struct(self.order + code)
        return float(packed.unpack(self.bytes(packed.size))[0])

    def bytes(self, size: int) -> bytes:
        """The next bytes."""
        if size > _WINDOW:
            data = self.source.read(self.at, size)
        else:
            inside = self._have(size)
            data = self._window[inside : inside + size]
        self.at += size
        return data

    def skip(self, size: int) -> None:
        """Leave out bytes, which must be there."""
        if size < 0 or self.at + size > self.source.size:
            raise Damaged("truncated", f"{size} bytes at {self.at} of {self.source.size}")
        self.at += size

    def skip_texts(self, count: int, code: str) -> None:
        """Leave out texts, each with its length before it: a tokenizer has a million of them."""
        packed = struct.Struct(self.order + code)
        unpack, width = packed.unpack_from, packed.size
        while count:
            inside = self._have(width)
            window, last = self._window, len(self._window) - width
            while count and inside <= last:
                inside += width + unpack(window, inside)[0]
                count -= 1
            self.at = self._window_at + inside
            if self.at > self.source.size:
                raise Damaged("truncated", f"a text until {self.at} of {self.source.size}")

    def _have(self, size: int) -> int:
        """Where in the window the next bytes begin, after it was moved there."""
        inside = self.at - self._window_at
        if inside < 0 or inside + size > len(self._window):
            end = min(self.at + _WINDOW, self.source.size)
            self._window = self.source.read(self.at, max(size, end - self.at))
            self._window_at = self.at
            return 0
        return inside
