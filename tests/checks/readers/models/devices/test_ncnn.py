"""What ncnn's files say: text, the binary form, weights, and pnnx's own."""

from __future__ import annotations

import struct
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from support.mangled import cuts, mangled, read, survives

from checks.facts import ModelFacts, NeededFile, OperatorUse, TensorSpec
from checks.readers.containers.source import Damaged
from checks.readers.models import read_model, read_models
from checks.readers.models.devices.ncnn import ncnn_binary, ncnn_text, ncnn_weights

RECORDED = Path(__file__).parents[4] / "recordings" / "models" / "ncnn-param"
MADE = RECORDED / "made"
TEXT = (MADE / "small.ncnn.param").read_bytes()
PNNX = (MADE / "small.pnnx.param").read_bytes()
NUMBERS = (MADE / "small.param.bin").read_bytes()
WEIGHTS = (MADE / "small.ncnn.bin").read_bytes()


def test_the_text_that_pnnx_made() -> None:
    facts = read_model(MADE / "small.ncnn.param")
    assert (facts.format, facts.problem) == ("ncnn-param", None)
    assert facts.needs.operators == tuple(
        OperatorUse(name=name) for name in ("Convolution", "InnerProduct", "Input", "Reduction", "Softmax")
    )
    assert facts.needs.files == (NeededFile(name="small.ncnn.bin", present=True, present_size=572),)
    assert facts.needs.frameworks == ("ncnn",)
    assert facts.inputs == (TensorSpec(name="in0"),)
    assert facts.outputs == (TensorSpec(name="out0"),)


def test_a_network_of_a_package_without_its_weights() -> None:
    facts = read_model(RECORDED / "realesr-animevideov3-x2.param")
    assert facts.needs.operators is not None
    assert facts.needs.operators[0] == OperatorUse(name="Convolution", count=18)
    assert facts.needs.frameworks == ("ncnn>=1.0.20200226",)  # PixelShuffle
    assert (facts.problem, facts.problem_detail) == ("missing-part", "realesr-animevideov3-x2.bin")


def test_the_binary_form_has_numbers_for_names() -> None:
    facts = read(ncnn_binary, NUMBERS, "small.param.bin", small__bin=WEIGHTS)
    assert facts is not None
    assert (facts.format, facts.problem) == ("ncnn-param", None)
    assert facts.needs.operators == read_model(MADE / "small.ncnn.param").needs.operators
    assert facts.inputs == (TensorSpec(name="0"),)
    assert facts.outputs == (TensorSpec(name="4"),)


def test_pnnx_keeps_shapes_and_types() -> None:
    facts = read_model(MADE / "small.pnnx.param")
    assert (facts.format, facts.producer, facts.parameters) == ("pnnx", "pnnx", 269)
    assert facts.inputs == (TensorSpec(name="0", dtype="float32", shape=(1, 3, 32, 32)),)
    assert facts.outputs == (TensorSpec(name="5", dtype="float32", shape=(1, 5)),)
    assert facts.needs.operators is not None
    assert "nn.Conv2d" in {operator.name for operator in facts.needs.operators}


def test_an_input_may_name_its_lengths_and_a_layer_may_be_the_programs_own() -> None:
    text = TEXT.replace(b"0 1 in0", b"0 1 in0 0=32 1=24 2=3").replace(b"Softmax ", b"YoloHead")
    facts = read(ncnn_text, text, "a.param", a__bin=WEIGHTS)
    assert facts is not None
    assert facts.inputs == (TensorSpec(name="in0", shape=(3, 24, 32)),)
    assert facts.needs.operators is not None
    assert OperatorUse(name="YoloHead", is_custom=True) in facts.needs.operators
    binary = NUMBERS.replace(struct.pack("<ii", 32, 1), struct.pack("<ii", 258, 1))
    facts = read(ncnn_binary, binary, "a.param.bin", a__bin=WEIGHTS)
    assert facts is not None
    assert facts.needs.operators is not None
    assert OperatorUse(name="custom 2", is_custom=True) in facts.needs.operators


def test_weights_are_known_by_their_first_word_or_by_the_network_beside_them() -> None:
    facts = read_model(MADE / "small.ncnn.bin")
    assert (facts.format, facts.problem) == ("ncnn-bin", None)
    assert facts.details == {"weights-stored-as": "float16"}
    alone = read(ncnn_weights, WEIGHTS, "download")
    assert alone is not None
    assert (alone.format, alone.problem) == ("ncnn-bin", "missing-part")
    plain = read(ncnn_weights, bytes(100), "a.bin", a__param=TEXT)
    assert plain is not None
    assert plain.format == "ncnn-bin"


@pytest.mark.parametrize(
    ("data", "name", "param"),
    [
        pytest.param(bytes(100), "a.bin", b"", id="no-network"),
        pytest.param(bytes(100), "a.bin", b"learning_rate = 3", id="another-param"),
        pytest.param(b"", "a.bin", TEXT[:0], id="nothing"),
    ],
)
def test_other_binaries_are_not_weights(data: bytes, name: str, param: bytes) -> None:
    assert read(ncnn_weights, data, name, a__param=param) is None


@pytest.mark.parametrize("data", [b"", b"7767517", b"7767517 is a number\n", b"7767518\n5 5\n", b"\x5d\x86\x76\0" * 2])
def test_other_files_are_not_networks(data: bytes) -> None:
    assert read(ncnn_text, data, "a.param") is None
    assert read(ncnn_binary, data, "a.param") is None


def test_a_folder_shows_weights_with_their_network() -> None:
    found = {each.name: each.format for each in read_models(MADE)}
    assert "small.ncnn.bin" not in found
    assert found["small.ncnn.param"] == "ncnn-param"


def test_cut_at_every_twentieth() -> None:
    for reader, data, name in ((ncnn_text, TEXT, "a.param"), (ncnn_binary, NUMBERS, "a.param.bin")):
        for cut in cuts(data):
            facts = survives(reader, cut, name, a__bin=WEIGHTS)
            assert facts is None or (isinstance(facts, ModelFacts) and facts.problem == "truncated"), (name, len(cut))


def test_counts_that_cannot_be() -> None:
    huge = read(ncnn_text, b"7767517\n999999999 1\nInput in0 999999 999999 x\nSplit s 1 99999999 a b\n", "a.param")
    assert huge is not None
    assert huge.problem == "truncated"
    hostile = struct.pack("<iii", 7767517, 2, 2) + struct.pack("<iii", 4, 0x7FFFFFFF, -5)
    facts = read(ncnn_binary, hostile, "a.param.bin")
    assert facts is not None
    assert facts.problem == "layer-damaged"
    endless = struct.pack("<iii", 7767517, 1, 1) + struct.pack("<iii", 4, 0, 0) + struct.pack("<ii", 1, 1) * 2000
    facts = read(ncnn_binary, endless, "a.param.bin")
    assert facts is not None
    assert facts.problem == "layer-damaged"


def test_a_weight_of_many_axes_is_no_number_of_a_million_digits() -> None:
    axes = ",".join(["999999999"] * 20_000)
    text = f"7767517\n2 1\npnnx.Input x 0 1 a #a=(1)f32\nnn.Conv2d c 1 1 a b @w=({axes})f32\n"
    facts = read(ncnn_text, text.encode(), "a.pnnx.param")
    assert facts is not None
    assert msgspec.json.encode(facts)


def test_text_that_is_too_long() -> None:
    with pytest.raises(Damaged, match="too-large"):
        read(ncnn_text, TEXT + b" " * (17 << 20), "a.param")


@given(mangled(TEXT, PNNX, NUMBERS, WEIGHTS))
def test_mangled_files(data: bytes) -> None:
    survives(ncnn_text, data, "a.param")
    survives(ncnn_binary, data, "a.param.bin")
    survives(ncnn_weights, data, "a.bin", a__param=data)
