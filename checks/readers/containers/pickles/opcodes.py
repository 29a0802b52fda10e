"""What each opcode of protocols 0 to 5 does to the machine: Lib/pickletools.py of CPython 3.11."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable

from checks.readers.containers.pickles.machine import MOST_MARKS, SHORT, Machine
from checks.readers.containers.pickles.values import (
    JOBLIB_ARRAYS,
    UNKNOWN,
    UNREAD,
    Node,
    Persistent,
    Value,
)
from checks.readers.containers.source import Damaged

NEWEST_PROTOCOL = 5
_ESCAPE = re.compile(rb"\\(x[0-9a-fA-F]{2}|[0-7]{1,3}|.)", re.DOTALL)
_ESCAPED = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}
_EXTENSION = "(copyreg extension)"

_Handler = Callable[[Machine], None]
OPCODES: dict[int, _Handler] = {}
_unpack_int = struct.Struct("<i").unpack
_unpack_float = struct.Struct(">d").unpack


def _opcode(*codes: str) -> Callable[[_Handler], _Handler]:
    def register(handler: _Handler) -> _Handler:
        OPCODES.update({ord(code): handler for code in codes})
        return handler

    return register


def _size(machine: Machine, width: int) -> int:
    return int.from_bytes(machine.take(width), "little")


def _constant(code: str, value: Value) -> None:
    OPCODES[ord(code)] = lambda machine: machine.stack.append(value)


for _code, _value in (("N", None), ("\x88", True), ("\x89", False), (")", ())):
    _constant(_code, _value)


def _container(code: str, kind: str) -> None:
    OPCODES[ord(code)] = lambda machine: machine.stack.append(Node(kind))


for _code, _kind in (("}", "dict"), ("]", "list"), ("\x8f", "set")):
    _container(_code, _kind)


@_opcode("\x80")
def _proto(machine: Machine) -> None:
    protocol = machine.take(1)[0]
    machine.result.protocol = max(protocol, machine.result.protocol)
    if protocol > NEWEST_PROTOCOL:
        raise Damaged("pickle-damaged", f"protocol {protocol}")


@_opcode("\x95")
def _frame(machine: Machine) -> None:
    machine.take(8)


@_opcode("(")
def _mark(machine: Machine) -> None:
    if len(machine.marks) >= MOST_MARKS:
        raise Damaged("too-large", f"more than {MOST_MARKS} marks")
    machine.marks.append(len(machine.stack))


@_opcode("K")
def _binint1(machine: Machine) -> None:
    machine.stack.append(machine.take(1)[0])


@_opcode("M")
def _binint2(machine: Machine) -> None:
    machine.stack.append(_size(machine, 2))


@_opcode("J")
def _binint(machine: Machine) -> None:
    machine.stack.append(_unpack_int(machine.take(4))[0])


@_opcode("G")
def _binfloat(machine: Machine) -> None:
    machine.stack.append(_unpack_float(machine.take(8))[0])


def _long(machine: Machine, size: int) -> None:
    if size <= 16:
        machine.stack.append(int.from_bytes(machine.take(size), "little", signed=True))
    else:
        machine.skip(size)
        machine.stack.append(UNKNOWN)


@_opcode("\x8a")
def _long1(machine: Machine) -> None:
    _long(machine, machine.take(1)[0])


@_opcode("\x8b")
def _long4(machine: Machine) -> None:
    _long(machine, _size(machine, 4))


@_opcode("I", "L")
def _int_line(machine: Machine) -> None:
    line = machine.line() or b""
    if line in (b"00", b"01"):
        machine.stack.append(line == b"01")
        return
    try:
        machine.stack.append(int(line.rstrip(b"L")) if len(line) < SHORT else UNKNOWN)
    except ValueError:
        machine.stack.append(UNKNOWN)


@_opcode("F")
def _float_line(machine: Machine) -> None:
    line = machine.line() or b""
    try:
        machine.stack.append(float(line) if len(line) < SHORT else UNKNOWN)
    except ValueError:
        machine.stack.append(UNKNOWN)


@_opcode("X")
def _binunicode(machine: Machine) -> None:
    machine.text(_size(machine, 4))


@_opcode("\x8c")
def _short_binunicode(machine: Machine) -> None:
    machine.text(machine.take(1)[0])


@_opcode("\x8d")
def _binunicode8(machine: Machine) -> None:
    machine.text(_size(machine, 8))


@_opcode("V")
def _unicode_line(machine: Machine) -> None:
    line = machine.line()
    try:
        machine.stack.append(UNKNOWN if line is None else line.decode("raw-unicode-escape"))
    except UnicodeDecodeError:
        machine.stack.append(UNKNOWN)


@_opcode("S")
def _string_line(machine: Machine) -> None:
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


def _string(machine: Machine, size: int) -> None:
    """A byte string of Python 2: text where it is short, since names come so."""
    blob = machine.skip(size)
    machine.stack.append(blob if blob.short is None else blob.short.decode("latin-1"))


@_opcode("T")
def _binstring(machine: Machine) -> None:
    size = _unpack_int(machine.take(4))[0]
    if size < 0:
        raise Damaged("pickle-damaged", f"a text of {size} bytes")
    _string(machine, size)


@_opcode("U")
def _short_binstring(machine: Machine) -> None:
    _string(machine, machine.take(1)[0])


@_opcode("B")
def _binbytes(machine: Machine) -> None:
    machine.stack.append(machine.skip(_size(machine, 4)))


@_opcode("C")
def _short_binbytes(machine: Machine) -> None:
    machine.stack.append(machine.skip(machine.take(1)[0]))


@_opcode("\x8e", "\x96")
def _binbytes8(machine: Machine) -> None:
    machine.stack.append(machine.skip(_size(machine, 8)))


@_opcode("\x97")
def _next_buffer(machine: Machine) -> None:
    machine.stack.append(UNKNOWN)


@_opcode("\x98")
def _readonly_buffer(machine: Machine) -> None:
    machine.need(1)


@_opcode("0")
def _pop(machine: Machine) -> None:
    if machine.marks and machine.marks[-1] >= len(machine.stack):
        machine.marks.pop()
    else:
        machine.pop()


@_opcode("1")
def _pop_to_mark(machine: Machine) -> None:
    machine.pop_mark()


@_opcode("2")
def _dup(machine: Machine) -> None:
    machine.need(1)
    value = machine.stack[-1]
    machine.pushed(value)
    machine.stack.append(value)


@_opcode("t")
def _tuple(machine: Machine) -> None:
    _push_tuple(machine, machine.pop_mark())


def _push_tuple(machine: Machine, items: list[Value]) -> None:
    """Tuples are paid for when they are made: they can nest without being stored anywhere."""
    machine.stack.append(tuple(items) if machine.charge(60 + 8 * len(items)) else UNKNOWN)


def _short_tuple(code: str, size: int) -> None:
    def handler(machine: Machine) -> None:
        machine.need(size)
        items = machine.stack[-size:]
        del machine.stack[-size:]
        _push_tuple(machine, items)

    OPCODES[ord(code)] = handler


for _code, _count in (("\x85", 1), ("\x86", 2), ("\x87", 3)):
    _short_tuple(_code, _count)


@_opcode("l")
def _list(machine: Machine) -> None:
    items = machine.pop_mark()
    machine.stack.append(Node("list"))
    machine.add(items)


@_opcode("\x91")
def _frozenset(machine: Machine) -> None:
    items = machine.pop_mark()
    machine.stack.append(Node("set"))
    machine.add(items)


@_opcode("d")
def _dict(machine: Machine) -> None:
    items = machine.pop_mark()
    machine.stack.append(Node("dict"))
    _set_pairs(machine, items)


def _set_pairs(machine: Machine, items: list[Value]) -> None:
    for index in range(0, len(items) - 1, 2):
        machine.set_item(items[index], items[index + 1])


@_opcode("a")
def _append(machine: Machine) -> None:
    item = machine.pop()
    machine.need(1)
    machine.add([item])


@_opcode("e", "\x90")
def _appends(machine: Machine) -> None:
    items = machine.pop_mark()
    machine.need(1)
    machine.add(items)


@_opcode("s")
def _setitem(machine: Machine) -> None:
    value, key = machine.pop(), machine.pop()
    machine.need(1)
    machine.set_item(key, value)


@_opcode("u")
def _setitems(machine: Machine) -> None:
    items = machine.pop_mark()
    machine.need(1)
    _set_pairs(machine, items)


@_opcode("p")
def _put_line(machine: Machine) -> None:
    machine.put(_place(machine))


@_opcode("q")
def _binput(machine: Machine) -> None:
    machine.put(machine.take(1)[0])


@_opcode("r")
def _long_binput(machine: Machine) -> None:
    machine.put(_size(machine, 4))


@_opcode("\x94")
def _memoize(machine: Machine) -> None:
    machine.put(machine.filled)


@_opcode("g")
def _get_line(machine: Machine) -> None:
    machine.get(_place(machine))


@_opcode("h")
def _binget(machine: Machine) -> None:
    machine.get(machine.take(1)[0])


@_opcode("j")
def _long_binget(machine: Machine) -> None:
    machine.get(_size(machine, 4))


def _place(machine: Machine) -> int:
    line = machine.line() or b""
    try:
        place = int(line) if len(line) < SHORT else -1
    except ValueError:
        place = -1
    if place < 0:
        raise Damaged("pickle-damaged", "no place of the memo")
    return place


def _names(machine: Machine) -> tuple[Value, Value]:
    """The module and name of GLOBAL and INST."""
    module, name = machine.line(), machine.line()
    if module is None or name is None:
        return UNKNOWN, UNKNOWN
    return module.decode("utf-8", "replace"), name.decode("utf-8", "replace")


@_opcode("c")
def _global(machine: Machine) -> None:
    machine.import_name(*_names(machine))


@_opcode("\x93")
def _stack_global(machine: Machine) -> None:
    name, module = machine.pop(), machine.pop()
    machine.import_name(module, name)


@_opcode("i")
def _inst(machine: Machine) -> None:
    machine.import_name(*_names(machine))
    maker = machine.pop()
    items = machine.pop_mark()
    machine.stack.append(machine.call(maker, tuple(items)))


@_opcode("o")
def _obj(machine: Machine) -> None:
    items = machine.pop_mark()
    if not items:
        raise Damaged("pickle-damaged", "no class for OBJ")
    machine.stack.append(machine.call(items[0], tuple(items[1:])))


@_opcode("R")
def _reduce(machine: Machine) -> None:
    args, maker = machine.pop(), machine.pop()
    machine.stack.append(machine.call(maker, args))


@_opcode("\x81")
def _newobj(machine: Machine) -> None:
    args, maker = machine.pop(), machine.pop()
    machine.stack.append(machine.call(maker, args, is_made=True))


@_opcode("\x92")
def _newobj_ex(machine: Machine) -> None:
    machine.pop()
    args, maker = machine.pop(), machine.pop()
    machine.stack.append(machine.call(maker, args, is_made=True))


@_opcode("b")
def _build(machine: Machine) -> None:
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


def _check_array(machine: Machine, node: Value) -> None:
    """Where arrays lie between the opcodes, what is built may be one of them, though nobody sees that it is."""
    if not any(name.path in JOBLIB_ARRAYS for name in machine.open):
        return
    if node is UNKNOWN and not machine.result.is_whole:
        raise Damaged("too-large", "there is no room for what describes an array")
    machine.note(*UNREAD)


@_opcode("P")
def _persid(machine: Machine) -> None:
    line = machine.line()
    machine.stack.append(UNKNOWN if line is None else line.decode("utf-8", "replace"))
    _binpersid(machine)


@_opcode("Q")
def _binpersid(machine: Machine) -> None:
    found = Persistent(machine.pop())
    is_kept = machine.charge(100)
    if is_kept:
        machine.result.persistent.append(found)
    machine.stack.append(found if is_kept else UNKNOWN)


def _extension(code: str, width: int) -> None:
    def handler(machine: Machine) -> None:
        machine.stack.append(machine.name_of(_EXTENSION, str(_size(machine, width))))

    OPCODES[ord(code)] = handler


for _code, _count in (("\x82", 1), ("\x83", 2), ("\x84", 4)):
    _extension(_code, _count)
