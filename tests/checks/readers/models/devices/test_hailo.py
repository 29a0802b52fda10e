"""What Hailo executables say.

The message was written with hailort's own schema (hef.proto of 5.2.0, protobuf 7) and put behind the headers that
hailort's hef_internal.hpp describes; files of Hailo's compiler, which is not public, were not at hand.
"""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from support.mangled import cuts, mangled, read, survives

from checks.facts import Binding, ModelFacts, TensorSpec
from checks.readers.models.devices.hailo import hailo

MESSAGE = bytes.fromhex(
    "0a12080310cea4c1b0061a06332e32372e30200112930142540a04636f726512221214796f6c6f76366e2f696e7075745f6c61796572313208"
    "088005188005280340011a1b0801120d796f6c6f76366e2f636f6e763132060850185028404001220b1a003207796f6c6f76366e422c0a036e"
    "6d73120608021202696e1a190803120b796f6c6f76366e2f6e6d733a0608501064180540022a0220504a04080110025207796f6c6f76366e2a"
    "1508051211434f4d505245535345445f504152414d532a12080d120e4841494c4f5f4e45545f464c4f572a05081b120178"
)
SIZE = len(MESSAGE)
WEIGHTS = bytes(1000)
BY_LAYOUT = {
    0: struct.pack(">4sII", b"\x01HEF", 0, SIZE) + bytes(20) + MESSAGE,
    1: struct.pack(">4sIIIQI", b"\x01HEF", 1, SIZE, 0, 1000, 0) + MESSAGE + WEIGHTS,
    2: struct.pack(">4sIIQQQQ", b"\x01HEF", 2, SIZE, 0, 1000, 0, 0) + MESSAGE + WEIGHTS,
    3: struct.pack(">4sIIQQIQQQ", b"\x01HEF", 3, SIZE, 0, 1000, 24, 0, 0, 0) + MESSAGE + WEIGHTS,
}


@pytest.mark.parametrize(("layout", "runtime"), [(0, "4.16"), (1, "4.17"), (2, "4.20"), (3, "4.21")])
def test_each_layout(layout: int, runtime: str) -> None:
    facts = read(hailo, BY_LAYOUT[layout], "yolov6n.hef")
    assert facts is not None
    assert (facts.format, facts.version, facts.producer_version) == ("hailo-hef", str(layout), "3.27.0")
    assert facts.needs.frameworks == (f"hailort>={runtime}",)
    assert facts.needs.devices == ("hailo-8l", "hailo-8")
    assert facts.bound_to[0] == Binding(kind="hailo-chip", value="Hailo-8L")
    assert facts.inputs == (TensorSpec(name="yolov6n/input_layer1", dtype="uint8", shape=(640, 640, 3)),)
    assert facts.outputs == (TensorSpec(name="yolov6n/nms", dtype="uint16", shape=(80, "?", 5)),)
    assert facts.details == {"network": "yolov6n", "hailo-runs-on": "Hailo-8L, Hailo-8", "exported": "2024-04-05"}
    assert facts.problem is None


def test_a_chip_and_an_extension_that_nobody_knows() -> None:
    message = b"\x0a\x03\x08\xe8\x07" + b"\x2a\x02\x08\x63"
    facts = read(hailo, struct.pack(">4sII", b"\x01HEF", 0, len(message)) + bytes(20) + message, "new.hef")
    assert facts is not None
    assert facts.bound_to == (Binding(kind="hailo-chip", value="hw_arch 1000"),)
    assert facts.needs.frameworks == ("hailort",)
    assert facts.needs.devices is None


def test_a_layout_that_nobody_knows() -> None:
    facts = read(hailo, b"\x01HEF" + struct.pack(">II", 4, 10) + bytes(100), "new.hef")
    assert facts is not None
    assert (facts.format, facts.problem) == ("hailo-hef", "version-unknown")
    assert read(hailo, b"\x01HEF" + b"text" * 20, "new.hef") is None


@pytest.mark.parametrize("layout", BY_LAYOUT)
def test_a_cut_file_says_so(layout: int) -> None:
    for cut in cuts(BY_LAYOUT[layout]):
        facts = survives(hailo, cut, "cut.hef")
        assert facts is None or (isinstance(facts, ModelFacts) and facts.problem == "truncated"), len(cut)


def test_sizes_that_cannot_be() -> None:
    facts = read(hailo, struct.pack(">4sIIQQQQ", b"\x01HEF", 2, 1 << 31, 0, 1 << 63, 0, 0) + MESSAGE, "huge.hef")
    assert facts is not None
    assert facts.problem == "truncated"


@given(mangled(*BY_LAYOUT.values()))
def test_mangled_files(data: bytes) -> None:
    survives(hailo, data, "mangled.hef")
