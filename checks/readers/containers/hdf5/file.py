"""The bytes of an HDF5 file by its addresses, page by page and in bounds."""

from __future__ import annotations

from collections import OrderedDict

from checks.readers.containers.source import MIB, Damaged, Source

SIGNATURE = b"\x89HDF\r\n\x1a\n"
DAMAGED = "hdf5-damaged"
MOST_STEPS = 600_000  # structures visited in one file
MOST_VALUE = 32 * MIB  # of one attribute
MOST_TEXTS = 64 * MIB  # of all attributes together; many may name the same text
_PAGE = 1 << 16
_PAGES = 128  # kept in memory
_USER_BLOCKS = (0, 512, 1024, 2048, 4096, 8192)  # where the superblock may begin


class File:
    """The bytes of an HDF5 file by address, and how much of it was visited.

    Raises everywhere:
        Damaged: "hdf5-damaged", "truncated" or "too-large".
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._pages: OrderedDict[int, bytes] = OrderedDict()
        self._steps = 0
        self._texts = 0
        self._base = 0
        self.is_truncated = False  # the file knows how long it was
        self.offset_size = self.length_size = 8
        self.root_address = self._superblock()

    def read(self, at: int, size: int) -> bytes:
        """Bytes at an address of the file, by pages that are kept: headers lie among the weights."""
        at += self._base
        if at < 0 or size < 0 or at + size > self._source.size:
            raise Damaged("truncated", f"{size} bytes at {at} of {self._source.size}")
        first, last = at // _PAGE, (at + max(size, 1) - 1) // _PAGE
        if last - first >= _PAGES // 2:
            return self._source.read(at, size)
        data = b"".join(self._page(number) for number in range(first, last + 1))
        start = at - first * _PAGE
        return data[start : start + size]

    def part(self, at: int, size: int) -> Source:
        """A stretch of the file, at an address of it."""
        return self._source.part(at + self._base, size)

    def number(self, at: int, size: int) -> int:
        """A little-endian number."""
        return int.from_bytes(self.read(at, size), "little")

    def address(self, at: int) -> int | None:
        """An address; None for "undefined", all bits set."""
        value = self.number(at, self.offset_size)
        return None if value == (1 << (8 * self.offset_size)) - 1 else value

    def length(self, at: int) -> int:
        """A length."""
        return self.number(at, self.length_size)

    def text(self, at: int, size: int) -> bytes:
        """A text of an attribute; all of them together are bounded."""
        self._texts += size
        if size > MOST_VALUE or self._texts > MOST_TEXTS:
            raise Damaged("too-large", f"text of {size} bytes")
        return self.read(at, size)

    def step(self) -> None:
        """Count a structure that is visited; a file that leads in circles ends here."""
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise Damaged(DAMAGED, f"more than {MOST_STEPS} structures")

    def _page(self, number: int) -> bytes:
        found = self._pages.get(number)
        if found is not None:
            self._pages.move_to_end(number)
            return found
        start = number * _PAGE
        data = self._source.read(start, min(_PAGE, self._source.size - start))
        self._pages[number] = data
        if len(self._pages) > _PAGES:
            self._pages.popitem(last=False)
        return data

    def _superblock(self) -> int:
        start = next((at for at in _USER_BLOCKS if self._is_signature(at)), None)
        if start is None:
            raise Damaged(DAMAGED, "no signature")
        version = self.number(start + 8, 1)
        if version in (0, 1):
            at = start + 24 + (4 if version else 0)
            self._sizes(self.number(start + 13, 1), self.number(start + 14, 1))
            end, root = at + 2 * self.offset_size, at + 5 * self.offset_size
        elif version in (2, 3):
            at = start + 12
            self._sizes(self.number(start + 9, 1), self.number(start + 10, 1))
            end, root = at + 2 * self.offset_size, at + 3 * self.offset_size
        else:
            raise Damaged(DAMAGED, f"superblock {version}")
        base, ends, first = self.address(at), self.address(end), self.address(root)
        if first is None:
            raise Damaged(DAMAGED, "no root")
        self.is_truncated = ends is not None and ends > self._source.size
        self._base = base or start
        return first

    def _is_signature(self, at: int) -> bool:
        return at + 8 <= self._source.size and self._source.read(at, 8) == SIGNATURE

    def _sizes(self, offset: int, length: int) -> None:
        if offset not in (2, 4, 8) or length not in (2, 4, 8):
            raise Damaged(DAMAGED, f"addresses of {offset} bytes, lengths of {length}")
        self.offset_size, self.length_size = offset, length


def take(data: bytes, at: int, size: int) -> int:
    """A number of a message."""
    return int.from_bytes(piece(data, at, size), "little")


def piece(data: bytes, at: int, size: int) -> bytes:
    """Bytes of a message."""
    if at < 0 or at + size > len(data):
        raise Damaged(DAMAGED, f"{size} bytes at {at} of a message of {len(data)}")
    return data[at : at + size]
