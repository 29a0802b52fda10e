"""Several stretches of bytes as one source: shards of weights, an archive and the list that was mended."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Sequence
from typing import BinaryIO, cast

from checks.readers.containers.source import Source


class _Joined:
    """What a :class:`Source` asks of a file, answered by several."""

    def __init__(self, parts: Sequence[Source]) -> None:
        self._parts = [part for part in parts if part.size]
        self._starts = [0, *itertools.accumulate(part.size for part in self._parts)]
        self._at = 0

    @property
    def size(self) -> int:
        """The bytes of all of them."""
        return self._starts[-1]

    def seek(self, offset: int) -> int:
        """Go to a place."""
        self._at = offset
        return offset

    def read(self, size: int) -> bytes:
        """The next bytes, which may lie in several of the parts."""
        found = []
        number = bisect.bisect_right(self._starts, self._at) - 1
        while size > 0 and number < len(self._parts):
            part, inside = self._parts[number], self._at - self._starts[number]
            piece = part.read(inside, min(size, part.size - inside), ahead=0)
            found.append(piece)
            self._at += len(piece)
            size -= len(piece)
            number += 1
        return b"".join(found)


def joined(parts: Sequence[Source], name: str) -> Source:
    """The parts one after the other; each keeps its own bounds of how much of it is read."""
    whole = _Joined(parts)
    return Source(cast("BinaryIO", whole), name, 0, whole.size)
