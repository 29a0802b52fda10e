"""Torch7's .t7: the Lua framework's files, of which the last release is of 2017. Binary, or the same as text.

An object is its kind, its number, and its parts in order, so that one pass without a stack counts layers and weights.
The form: File.lua, generic/Tensor.c and generic/Storage.c of torch7.
"""

from __future__ import annotations

import re
from collections import Counter

import msgspec

from checks.facts import Binding
from checks.readers.containers.cursor import Cursor
from checks.readers.containers.folder import Folder
from checks.readers.containers.source import Damaged, Source
from checks.readers.models.reading import Reading, operator_uses
from checks.readers.models.registry import Rank, file_reader

NIL, NUMBER, STRING, TABLE, TORCH, BOOLEAN, FUNCTION, OLD_CLOSURE, CLOSURE = range(9)
_MOST_OBJECTS = 2_000_000
_MOST_DIMENSIONS = 64
_MOST_CLASSES = 300
_LONGEST_NAME = 100
_BINARY = re.compile(rb"\x04\0\0\0.{4}(?:\x03\0\0\0V \d[\x01-\x64]\0\0\0|[\x01-\x64]\0\0\0)[A-Za-z_][\w.]*", re.DOTALL)
_TEXT = re.compile(rb"4\n\d{1,9}\n(?:3\nV \d\n)?\d{1,3}\n([A-Za-z_][\w.]{0,99})\n")
_DTYPES = {
    "Byte": ("uint8", 1),
    "Char": ("int8", 1),
    "Short": ("int16", 2),
    "Int": ("int32", 4),
    "Long": ("int64", 8),
    "Half": ("float16", 2),
    "Float": ("float32", 4),
    "Double": ("float64", 8),
    "": ("float32", 4),  # torch.CudaTensor
}
_NUMBERS = re.compile(r"torch\.(Cuda)?(Byte|Char|Short|Int|Long|Half|Float|Double|)(Tensor|Storage)")


@file_reader("torch7", rank=Rank.MAGIC)
def torch7(source: Source, _beside: Folder) -> Reading | None:
    """A file whose first object is of a Torch class."""
    head = source.head
    if found := _TEXT.match(head):
        details = {"model-class": found[1].decode("ascii"), "content": "text"}
        return Reading("torch7", producer="torch7", frameworks=("torch7",), devices=(), details=details)
    if not _BINARY.match(head):
        return None
    seen, run = _Seen(source), Reading()
    with run.part():
        seen.run()
    return seen.reading(run.problem)


@file_reader("torch7", rank=Rank.NAME)
def torch7_table(source: Source, _beside: Folder) -> Reading | None:
    """A file that is a table of Torch objects: it must be one to its end."""
    if source.size < 12 or source.read(0, 4) != TABLE.to_bytes(4, "little"):
        return None
    seen = _Seen(source)
    try:
        seen.run()
    except Damaged:
        return None
    is_one = seen.cursor.at == source.size and (seen.classes or source.name.lower().endswith(".t7"))
    return seen.reading(None) if is_one else None


class _Seen:
    """What a pass over the objects has counted."""

    def __init__(self, source: Source) -> None:
        self.cursor = Cursor(source)
        self.classes: Counter[str] = Counter()
        self.first_class = ""
        self.dtypes: dict[str, int] = {}
        self.memory = 0
        self.is_cuda = False
        self._known: set[int] = set()
        self._waiting = 1  # objects that are still to come

    def run(self) -> None:
        """Every object, in the order of the file. Raises Damaged: "truncated", "torch7-damaged" or "too-large"."""
        for _ in range(_MOST_OBJECTS):
            if self._waiting == 0:
                return
            self._waiting -= 1
            self._object(self.cursor.number("i"))
        raise Damaged("too-large", f"more than {_MOST_OBJECTS} objects")

    def reading(self, problem: Damaged | None) -> Reading:
        """What was counted."""
        uses = operator_uses(self.classes, is_custom=lambda name: not name.startswith("nn."))
        operators = [msgspec.structs.replace(use, name=use.name.removeprefix("nn.")) for use in uses]
        return Reading(
            "torch7",
            producer="torch7",
            frameworks=("torch7",),
            operators=operators or None,
            devices=("cuda",) if self.is_cuda else (),
            memory=None if problem else self.memory,
            dtypes=None if problem else self.dtypes,
            bound_to=(Binding(kind="torch-device", value="cuda"),) if self.is_cuda else (),
            details={"model-class": self.first_class},
            problem=problem,
        )

    def _object(self, kind: int) -> None:
        cursor = self.cursor
        if kind == NIL:
            return
        if kind == NUMBER:
            cursor.skip(8)
        elif kind == STRING:
            self.cursor.skip(self._count())
        elif kind == BOOLEAN:
            cursor.skip(4)
        elif kind in (TABLE, TORCH, FUNCTION, OLD_CLOSURE, CLOSURE):
            number = cursor.number("i")
            if number not in self._known:
                self._known.add(number)
                self._new(kind)
        else:
            raise Damaged("torch7-damaged", f"kind {kind} at {cursor.at - 4}")

    def _new(self, kind: int) -> None:
        if kind == TABLE:
            self._expect(2 * self._count())
        elif kind == TORCH:
            self._instance(self._class_name())
        else:
            self.cursor.skip(self._count())
            self._expect(1)

    def _class_name(self) -> str:
        name = self._name()
        return self._name() if name.startswith("V ") else name

    def _name(self) -> str:
        size = self._count()
        if size > _LONGEST_NAME:
            raise Damaged("torch7-damaged", f"a name of {size} bytes")
        return self.cursor.bytes(size).decode("utf-8", "replace")

    def _instance(self, name: str) -> None:
        found = _NUMBERS.fullmatch(name)
        if found is None:
            self.first_class = self.first_class or name
            if name in self.classes or len(self.classes) < _MOST_CLASSES:
                self.classes[name] += 1
            # The containers of torch-tds write how many objects follow an empty one.
            self._expect(1 if not name.startswith("tds.") else 1 + self._count() * (2 if name == "tds.Hash" else 1))
            return
        cuda, kind, what = found.groups()
        dtype, width = _DTYPES[kind]
        self.is_cuda = self.is_cuda or cuda is not None
        if what == "Tensor":
            dimensions = self._count()
            if dimensions > _MOST_DIMENSIONS:
                raise Damaged("torch7-damaged", f"{dimensions} dimensions")
            self.cursor.skip(16 * dimensions + 8)
            self._expect(1)
            return
        count = self.cursor.number("q")
        if count < 0:
            raise Damaged("torch7-damaged", f"{count} numbers")
        self.cursor.skip(count * width)
        self.dtypes[dtype] = self.dtypes.get(dtype, 0) + count
        self.memory += count * width

    def _count(self) -> int:
        count = self.cursor.number("i")
        if count < 0:
            raise Damaged("torch7-damaged", f"a count of {count}")
        return count

    def _expect(self, count: int) -> None:
        self._waiting += count
        if self._waiting > _MOST_OBJECTS:
            raise Damaged("too-large", f"{self._waiting} objects")
