"""Pickles put together opcode by opcode, and the kind of sample that all tricks are made into."""

from __future__ import annotations

import struct
from dataclasses import dataclass

MARK = "ran"  # the file that each sample makes in the folder in which it is loaded
SHELL = f"echo>{MARK}"
ARGUMENTS = ["/bin/sh", "-c", SHELL]
PYTHON = f"open({MARK!r},'w')"


@dataclass(frozen=True)
class Hostile:
    """A file that runs something. ``loader``: how it is loaded, see proof.py; ``needs``: modules that it calls."""

    trick: str
    name: str
    content: bytes
    file: str = "model.pkl"
    loader: str = "pickle"
    needs: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """A name among all samples."""
        return f"{self.trick}: {self.name}"


class Code(bytes):
    """Opcodes that leave one value on the stack."""


def name(module: str, attribute: str) -> Code:
    """GLOBAL."""
    return Code(f"c{module}\n{attribute}\n".encode())


def stack_name(module: object, attribute: object) -> Code:
    """STACK_GLOBAL of two values."""
    return Code(value(module) + value(attribute) + b"\x93")


def path(dotted: str) -> Code:
    """GLOBAL of "module:attribute"."""
    module, _, attribute = dotted.partition(":")
    return name(module, attribute)


def value(item: object) -> Code:
    """A plain value, or opcodes as they are."""
    if isinstance(item, Code):
        return item
    if item is None or isinstance(item, bool):
        return Code({None: b"N", True: b"\x88", False: b"\x89"}[item])
    if isinstance(item, int):
        return Code(b"J" + struct.pack("<i", item))
    if isinstance(item, float):
        return Code(b"G" + struct.pack(">d", item))
    if isinstance(item, str):
        encoded = item.encode("utf-8", "surrogatepass")
        return Code(b"X" + struct.pack("<I", len(encoded)) + encoded)
    if isinstance(item, bytes | bytearray):
        return Code(b"B" + struct.pack("<I", len(item)) + bytes(item))
    if isinstance(item, tuple):
        return Code(b"(" + b"".join(map(value, item)) + b"t")
    if isinstance(item, list):
        return Code(b"](" + b"".join(map(value, item)) + b"e")
    if isinstance(item, dict):
        return Code(b"}(" + b"".join(value(key) + value(entry) for key, entry in item.items()) + b"u")
    raise TypeError(type(item))


def call(function: Code | str, *arguments: object) -> Code:
    """REDUCE."""
    maker = path(function) if isinstance(function, str) else function
    return Code(maker + value(arguments) + b"R")


def method(owner: object, attribute: str, *arguments: object) -> Code:
    """A method of a value, called by operator.methodcaller."""
    return call(call("operator:methodcaller", attribute, *arguments), owner)


def attribute(owner: object, *names: str) -> Code:
    """An attribute of an attribute of a value, by getattr."""
    for each in names:
        owner = call("builtins:getattr", owner, each)
    return value(owner)


def built(target: object, state: object) -> Code:
    """BUILD."""
    return Code(value(target) + value(state) + b"b")


def stream(*parts: Code, protocol: int = 4) -> bytes:
    """A pickle of these values, of which the last stays."""
    return b"\x80" + bytes([protocol]) + b"0".join(parts) + b"."


def sample(trick: str, label: str, *parts: Code, needs: str = "", protocol: int = 4) -> Hostile:
    """A plain pickle that makes the values one after the other."""
    return Hostile(trick, label, stream(*parts, protocol=protocol), needs=tuple(needs.split()))


SYSTEM = call("os:system", SHELL)
EVIL = stream(SYSTEM)
