"""Pickles are followed as Python follows them, in names, calls and length, and nothing of them comes to life."""

import argparse
import collections
import datetime as dt
import functools
import io
import pickle
import pickletools
import struct
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.extent import ALL

from checks.readers.containers.pickles import machine
from checks.readers.containers.pickles.machine import name_today
from checks.readers.containers.pickles.opcodes import OPCODES
from checks.readers.containers.pickles.read import begins_like_a_pickle, read_pickle
from checks.readers.containers.pickles.values import COMPUTED, UNREAD, Blob, Node
from checks.readers.containers.source import of_bytes

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)
RECORDED = Path(__file__).parents[3] / "recordings" / "models"


def names(data: bytes) -> set[str]:
    return {f"{module}.{name}" for module, name in read_pickle(of_bytes(data)).names}


class Recorder(pickle.Unpickler):
    """Python's own unpickler, which also writes down what it looks up."""

    def __init__(self, data: bytes) -> None:
        super().__init__(io.BytesIO(data))
        self.found: set[tuple[str, str]] = set()

    def find_class(self, module: str, name: str) -> Any:
        self.found.add((module, name))
        return super().find_class(module, name)


def writes(path: Path) -> object:
    """An object whose unpickling makes a file."""

    class Bomb:
        def __reduce__(self) -> tuple[object, ...]:
            return open, (str(path), "w")

    return Bomb()


OBJECTS = {
    "plain": {"a": [1, 2.5, None, True, -(2**70), "é", b"bytes", bytearray(b"x")], "b": ({1, 2}, frozenset("xy"))},
    "standard library": [dt.datetime(2026, 1, 2, tzinfo=dt.UTC), collections.OrderedDict(a=1), argparse.Namespace(b=2)],
    "calls": [functools.partial(int, base=2), complex(1, 2), collections.Counter("hello"), range(3), slice(1, 2)],
    "arrays": {"x": np.arange(12.0).reshape(3, 4), "o": np.array([{1: 2}, None], dtype=object), "s": np.float32(2)},
    "shared": [collections.deque([1]), [[]] * 3, ("t",) * 5],
}


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("name", OBJECTS)
def test_names_are_those_that_python_looks_up(name: str, protocol: int) -> None:
    data = pickle.dumps(OBJECTS[name], protocol)
    real = Recorder(data)
    real.load()
    found = read_pickle(of_bytes(data))
    assert found.problem is None
    assert found.end == len(data)
    assert found.protocol == protocol
    assert names(data) == {".".join(name_today(module, attribute)) for module, attribute in real.found}


@pytest.mark.parametrize("path", sorted((RECORDED / "pickle" / "made").glob("pipeline_protocol_*.pkl")), ids=str)
def test_names_of_a_real_estimator(path: Path) -> None:
    real = Recorder(path.read_bytes())
    real.load()
    aliases = {".".join(name_today(*found)) for found in real.found}
    assert names(path.read_bytes()) == aliases


def test_every_opcode_has_its_handler() -> None:
    known = {ord(opcode.code) for opcode in pickletools.opcodes}
    assert known == {*OPCODES, ord(".")}


json_like = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=80)
    | st.binary(max_size=80),
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(st.text(max_size=20) | st.integers(-1000, 1000), inner, max_size=5)
        | st.tuples(inner, inner)
    ),
    max_leaves=10,
)


@given(json_like, st.sampled_from(PROTOCOLS))
def test_values_are_those_that_were_written(value: object, protocol: int) -> None:
    found = read_pickle(of_bytes(pickle.dumps(value, protocol)))
    assert found.problem is None
    assert_same(found.root, value)


def assert_same(found: object, value: object) -> None:
    if isinstance(value, dict):
        assert isinstance(found, Node)
        assert list(found.entries) == list(value)
        for key, below in value.items():
            assert_same(found.entries[key], below)
    elif isinstance(value, list):
        assert isinstance(found, Node)
        assert found.kind == "list"
        assert len(found.elements) == len(value)
        for one, other in zip(found.elements, value, strict=True):
            assert_same(one, other)
    elif isinstance(value, tuple):
        assert isinstance(found, tuple)
        for one, other in zip(found, value, strict=True):
            assert_same(one, other)
    elif isinstance(value, int) and not -(2**120) < value < 2**120:
        return
    elif not isinstance(value, bytes | str):
        assert found == value or isinstance(value, float)
    elif isinstance(value, str) and "\ud800" <= max(value, default="") <= "\udfff":
        return
    elif isinstance(value, str):
        assert found == value


# --- nothing comes to life -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_pickle_that_would_make_a_file_makes_none(protocol: int, tmp_path: Path) -> None:
    target = tmp_path / "made"
    data = pickle.dumps(writes(target), protocol)
    found = read_pickle(of_bytes(data))
    assert found.problem is None
    assert {name for (_, name), called in found.names.items() if called} == {"open"}
    assert not target.exists()
    pickle.loads(data).close()
    assert target.exists(), "the pickle is harmless, so that the test proves nothing"


def test_nothing_is_imported() -> None:
    read_pickle(of_bytes(b"cantigravity\ngeohash\n(S'x'\ntR."))
    assert "antigravity" not in sys.modules


# --- obfuscations ----------------------------------------------------------------------------------------------------

SYSTEM = {"os.system"}
HIDDEN = {
    "protocol 0": (b"cos\nsystem\n(S'id'\ntR.", SYSTEM),
    "INST": (b"(S'id'\nios\nsystem\n.", SYSTEM),
    "OBJ": (b"(cos\nsystem\nS'id'\no.", SYSTEM),
    "STACK_GLOBAL": (b"\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x02id\x85R.", SYSTEM),
    "names out of order": (b"\x80\x04\x8c\x06system\x94\x8c\x02os\x94h\x01h\x00\x93)R.", SYSTEM),
    "names through the memo": (
        b"\x80\x04\x8c\x02osq\xc8\x8c\x06systemr\x10\x27\x00\x0000h\xc8j\x10\x27\x00\x00\x93)R.",
        SYSTEM,
    ),
    "memo overwritten": (b"\x80\x04\x8c\x04jsonq\x00\x8c\x02osq\x00\x8c\x06system\x94000h\x00h\x01\x93)R.", SYSTEM),
    "MEMOIZE counts places": (b"\x80\x04\x8c\x02osq\x01\x8c\x06system\x94000h\x00h\x01\x93.", set()),
    "names after others": (b"\x80\x04(U\x02osU\x06system1\x8c\x02osV" + rb"s\u0079stem" + b"\n\x93.", SYSTEM),
    "escapes in a text": (b"\x80\x04S'\\x6fs'\nS'sys\\164em'\n\x93.", SYSTEM),
    "DUP and POP": (b"\x80\x04\x8c\x02osN02\x8c\x06system0\x8c\x06system\x93.", SYSTEM),
    "a name of Python 2": (b"c__builtin__\neval\n(S'1'\ntR.", {"builtins.eval"}),
    "a dotted name": (b"\x80\x04\x8c\x05torch\x8c\x10_utils.os.system\x93.", {"torch._utils.os.system"}),
    "an error after the call": (b"cos\nsystem\n(S'id'\ntRBROKEN", SYSTEM),
    "no STOP": (b"cos\nsystem\n(S'id'\ntR", SYSTEM),
    "a computed name": (
        b"\x80\x04\x8c\x02osc_codecs\nencode\n\x8c\x06system\x85R\x93.",
        {"_codecs.encode", ".(computed)"},
    ),
    "getattr": (
        b"cbuiltins\ngetattr\n(cposixpath\njoin\nS'__globals__'\ntR.",
        {"posixpath.join", "posixpath.join.__globals__"},
    ),
    "getattr of who knows what": (b"cbuiltins\ngetattr\n(}S'x'\ntR.", {"builtins.getattr"}),
    "getattr kept": (
        b"cbuiltins\ngetattr\np0\n(cjson\nJSONDecoder\nS'a'\ntR0g0\n.",
        {"builtins.getattr", "json.JSONDecoder", "json.JSONDecoder.a"},
    ),
    "extension": (b"\x80\x02\x82\xf0)R.", {"(copyreg extension).240"}),
    "inner pickle": (b"cpickle\nloads\n(C\x01.tR.", {"pickle.loads"}),
    "inner pickle, computed": (b"cpickle\nloads\n(}tR.", {"pickle.loads", f".{UNREAD[1]}"}),
}  # fmt: skip


@pytest.mark.parametrize("name", HIDDEN)
def test_hidden_names_are_found(name: str) -> None:
    data, expected = HIDDEN[name]
    assert names(data) == expected


def test_a_name_that_cannot_be_read_is_not_passed_over() -> None:
    assert COMPUTED in read_pickle(of_bytes(b"\x80\x04K\x01K\x02\x93.")).names
    long = "x" * 5000
    assert COMPUTED in read_pickle(of_bytes(pickle.dumps(long, 4)[:-2] + b"\x8c\x01y\x93.")).names


def test_one_pickle_after_another() -> None:
    data = pickle.dumps(1) + pickle.dumps([2]) + b"rest"
    first = read_pickle(of_bytes(data))
    second = read_pickle(of_bytes(data), first.end)
    assert (first.root, first.problem, second.problem) == (1, None, None)
    assert data[second.end :] == b"rest"


def test_large_bytes_are_stepped_over() -> None:
    array = np.zeros(1 << 22, np.uint8)
    data = pickle.dumps({"x": array.tobytes(), "after": 1}, 4)
    source = of_bytes(data)
    found = read_pickle(source)
    assert isinstance(found.root, Node)
    blob = found.root.entries["x"]
    assert isinstance(blob, Blob)
    assert (blob.size, found.root.entries["after"]) == (1 << 22, 1)
    assert source._left > (512 << 20) - (1 << 20)


def test_storages_of_torch() -> None:
    data = b"\x80\x02(X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000X\x06\x00\x00\x00cuda:0K\x06tQ."
    (found,) = read_pickle(of_bytes(data)).persistent
    assert isinstance(found.id, tuple)
    assert found.id[3:] == ("cuda:0", 6)


# --- damage and bounds -----------------------------------------------------------------------------------------------

DAMAGED = {
    "nothing": b"",
    "no such opcode": b"\x80\x04\xff.",
    "unknown protocol": b"\x80\x09.",
    "nothing on the stack": b"\x80\x04R.",
    "no mark": b"\x80\x04t.",
    "an empty memo": b"\x80\x04h\x05.",
    "a text of 2^63 bytes": b"\x80\x04\x8d" + struct.pack("<Q", 1 << 63) + b".",
    "a text of -1 bytes": b"T\xff\xff\xff\xff.",
    "bytes beyond the end": b"\x80\x04B\xff\xff\xff\x7f.",
    "a number of 2 GB": b"\x80\x04\x8b\xff\xff\xff\x7f.",
    "a line without an end": b"S" + b"x" * 200_000,
    "marks without an end": b"\x80\x04" + b"(" * 200_000 + b".",
    "a tower of values": b"\x80\x04" + b"}" * 300_000 + b".",
    "places far apart": b"\x80\x04]" + b"".join(b"r" + struct.pack("<I", 7 * each) for each in range(200_000)) + b".",
    "names without an end": b"".join(b"ca%d\nb\n" % each for each in range(6000)) + b".",
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGED)
def test_damage_is_a_problem_and_no_exception(name: str) -> None:
    assert read_pickle(of_bytes(DAMAGED[name])).problem is not None


DEEP = 200_000 if ALL else 12_000
NESTED = {
    "lists in lists": b"\x80\x04]" + b"]a" * DEEP + b".",
    "tuples in tuples": b"\x80\x04)" + b"\x85" * DEEP + b".",
    "calls of calls": b"\x80\x04cos\nsystem\n" + b")R" * DEEP + b".",
    "ids of ids": b"\x80\x04N" + b"Q" * DEEP + b".",
    "reconstructors": b"\x80\x04ccopyreg\n_reconstructor\n\x94(" + b"h\x00" * DEEP + b"tR.",
    "names of names": b"cbuiltins\ngetattr\n\x94ca\nb\n\x94"
    + b"".join(b"h\x00h%c\x8c\x20%032d\x86R\x94" % (each + 1, 0) for each in range(200))
    + b".",
    "the room is full": b"\x80\x04(" + b"".join(b"\x8c\x09%09d\x940" % each for each in range(DEEP)) + b"N.",
}


@pytest.mark.parametrize("name", NESTED)
def test_what_nests_or_piles_up_stays_in_bounds(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds grow with the depth tried: what is unbounded is beyond them at any depth."""
    monkeypatch.setattr(machine, "_ROOM", 40 * DEEP)  # less than is allowed, so that it is full sooner
    source = of_bytes(NESTED[name])
    tracemalloc.start()
    read_pickle(source)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 130 * DEEP


def test_truncated_anywhere() -> None:
    data = (RECORDED / "pickle" / "made" / "pipeline_protocol_5.pkl").read_bytes()
    for cut in range(1, 20):
        problem = read_pickle(of_bytes(data[: len(data) * cut // 20])).problem
        assert problem is not None
        assert problem.reason == "truncated"


SEEDS = [path.read_bytes() for path in sorted((RECORDED / "pickle" / "made").glob("*.pkl"))]


@given(st.sampled_from(SEEDS), st.data())
def test_mutated_pickles_raise_nothing(seed: bytes, data: st.DataObject) -> None:
    mutated = bytearray(seed)
    for place, byte in data.draw(st.lists(st.tuples(st.integers(0, len(seed) - 1), st.integers(0, 255)), max_size=8)):
        mutated[place] = byte
    found = read_pickle(of_bytes(bytes(mutated)))
    assert found.end <= len(mutated)


@given(st.binary(max_size=200))
def test_random_bytes_raise_nothing(data: bytes) -> None:
    read_pickle(of_bytes(b"\x80\x04" + data))
    begins_like_a_pickle(data)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_pickles_begin_like_pickles(protocol: int) -> None:
    for value in OBJECTS.values():
        assert begins_like_a_pickle(pickle.dumps(value, protocol)[:64])


@pytest.mark.parametrize(
    "head",
    [b"", b"\x80", b"PK\x03\x04", b"\x80\x02\x00\x00", b'{"a": 1}', b"(see the licence)", b"# pickle", b"\x93NUMPY"],
)
def test_other_files_do_not(head: bytes) -> None:
    assert not begins_like_a_pickle(head)
