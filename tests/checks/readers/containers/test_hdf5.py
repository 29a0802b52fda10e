"""HDF5 without its library: compared with what h5py 3.14 says of the same files."""

from __future__ import annotations

import contextlib
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.readers.containers.hdf5 import SIGNATURE, Hdf5, Node, file, nodes
from checks.readers.containers.source import Damaged, of_bytes

MADE = Path(__file__).parents[3] / "recordings" / "models" / "keras-h5" / "made"
SMALL = (MADE / "small-2.4.h5").read_bytes()
WEIGHTS = (MADE / "bfloat16-3.15.weights.h5").read_bytes()


def opened(data: bytes) -> Hdf5:
    return Hdf5(of_bytes(data))


def walked(data: bytes) -> None:
    """Read all of a file."""
    for _, node in opened(data).root.walk():
        assert isinstance(node.attributes, dict)
        assert node.shape is None or isinstance(node.shape, tuple)
        assert node.dtype is None or isinstance(node.dtype, str)


def _at(node: Node, path: str) -> Node | None:
    """What lies at a path below a group."""
    for name in path.split("/"):
        if name not in node.links:
            return None
        node = node.links[name]
    return node


def test_datasets_with_their_shapes() -> None:
    file = opened(SMALL)
    weights = _at(file.root, "model_weights")
    assert weights is not None
    found = {path: (node.shape, node.dtype) for path, node in weights.walk()}
    assert found["conv2d/conv2d/kernel:0"] == ((3, 3, 3, 4), "float32")
    assert found["dense/dense/bias:0"] == ((2,), "float32")
    assert len(found) == 8


def test_attributes() -> None:
    root = opened(SMALL).root
    assert root.attributes["keras_version"] == b"2.4.0"
    config = root.attributes["model_config"]
    assert isinstance(config, bytes)
    assert config.startswith(b'{"class_name": "Sequential"')
    weights = _at(root, "model_weights")
    assert weights is not None
    assert weights.attributes["layer_names"] == (b"conv2d", b"batch_normalization", b"flatten", b"dense")
    assert _at(root, "model_weights/nothing") is None


def test_numbers_that_hdf5_does_not_know() -> None:
    kernel = _at(opened(WEIGHTS).root, "layers/dense/vars/0")
    assert kernel is not None
    assert kernel.dtype is None  # opaque bytes; Keras tells the type beside them
    assert kernel.attributes["dtype"] == b"bfloat16"


def test_a_file_knows_how_long_it_was() -> None:
    assert not opened(SMALL).is_truncated
    assert opened(SMALL[:-1]).is_truncated


def test_another_file_is_none() -> None:
    with pytest.raises(Damaged, match="no signature"):
        opened(b"PK\x03\x04" + bytes(100))


@pytest.mark.parametrize(
    "superblock",
    [
        pytest.param(bytes([9]) + bytes(200), id="version"),
        pytest.param(bytes([0, 0, 0, 0, 0, 3, 8]) + bytes(200), id="addresses-of-three-bytes"),
        pytest.param(bytes([2, 8, 8, 0]) + b"\xff" * 200, id="no-root"),
        pytest.param(bytes([2, 8, 8, 0]) + struct.pack("<4Q", 0, 0, 1 << 62, 1 << 63) + bytes(99), id="root-far-out"),
        pytest.param(b"", id="nothing-follows"),
    ],
)
def test_a_hostile_beginning(superblock: bytes) -> None:
    with pytest.raises(Damaged):
        walked(SIGNATURE + superblock)


def header(*messages: tuple[int, bytes]) -> bytes:
    """A file with a superblock of version 2 and one object header at 48."""
    body = b"".join(struct.pack("<BHB", kind, len(data), 0) + data for kind, data in messages)
    start = SIGNATURE + bytes([2, 8, 8, 0]) + struct.pack("<4Q", 0, (1 << 64) - 1, 4096, 48) + bytes(4)
    return (start + b"OHDR" + bytes([2, 2]) + struct.pack("<I", len(body)) + body).ljust(4096, b"\0")


def test_a_header_that_goes_on_where_it_was() -> None:
    again = header((0x10, struct.pack("<QQ", 48, 100)), (0x10, struct.pack("<QQ", 48, 100)))
    with pytest.raises(Damaged, match="continuation"):
        walked(again)


def test_a_group_in_itself_is_walked_once() -> None:
    link = bytes([1, 0, 1]) + b"a" + struct.pack("<Q", 48)
    walked(header((6, link)))


@pytest.mark.parametrize(
    "attribute",
    [
        # name, datatype and dataspace; a text of 2^32-1 bytes in a heap, 2^60 values, 33 axes, an array of arrays
        pytest.param(struct.pack("<BBHHH", 2, 0, 2, 16, 4) + b"a\0" + bytes(16) + b"\x02\x21\0\1", id="axes"),
        pytest.param(
            struct.pack("<BBHHH", 2, 0, 2, 8, 12) + b"a\0" + b"\x13\0\0\0\1\0\0\0" + b"\x02\1\0\1" + b"\xff" * 8,
            id="many",
        ),
        pytest.param(
            struct.pack("<BBHHH", 2, 0, 2, 8, 4) + b"a\0" + b"\x19\1\0\0\x10\0\0\0" + b"\x02\0\0\0" + b"\xff" * 16,
            id="a-text-far-out",
        ),
        pytest.param(struct.pack("<BBHHH", 2, 0, 60000, 60000, 60000), id="lengths"),
    ],
)
def test_a_hostile_attribute(attribute: bytes) -> None:
    with contextlib.suppress(Damaged):
        assert opened(header((0xC, attribute))).root.attributes in ({"a": None}, {"a": ()})


def test_steps_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file, "MOST_STEPS", 20)
    with pytest.raises(Damaged, match="more than 20"):
        walked(SMALL)


def test_objects_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nodes, "MOST_NODES", 5)
    with pytest.raises(Damaged, match="more than 5"):
        walked(SMALL)


def test_texts_are_counted_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file, "MOST_TEXTS", 100)
    with pytest.raises(Damaged, match="text of"):
        assert opened(SMALL).root.attributes


@given(
    st.sampled_from([SMALL, WEIGHTS]), st.lists(st.tuples(st.integers(0, 1 << 15), st.binary(max_size=8)), max_size=6)
)
def test_damage_is_all_that_comes_out(original: bytes, changes: list[tuple[int, bytes]]) -> None:
    data = bytearray(original)
    for at, piece in changes:
        data[at : at + len(piece)] = piece
    with contextlib.suppress(Damaged):
        walked(bytes(data))
