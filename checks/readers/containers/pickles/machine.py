"""An unpickler that unpickles nothing: stack, memo, names and calls of a stream, each with its bound."""

from __future__ import annotations

import _compat_pickle
from collections.abc import Callable, Mapping
from typing import Final

from checks.readers.containers.pickles.values import (
    CHANGED,
    COMPUTED,
    COMPUTED_PICKLE,
    JOBLIB_ARRAYS,
    RESULT_CALLED,
    UNKNOWN,
    UNREAD,
    Blob,
    Global,
    Node,
    Persistent,
    Pickle,
    Unknown,
    Value,
    described,
)
from checks.readers.containers.source import MIB, Damaged, Source

MOST_OPCODES = 8_000_000
MOST_STACK = 250_000  # values at a time
MOST_MARKS = 100_000
MOST_MEMO = 4_000_000
MOST_NAMES = 5_000  # different names that one stream imports
_ROOM = 64 * MIB  # bytes, about, that memo and containers may hold
SHORT = 64  # bytes of a text that is kept at no charge while it is on the stack
_LONGEST_TEXT = 4096
_LONGEST_NAME = 300
_NODE = 400  # bytes, about, of a node with its dict and list
_CHUNK = 1 << 16
_LARGEST_CHUNK = MIB
_ATTRIBUTE = ("builtins", "getattr")
_STOP = ord(".")
MOST_INNER = 1000
_UNPICKLERS = {"torch.storage._load_from_bytes", "pickle.loads", "_pickle.loads"}
# What changes how the rest is to be read, where it is called. Handed to something else, it is called unseen.
_WATCHED = {".".join(_ATTRIBUTE), *_UNPICKLERS, *JOBLIB_ARRAYS}
_MAKERS = {"copyreg._reconstructor", "copyreg.__newobj__", "copyreg.__newobj_ex__"}
_LATIN_1 = (("latin1",), ("latin-1",))
_PARTIAL = "functools.partial"
_MOST_PARTIALS = 20  # within each other
_MOST_HANDED_ON = 100  # arguments that one of them holds
_NEW = ".__new__"
_TYPE_BY_NAME = "cloudpickle.cloudpickle._builtin_type"
# What calls its first argument with the third, what sets attributes of it, and what makes a class of what it is given.
_CALLERS = {f"{module}._rebuild_from_type{end}" for module in ("torch._tensor", "torch.tensor") for end in ("", "_v2")}
_MOST_CALLERS = 20  # within each other
_SETTER = "torch._utils._set_obj_state"
_METACLASSES = {"builtins.type", "enum.EnumMeta", "enum.EnumType", "abc.ABCMeta"}
# Attributes that the unpickler itself calls, where an object has been given them before.
_CALLED_ATTRIBUTES = ("__setstate__", "append", "extend", "add")
_OF_PROTOCOL_1 = set(b"JKMTUXG]e)}u1hjqroQ")

# After a node was built: how many bytes that are no opcodes follow in the stream (joblib's arrays).
AfterBuild = Callable[[Node, Source, int], int]
_EMPTY: Final = Unknown()  # a place of the memo


class Machine:
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
        self.given: list[Node | Global | tuple[Value, ...]] = []  # what functions were given, which may call it
        # Watched name -> times that it was pushed, less the calls that are understood.
        self.open: dict[Global, int] = {}

    # --- the run

    def run(self, handlers: Mapping[int, Callable[[Machine], object]]) -> None:
        """Opcode by opcode up to STOP.

        Raises:
            Damaged: the stream cannot be followed further; ``result`` holds what was seen.
        """
        table = [handlers.get(code) for code in range(256)]
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
        self.note_given()
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
        """The next ``size`` bytes, which are few."""
        if self.at + size > len(self.data):
            self.fill(size)
        piece = self.data[self.at : self.at + size]
        self.at += size
        return piece

    def skip(self, size: int) -> Blob:
        """Step over bytes without reading them, unless they are few."""
        start = self.base + self.at
        if size <= SHORT:
            return Blob(start, size, self.take(size))
        if size > self.source.size - start:
            raise Damaged("truncated", f"{size} bytes at {start} of {self.source.size}")
        self.jump(start + size)
        return Blob(start, size)

    def jump(self, place: int) -> None:
        """Go on at a place of the source."""
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
        if size > _LONGEST_TEXT or (size > SHORT and not self.charge(size)):
            blob = self.skip(size)
            self.stack.append(Blob(blob.start, size, is_text=True))
        else:
            self.stack.append(str(self.take(size), "utf-8", "replace"))

    # --- stack and memo

    def need(self, count: int) -> None:
        """See that the stack holds ``count`` values."""
        if len(self.stack) < count:
            raise Damaged("pickle-damaged", f"nothing on the stack at {self.base + self.at}")

    def pop(self) -> Value:
        """The value on top of the stack, which leaves it."""
        if not self.stack:
            raise Damaged("pickle-damaged", f"nothing on the stack at {self.base + self.at}")
        return self.stack.pop()

    def pop_mark(self) -> list[Value]:
        """The values above the last mark, which leave the stack with it."""
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
        """Keep what is on top of the stack in a place of the memo."""
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
        """Push what a place of the memo holds."""
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
        """Push a name that would be imported."""
        if not (isinstance(module, str) and isinstance(name, str)):
            self.note(*COMPUTED)
            self.stack.append(UNKNOWN)
            return
        self.remember(module, name)
        self.stack.append(self.name_of(*name_today(module, name)))

    def remember(self, *texts: str) -> None:
        """Keep the texts of a name although there is no room: the next names are made of them."""
        for place, text in list(self.forgotten.items()):
            if any(text is item for item in texts):
                del self.forgotten[place]
                if place < len(self.memo):
                    self.memo[place] = text
                else:
                    self.far[place] = text

    def name_of(self, module: str, name: str, *, resolved: bool = False) -> Global:
        """The one Global of a name, noted."""
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
        """Put a name on the list of those that would be imported."""
        self.result.names[module, name] = called or self.result.names.get((module, name), False)

    def call(self, maker: Value, args: Value, *, is_made: bool = False) -> Value:
        """What a call would give. ``is_made``: only the class's __new__ is called."""
        maker, given = _callee(maker, args if isinstance(args, tuple) else (UNKNOWN,))
        if not isinstance(maker, Global):
            self.note(*RESULT_CALLED)
            return Node("made", maker, given) if self.charge(_NODE) else UNKNOWN
        self.note_call(maker, given, is_made=maker.is_class and (is_made or maker.name.endswith(_NEW)))
        if (maker.module, maker.name) == _ATTRIBUTE:
            return self.attribute(maker, given)
        is_function = not is_made and maker.path not in (*_MAKERS, _PARTIAL)
        if maker.path in _MAKERS and given:  # the class is the first argument
            self.reconstruct(maker.path, given)
            maker, given = given[0], given[1:]
            if isinstance(maker, Global) and maker.path in JOBLIB_ARRAYS:
                self.open[maker] -= 1
        elif maker in self.open:
            self.open[maker] -= 1
            if maker.path in _UNPICKLERS:
                self.unpickle(given)
        elif maker.path == "collections.OrderedDict" and given:
            return self.ordered(maker, given[0])
        elif maker.path == _TYPE_BY_NAME and given and isinstance(given[0], str):
            return self.name_of("types", given[0], resolved=True)
        if not self.charge(_NODE):
            return UNKNOWN
        if is_function:
            self.given.append(given)
        return Node("made", maker, given)

    def note_call(self, maker: Global, given: tuple[Value, ...], *, is_made: bool) -> None:
        """Note that a name is called, and what it calls or makes a class of."""
        name = (maker.module, maker.name)
        self.note(*name, called=not is_made)
        if maker.path in _METACLASSES and len(given) > 1:
            self.note(*RESULT_CALLED)
        if is_made:
            return
        if name not in self.result.calls:
            self.result.calls[name] = described(given)
        if maker.path == _SETTER and given:
            self.changed(given[0])
        for _ in range(_MOST_CALLERS):
            if maker.path not in _CALLERS or not given:
                return
            called, given = given[0], given[2] if len(given) > 2 and isinstance(given[2], tuple) else ()
            if not isinstance(called, Global):
                break
            maker = called
            self.note(maker.module, maker.name, called=True)
        self.note(*RESULT_CALLED)

    def note_given(self) -> None:
        """Functions that another one was given, however deep: whatever it does with them, it may call them."""
        functions = {value for value in self.names.values() if not value.is_class}
        if all(self.result.names[value.module, value.name] for value in functions):
            return
        seen: set[int] = set()
        left = list(self.given if self.result.is_whole else functions)
        while left:
            value = left.pop()
            if isinstance(value, Global):
                if value in functions:
                    self.note(value.module, value.name, called=True)
            elif id(value) not in seen:
                seen.add(id(value))
                parts = value.held if isinstance(value, Node) else value
                left += (part for part in parts if isinstance(part, Global | Node | tuple))

    def reconstruct(self, maker: str, given: tuple[Value, ...]) -> None:
        """Copyreg's functions: a class that the stream made is new code, and another base is called with the state."""
        if not isinstance(given[0], Global):
            self.note(*RESULT_CALLED)
        base = given[1] if maker.endswith("_reconstructor") and len(given) > 1 else None
        if isinstance(base, Global) and base.path != "builtins.object":
            self.note_call(base, given[2:], is_made=False)

    def changed(self, target: Value) -> None:
        """Something is added to ``target``, which is no object of the stream; perhaps one that all share."""
        if isinstance(target, Global):
            self.note(*CHANGED)

    def set_state(self, target: Value, state: Value) -> None:
        """What BUILD does with the state, but for keeping it: attributes may be what the unpickler calls next."""
        if isinstance(target, Global) or (isinstance(target, Node) and target.made_by == "builtins.type"):
            self.note(*CHANGED)
        for part in state[:2] if isinstance(state, tuple) else (state,):
            if isinstance(part, Node) and any(
                isinstance(part.entries.get(name), Global | Node | Unknown) for name in _CALLED_ATTRIBUTES
            ):
                self.note(*RESULT_CALLED)

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
        if isinstance(data, Node) and data.made_by == "_codecs.encode" and data.args[1:] in _LATIN_1:
            data = data.args[0]  # how bytes are written before protocol 3: as a text of their code points
        if isinstance(data, Blob | str) and len(self.result.inner) < MOST_INNER:
            self.result.inner.append(data)
        else:
            self.note(*(COMPUTED_PICKLE if isinstance(data, Node) and data.kind == "made" else UNREAD))

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
            self.changed(target)
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
            self.changed(target)
            return
        target.count += len(items)
        if self.charge(sum(map(_cost, items)) + 8 * len(items)):
            target.elements.extend(items)
        else:
            self.result.is_whole = False


def _callee(maker: Value, given: tuple[Value, ...]) -> tuple[Value, tuple[Value, ...]]:
    """What is called in the end, and with what: functools.partial calls what it was given, unless its state changed."""
    if isinstance(maker, Persistent):
        maker = _class_of(maker)
    for _ in range(_MOST_PARTIALS):
        args = maker.args if isinstance(maker, Node) and maker.made_by == _PARTIAL and maker.state is None else ()
        if not 0 < len(args) <= _MOST_HANDED_ON:
            break
        maker, given = args[0], (*args[1:], *given)
    return maker, given


def _class_of(persistent: Persistent) -> Value:
    """The class that torch.save before 1.6 wrote as ("module", class, file of its code, code)."""
    parts = persistent.id if isinstance(persistent.id, tuple) else ()
    return parts[1] if len(parts) > 1 and parts[0] == "module" else persistent


def name_today(module: str, name: str) -> tuple[str, str]:
    """A name as Python 3 finds it: unpicklers translate what Python 2 called it (Lib/_compat_pickle.py)."""
    if (module, name) in _compat_pickle.NAME_MAPPING:
        return _compat_pickle.NAME_MAPPING[module, name]
    return _compat_pickle.IMPORT_MAPPING.get(module, module), name


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
