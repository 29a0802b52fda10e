"""Pickles read without unpickling: which names would be imported and called, and what the values would look like.

An interpreter of the opcodes of protocols 0 to 5 that follows stack and memo as Python's own unpickler does, but builds
notes about objects in the place of objects: it imports, calls and allocates nothing that the stream asks for. Where
Python's unpickler would stop, it stops too, or goes on and sees more, never less. Time is linear in the file, memory
has a bound; what lies beyond the bound is counted, not kept. The opcodes: Lib/pickletools.py of CPython 3.11.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from checks.readers.containers.source import MIB, Damaged, Source

MOST_OPCODES = 8_000_000
MOST_STACK = 250_000  # values at a time
MOST_MARKS = 100_000
MOST_MEMO = 4_000_000
MOST_NAMES = 5_000  # different names that one stream imports
NEWEST_PROTOCOL = 5
_ROOM = 64 * MIB  # bytes, about, that memo and containers may hold
_SHORT = 64  # bytes of a text that is kept at no charge while it is on the stack
_LONGEST_TEXT = 4096
_LONGEST_NAME = 300
_NODE = 400  # bytes, about, of a node with its dict and list
_CHUNK = 1 << 16
_LARGEST_CHUNK = MIB
_ATTRIBUTE = ("builtins", "getattr")
_ESCAPE = re.compile(rb"\\(x[0-9a-fA-F]{2}|[0-7]{1,3}|.)", re.DOTALL)
_ESCAPED = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}
# What Python 2 called the modules; unpicklers of Python 3 translate (Lib/_compat_pickle.py).
_RENAMED = {"__builtin__": "builtins", "copy_reg": "copyreg", "cPickle": "pickle", "commands": "subprocess"}


class Unknown:
    """A value that was not kept or cannot be known. There is one: UNKNOWN."""

    __slots__ = ()


UNKNOWN: Final = Unknown()
_EMPTY: Final = Unknown()  # a place of the memo


@dataclass(frozen=True, slots=True)
class Blob:
    """Bytes that were stepped over; ``short`` are the bytes themselves where there are few. ``is_text``: UTF-8."""

    start: int
    size: int
    short: bytes | None = None
    is_text: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Global:
    """A class or function by its name. ``resolved``: from getattr() with known arguments, not from an import."""

    module: str
    name: str
    resolved: bool = False

    @property
    def path(self) -> str:
        """Its dotted name."""
        return f"{self.module}.{self.name}"


@dataclass(frozen=True, slots=True, eq=False)
class Persistent:
    """What the loading program would supply by an id: the storage of a tensor."""

    id: Value


class Node:
    """A container, or what a class or function would make. Only what the stream adds to it is known.

    ``maker``: None for a plain dict, list or set (then ``kind`` tells which). ``count``: entries and elements
    together, also those that were not kept.
    """

    __slots__ = ("args", "count", "elements", "entries", "kind", "maker", "state")

    def __init__(self, kind: str, maker: Value = None, args: tuple[Value, ...] = ()) -> None:
        self.kind = kind  # "dict", "list", "set", "made"
        self.maker = maker
        self.args = args
        self.entries: dict[str | int, Value] = {}
        self.elements: list[Value] = []
        self.state: Value = None
        self.count = 0

    @property
    def made_by(self) -> str:
        """The dotted name of what would make it; "" for a plain container or where it is not known."""
        return self.maker.path if isinstance(self.maker, Global) else ""


Value = None | bool | int | float | str | Blob | Global | Persistent | Node | Unknown | tuple["Value", ...]


@dataclass(slots=True)
class Pickle:
    """What one stream says. ``problem`` is set where it could not be followed to its end."""

    protocol: int = 0
    root: Value = None
    start: int = 0
    end: int = 0  # of the stream: where the next thing in the file begins
    # (module, name) that would be imported -> whether it would also be called, as a function is or with its __init__
    names: dict[tuple[str, str], bool] = field(default_factory=dict)
    opcodes: set[int] = field(default_factory=set)
    persistent: list[Persistent] = field(default_factory=list)
    inner: list[Blob | str] = field(default_factory=list)  # what is handed to another unpickler; str: one per byte
    steps: int = 0
    is_whole: bool = True  # nothing had to be left out of ``root``
    problem: Damaged | None = None


COMPUTED = ("", "(computed)")  # what would be imported is not written in the stream
UNREAD = ("", "(unread pickle)")  # what another unpickler would be given is not written in one piece
MOST_INNER = 1000
_UNPICKLERS = {"torch.storage._load_from_bytes", "pickle.loads", "_pickle.loads"}
# How joblib keeps arrays: their bytes follow in the stream once such an object is built.
JOBLIB_ARRAYS = {
    "joblib.numpy_pickle.NumpyArrayWrapper",
    "sklearn.externals.joblib.numpy_pickle.NumpyArrayWrapper",
}
# What changes how the rest is to be read, where it is called. Handed to something else, it is called unseen.
_WATCHED = {".".join(_ATTRIBUTE), *_UNPICKLERS, *JOBLIB_ARRAYS}
_MAKERS = {"copyreg._reconstructor", "copyreg.__newobj__", "copyreg.__newobj_ex__"}
_OF_PROTOCOL_1 = set(b"JKMTUXG]e)}u1hjqroQ")
_EXTENSION = "(copyreg extension)"

# After a node was built: how many bytes that are no opcodes follow in the stream (joblib's arrays).
AfterBuild = Callable[[Node, Source, int], int]


def read_pickle(source: Source, start: int = 0, after_build: AfterBuild | None = None) -> Pickle:
    """Follow the stream that begins at ``start``. Never raises: ``problem`` tells what is wrong with it."""
    machine = _Machine(source, start, after_build)
    try:
        machine.run()
    except Damaged as problem:
        machine.result.problem = problem
    return machine.finished()


def begins_like_a_pickle(head: bytes) -> bool:
    """Whether the first bytes can be those of a pickle of protocol 2 or later, or of a plausible older one."""
    if len(head) >= 3 and head[0] == 0x80 and 2 <= head[1] <= NEWEST_PROTOCOL:
        return head[2:3] in _FIRST
    return _OLD_BEGINNING.match(head) is not None


# What a pickler writes first: a frame, an empty container, a mark, a name, a text, a number, None.
_FIRST = {bytes([each]) for each in b"\x95}])(c\x8c\x8bXKJMG\x8aNUT\x88\x89\x85BC\x8e\x8f\x91\x96"}
_OLD_BEGINNING = re.compile(
    rb"\((?:[dlt][p.a-zA-Z\n]|i[\w.]+\n[\w.]+\n|c[\w.]+\n[\w.]+\n|S['\"]|V|I-?\d+\n|K.|U.|X....|q.)"
    rb"|c[A-Za-z_][\w.]*\n[A-Za-z_][\w.]*\n|[\]}]q.|[\]}]\(|\x80[\x00\x01]",
    re.DOTALL,
)


class _Machine:
    """The unpickler that unpickles nothing."""

    def __init__(self, source: Source, start: int, after_build: AfterBuild | None) -> None:
        self.result = Pickle(start=start)
        self.source = source
        self.after_build = after_build
        self.data = b""
        self.base = start  # where ``data`` begins in the source
        self.at = 0  # within ``data``
        self.chunk = _CHUNK
        self.stack: list[Value] = []
        self.marks: list[int] = []
        self.memo: list[Value] = []
        self.forgotten: dict[int, str] = {}  # the last texts for which the memo had no room
        self.far: dict[int, Value] = {}  # places of the memo that are not in sequence
        self.filled = 0  # places of the memo
        self.room = _ROOM
        self.names: dict[tuple[str, str], Global] = {}
        self.open: dict[
            Global, int
        ] = {}  # watched name -> times that it was pushed, less the calls that are understood

    # --- the run

    def run(self) -> None:
        """Opcode by opcode up to STOP."""
        table = [_OPCODES.get(code) for code in range(256)]
        used, stack = bytearray(256), self.stack
        left = MOST_OPCODES
        try:
            while True:
                if self.at >= len(self.data):
                    self.fill(1)
                code = self.data[self.at]
                self.at += 1
                used[code] = 1
                handler = table[code]
                if handler is None:
                    if code == _STOP:
                        self.need(1)
                        return
                    raise Damaged("pickle-damaged", f"no opcode {code:#04x} at {self.base + self.at - 1}")
                handler(self)
                left -= 1
                if left <= 0 or len(stack) > MOST_STACK:
                    raise Damaged("too-large", f"more than {MOST_OPCODES if left <= 0 else MOST_STACK} values")
        finally:
            self.result.steps = MOST_OPCODES - left
            self.result.opcodes = {code for code in range(256) if used[code]}

    def finished(self) -> Pickle:
        """What was seen."""
        result = self.result
        result.end = self.base + self.at
        result.root = self.stack[-1] if self.stack else UNKNOWN
        if result.protocol == 0 and result.opcodes & _OF_PROTOCOL_1:
            result.protocol = 1  # which has no opcode to say so
        for name, count in self.open.items():
            if (name.module, name.name) != _ATTRIBUTE:
                if count > 0:
                    self.note(*COMPUTED)
            elif count <= 0 and result.problem is None:
                result.names.pop(_ATTRIBUTE, None)  # every result of it is in the list by its own name
        if result.problem is not None and result.problem.reason == "too-large":
            self.note(*UNREAD)
        return result

    # --- bytes

    def fill(self, size: int) -> None:
        """Have at least ``size`` bytes from ``at`` on in ``data``; ``size`` is small."""
        self.base += self.at
        self.at = 0
        left = self.source.size - self.base
        if left < size:
            self.data = b""
            raise Damaged("truncated", f"the pickle goes on beyond {self.source.size}")
        self.data = self.source.read(self.base, min(self.chunk, left))
        self.chunk = min(2 * self.chunk, _LARGEST_CHUNK)

    def take(self, size: int) -> bytes:
        if self.at + size > len(self.data):
            self.fill(size)
        piece = self.data[self.at : self.at + size]
        self.at += size
        return piece

    def skip(self, size: int) -> Blob:
        """Step over bytes without reading them, unless they are few."""
        start = self.base + self.at
        if size <= _SHORT:
            return Blob(start, size, self.take(size))
        if size > self.source.size - start:
            raise Damaged("truncated", f"{size} bytes at {start} of {self.source.size}")
        self.jump(start + size)
        return Blob(start, size)

    def jump(self, place: int) -> None:
        if place - self.base <= len(self.data):
            self.at = place - self.base
        else:
            self.base, self.at, self.data, self.chunk = place, 0, b"", _CHUNK

    def line(self) -> bytes | None:
        """A line of protocol 0 without its end; None where it is longer than what is kept."""
        start = self.at
        found = self.data.find(b"\n", start)
        if found >= 0:
            self.at = found + 1
            return self.data[start:found] if found - start <= _LONGEST_TEXT else None
        kept = self.data[start:]
        self.at = len(self.data)
        while True:
            self.fill(1)
            found = self.data.find(b"\n")
            piece = self.data if found < 0 else self.data[:found]
            if len(kept) <= _LONGEST_TEXT:
                kept += piece[: _LONGEST_TEXT + 1]
            if found >= 0:
                self.at = found + 1
                return kept if len(kept) <= _LONGEST_TEXT else None
            self.at = len(self.data)

    def text(self, size: int) -> None:
        """Push a text of UTF-8."""
        if size > _LONGEST_TEXT or (size > _SHORT and not self.charge(size)):
            blob = self.skip(size)
            self.stack.append(Blob(blob.start, size, is_text=True))
        else:
            self.stack.append(str(self.take(size), "utf-8", "replace"))

    # --- stack and memo

    def need(self, count: int) -> None:
        if len(self.stack) < count:
            raise Damaged("pickle-damaged", f"nothing on the stack at {self.base + self.at}")

    def pop(self) -> Value:
        if not self.stack:
            raise Damaged("pickle-damaged", f"nothing on the stack at {self.base + self.at}")
        return self.stack.pop()

    def pop_mark(self) -> list[Value]:
        if not self.marks:
            raise Damaged("pickle-damaged", f"no mark at {self.base + self.at}")
        mark = self.marks.pop()
        items = self.stack[mark:]
        del self.stack[mark:]
        return items

    def charge(self, cost: int) -> bool:
        """Whether there is room to keep something of about so many bytes."""
        if self.room < cost:
            self.result.is_whole = False
            return False
        self.room -= cost
        return True

    def put(self, place: int) -> None:
        self.need(1)
        value = self.stack[-1]
        # Names cost nothing: there are few of them, and a forgotten one would be called unseen.
        kept = value if type(value) is Global or self.charge(_cost(value)) else UNKNOWN
        if kept is UNKNOWN and type(value) is str and len(value) <= _LONGEST_NAME:
            self.forgotten[place] = value
            if len(self.forgotten) > 8:
                del self.forgotten[next(iter(self.forgotten))]
        size = len(self.memo)
        if size <= place <= size + 1 and size < MOST_MEMO and not self.far:  # Python 2 counts from one
            self.memo.extend((_EMPTY,) * (place - size))
            self.memo.append(kept)
            self.filled += 1
        elif place < size:
            self.filled += self.memo[place] is _EMPTY
            self.memo[place] = kept
        elif place in self.far or self.charge(120):
            self.filled += place not in self.far
            self.far[place] = kept
        else:
            raise Damaged("too-large", "the memo has too many places")

    def get(self, place: int) -> None:
        value = self.memo[place] if place < len(self.memo) else self.far.get(place, _EMPTY)
        if value is _EMPTY:
            raise Damaged("pickle-damaged", f"nothing in place {place} of the memo")
        self.pushed(value)
        self.stack.append(value)

    # --- names and calls

    def pushed(self, value: Value) -> None:
        """Something known comes onto the stack again."""
        if self.open and type(value) is Global and value in self.open:
            self.open[value] += 1

    def import_name(self, module: Value, name: Value) -> None:
        if not (isinstance(module, str) and isinstance(name, str)):
            self.note(*COMPUTED)
            self.stack.append(UNKNOWN)
            return
        self.remember(module, name)
        self.stack.append(self.name_of(_RENAMED.get(module, module), name))

    def remember(self, *texts: str) -> None:
        """Keep the texts of a name although there is no room: the next names are made of them."""
        for place, text in list(self.forgotten.items()):
            if any(text is each for each in texts):
                del self.forgotten[place]
                if place < len(self.memo):
                    self.memo[place] = text
                else:
                    self.far[place] = text

    def name_of(self, module: str, name: str, *, resolved: bool = False) -> Global:
        found = self.names.get((module, name))
        if found is None:
            found = Global(module, name, resolved)
            if len(self.names) >= MOST_NAMES:
                raise Damaged("too-large", f"more than {MOST_NAMES} names")
            self.names[module, name] = found
            self.note(module, name)
        if found.path in _WATCHED:
            self.open[found] = self.open.get(found, 0) + 1
        return found

    def note(self, module: str, name: str, *, called: bool = False) -> None:
        self.result.names[module, name] = called or self.result.names.get((module, name), False)

    def call(self, maker: Value, args: Value, *, is_made: bool = False) -> Value:
        """What a call would give. ``is_made``: only the class's __new__ is called."""
        given = args if isinstance(args, tuple) else (UNKNOWN,)
        if isinstance(maker, Global):
            self.note(maker.module, maker.name, called=not is_made)
            if (maker.module, maker.name) == _ATTRIBUTE:
                return self.attribute(maker, given)
            if maker.path in _MAKERS and given:  # the class is the first argument
                maker, given = given[0], given[1:]
                if isinstance(maker, Global) and maker.path in JOBLIB_ARRAYS:
                    self.open[maker] -= 1
            elif maker in self.open:
                self.open[maker] -= 1
                if maker.path in _UNPICKLERS:
                    self.unpickle(given)
            elif maker.path == "collections.OrderedDict" and given:
                return self.ordered(maker, given[0])
        return Node("made", maker, given) if self.charge(_NODE) else UNKNOWN

    def ordered(self, maker: Global, pairs: Value) -> Value:
        """An OrderedDict as Python 2 wrote it, from a list of pairs."""
        if not self.charge(_NODE):
            return UNKNOWN
        node = Node("made", maker)
        self.stack.append(node)
        for pair in pairs.elements if isinstance(pairs, Node) else ():
            items = pair.elements if isinstance(pair, Node) else pair
            if isinstance(items, list | tuple) and len(items) == 2:
                self.set_item(items[0], items[1])
        self.stack.pop()
        return node

    def unpickle(self, given: tuple[Value, ...]) -> None:
        """Another unpickler is given bytes: of the stream, so that they can be read too, or nobody knows which."""
        data = given[0] if given else UNKNOWN
        if isinstance(data, Node) and data.made_by == "_codecs.encode" and data.args[1:] == ("latin1",):
            data = data.args[0]  # how bytes are written before protocol 3: as a text of their code points
        if isinstance(data, Blob | str) and len(self.result.inner) < MOST_INNER:
            self.result.inner.append(data)
        else:
            self.note(*UNREAD)

    def attribute(self, getter: Global, given: tuple[Value, ...]) -> Value:
        """getattr(x, "name"): a name of its own, if both are known."""
        owner, name = (*given, UNKNOWN, UNKNOWN)[:2]
        if isinstance(owner, Node):
            owner = owner.maker
        if not (isinstance(owner, Global) and isinstance(name, str)) or len(owner.name) > _LONGEST_TEXT:
            return UNKNOWN  # it stays open, and getattr in the list
        self.open[getter] -= 1
        return self.name_of(owner.module, f"{owner.name}.{name}", resolved=True)

    # --- containers

    def set_item(self, key: Value, value: Value) -> None:
        """Into what is on top of the stack."""
        target = self.stack[-1]
        if not isinstance(target, Node):
            return
        target.count += 1
        if isinstance(key, Blob) and key.short is not None:
            key = key.short.decode("latin-1")  # keys of Python 2
        if not isinstance(key, str | int):
            key = f"#{target.count}"  # its value counts all the same
        if self.charge(120 + _cost(key) + _cost(value)):
            target.entries[key] = value
        else:
            self.result.is_whole = False

    def add(self, items: list[Value]) -> None:
        """To what is on top of the stack."""
        target = self.stack[-1]
        if not isinstance(target, Node):
            return
        target.count += len(items)
        if self.charge(sum(map(_cost, items)) + 8 * len(items)):
            target.elements.extend(items)
        else:
            self.result.is_whole = False


def _cost(value: Value) -> int:
    """Bytes, about, that a value takes up while it is kept; what everybody shares costs nothing."""
    kind = type(value)
    if kind is str:
        return 60 + len(value)  # type: ignore[arg-type]
    if kind is tuple:
        return 60 + 8 * len(value)  # type: ignore[arg-type]
    if kind is Node:
        return _NODE
    return 8 if kind in (bool, Global, Unknown) or value is None else 40


# --- the opcodes -----------------------------------------------------------------------------------------------------
_Handler = Callable[[_Machine], None]
_OPCODES: dict[int, _Handler] = {}
_STOP = ord(".")
_unpack_int = struct.Struct("<i").unpack
_unpack_float = struct.Struct(">d").unpack


def _opcode(*codes: str) -> Callable[[_Handler], _Handler]:
    def register(handler: _Handler) -> _Handler:
        _OPCODES.update({ord(code): handler for code in codes})
        return handler

    return register


def _size(machine: _Machine, width: int) -> int:
    return int.from_bytes(machine.take(width), "little")


def _constant(code: str, value: Value) -> None:
    _OPCODES[ord(code)] = lambda machine: machine.stack.append(value)


for _code, _value in (("N", None), ("\x88", True), ("\x89", False), (")", ())):
    _constant(_code, _value)


def _container(code: str, kind: str) -> None:
    _OPCODES[ord(code)] = lambda machine: machine.stack.append(Node(kind))


for _code, _kind in (("}", "dict"), ("]", "list"), ("\x8f", "set")):
    _container(_code, _kind)


@_opcode("\x80")
def _proto(machine: _Machine) -> None:
    protocol = machine.take(1)[0]
    machine.result.protocol = max(protocol, machine.result.protocol)
    if protocol > NEWEST_PROTOCOL:
        raise Damaged("pickle-damaged", f"protocol {protocol}")


@_opcode("\x95")
def _frame(machine: _Machine) -> None:
    machine.take(8)


@_opcode("(")
def _mark(machine: _Machine) -> None:
    if len(machine.marks) >= MOST_MARKS:
        raise Damaged("too-large", f"more than {MOST_MARKS} marks")
    machine.marks.append(len(machine.stack))


@_opcode("K")
def _binint1(machine: _Machine) -> None:
    machine.stack.append(machine.take(1)[0])


@_opcode("M")
def _binint2(machine: _Machine) -> None:
    machine.stack.append(_size(machine, 2))


@_opcode("J")
def _binint(machine: _Machine) -> None:
    machine.stack.append(_unpack_int(machine.take(4))[0])


@_opcode("G")
def _binfloat(machine: _Machine) -> None:
    machine.stack.append(_unpack_float(machine.take(8))[0])


def _long(machine: _Machine, size: int) -> None:
    if size <= 16:
        machine.stack.append(int.from_bytes(machine.take(size), "little", signed=True))
    else:
        machine.skip(size)
        machine.stack.append(UNKNOWN)


@_opcode("\x8a")
def _long1(machine: _Machine) -> None:
    _long(machine, machine.take(1)[0])


@_opcode("\x8b")
def _long4(machine: _Machine) -> None:
    _long(machine, _size(machine, 4))


@_opcode("I", "L")
def _int_line(machine: _Machine) -> None:
    line = machine.line() or b""
    if line in (b"00", b"01"):
        machine.stack.append(line == b"01")
        return
    try:
        machine.stack.append(int(line.rstrip(b"L")) if len(line) < _SHORT else UNKNOWN)
    except ValueError:
        machine.stack.append(UNKNOWN)


@_opcode("F")
def _float_line(machine: _Machine) -> None:
    line = machine.line() or b""
    try:
        machine.stack.append(float(line) if len(line) < _SHORT else UNKNOWN)
    except ValueError:
        machine.stack.append(UNKNOWN)


@_opcode("X")
def _binunicode(machine: _Machine) -> None:
    machine.text(_size(machine, 4))


@_opcode("\x8c")
def _short_binunicode(machine: _Machine) -> None:
    machine.text(machine.take(1)[0])


@_opcode("\x8d")
def _binunicode8(machine: _Machine) -> None:
    machine.text(_size(machine, 8))


@_opcode("V")
def _unicode_line(machine: _Machine) -> None:
    line = machine.line()
    try:
        machine.stack.append(UNKNOWN if line is None else line.decode("raw-unicode-escape"))
    except UnicodeDecodeError:
        machine.stack.append(UNKNOWN)


@_opcode("S")
def _string_line(machine: _Machine) -> None:
    line = (machine.line() or b"").strip()
    is_quoted = len(line) >= 2 and line[0] == line[-1] and line[:1] in b"'\""
    machine.stack.append(_ESCAPE.sub(_unescaped, line[1:-1]).decode("latin-1") if is_quoted else UNKNOWN)


def _unescaped(found: re.Match[bytes]) -> bytes:
    code: bytes = found[1]
    if code[:1] == b"x" and len(code) == 3:
        return bytes([int(code[1:], 16)])
    if code[:1].isdigit() and code[:1] < b"8":
        return bytes([int(code, 8) & 0xFF])
    if code in b"\\'\"":
        return code
    return b"" if code == b"\n" else _ESCAPED.get(code, found[0])


def _string(machine: _Machine, size: int) -> None:
    """A byte string of Python 2: text where it is short, since names come so."""
    blob = machine.skip(size)
    machine.stack.append(blob if blob.short is None else blob.short.decode("latin-1"))


@_opcode("T")
def _binstring(machine: _Machine) -> None:
    size = _unpack_int(machine.take(4))[0]
    if size < 0:
        raise Damaged("pickle-damaged", f"a text of {size} bytes")
    _string(machine, size)


@_opcode("U")
def _short_binstring(machine: _Machine) -> None:
    _string(machine, machine.take(1)[0])


@_opcode("B")
def _binbytes(machine: _Machine) -> None:
    machine.stack.append(machine.skip(_size(machine, 4)))


@_opcode("C")
def _short_binbytes(machine: _Machine) -> None:
    machine.stack.append(machine.skip(machine.take(1)[0]))


@_opcode("\x8e", "\x96")
def _binbytes8(machine: _Machine) -> None:
    machine.stack.append(machine.skip(_size(machine, 8)))


@_opcode("\x97")
def _next_buffer(machine: _Machine) -> None:
    machine.stack.append(UNKNOWN)


@_opcode("\x98")
def _readonly_buffer(machine: _Machine) -> None:
    machine.need(1)


@_opcode("0")
def _pop(machine: _Machine) -> None:
    if machine.marks and machine.marks[-1] >= len(machine.stack):
        machine.marks.pop()
    else:
        machine.pop()


@_opcode("1")
def _pop_to_mark(machine: _Machine) -> None:
    machine.pop_mark()


@_opcode("2")
def _dup(machine: _Machine) -> None:
    machine.need(1)
    value = machine.stack[-1]
    machine.pushed(value)
    machine.stack.append(value)


@_opcode("t")
def _tuple(machine: _Machine) -> None:
    _push_tuple(machine, machine.pop_mark())


def _push_tuple(machine: _Machine, items: list[Value]) -> None:
    """Tuples are paid for when they are made: they can nest without being stored anywhere."""
    machine.stack.append(tuple(items) if machine.charge(60 + 8 * len(items)) else UNKNOWN)


def _short_tuple(code: str, size: int) -> None:
    def handler(machine: _Machine) -> None:
        machine.need(size)
        items = machine.stack[-size:]
        del machine.stack[-size:]
        _push_tuple(machine, items)

    _OPCODES[ord(code)] = handler


for _code, _count in (("\x85", 1), ("\x86", 2), ("\x87", 3)):
    _short_tuple(_code, _count)


@_opcode("l")
def _list(machine: _Machine) -> None:
    items = machine.pop_mark()
    machine.stack.append(Node("list"))
    machine.add(items)


@_opcode("\x91")
def _frozenset(machine: _Machine) -> None:
    items = machine.pop_mark()
    machine.stack.append(Node("set"))
    machine.add(items)


@_opcode("d")
def _dict(machine: _Machine) -> None:
    items = machine.pop_mark()
    machine.stack.append(Node("dict"))
    _set_pairs(machine, items)


def _set_pairs(machine: _Machine, items: list[Value]) -> None:
    for index in range(0, len(items) - 1, 2):
        machine.set_item(items[index], items[index + 1])


@_opcode("a")
def _append(machine: _Machine) -> None:
    item = machine.pop()
    machine.need(1)
    machine.add([item])


@_opcode("e", "\x90")
def _appends(machine: _Machine) -> None:
    items = machine.pop_mark()
    machine.need(1)
    machine.add(items)


@_opcode("s")
def _setitem(machine: _Machine) -> None:
    value, key = machine.pop(), machine.pop()
    machine.need(1)
    machine.set_item(key, value)


@_opcode("u")
def _setitems(machine: _Machine) -> None:
    items = machine.pop_mark()
    machine.need(1)
    _set_pairs(machine, items)


@_opcode("p")
def _put_line(machine: _Machine) -> None:
    machine.put(_place(machine))


@_opcode("q")
def _binput(machine: _Machine) -> None:
    machine.put(machine.take(1)[0])


@_opcode("r")
def _long_binput(machine: _Machine) -> None:
    machine.put(_size(machine, 4))


@_opcode("\x94")
def _memoize(machine: _Machine) -> None:
    machine.put(machine.filled)


@_opcode("g")
def _get_line(machine: _Machine) -> None:
    machine.get(_place(machine))


@_opcode("h")
def _binget(machine: _Machine) -> None:
    machine.get(machine.take(1)[0])


@_opcode("j")
def _long_binget(machine: _Machine) -> None:
    machine.get(_size(machine, 4))


def _place(machine: _Machine) -> int:
    line = machine.line() or b""
    try:
        place = int(line) if len(line) < _SHORT else -1
    except ValueError:
        place = -1
    if place < 0:
        raise Damaged("pickle-damaged", "no place of the memo")
    return place


def _names(machine: _Machine) -> tuple[Value, Value]:
    """The module and name of GLOBAL and INST."""
    module, name = machine.line(), machine.line()
    if module is None or name is None:
        return UNKNOWN, UNKNOWN
    return module.decode("utf-8", "replace"), name.decode("utf-8", "replace")


@_opcode("c")
def _global(machine: _Machine) -> None:
    machine.import_name(*_names(machine))


@_opcode("\x93")
def _stack_global(machine: _Machine) -> None:
    name, module = machine.pop(), machine.pop()
    machine.import_name(module, name)


@_opcode("i")
def _inst(machine: _Machine) -> None:
    machine.import_name(*_names(machine))
    maker = machine.pop()
    items = machine.pop_mark()
    machine.stack.append(machine.call(maker, tuple(items)))


@_opcode("o")
def _obj(machine: _Machine) -> None:
    items = machine.pop_mark()
    if not items:
        raise Damaged("pickle-damaged", "no class for OBJ")
    machine.stack.append(machine.call(items[0], tuple(items[1:])))


@_opcode("R")
def _reduce(machine: _Machine) -> None:
    args, maker = machine.pop(), machine.pop()
    machine.stack.append(machine.call(maker, args))


@_opcode("\x81")
def _newobj(machine: _Machine) -> None:
    args, maker = machine.pop(), machine.pop()
    machine.stack.append(machine.call(maker, args, is_made=True))


@_opcode("\x92")
def _newobj_ex(machine: _Machine) -> None:
    machine.pop()
    args, maker = machine.pop(), machine.pop()
    machine.stack.append(machine.call(maker, args, is_made=True))


@_opcode("b")
def _build(machine: _Machine) -> None:
    state = machine.pop()
    machine.need(1)
    node = machine.stack[-1]
    if machine.after_build is not None and not (isinstance(node, Node) and node.made_by):
        _check_array(machine, node)
    if not isinstance(node, Node):
        return
    node.state = state
    if machine.after_build is not None:
        place = machine.base + machine.at
        extra = machine.after_build(node, machine.source, place)
        if extra:
            if extra > machine.source.size - place:
                raise Damaged("truncated", f"{extra} bytes at {place} of {machine.source.size}")
            machine.jump(place + extra)


def _check_array(machine: _Machine, node: Value) -> None:
    """Where arrays lie between the opcodes, what is built may be one of them, though nobody sees that it is."""
    if not any(each.path in JOBLIB_ARRAYS for each in machine.open):
        return
    if node is UNKNOWN and not machine.result.is_whole:
        raise Damaged("too-large", "there is no room for what describes an array")
    machine.note(*UNREAD)


@_opcode("P")
def _persid(machine: _Machine) -> None:
    line = machine.line()
    machine.stack.append(UNKNOWN if line is None else line.decode("utf-8", "replace"))
    _binpersid(machine)


@_opcode("Q")
def _binpersid(machine: _Machine) -> None:
    found = Persistent(machine.pop())
    is_kept = machine.charge(100)
    if is_kept:
        machine.result.persistent.append(found)
    machine.stack.append(found if is_kept else UNKNOWN)


def _extension(code: str, width: int) -> None:
    def handler(machine: _Machine) -> None:
        machine.stack.append(machine.name_of(_EXTENSION, str(_size(machine, width))))

    _OPCODES[ord(code)] = handler


for _code, _count in (("\x82", 1), ("\x83", 2), ("\x84", 4)):
    _extension(_code, _count)
