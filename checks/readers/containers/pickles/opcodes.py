"""What each opcode of protocols 0 to 5 does to the machine: Lib/pickletools.py of CPython 3.11."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable

from checks.readers.containers.pickles.machine import MOST_MARKS, SHORT, Machine
from checks.readers.containers.pickles.values import JOBLIB_ARRAYS, UNKNOWN, UNREAD, Node, Persistent, Value
from checks.readers.containers.source import Damaged

NEWEST_PROTOCOL = 5
_ESCAPE = re.compile(rb"\\(x[0-9a-fA-F]{2}|[0-7]{1,3}|.)", re.DOTALL)
_ESCAPED = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}
_EXTENSION = "(copyreg extension)"

_unpack_int = struct.Struct("<i").unpack
_unpack_float = struct.Struct(">d").unpack


def _size(machine: Machine, width: int) -> int:
    return int.from_bytes(machine.take(width), "little")


def _proto(machine: Machine) -> None:
    protocol = machine.take(1)[0]
    machine.result.protocol = max(protocol, machine.result.protocol)
    if protocol > NEWEST_PROTOCOL:
        raise Damaged("pickle-damaged", f"protocol {protocol}")


def _mark(machine: Machine) -> None:
    if len(machine.marks) >= MOST_MARKS:
        raise Damaged("too-large", f"more than {MOST_MARKS} marks")
    machine.marks.append(len(machine.stack))


def _long(machine: Machine, size: int) -> None:
    if size <= 16:
        machine.stack.append(int.from_bytes(machine.take(size), "little", signed=True))
    else:
        machine.skip(size)
        machine.stack.append(UNKNOWN)


def _int_line(machine: Machine) -> None:
    line = machine.line() or b""
    if line in (b"00", b"01"):
        machine.stack.append(line == b"01")
        return
    try:
        machine.stack.append(int(line.rstrip(b"L")) if len(line) < SHORT else UNKNOWN)
    except ValueError:
        machine.stack.append(UNKNOWN)


def _float_line(machine: Machine) -> None:
    line = machine.line() or b""
    try:
        machine.stack.append(float(line) if len(line) < SHORT else UNKNOWN)
    except ValueError:
        machine.stack.append(UNKNOWN)


def _unicode_line(machine: Machine) -> None:
    line = machine.line()
    try:
        machine.stack.append(UNKNOWN if line is None else line.decode("raw-unicode-escape"))
    except UnicodeDecodeError:
        machine.stack.append(UNKNOWN)


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


def _binstring(machine: Machine) -> None:
    size = _unpack_int(machine.take(4))[0]
    if size < 0:
        raise Damaged("pickle-damaged", f"a text of {size} bytes")
    _string(machine, size)


def _pop(machine: Machine) -> None:
    if machine.marks and machine.marks[-1] >= len(machine.stack):
        machine.marks.pop()
    else:
        machine.pop()


def _dup(machine: Machine) -> None:
    machine.need(1)
    value = machine.stack[-1]
    machine.pushed(value)
    machine.stack.append(value)


def _push_tuple(machine: Machine, items: list[Value]) -> None:
    """Tuples are paid for when they are made: they can nest without being stored anywhere."""
    machine.stack.append(tuple(items) if machine.charge(60 + 8 * len(items)) else UNKNOWN)


def _short_tuple(machine: Machine, size: int) -> None:
    machine.need(size)
    items = machine.stack[-size:]
    del machine.stack[-size:]
    _push_tuple(machine, items)


def _collected(machine: Machine, kind: str) -> None:
    items = machine.pop_mark()
    machine.stack.append(Node(kind))
    machine.add(items)


def _set_pairs(machine: Machine, items: list[Value]) -> None:
    for index in range(0, len(items) - 1, 2):
        machine.set_item(items[index], items[index + 1])


def _dict(machine: Machine) -> None:
    items = machine.pop_mark()
    machine.stack.append(Node("dict"))
    _set_pairs(machine, items)


def _append(machine: Machine) -> None:
    item = machine.pop()
    machine.need(1)
    machine.add([item])


def _appends(machine: Machine) -> None:
    items = machine.pop_mark()
    machine.need(1)
    machine.add(items)


def _setitem(machine: Machine) -> None:
    value, key = machine.pop(), machine.pop()
    machine.need(1)
    machine.set_item(key, value)


def _setitems(machine: Machine) -> None:
    items = machine.pop_mark()
    machine.need(1)
    _set_pairs(machine, items)


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
    module, name = machine.line(), machine.line()
    if module is None or name is None:
        return UNKNOWN, UNKNOWN
    return module.decode("utf-8", "replace"), name.decode("utf-8", "replace")


def _stack_global(machine: Machine) -> None:
    name, module = machine.pop(), machine.pop()
    machine.import_name(module, name)


def _inst(machine: Machine) -> None:
    machine.import_name(*_names(machine))
    maker = machine.pop()
    items = machine.pop_mark()
    machine.stack.append(machine.call(maker, tuple(items)))


def _obj(machine: Machine) -> None:
    items = machine.pop_mark()
    if not items:
        raise Damaged("pickle-damaged", "no class for OBJ")
    machine.stack.append(machine.call(items[0], tuple(items[1:])))


def _newobj_ex(machine: Machine) -> None:
    machine.pop()
    _newobj(machine)


def _reduce(machine: Machine) -> None:
    args, maker = machine.pop(), machine.pop()
    machine.stack.append(machine.call(maker, args))


def _newobj(machine: Machine) -> None:
    args, maker = machine.pop(), machine.pop()
    machine.stack.append(machine.call(maker, args, is_made=True))


def _build(machine: Machine) -> None:
    state = machine.pop()
    machine.need(1)
    node = machine.stack[-1]
    machine.set_state(node, state)
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


def _persid(machine: Machine) -> None:
    line = machine.line()
    machine.stack.append(UNKNOWN if line is None else line.decode("utf-8", "replace"))
    _binpersid(machine)


def _binpersid(machine: Machine) -> None:
    found = Persistent(machine.pop())
    is_kept = machine.charge(100)
    if is_kept:
        machine.result.persistent.append(found)
    machine.stack.append(found if is_kept else UNKNOWN)


OPCODES: dict[int, Callable[[Machine], object]] = {
    ord(code): handler
    for codes, handler in {
        "\x80": _proto,
        "\x95": lambda machine: machine.take(8),  # the length of a frame
        "(": _mark,
        "N": lambda machine: machine.stack.append(None),
        "\x88": lambda machine: machine.stack.append(True),
        "\x89": lambda machine: machine.stack.append(False),
        "K": lambda machine: machine.stack.append(machine.take(1)[0]),
        "M": lambda machine: machine.stack.append(_size(machine, 2)),
        "J": lambda machine: machine.stack.append(_unpack_int(machine.take(4))[0]),
        "G": lambda machine: machine.stack.append(_unpack_float(machine.take(8))[0]),
        "\x8a": lambda machine: _long(machine, machine.take(1)[0]),
        "\x8b": lambda machine: _long(machine, _size(machine, 4)),
        "IL": _int_line,
        "F": _float_line,
        "X": lambda machine: machine.text(_size(machine, 4)),
        "\x8c": lambda machine: machine.text(machine.take(1)[0]),
        "\x8d": lambda machine: machine.text(_size(machine, 8)),
        "V": _unicode_line,
        "S": _string_line,
        "T": _binstring,
        "U": lambda machine: _string(machine, machine.take(1)[0]),
        "B": lambda machine: machine.stack.append(machine.skip(_size(machine, 4))),
        "C": lambda machine: machine.stack.append(machine.skip(machine.take(1)[0])),
        "\x8e\x96": lambda machine: machine.stack.append(machine.skip(_size(machine, 8))),
        "\x97": lambda machine: machine.stack.append(UNKNOWN),  # the next buffer
        "\x98": lambda machine: machine.need(1),  # a buffer becomes read-only
        "0": _pop,
        "1": lambda machine: machine.pop_mark(),
        "2": _dup,
        ")": lambda machine: machine.stack.append(()),
        "t": lambda machine: _push_tuple(machine, machine.pop_mark()),
        "\x85": lambda machine: _short_tuple(machine, 1),
        "\x86": lambda machine: _short_tuple(machine, 2),
        "\x87": lambda machine: _short_tuple(machine, 3),
        "]": lambda machine: machine.stack.append(Node("list")),
        "l": lambda machine: _collected(machine, "list"),
        "}": lambda machine: machine.stack.append(Node("dict")),
        "d": _dict,
        "\x8f": lambda machine: machine.stack.append(Node("set")),
        "\x91": lambda machine: _collected(machine, "set"),
        "a": _append,
        "e\x90": _appends,
        "s": _setitem,
        "u": _setitems,
        "p": lambda machine: machine.put(_place(machine)),
        "q": lambda machine: machine.put(machine.take(1)[0]),
        "r": lambda machine: machine.put(_size(machine, 4)),
        "\x94": lambda machine: machine.put(machine.filled),
        "g": lambda machine: machine.get(_place(machine)),
        "h": lambda machine: machine.get(machine.take(1)[0]),
        "j": lambda machine: machine.get(_size(machine, 4)),
        "c": lambda machine: machine.import_name(*_names(machine)),
        "\x93": _stack_global,
        "\x82": lambda machine: machine.stack.append(machine.name_of(_EXTENSION, str(_size(machine, 1)))),
        "\x83": lambda machine: machine.stack.append(machine.name_of(_EXTENSION, str(_size(machine, 2)))),
        "\x84": lambda machine: machine.stack.append(machine.name_of(_EXTENSION, str(_size(machine, 4)))),
        "i": _inst,
        "o": _obj,
        "R": _reduce,
        "\x81": _newobj,
        "\x92": _newobj_ex,
        "b": _build,
        "P": _persid,
        "Q": _binpersid,
    }.items()
    for code in codes
}
