"""HDF5 files as a tree of groups, datasets and attributes, in bounds: the data of datasets is found, not read.

h5py is the HDF Group's C library, which crashes the process on hostile bytes; pyfive (1.3) brings compiled
decompressors, and loops or allocates by the numbers it finds. Neither is needed for names, shapes and texts.
The format: https://support.hdfgroup.org/documentation/hdf5/latest/_f_m_t3.html
"""

from __future__ import annotations

import functools
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass

from checks.readers.containers.source import MIB, Damaged, Source

SIGNATURE = b"\x89HDF\r\n\x1a\n"
DAMAGED = "hdf5-damaged"
MOST_STEPS = 600_000  # structures visited in one file
MOST_NODES = 100_000  # groups and datasets
MOST_DEEP = 24  # nodes of a tree on top of each other
MOST_VALUE = 32 * MIB  # of one attribute
MOST_TEXTS = 64 * MIB  # of all attributes together; many may name the same text
MOST_ITEMS = 200_000  # of one attribute
MOST_RANK = 32
MOST_HEADER = 4 * MIB
MOST_NAME = 4096
_PAGE = 1 << 16
_PAGES = 128  # kept in memory
_USER_BLOCKS = (0, 512, 1024, 2048, 4096, 8192)  # where the superblock may begin
_DATASPACE, _LINK_INFO, _DATATYPE, _LINK, _LAYOUT = 0x1, 0x2, 0x3, 0x6, 0x8
_ATTRIBUTE, _CONTINUATION, _SYMBOL_TABLE, _ATTRIBUTE_INFO = 0xC, 0x10, 0x11, 0x15
_COMPACT, _CONTIGUOUS = 0, 1  # layouts
_SHARED = 0x2  # flag of a message: it lies elsewhere
_LINK_NAMES, _ATTRIBUTE_NAMES = 5, 8  # types of a version 2 tree

Value = bytes | tuple[bytes, ...] | int | float | None


@dataclass(frozen=True)
class _Message:
    """One message of an object's header: where its data lies."""

    kind: int
    flags: int
    start: int
    size: int


@dataclass(frozen=True)
class _Type:
    """A datatype as far as it is needed. ``name``: as NumPy spells it; "bytes", "vlen", "other"."""

    name: str
    size: int


class Hdf5:
    """A file. ``root`` is the tree's beginning.

    Raises everywhere:
        Damaged: "hdf5-damaged", "truncated" or "too-large".
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._pages: OrderedDict[int, bytes] = OrderedDict()
        self._steps = 0
        self._nodes = 0
        self._texts = 0
        self._base = 0
        self.is_truncated = False  # the file knows how long it was
        self.offset_size = self.length_size = 8
        self.root = self._superblock()

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

    def node(self, address: int) -> Node:
        """What lies at an address."""
        self._nodes += 1
        if self._nodes > MOST_NODES:
            raise Damaged(DAMAGED, f"more than {MOST_NODES} objects")
        return Node(self, address)

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

    def _superblock(self) -> Node:
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
        return self.node(first)

    def _is_signature(self, at: int) -> bool:
        return at + 8 <= self._source.size and self._source.read(at, 8) == SIGNATURE

    def _sizes(self, offset: int, length: int) -> None:
        if offset not in (2, 4, 8) or length not in (2, 4, 8):
            raise Damaged(DAMAGED, f"addresses of {offset} bytes, lengths of {length}")
        self.offset_size, self.length_size = offset, length


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
                name, value = _attribute(self._file, self._file.read(message.start, message.size))
                found[name] = value
            elif message.kind == _ATTRIBUTE_INFO:
                for data in self._dense(message, 2, _ATTRIBUTE_NAMES):
                    name, value = _attribute(self._file, data)
                    found[name] = value
        return found

    @functools.cached_property
    def links(self) -> dict[str, Node]:
        """What lies in it, by name; links to elsewhere (soft and external ones) are left out."""
        found: dict[str, Node] = {}
        for message in self._messages:
            if message.kind == _SYMBOL_TABLE:
                found.update(_old_links(self._file, message.start))
            elif message.kind == _LINK:
                found.update(_link(self._file, self._file.read(message.start, message.size)))
            elif message.kind == _LINK_INFO:
                for data in self._dense(message, 8, _LINK_NAMES):
                    found.update(_link(self._file, data))
        return found

    @functools.cached_property
    def shape(self) -> tuple[int, ...] | None:
        """The lengths of a dataset's axes; None for a group."""
        message = self._first(_DATASPACE)
        if message is None or message.flags & _SHARED:
            return None
        return _shape(self._file, self._file.read(message.start, message.size))

    @functools.cached_property
    def dtype(self) -> str | None:
        """The dtype of a dataset as NumPy spells it; None for a group and for what is no number and no text."""
        message = self._first(_DATATYPE)
        if message is None or message.flags & _SHARED:
            return None
        name = _type(self._file.read(message.start, message.size)).name
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

    def at(self, path: str) -> Node | None:
        """What lies at a path below it."""
        node: Node | None = self
        for name in path.split("/"):
            node = None if node is None else node.links.get(name)
        return node

    def _first(self, kind: int) -> _Message | None:
        return next((message for message in self._messages if message.kind == kind), None)

    @functools.cached_property
    def _messages(self) -> tuple[_Message, ...]:
        """The messages of its header, those of its continuations too."""
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
        store = _FractalHeap(file, heap)
        for record in _tree_records(file, index, kind):
            data = store.object(record)
            if data is not None:
                yield data


def _place(file: Hdf5, message: _Message) -> Source | None:
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
    file: Hdf5, start: int, size: int, head: tuple[int, int, int, int], blocks: list[tuple[int, int]], seen: set[int]
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


def _new_header(file: Hdf5, start: int) -> Iterator[_Message]:
    """The messages of a version 2 header."""
    flags = file.number(start + 5, 1)
    at = start + 6 + (16 if flags & 0x20 else 0) + (4 if flags & 0x10 else 0)
    width = 1 << (flags & 3)
    blocks = [(at + width, file.number(at, width))]
    seen = {at + width}
    head = (6 if flags & 4 else 4, 1, 1, 3)
    while blocks:
        begins, size = blocks.pop(0)
        yield from _block_messages(file, begins, size, head, blocks, seen)


def _old_links(file: Hdf5, at: int) -> Iterator[tuple[str, Node]]:
    """The members of an old group: a tree of symbol tables, and a heap with the names."""
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
            name = _take(data, at, file.offset_size)
            where = _take(data, at + file.offset_size, file.offset_size)
            if _take(data, at + 2 * file.offset_size, 4) == 2 or name >= size:  # 2: a soft link
                continue
            text = file.read(names + name, min(size - name, MOST_NAME)).split(b"\0", 1)[0]
            yield text.decode("utf-8", "replace"), file.node(where)


def _old_tree(file: Hdf5, root: int) -> Iterator[int]:
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


def _link(file: Hdf5, data: bytes) -> Iterator[tuple[str, Node]]:
    """A link message: nothing for a soft or external one."""
    flags = _take(data, 1, 1)
    at = 2
    kind = 0
    if flags & 8:
        kind, at = _take(data, at, 1), at + 1
    at += (8 if flags & 4 else 0) + (1 if flags & 0x10 else 0)
    width = 1 << (flags & 3)
    size = _take(data, at, width)
    at += width
    name = _piece(data, at, size).decode("utf-8", "replace")
    if kind == 0:
        yield name, file.node(_take(data, at + size, file.offset_size))


def _attribute(file: Hdf5, data: bytes) -> tuple[str, Value]:
    """An attribute message."""
    version, flags = _take(data, 0, 1), _take(data, 1, 1)
    if version not in (1, 2, 3):
        raise Damaged(DAMAGED, f"attribute of version {version}")
    sizes = [_take(data, at, 2) for at in (2, 4, 6)]
    at = 8 + (1 if version == 3 else 0)
    parts = []
    for size in sizes:
        parts.append(_piece(data, at, size))
        at += size if version > 1 else (size + 7) & ~7
    name = parts[0].split(b"\0", 1)[0].decode("utf-8", "replace")
    if flags & 3 and version > 1:  # a type or shape that lies elsewhere
        return name, None
    return name, _value(file, _type(parts[1]), _shape(file, parts[2]), data[at:])


def _value(file: Hdf5, kind: _Type, shape: tuple[int, ...] | None, data: bytes) -> Value:
    """The value of an attribute."""
    if shape is None:  # an empty one
        return None
    count = 1
    for axis in shape:
        count *= axis
    if kind.size == 0 or count > MOST_ITEMS or count * kind.size > len(data):
        if kind.size and count <= MOST_ITEMS:
            raise Damaged(DAMAGED, f"{count} values in {len(data)} bytes")
        return None
    items = (data[at : at + kind.size] for at in range(0, count * kind.size, kind.size))
    if kind.name in ("bytes", "vlen"):
        texts = tuple(_vlen(file, item) if kind.name == "vlen" else item.rstrip(b"\0") for item in items)
        return texts if shape else texts[0]
    if shape or not kind.name.lstrip("u").startswith("int"):
        return None
    return int.from_bytes(next(items), "little", signed=kind.name.startswith("int"))


def _vlen(file: Hdf5, data: bytes) -> bytes:
    """A text in a global heap."""
    size = _take(data, 0, 4)
    heap = _take(data, 4, file.offset_size)
    index = _take(data, 4 + file.offset_size, 4)
    if size == 0 or heap == 0:
        return b""
    if file.read(heap, 4) != b"GCOL":
        raise Damaged(DAMAGED, f"global heap at {heap}")
    at, end = heap + 8 + file.length_size, heap + file.length(heap + 8)
    while at + 8 + file.length_size <= end:
        file.step()
        number, length = file.number(at, 2), file.length(at + 8)
        at += 8 + file.length_size
        if number == index:
            return file.text(at, min(size, length))
        if number == 0:
            break
        at += (length + 7) & ~7
    raise Damaged(DAMAGED, f"object {index} of the heap at {heap}")


def _shape(file: Hdf5, data: bytes) -> tuple[int, ...] | None:
    """A dataspace message; None for an empty one."""
    version, rank = _take(data, 0, 1), _take(data, 1, 1)
    if version not in (1, 2) or rank > MOST_RANK:
        raise Damaged(DAMAGED, f"dataspace of version {version}, rank {rank}")
    if version == 2 and _take(data, 3, 1) == 2:
        return None
    start = 8 if version == 1 else 4
    return tuple(_take(data, start + axis * file.length_size, file.length_size) for axis in range(rank))


def _type(data: bytes) -> _Type:
    """A datatype message."""
    kind, size = _take(data, 0, 1) & 15, _take(data, 4, 4)
    if kind == 0:
        is_signed = _take(data, 1, 1) & 8
        return _Type(f"{'' if is_signed else 'u'}int{size * 8}" if size in (1, 2, 4, 8) else "other", size)
    if kind == 1:
        exponent = _take(data, 13, 1)
        return _Type({(2, 8): "bfloat16"}.get((size, exponent), f"float{size * 8}"), size)
    if kind == 3:
        return _Type("bytes", size)
    if kind == 8:  # an enumeration, as booleans are
        return _Type("bool" if size == 1 else "other", size)
    is_text = kind == 9 and (_take(data, 1, 1) & 15) == 1
    return _Type("vlen" if is_text else "other", size)


class _FractalHeap:
    """A heap that grows by doubling blocks; without compression."""

    def __init__(self, file: Hdf5, at: int) -> None:
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
        kind = _take(identifier, 0, 1) >> 4 & 3
        if kind == 2:  # small enough to lie in the identifier
            return _piece(identifier, 1, (identifier[0] & 15) + 1)
        if kind == 1:
            return None
        if kind != 0 or self._root is None:
            raise Damaged(DAMAGED, "an object of a heap")
        offset = _take(identifier, 1, self._offset_bytes)
        size = _take(identifier, 1 + self._offset_bytes, self._length_bytes)
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


def _tree_records(file: Hdf5, at: int, kind: int) -> Iterator[bytes]:
    """The heap identifiers that a version 2 tree holds."""
    if file.read(at, 4) != b"BTHD" or file.number(at + 5, 1) != kind:
        raise Damaged(DAMAGED, f"index at {at}")
    node_size, record, depth = file.number(at + 6, 4), file.number(at + 10, 2), file.number(at + 12, 2)
    root, count = file.address(at + 16), file.number(at + 16 + file.offset_size, 2)
    if root is None:
        return
    skip, width = (4, 7) if kind == _LINK_NAMES else (0, 8)
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


def _take(data: bytes, at: int, size: int) -> int:
    """A number of a message."""
    return int.from_bytes(_piece(data, at, size), "little")


def _piece(data: bytes, at: int, size: int) -> bytes:
    """Bytes of a message."""
    if at < 0 or at + size > len(data):
        raise Damaged(DAMAGED, f"{size} bytes at {at} of a message of {len(data)}")
    return data[at : at + size]
