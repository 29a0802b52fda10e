"""What Caffe's networks say, as text and with their weights."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given
from support.mangled import cuts, mangled, read, survives

from checks.facts import ModelFacts, NeededFile, OperatorUse, TensorSpec
from checks.readers.containers.source import Damaged
from checks.readers.models import read_model
from checks.readers.models.older.caffe import caffemodel, prototxt

RECORDED = Path(__file__).parents[4] / "recordings" / "models" / "caffe"
TEXT = (RECORDED / "HorizonalFinemapping.prototxt").read_bytes()
SSD = (RECORDED / "deploy.prototxt").read_bytes()
WEIGHTS = (RECORDED / "HorizonalFinemapping.caffemodel").read_bytes()
OLD = (RECORDED / "made" / "v1.caffemodel").read_bytes()


def test_a_network_with_half_precision_weights() -> None:
    facts = read(caffemodel, WEIGHTS, "a.caffemodel")
    assert facts is not None
    assert (facts.format, facts.producer, facts.problem) == ("caffe", "caffe", None)
    assert (facts.parameters, facts.dtypes) == (11754, {"float16": 11754})  # as OpenCV 4.14 counts them
    assert facts.needs.memory == 23508
    assert facts.inputs == (TensorSpec(name="data", shape=(1, 3, 16, 66)),)
    assert facts.outputs == (TensorSpec(name="dense"),)
    assert facts.needs.operators is not None
    assert facts.needs.operators[0] == OperatorUse(name="ReLU", count=4)


def test_the_same_network_as_text_knows_its_weights() -> None:
    facts = read_model(RECORDED / "HorizonalFinemapping.prototxt")
    assert facts.needs.files == (
        NeededFile(name="HorizonalFinemapping.caffemodel", present=True, present_size=len(WEIGHTS)),
    )
    assert facts.inputs == (TensorSpec(name="data", shape=(1, 3, 16, 66)),)
    assert facts.problem is None
    assert facts.details["retired"] == "2017"
    assert "readNetFromCaffe" in facts.details["read-by"]


def test_layers_of_a_fork_are_named() -> None:
    facts = read(prototxt, SSD, "deploy.prototxt")
    assert facts is not None
    assert facts.details["caffe-fork"] == "SSD"
    assert facts.needs.operators is not None
    assert OperatorUse(name="PriorBox", count=6, is_custom=True) in facts.needs.operators
    assert (facts.problem, facts.problem_detail) == ("missing-part", "deploy.caffemodel")


def test_the_only_weights_of_a_folder_are_a_networks_own_but_not_those_of_another_network() -> None:
    alone = read(prototxt, SSD, "deploy.prototxt", other__caffemodel=WEIGHTS)
    assert alone is not None
    assert alone.problem is None
    taken = read(prototxt, SSD, "deploy.prototxt", other__caffemodel=WEIGHTS, other__prototxt=TEXT)
    assert taken is not None
    assert taken.problem == "missing-part"


def test_layers_of_before_2015_have_numbers_for_kinds() -> None:
    facts = read(caffemodel, OLD, "old.caffemodel")
    assert facts is not None
    assert facts.version == "V1"
    assert facts.needs.operators is not None
    assert {operator.name for operator in facts.needs.operators} == {
        "Convolution",
        "InnerProduct",
        "ReLU",
        "SoftmaxWithLoss",
    }
    assert facts.dtypes == {"float32": 56, "float64": 288}
    assert facts.inputs == (TensorSpec(name="data", shape=(1, 3, 8, 8)),)


def test_the_old_text_and_what_only_training_needs() -> None:
    text = b"""
    name: 'net'  # a comment with { brackets
    layers { name: "d" type: DATA top: "data" include { phase: TRAIN } }
    layers { name: "i" type: "Input" top: "data" input_param { shape: { dim: 1 dim: 3 dim: 32 dim: 0 } } }
    layers { bottom: "data" top: "ip" name: "ip" type: INNER_PRODUCT }
    layers < bottom: "ip" top: "loss" name: "loss" type: SOFTMAX_LOSS >
    layers { bottom: "ip" top: "mine" name: "mine" type: "MyLayer" }
    """
    facts = read(prototxt, text, "train.prototxt", train__caffemodel=b"x")
    assert facts is not None
    assert facts.version == "V1"
    assert facts.needs.operators == (
        OperatorUse(name="InnerProduct"),
        OperatorUse(name="Input"),
        OperatorUse(name="MyLayer", is_custom=True),
        OperatorUse(name="SoftmaxWithLoss"),
    )
    assert facts.inputs == (TensorSpec(name="data", shape=(1, 3, 32, "?")),)
    assert [output.name for output in facts.outputs or ()] == ["loss", "mine"]


def test_weights_that_are_a_field_per_number_are_counted() -> None:
    numbers = b"".join(b"\x2d" + struct.pack("<f", each) for each in range(1000))
    blob = numbers + b"\x3a\x04\x0a\x02\x32\x14"
    layer = b"\x0a\x02ip\x12\x0cInnerProduct\x3a" + varint(len(blob)) + blob
    facts = read(caffemodel, b"\x0a\x01n\xa2\x06" + varint(len(layer)) + layer, "unpacked.caffemodel")
    assert facts is not None
    assert facts.dtypes == {"float32": 1000}


def varint(number: int) -> bytes:
    out = b""
    while number > 0x7F:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b'net: "train.prototxt"\nbase_lr: 0.01\ntype: "SGD"\n', id="solver"),
        pytest.param(b'{"layers": {"type": 3}}', id="json"),
        pytest.param(b'node { name: "x" op: "Placeholder" }', id="tensorflow-text"),
        pytest.param(b"int layer {\n type :: value }", id="code"),
    ],
)
def test_other_texts_are_not_networks(data: bytes) -> None:
    assert read(prototxt, data, "a.prototxt") is None


@pytest.mark.parametrize("folder", ["onnx", "paddle", "tflite/made", "tf-checkpoint"])
def test_other_messages_are_not_networks(folder: str) -> None:
    files = [path for path in (RECORDED.parent / folder).iterdir() if path.is_file()]
    assert files
    for path in files:
        assert survives(caffemodel, path.read_bytes(), path.name) is None, path
        assert survives(prototxt, path.read_bytes(), path.name) is None, path


def test_cut_at_every_twentieth() -> None:
    for original in (WEIGHTS, OLD):
        for cut in cuts(original):
            facts = survives(caffemodel, cut, "a.caffemodel")
            assert facts is None or (isinstance(facts, ModelFacts) and facts.problem == "truncated") or len(cut) < 100
    for cut in cuts(SSD):
        facts = survives(prototxt, cut, "a.prototxt", a__caffemodel=b"x")
        assert facts is None or isinstance(facts, ModelFacts)


def test_text_that_leads_nowhere() -> None:
    deep = read(prototxt, b'layer { type: "A" ' + b"a { " * 100_000, "a.prototxt")
    assert deep is not None
    assert deep.problem == "text-damaged"
    closed = read(prototxt, b'layer { type: "A" } } } }', "a.prototxt")
    assert closed is not None
    assert closed.problem == "text-damaged"
    with pytest.raises(Damaged, match="too-large"):
        read(prototxt, TEXT + b" " * (9 << 20), "a.prototxt")


@given(mangled(WEIGHTS[:3000], OLD, TEXT))
def test_mangled_files(data: bytes) -> None:
    survives(caffemodel, data, "a.caffemodel")
    survives(prototxt, data, "a.prototxt")
