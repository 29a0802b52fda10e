"""What a stream calls, also where it calls no name: results, attributes that it has set, names of Python 2."""

import time

import pytest
from support.hostile.assembler import Code, attribute, built, call, name, stream, value

from checks.readers.containers.pickles.machine import name_today
from checks.readers.containers.pickles.read import read_pickle
from checks.readers.containers.pickles.values import CHANGED, COMPUTED_PICKLE, RESULT_CALLED, UNREAD, Pickle
from checks.readers.containers.source import of_bytes

SPACE = call("argparse:Namespace")
SIZE = name("torch", "Size")  # which is harmless, as all other names here
HIDDEN = {RESULT_CALLED, CHANGED, COMPUTED_PICKLE, UNREAD}


def read(*parts: Code, protocol: int = 4) -> Pickle:
    return read_pickle(of_bytes(stream(*parts, protocol=protocol)))


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        pytest.param(call(call("argparse:Namespace")), RESULT_CALLED, id="a result"),
        pytest.param(
            call(built(call("functools:partial", SIZE), (SIZE, (), {}, {}))), RESULT_CALLED, id="changed partial"
        ),
        pytest.param(built(SPACE, {"__setstate__": SIZE}), RESULT_CALLED, id="__setstate__"),
        pytest.param(built(SPACE, (None, {"append": SIZE})), RESULT_CALLED, id="append among slots"),
        pytest.param(built(SPACE, {"extend": call("functools:partial", SIZE)}), RESULT_CALLED, id="extend"),
        pytest.param(call("builtins:type", "X", (), {}), RESULT_CALLED, id="a new class"),
        pytest.param(
            call("copyreg:__newobj__", call("builtins:type", None)), RESULT_CALLED, id="object of a computed class"
        ),
        pytest.param(Code(value(SIZE) + value({"a": 1}) + b"b"), CHANGED, id="state of a class"),
        pytest.param(Code(value(SIZE) + value("a") + value(1) + b"s"), CHANGED, id="entry of what is imported"),
        pytest.param(Code(value(SIZE) + value(1) + b"a"), CHANGED, id="element of what is imported"),
        pytest.param(built(call("builtins:type", SPACE), (None, {"a": 1})), CHANGED, id="class of an object"),
        pytest.param(call("pickle:loads", call("builtins:bytes", [1])), COMPUTED_PICKLE, id="computed pickle"),
        pytest.param(call("pickle:loads", None), UNREAD, id="no pickle"),
    ],
)
def test_what_is_hidden_is_noted(part: Code, expected: tuple[str, str]) -> None:
    assert HIDDEN & set(read(part).names) == {expected}


@pytest.mark.parametrize(
    "part",
    [
        pytest.param(call(call("functools:partial", SIZE), (1,)), id="partial of a name"),
        pytest.param(
            call(call("functools:partial", name("numpy", "ndarray.__new__"), name("numpy", "ndarray"))), id="protocol 2"
        ),
        pytest.param(call(attribute(name("torch", "_C._VariableFunctionsClass"), "relu")), id="attribute of a name"),
        pytest.param(built(SPACE, {"add": True, "append": None}), id="plain attributes"),
        pytest.param(built(SPACE, {"weight": SIZE}), id="a class as an attribute"),
        pytest.param(call("builtins:type", None), id="type of None"),
        pytest.param(Code(value(SPACE) + value("a") + value(1) + b"s"), id="entry of an object"),
        pytest.param(call("copyreg:_reconstructor", SIZE, name("builtins", "object"), None), id="plain object"),
    ],
)
def test_what_picklers_write_is_not(part: Code) -> None:
    assert HIDDEN & set(read(part).names) == set()


def test_a_partial_calls_what_it_was_given() -> None:
    found = read(call(call("functools:partial", name("a", "Net"), 1), 2))
    assert found.names["a", "Net"]
    assert found.calls["a", "Net"] == "1, 2"


def test_another_base_than_object_is_called() -> None:
    found = read(call("copyreg:_reconstructor", name("a", "Net"), name("a", "Base"), "x"))
    assert (found.names["a", "Base"], found.calls["a", "Base"]) == (True, "'x'")


def test_the_class_in_a_persistent_id_is_the_class() -> None:
    found = read(Code(value(("module", name("a", "Net"), "net.py", "class Net: ...")) + b"Q" + b")\x81"))
    assert HIDDEN & set(found.names) == set()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (("__builtin__", "xrange"), ("builtins", "range")),
        (("commands", "getoutput"), ("subprocess", "getoutput")),
        (("thread", "start_new_thread"), ("_thread", "start_new_thread")),
        (("itertools", "imap"), ("builtins", "map")),
        (("torch", "Size"), ("torch", "Size")),
    ],
)
def test_names_of_python_2(old: tuple[str, str], new: tuple[str, str]) -> None:
    assert name_today(*old) == new


@pytest.mark.parametrize(
    ("arguments", "described"),
    [
        (("echo 1",), "'echo 1'"),
        ((["/bin/sh", "-c", "id"],), "['/bin/sh', '-c', 'id']"),
        ((b"x" * 100, None, 1.5, SIZE), "<100 bytes>, None, 1.5, torch.Size"),
        ((list(range(9)),), "[0, 1, 2, 3…]"),
        ((call("a:b"),), "a.b(…)"),
        (([[[["deep"]]]],), "[[…]]"),
    ],
)
def test_what_a_call_is_given(arguments: tuple[object, ...], described: str) -> None:
    assert read(call("os:system", *arguments)).calls["os", "system"] == described


def test_a_long_argument_is_shortened() -> None:
    assert len(read(call("os:system", *["x" * 150] * 50)).calls["os", "system"]) <= 200


def test_partials_within_each_other_take_linear_time() -> None:
    """A chain of 20,000 that is called 20,000 times, and one that holds as many arguments."""
    chain = name("functools", "partial") + SIZE + b"\x85R" + b"q\x00"
    longer = b"0" + name("functools", "partial") + b"h\x00\x85Rq\x00"
    called = b"h\x00)R0"
    wide = b"0" + name("functools", "partial") + b"(" + SIZE + b"K\x01" * 20_000 + b"tRq\x01"
    start = time.process_time()
    read_pickle(of_bytes(b"\x80\x04" + chain + longer * 20_000 + called * 20_000 + wide + b"h\x01)R0" * 20_000 + b"."))
    assert time.process_time() - start < 20
