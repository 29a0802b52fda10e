"""FlatBuffers and FlexBuffers, in files that their own library wrote; hostile bytes are changed by hand."""

import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.readers.containers import flexbuffer
from checks.readers.containers.flatbuffer import FlatBuffer, Table
from checks.readers.containers.source import Damaged, of_bytes

MADE = Path(__file__).parents[3] / "recordings" / "models"
TFLITE = (MADE / "tflite/made/int8.tflite").read_bytes()

# By Google's flatbuffers 25.12: a map {"1": 7, "4": the bytes 00 ff, "5": -1, "6": [18], "7": [], "a": "text"}.
FLEX = bytes.fromhex(
    "310034000200ff350036000112043700006100047465787400061a191514100e060106071fff1a16140464042828140c2401"
)


def everything(table: Table, depth: int = 0) -> int:
    """Follow every field as if it led to something; the number of those that did."""
    found = 0
    for field in range(len(table)):
        for read in (table.data, table.text, table.integers, lambda field: list(table.texts(field))):
            try:
                read(field)
            except Damaged:
                continue
            found += 1
        if depth < 3:
            try:
                below = [each for each in (table.table(field), *table.tables(field)) if each is not None]
            except Damaged:
                continue
            found += sum(everything(each, depth + 1) for each in below[:3])
    return found


def test_the_fields_of_a_table() -> None:
    buffer = FlatBuffer(of_bytes(TFLITE))
    model = buffer.root()
    assert buffer.identifier == b"TFL3"
    assert (model.integer(0, "I"), model.text(3)) == (3, "MLIR Converted.")
    assert model.count(4) == len(list(model.tables(4)))
    assert not model.has(99)
    assert (model.integer(99), model.integer(99, default=5), model.text(99), model.table(99)) == (0, 5, "", None)
    assert (model.integers(99), model.span(99), list(model.tables(99))) == ((), (0, 0), [])
    subgraph = next(model.tables(2))
    assert (subgraph.integers(1), subgraph.text(4)) == ((0,), "main")


def test_an_offset_of_the_root_that_leads_nowhere() -> None:
    for offset, reason in ((0, "flatbuffer-damaged"), (1 << 31, "flatbuffer-damaged"), (1 << 20, "truncated")):
        with pytest.raises(Damaged) as damage:
            FlatBuffer(of_bytes(struct.pack("<I", offset) + TFLITE[4:])).root()
        assert damage.value.reason == reason


@pytest.mark.parametrize("data", [b"", b"\0", b"\x04\0\0\0", b"\xff" * 64, b"\0" * 64], ids=lambda data: str(len(data)))
def test_bytes_that_are_no_flatbuffer(data: bytes) -> None:
    with pytest.raises(Damaged):
        FlatBuffer(of_bytes(data)).root()


def test_a_description_with_a_field_outside_its_table() -> None:
    vtable = struct.pack("<HHH", 6, 8, 200)
    table = struct.pack("<iI", 8, 0)  # its description lies 8 bytes before
    data = struct.pack("<I", 12) + vtable + b"\0\0" + table + bytes(300)
    with pytest.raises(Damaged, match="a field outside its table"):
        FlatBuffer(of_bytes(data)).root()


def test_a_vector_that_claims_more_than_there_is() -> None:
    at, length = FlatBuffer(of_bytes(TFLITE)).root().span(2, 4)
    assert length == 1
    data = TFLITE[: at - 4] + struct.pack("<I", 0x7FFFFFFF) + TFLITE[at:]
    root = FlatBuffer(of_bytes(data)).root()
    for read in (lambda: list(root.tables(2)), lambda: root.integers(2), lambda: root.count(2), lambda: root.data(2)):
        with pytest.raises(Damaged):
            read()


def test_looking_at_more_than_a_file_of_this_size_can_hold_ends() -> None:
    buffer = FlatBuffer(of_bytes(TFLITE))
    at = buffer.root().at
    for _ in range(len(TFLITE)):
        Table(buffer, at)

    def for_ever() -> None:
        while True:
            Table(buffer, at)

    with pytest.raises(Damaged, match="circles"):
        for_ever()


@given(
    st.lists(st.tuples(st.integers(0, len(TFLITE) - 1), st.integers(0, 255)), max_size=20), st.integers(0, len(TFLITE))
)
def test_nothing_but_damaged_comes_out(changes: list[tuple[int, int]], end: int) -> None:
    data = bytearray(TFLITE)
    for at, value in changes:
        data[at] = value
    try:
        everything(FlatBuffer(of_bytes(bytes(data[:end]))).root())
    except Damaged:
        return


def test_a_map_of_a_flexbuffer() -> None:
    values = flexbuffer.root(of_bytes(FLEX)).map()
    assert sorted(values) == ["1", "4", "5", "6", "7", "a"]
    assert (values["1"].integer(), values["5"].integer()) == (7, -1)
    assert values["4"].span() is not None
    start, size = values["4"].span() or (0, 0)
    assert FLEX[start : start + size] == b"\0\xff"
    start, size = values["a"].span() or (0, 0)
    assert FLEX[start : start + size] == b"text"
    assert [each.integer() for each in values["6"].items()] == [18]
    assert values["7"].items() == ()
    assert (values["1"].map(), values["1"].items(), values["1"].span(), values["4"].integer()) == ({}, (), None, None)


@given(st.lists(st.tuples(st.integers(0, len(FLEX) - 1), st.integers(0, 255)), max_size=6), st.integers(0, len(FLEX)))
def test_nothing_but_damaged_comes_out_of_a_flexbuffer(changes: list[tuple[int, int]], begin: int) -> None:
    data = bytearray(FLEX)
    for at, value in changes:
        data[at] = value
    try:
        for each in flexbuffer.root(of_bytes(bytes(data[begin:]))).map().values():
            assert each.integer() is None or each.items() == ()
            each.span()
            for item in each.items():
                item.map()
    except Damaged:
        return
