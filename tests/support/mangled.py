"""Files that were cut, overwritten and lengthened, and folders of bytes: what a reader must survive."""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Iterator

from hypothesis import strategies as st

from checks.facts import ModelFacts
from checks.readers.containers.source import Damaged, Source, of_bytes
from checks.readers.models.registry import FileReader

ODD = (b"\0" * 8, b"\xff" * 8, struct.pack("<Q", 1 << 63), struct.pack("<q", -1), b"\xff" * 4 + b"\x7f", b"\0\0\0\x80")


class MemoryFolder:
    """A folder of bytes."""

    def __init__(self, files: dict[str, bytes] | None = None, name: str = "folder") -> None:
        self._files = files or {}
        self.name = name
        self.names = tuple(sorted(self._files))

    def size_of(self, name: str) -> int | None:
        """Bytes of a file."""
        data = self._files.get(name)
        return None if data is None else len(data)

    @contextlib.contextmanager
    def file(self, name: str) -> Iterator[Source]:
        """A file of it."""
        if name not in self._files:
            raise Damaged("missing-part", name)
        yield of_bytes(self._files[name], name)


def read(reader: FileReader, data: bytes, name: str, **beside: bytes) -> ModelFacts | None:
    """What a reader of single files makes of bytes. ``beside``: other files, "_" standing for the dot of their name."""
    folder = MemoryFolder({name: data, **{key.replace("__", "."): value for key, value in beside.items()}})
    return reader.read(of_bytes(data, name), folder)


def survives(reader: FileReader, data: bytes, name: str, **beside: bytes) -> ModelFacts | str | None:
    """The same, where damage may be found: the facts, or the reason of the damage. Anything else fails the test."""
    try:
        return read(reader, data, name, **beside)
    except Damaged as damage:
        return damage.reason


def cuts(data: bytes) -> Iterator[bytes]:
    """A file at every twentieth of its length."""
    return (data[: len(data) * each // 20] for each in range(20))


@st.composite
def mangled(draw: st.DrawFn, *originals: bytes) -> bytes:
    """One of the files with some bytes changed, some odd numbers in it, and perhaps its end lost."""
    data = bytearray(draw(st.sampled_from(originals)))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(data)))
        piece = draw(st.sampled_from(ODD) | st.binary(min_size=1, max_size=8))
        data[at : at + len(piece)] = piece
    return bytes(data[: draw(st.integers(0, len(data)))] if draw(st.booleans()) else data)
