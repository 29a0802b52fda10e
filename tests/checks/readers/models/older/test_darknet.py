"""What Darknet's networks and weights say."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given
from support.mangled import cuts, mangled, read, survives

from checks.facts import ModelFacts, OperatorUse, TensorSpec
from checks.readers.containers.source import Damaged
from checks.readers.models import read_model, read_models
from checks.readers.models.older.darknet import darknet_cfg, darknet_weights

MADE = Path(__file__).parents[4] / "recordings" / "models" / "darknet" / "made"
TEXT = (MADE / "small.cfg").read_bytes()
WEIGHTS = (MADE / "small.weights").read_bytes()


def test_a_network_with_its_weights() -> None:
    facts = read_model(MADE / "small.cfg")
    assert (facts.format, facts.problem) == ("darknet", None)
    assert facts.needs.operators == tuple(
        OperatorUse(name=name) for name in ("avgpool", "connected", "convolutional", "softmax")
    )
    assert facts.inputs == (TensorSpec(name="data", dtype="float32", shape=("?", 3, 8, 8)),)
    assert "readNetFromDarknet" in facts.details["read-by"]
    assert [each.name for each in read_models(MADE)] == ["small.cfg"]


def test_weights_alone() -> None:
    facts = read_model(MADE / "small.weights")
    assert (facts.format, facts.version, facts.parameters) == ("darknet", "0.2.5", 74)  # OpenCV 4.14 counts 74 too
    assert facts.details["images-seen"] == "1000"
    old = read(darknet_weights, struct.pack("<iiiI", 0, 1, 0, 5) + bytes(40), "old.weights")
    assert old is not None
    assert old.parameters == 10


def test_layers_of_the_fork_and_classes() -> None:
    text = TEXT.replace(b"[softmax]\ngroups=1", b"[sam]\nfrom=-1\n\n[MyLayer]\n[yolo]\nclasses=80\n")
    facts = read(darknet_cfg, text, "a.cfg", a__weights=WEIGHTS)
    assert facts is not None
    assert facts.details == {"classes": "80", "darknet-fork": "AlexeyAB"}
    assert facts.needs.operators is not None
    assert {operator.name for operator in facts.needs.operators if operator.is_custom} == {"sam", "MyLayer"}


def test_weights_under_another_name() -> None:
    lonely = read(darknet_cfg, TEXT, "a.cfg")
    assert lonely is not None
    assert (lonely.problem, lonely.problem_detail) == ("missing-part", "a.weights")
    only = read(darknet_cfg, TEXT, "a.cfg", b__weights=WEIGHTS)
    assert only is not None
    assert only.problem is None
    taken = read(darknet_cfg, TEXT, "a.cfg", b__weights=WEIGHTS, b__cfg=TEXT)
    assert taken is not None
    assert taken.problem == "missing-part"


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"[metadata]\nname = x\n", id="setup-cfg"),
        pytest.param(b"[net]\nhost = example\nport = 1\n", id="another-net"),
        pytest.param(b"[net]\nhost = example\n[client]\nport = 1\n", id="another-net-with-sections"),
        pytest.param(b"[network]", id="no-line"),
    ],
)
def test_other_texts_are_not_networks(data: bytes) -> None:
    assert read(darknet_cfg, data, "a.cfg") is None


def test_other_binaries_are_not_weights() -> None:
    assert read(darknet_weights, WEIGHTS, "small.bin") is None
    assert read(darknet_weights, b"PK\x03\x04" + bytes(100), "a.weights") is None


def test_cut_at_every_twentieth() -> None:
    for cut in cuts(WEIGHTS):
        facts = survives(darknet_weights, cut, "a.weights")
        assert facts is None or isinstance(facts, ModelFacts)
    for cut in cuts(TEXT):
        survives(darknet_cfg, cut, "a.cfg")
    facts = read(darknet_weights, WEIGHTS[:-1], "a.weights")
    assert facts is not None
    assert facts.problem == "truncated"


def test_text_that_is_too_long() -> None:
    with pytest.raises(Damaged, match="too-large"):
        read(darknet_cfg, TEXT + b"\n" * (5 << 20), "a.cfg")


@given(mangled(TEXT, WEIGHTS))
def test_mangled_files(data: bytes) -> None:
    survives(darknet_cfg, data, "a.cfg")
    survives(darknet_weights, data, "a.weights")
