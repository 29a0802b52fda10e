"""Frozen graphs of TensorFlow 1.15 and 2.21."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from support.mangled import cuts, mangled, read, survives

from checks.facts import TensorSpec
from checks.readers.containers.protobuf.wire import BYTES, Message
from checks.readers.containers.source import of_bytes
from checks.readers.models import read_model
from checks.readers.models.tensorflow import messages as tensorflow_messages
from checks.readers.models.tensorflow.graph import graph_file, text_graph_file
from checks.readers.models.tensorflow.messages import short_device

MADE = Path(__file__).parents[4] / "recordings" / "models" / "tf-frozen" / "made"
OLD = (MADE / "frozen-1.15.pb").read_bytes()
NEW = (MADE / "frozen-2.21.pb").read_bytes()
TEXT = (MADE / "frozen-2.21.pbtxt").read_bytes()


def test_with_weights_inside() -> None:
    facts = read_model(MADE / "frozen-1.15.pb")
    assert (facts.format, facts.problem, facts.producer_version) == ("tf-frozen", None, None)
    assert facts.inputs == (TensorSpec(name="image", dtype="float32", shape=("?", 8, 8, 3)),)
    assert facts.outputs == (TensorSpec(name="probabilities"),)
    assert facts.dtypes == {"float32": 2668, "int32": 2}
    assert {operator.name: operator.count for operator in facts.needs.operators or ()} == {
        "Const": 3, "Identity": 2, "Conv2D": 1, "MatMul": 1, "Placeholder": 1, "Relu": 1, "Reshape": 1, "Softmax": 1,
    }  # fmt: skip
    assert facts.needs.devices == ("GPU:0",)


@pytest.mark.parametrize("name", ["frozen-2.21.pb", "frozen-2.21.pbtxt"])
def test_bytes_and_text_say_the_same(name: str) -> None:
    facts = read_model(MADE / name)
    assert (facts.format, facts.problem, facts.producer_version) == ("tf-frozen", None, "2.21")
    assert facts.inputs == (TensorSpec(name="x", dtype="float32", shape=("?", 4)),)
    assert [output.name for output in facts.outputs or ()] == ["Identity", "Identity_1"]
    assert facts.dtypes == {"float32": 15, "int32": 1}
    assert facts.needs.devices == ()


def test_an_operator_that_nobody_knows() -> None:
    facts = read(graph_file, NEW.replace(b"\x04Relu", b"\x04Mine"), "model.pb")
    assert facts is not None
    assert [operator.name for operator in facts.needs.operators or () if operator.is_custom] == ["Mine"]
    assert facts.dependence == "high"


def nodes_of(data: bytes) -> tuple[list[bytes], bytes]:
    """The nodes of a graph as they stand in the file, and what follows them."""
    fields = list(Message(of_bytes(data)))
    ends = [field.start + field.size if field.wire == BYTES else field.start for field in fields]
    nodes = [data[start:end] for start, end, each in zip([0, *ends], ends, fields, strict=False) if each.number == 1]
    return nodes, data[sum(map(len, nodes)) :]


@pytest.mark.parametrize("whole", [OLD, NEW])
def test_cut_between_two_nodes(whole: bytes) -> None:
    """Nodes may stand in any order: a node that consumes what is not there was written before it."""
    nodes, rest = nodes_of(whole)
    turned = nodes[::-1]
    facts = read(graph_file, b"".join(turned) + rest, "model.pb")
    assert facts is not None
    assert facts.problem is None
    cut = read(graph_file, b"".join(turned[:-1]), "model.pb")
    assert cut is not None
    assert cut.problem == "truncated"
    assert cut.problem_detail.endswith(" is missing")


def test_a_part_of_a_graph_that_has_its_end() -> None:
    """Written so, for a program that gives the rest itself."""
    nodes, rest = nodes_of(NEW)
    facts = read(graph_file, b"".join(nodes[1:]) + rest, "model.pb")
    assert facts is not None
    assert facts.problem is None


@pytest.mark.parametrize(
    ("device", "short"),
    [
        ("/device:GPU:0", "GPU:0"),
        ("/gpu:1", "GPU:1"),
        ("/job:worker/replica:0/task:3/device:TPU:2", "TPU:2"),
        ("/job:ps/task:0", ""),
        ("/device:CPU:*", "CPU"),
        ("", ""),
    ],
)
def test_devices(device: str, short: str) -> None:
    assert short_device(device) == short


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"\n\x13\n\x05split\x12\x0aCalculator", id="calculator"),
        # A graph of MediaPipe: a side packet where a node of TensorFlow has its attributes.
        pytest.param(b"\n\x1d\n\x05split\x12\x07LikeNow*\x0bMODEL:model" + bytes(8), id="mediapipe"),
        pytest.param(b"\n\x07\n\x05Hello" + bytes(9), id="no-operator"),
        pytest.param(b"\n\x0b\n\x03net\x12\x04a b!", id="no-name-of-an-operator"),
        pytest.param(b"\x08\x07\x12\x07pytorch", id="onnx"),
        pytest.param(b"\n" * 20, id="lines"),
    ],
)
def test_another_file_is_none(data: bytes) -> None:
    assert survives(graph_file, data, "model.pb") is None


def test_another_text_is_none() -> None:
    assert read(text_graph_file, b'name: "net"\nlayer { name: "a" type: "ReLU" }', "net.prototxt") is None


@pytest.mark.parametrize("limit", ["MOST_NODES", "MOST_NAMED"])
def test_more_than_any_model_has(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tensorflow_messages, limit, 3)
    for facts in (read(graph_file, NEW, "model.pb"), read(text_graph_file, TEXT, "model.pbtxt")):
        assert facts is not None
        assert facts.problem == "too-large"


@pytest.mark.parametrize("data", [OLD, NEW])
def test_cut_at_every_twentieth(data: bytes) -> None:
    for cut in cuts(data):
        answer = survives(graph_file, cut, "model.pb")
        assert answer is None or isinstance(answer, str) or answer.problem


@given(mangled(OLD, NEW))
def test_mangled(data: bytes) -> None:
    survives(graph_file, data, "model.pb")


@given(mangled(TEXT))
def test_mangled_text(data: bytes) -> None:
    survives(text_graph_file, data, "model.pbtxt")
