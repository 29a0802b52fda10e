"""Where HDF5 keeps many links or attributes of one object: symbol tables, fractal heaps, trees of version 2."""

from __future__ import annotations

from collections.abc import Iterator

from checks.readers.containers.hdf5.file import DAMAGED, MOST_VALUE, File, piece, take
from checks.readers.containers.source import MIB, Damaged

MOST_DEEP = 24  # nodes of a tree on top of each other
MOST_NAME = 4096
LINK_NAMES, ATTRIBUTE_NAMES = 5, 8  # types of a version 2 tree


def old_links(file: File, at: int) -> Iterator[tuple[str, int]]:
    """The members of an old group and their addresses: a tree of symbol tables, and a heap with the names."""
    tree, heap = file.address(at), file.address(at + file.offset_size)
    if tree is None or heap is None:
        return
    if file.read(heap, 4) != b"HEAP":
        raise Damaged(DAMAGED, f"heap at {heap}")
    size, names = file.length(heap + 8), file.address(heap + 8 + 2 * file.length_size)
    if names is None:
        return
    width = 2 * file.offset_size + 24
    for table in _old_tree(file, tree):
        count = file.number(table + 6, 2)
        data = file.read(table + 8, count * width)
        for at in range(0, count * width, width):
            file.step()
            name = take(data, at, file.offset_size)
            where = take(data, at + file.offset_size, file.offset_size)
            if take(data, at + 2 * file.offset_size, 4) == 2 or name >= size:  # 2: a soft link
                continue
            text = file.read(names + name, min(size - name, MOST_NAME)).split(b"\0", 1)[0]
            yield text.decode("utf-8", "replace"), where


def _old_tree(file: File, root: int) -> Iterator[int]:
    """The addresses of the symbol tables below a version 1 tree, in order."""
    waiting, seen = [root], {root}
    while waiting:
        at = waiting.pop()
        file.step()
        mark = file.read(at, 4)
        if mark == b"SNOD":
            yield at
            continue
        if mark != b"TREE" or file.number(at + 4, 1) != 0:
            raise Damaged(DAMAGED, f"tree at {at}")
        first = at + 8 + 2 * file.offset_size + file.length_size
        below = []
        for number in range(file.number(at + 6, 2)):
            file.step()
            child = file.address(first + number * (file.offset_size + file.length_size))
            if child is None or child in seen:
                raise Damaged(DAMAGED, f"tree at {at}")
            seen.add(child)
            below.append(child)
        waiting += reversed(below)


class FractalHeap:
    """A heap that grows by doubling blocks; without compression."""

    def __init__(self, file: File, at: int) -> None:
        if file.read(at, 4) != b"FRHP":
            raise Damaged(DAMAGED, f"heap at {at}")
        offset, length = file.offset_size, file.length_size
        self._file = file
        if file.number(at + 7, 2):
            raise Damaged(DAMAGED, "a compressed heap")
        most_object = file.number(at + 10, 4)
        at += 14 + length + offset + length + offset + 8 * length
        self._width = file.number(at, 2)
        self._first = file.length(at + 2)
        self._most = file.length(at + 2 + length)
        bits = file.number(at + 2 + 2 * length, 2)
        self._root = file.address(at + 6 + 2 * length)
        self._rows = file.number(at + 6 + 2 * length + offset, 2)
        self._offset_bytes = (bits + 7) // 8
        self._length_bytes = (min(self._most, most_object).bit_length() + 7) // 8
        if not (0 < self._width <= 1024 and 0 < self._first <= self._most <= 1 << 40 and bits <= 64):
            raise Damaged(DAMAGED, "the measures of a heap")

    def object(self, identifier: bytes) -> bytes | None:
        """An object by its identifier; None for one that is too large for the heap and lies elsewhere."""
        kind = take(identifier, 0, 1) >> 4 & 3
        if kind == 2:  # small enough to lie in the identifier
            return piece(identifier, 1, (identifier[0] & 15) + 1)
        if kind == 1:
            return None
        if kind != 0 or self._root is None:
            raise Damaged(DAMAGED, "an object of a heap")
        offset = take(identifier, 1, self._offset_bytes)
        size = take(identifier, 1 + self._offset_bytes, self._length_bytes)
        if size > MOST_VALUE:
            raise Damaged("too-large", f"object of {size} bytes")
        return self._file.read(self._at(offset), size)

    def _at(self, offset: int) -> int:
        """Where an offset of the heap lies in the file."""
        block, rows, start = self._root, self._rows, 0
        for _ in range(MOST_DEEP):
            self._file.step()
            if rows == 0 or block is None:
                break
            row, size = self._row(offset - start)
            if row >= rows:
                raise Damaged(DAMAGED, f"offset {offset} of a heap")
            column = (offset - start - self._row_start(row)) // size
            head = 5 + self._file.offset_size + self._offset_bytes
            entry = block + head + (row * self._width + column) * self._file.offset_size
            block = self._file.address(entry)
            start += self._row_start(row) + column * size
            rows = 0 if size <= self._most else self._rows_of(size)
        if block is None or rows:
            raise Damaged(DAMAGED, f"offset {offset} of a heap")
        return block + offset - start

    def _row(self, offset: int) -> tuple[int, int]:
        """The row that holds an offset, and the size of its blocks."""
        first = self._width * self._first
        row = 0 if offset < first else (offset // first).bit_length()
        return row, self._first << max(0, row - 1)

    def _row_start(self, row: int) -> int:
        return 0 if row == 0 else self._width * self._first << (row - 1)

    def _rows_of(self, size: int) -> int:
        """How many rows a block of blocks has that covers ``size`` bytes."""
        return (size // (self._width * self._first)).bit_length()


def tree_records(file: File, at: int, kind: int) -> Iterator[bytes]:
    """The heap identifiers that a version 2 tree holds."""
    if file.read(at, 4) != b"BTHD" or file.number(at + 5, 1) != kind:
        raise Damaged(DAMAGED, f"index at {at}")
    node_size, record, depth = file.number(at + 6, 4), file.number(at + 10, 2), file.number(at + 12, 2)
    root, count = file.address(at + 16), file.number(at + 16 + file.offset_size, 2)
    if root is None:
        return
    skip, width = (4, 7) if kind == LINK_NAMES else (0, 8)
    if depth > MOST_DEEP or record < skip + width or not record < node_size <= 64 * MIB:
        raise Damaged(DAMAGED, f"index at {at}")
    most = (node_size - 10) // record
    count_bytes = (most.bit_length() + 7) // 8
    totals, all_below = [0], most  # bytes of a subtree's total, by level
    for level in range(1, depth + 1):
        pointer = file.offset_size + count_bytes + totals[level - 1]
        most = max(0, (node_size - 10 - pointer)) // (record + pointer)
        all_below = (most + 1) * all_below + most
        totals.append((all_below.bit_length() + 7) // 8)
    waiting, seen = [(root, count, depth)], {root}
    while waiting:
        node, records, level = waiting.pop()
        file.step()
        if file.read(node, 4) != (b"BTIN" if level else b"BTLF"):
            raise Damaged(DAMAGED, f"index at {node}")
        first = node + 6
        for number in range(records):
            file.step()
            yield file.read(first + number * record + skip, width)
        if not level:
            continue
        pointer = file.offset_size + count_bytes + totals[level - 1]
        for number in range(records + 1):
            entry = first + records * record + number * pointer
            child = file.address(entry)
            if child is None or child in seen:
                raise Damaged(DAMAGED, f"index at {node}")
            seen.add(child)
            waiting.append((child, file.number(entry + file.offset_size, count_bytes), level - 1))
