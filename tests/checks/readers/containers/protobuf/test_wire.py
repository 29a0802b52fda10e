"""Protocol Buffers on the wire. The bytes come from TensorFlow's and ONNX's own writers through protobuf's encoding."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.readers.containers.protobuf.wire import (
    BYTES,
    FIXED32,
    FIXED64,
    VARINT,
    CutOff,
    Field,
    Message,
    float32,
    packed,
    parse,
    signed,
)
from checks.readers.containers.source import Damaged, Source, of_bytes

# message { int64 a = 1: 150; string b = 2: "testing"; fixed64 c = 3: 1; float d = 4: 1.5; int32 e = 5: -2 }, the
# first two as in the documentation of the encoding.
WIRE = bytes.fromhex("089601120774657374696e67190100000000000000250000c03f28feffffffffffffffff01")
FIELDS = [(1, VARINT, 150), (2, BYTES, b"testing"), (3, FIXED64, 1), (4, FIXED32, 0x3FC00000), (5, VARINT, 2**64 - 2)]


def test_both_readers_see_the_same() -> None:
    assert list(parse(WIRE)) == FIELDS
    message = Message(of_bytes(WIRE))
    seen = [(each.number, each.wire, message.data(each) if each.wire == BYTES else each.value) for each in message]
    assert seen == FIELDS
    assert (float32(0x3FC00000), signed(2**64 - 2), signed(7)) == (1.5, -2, 7)
    assert list(packed(bytes.fromhex("03960105"))) == [3, 150, 5]


def test_an_embedded_message() -> None:
    outer = b"\x0a" + bytes([len(WIRE)]) + WIRE
    message = Message(of_bytes(outer))
    (field,) = message
    assert [each.number for each in message.message(field)] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"\x00", id="field-0"),
        pytest.param(b"\x0f", id="wire-type-7"),
        pytest.param(b"\x0b\x0c", id="groups"),
        pytest.param(b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f", id="length-of-2-to-the-63"),
        pytest.param(b"\x0a\x05abc", id="length-beyond-the-end"),
        pytest.param(b"\x08" + b"\xff" * 11, id="endless-number"),
        pytest.param(b"\x19\x01\x02", id="cut-fixed64"),
        pytest.param(b"\x08", id="nothing-after-the-key"),
    ],
)
def test_hostile_bytes(data: bytes) -> None:
    for read in (lambda: list(parse(data)), lambda: list(Message(of_bytes(data)))):
        with pytest.raises(Damaged):
            read()


def test_too_much_for_one_piece() -> None:
    message = Message(of_bytes(b"\x0a\x80\x08" + bytes(1024)))
    (field,) = message
    with pytest.raises(Damaged, match="too-large"):
        message.data(field, most=100)
    with pytest.raises(Damaged):
        message.message(field._replace(wire=VARINT))


@given(st.binary(max_size=200))
def test_both_readers_agree_on_anything(data: bytes) -> None:
    def outcome(read: object) -> object:
        try:
            return list(read())  # type: ignore[operator]
        except Damaged:
            return "damaged"

    message = Message(of_bytes(data))
    streamed = outcome(lambda: [(f.number, f.wire, message.data(f) if f.wire == BYTES else f.value) for f in message])
    whole = outcome(lambda: list(parse(data)))
    assert streamed == whole


def test_what_is_left_of_a_field_that_is_cut_off() -> None:
    message = Message(of_bytes(WIRE[:8]))
    seen: list[Field] = []
    with pytest.raises(CutOff) as cut:
        seen.extend(message)
    assert [each.number for each in seen] == [1]
    assert (cut.value.reason, cut.value.field.number) == ("truncated", 2)
    assert message.data(cut.value.field) == b"tes"


def test_little_is_read_between_large_fields() -> None:
    class Counting(Source):
        read_in_all = 0

        def _fetch(self, offset: int, size: int) -> bytes:
            self.read_in_all += size
            return super()._fetch(offset, size)

    large = b"\x0a\x80\x80\x08" + bytes(1 << 17)
    data = large * 50
    source = Counting(io.BytesIO(data), "weights")
    assert len(list(Message(source))) == 50
    assert source.read_in_all < 200_000
