"""HDF5 files as a tree of groups, datasets and attributes, in bounds: the data of datasets is found, not read.

h5py is the HDF Group's C library, which crashes the process on hostile bytes; pyfive (1.3) brings compiled
decompressors, and loops or allocates by the numbers it finds. Neither is needed for names, shapes and texts.
The format: https://support.hdfgroup.org/documentation/hdf5/latest/_f_m_t3.html
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass

from checks.readers.containers.hdf5.file import DAMAGED, File
from checks.readers.containers.hdf5.heaps import ATTRIBUTE_NAMES, LINK_NAMES, FractalHeap, old_links, tree_records
from checks.readers.containers.hdf5.messages import Value, attribute, data_type, link, shape_of
from checks.readers.containers.source import MIB, Damaged, Source

MOST_NODES = 100_000  # groups and datasets
MOST_HEADER = 4 * MIB
_DATASPACE, _LINK_INFO, _DATATYPE, _LINK, _LAYOUT = 0x1, 0x2, 0x3, 0x6, 0x8
_ATTRIBUTE, _CONTINUATION, _SYMBOL_TABLE, _ATTRIBUTE_INFO = 0xC, 0x10, 0x11, 0x15
_COMPACT, _CONTIGUOUS = 0, 1  # layouts
_SHARED = 0x2  # flag of a message: it lies elsewhere


@dataclass(frozen=True)
class _Message:
    """One message of an object's header: where its data lies."""

    kind: int
    flags: int
    start: int
    size: int


class Hdf5(File):
    """A file. ``root`` is the tree's beginning.

    Raises everywhere:
        Damaged: "hdf5-damaged", "truncated" or "too-large".
    """

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._nodes = 0
        self.root = self.node(self.root_address)

    def node(self, address: int) -> Node:
        """What lies at an address."""
        self._nodes += 1
        if self._nodes > MOST_NODES:
            raise Damaged(DAMAGED, f"more than {MOST_NODES} objects")
        return Node(self, address)


class Node:
    """A group or a dataset."""

    def __init__(self, file: Hdf5, address: int) -> None:
        self._file = file
        self.address = address

    @functools.cached_property
    def attributes(self) -> dict[str, Value]:
        """Its attributes: texts as bytes (or a tuple of them), single numbers; None for what is of another kind."""
        found: dict[str, Value] = {}
        for message in self._messages:
            if message.kind == _ATTRIBUTE and not message.flags & _SHARED:
                name, value = attribute(self._file, self._file.read(message.start, message.size))
                found[name] = value
            elif message.kind == _ATTRIBUTE_INFO:
                for data in self._dense(message, 2, ATTRIBUTE_NAMES):
                    name, value = attribute(self._file, data)
                    found[name] = value
        return found

    @functools.cached_property
    def links(self) -> dict[str, Node]:
        """What lies in it, by name; links to elsewhere (soft and external ones) are left out."""
        found: dict[str, Node] = {}
        for message in self._messages:
            if message.kind == _SYMBOL_TABLE:
                for name, address in old_links(self._file, message.start):
                    found[name] = self._file.node(address)
            elif message.kind == _LINK:
                found |= self._linked(self._file.read(message.start, message.size))
            elif message.kind == _LINK_INFO:
                for data in self._dense(message, 8, LINK_NAMES):
                    found |= self._linked(data)
        return found

    @functools.cached_property
    def shape(self) -> tuple[int, ...] | None:
        """The lengths of a dataset's axes; None for a group."""
        message = self._first(_DATASPACE)
        if message is None or message.flags & _SHARED:
            return None
        return shape_of(self._file, self._file.read(message.start, message.size))

    @functools.cached_property
    def dtype(self) -> str | None:
        """The dtype of a dataset as NumPy spells it; None for a group and for what is no number and no text."""
        message = self._first(_DATATYPE)
        if message is None or message.flags & _SHARED:
            return None
        name = data_type(self._file.read(message.start, message.size)).name
        return {"bytes": "string", "vlen": "string", "other": None}.get(name, name)

    @property
    def place(self) -> Source | None:
        """The bytes of a dataset that lies in one piece; None for one in chunks, and for a group."""
        message = self._first(_LAYOUT)
        if message is None or message.flags & _SHARED:
            return None
        return _place(self._file, message)

    @property
    def is_big_endian(self) -> bool:
        """Whether the numbers of a dataset have their highest byte first."""
        message = self._first(_DATATYPE)
        if message is None or message.size < 2:
            return False
        return self._file.number(message.start, 1) & 15 in (0, 1) and bool(self._file.number(message.start + 1, 1) & 1)

    @property
    def is_dataset(self) -> bool:
        """Whether it holds data."""
        return self._first(_LAYOUT) is not None

    def walk(self) -> Iterator[tuple[str, Node]]:
        """The datasets below it, each once, by path ("dense/kernel:0")."""
        seen = {self.address}
        waiting = [("", self)]
        while waiting:
            path, node = waiting.pop()
            self._file.step()
            if path and node.is_dataset:
                yield path, node
                continue
            for name, below in node.links.items():
                if below.address not in seen:
                    seen.add(below.address)
                    waiting.append((f"{path}/{name}" if path else name, below))

    def _linked(self, data: bytes) -> dict[str, Node]:
        return {name: self._file.node(address) for name, address in link(self._file, data)}

    def _first(self, kind: int) -> _Message | None:
        return next((message for message in self._messages if message.kind == kind), None)

    @functools.cached_property
    def _messages(self) -> tuple[_Message, ...]:
        self._file.step()
        start = self.address
        return tuple(_new_header(self._file, start) if self._file.read(start, 4) == b"OHDR" else self._old_header())

    def _old_header(self) -> Iterator[_Message]:
        file = self._file
        if file.number(self.address, 1) != 1:
            raise Damaged(DAMAGED, f"object header at {self.address}")
        blocks = [(self.address + 16, file.number(self.address + 8, 4))]
        seen = {self.address + 16}
        while blocks:
            start, size = blocks.pop(0)
            yield from _block_messages(file, start, size, (8, 2, 2, 4), blocks, seen)

    def _dense(self, message: _Message, counter: int, kind: int) -> Iterator[bytes]:
        """The links or attributes that lie in a heap with an index, as large collections do."""
        file = self._file
        at = message.start + 2
        if file.number(message.start + 1, 1) & 1:
            at += counter
        heap, index = file.address(at), file.address(at + file.offset_size)
        if heap is None or index is None:
            return
        store = FractalHeap(file, heap)
        for record in tree_records(file, index, kind):
            data = store.object(record)
            if data is not None:
                yield data


def _place(file: File, message: _Message) -> Source | None:
    """Where a layout message says that the numbers are: within itself, or elsewhere in one piece.

    Versions before 3 are those of files from before HDF5 1.6.3; 4 and 5 differ from 3 in chunks alone.
    """
    version, kind = file.number(message.start, 1), file.number(message.start + 1, 1)
    if version not in (3, 4, 5):
        return None
    if kind == _COMPACT:
        return file.part(message.start + 4, file.number(message.start + 2, 2))
    if kind != _CONTIGUOUS:
        return None
    at, size = file.address(message.start + 2), file.length(message.start + 2 + file.offset_size)
    return file.part(0, 0) if at is None and size == 0 else None if at is None else file.part(at, size)


def _block_messages(
    file: File, start: int, size: int, head: tuple[int, int, int, int], blocks: list[tuple[int, int]], seen: set[int]
) -> Iterator[_Message]:
    """The messages of one block of a header; where it goes on is added to ``blocks``.

    ``head``: of a message's head its length, the width of the kind, and where size and flags stand.
    """
    if size > MOST_HEADER:
        raise Damaged(DAMAGED, f"a header of {size} bytes")
    data = file.read(start, size)
    width, kind_width, size_at, flags_at = head
    at = 0
    while at + width <= size:
        file.step()
        kind = int.from_bytes(data[at : at + kind_width], "little")
        length = int.from_bytes(data[at + size_at : at + size_at + 2], "little")
        flags = data[at + flags_at]
        at += width
        if at + length > size:
            raise Damaged(DAMAGED, f"message of {length} bytes at {start + at}")
        if kind == _CONTINUATION:
            where, most = file.address(start + at), file.length(start + at + file.offset_size)
            if where is None or where in seen:
                raise Damaged(DAMAGED, f"continuation at {start + at}")
            seen.add(where)
            # In the new form a block of its own begins with its signature and ends with its checksum.
            blocks.append((where, most) if kind_width == 2 else (where + 4, max(0, most - 8)))
        elif kind:
            yield _Message(kind, flags, start + at, length)
        at += length


def _new_header(file: File, start: int) -> Iterator[_Message]:
    flags = file.number(start + 5, 1)
    at = start + 6 + (16 if flags & 0x20 else 0) + (4 if flags & 0x10 else 0)
    width = 1 << (flags & 3)
    blocks = [(at + width, file.number(at, width))]
    seen = {at + width}
    head = (6 if flags & 4 else 4, 1, 1, 3)
    while blocks:
        begins, size = blocks.pop(0)
        yield from _block_messages(file, begins, size, head, blocks, seen)
