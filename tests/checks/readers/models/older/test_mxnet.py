"""What MXNet's networks and weights say."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest
from hypothesis import given
from support.mangled import MemoryFolder, cuts, mangled, read, survives

from checks.facts import ModelFacts, OperatorUse, TensorSpec
from checks.readers.containers.source import Damaged, of_bytes
from checks.readers.models import read_model, read_models
from checks.readers.models.older.mxnet import mxnet_params, mxnet_symbol

MADE = Path(__file__).parents[4] / "recordings" / "models" / "mxnet" / "made"
GLUON = (MADE / "gluon-symbol.json").read_bytes()
WEIGHTS = (MADE / "gluon-0003.params").read_bytes()
SPARSE = (MADE / "sparse.params").read_bytes()


def test_a_network_with_its_weights() -> None:
    facts = read_model(MADE / "gluon-symbol.json")
    assert (facts.format, facts.producer_version, facts.problem) == ("mxnet", "1.9.1", None)
    assert facts.needs.operators == tuple(
        OperatorUse(name=name) for name in ("Activation", "BatchNorm", "Convolution", "FullyConnected", "Pooling")
    )
    assert facts.needs.files is not None
    assert [file.name for file in facts.needs.files] == ["gluon-0003.params"]
    assert facts.inputs == (TensorSpec(name="data"),)
    assert facts.outputs == (TensorSpec(name="dense0_fwd"),)
    assert (facts.parameters, facts.dtypes) == (153, {"float32": 153})
    assert facts.details["retired"] == "2022"


def test_inputs_may_tell_their_shape_and_type() -> None:
    facts = read_model(MADE / "classic-symbol.json")
    assert facts.inputs is not None
    assert facts.inputs[0] == TensorSpec(name="data", dtype="float16", shape=(1, 8))
    assert facts.dtypes == {"float16": 36}


def test_without_its_weights() -> None:
    facts = read(mxnet_symbol, GLUON, "resnet-symbol.json")
    assert facts is not None
    assert (facts.problem, facts.problem_detail) == ("missing-part", "resnet-0000.params")
    assert facts.inputs == (TensorSpec(name="data"),)  # by the names of the others


def test_the_last_epoch_counts() -> None:
    files = {"a-symbol.json": GLUON, "a-0001.params": WEIGHTS, "a-0010.params": WEIGHTS, "b-0099.params": WEIGHTS}
    facts = mxnet_symbol.read(of_bytes(GLUON, "a-symbol.json"), MemoryFolder(files))
    assert facts is not None
    assert facts.needs.files is not None
    assert facts.needs.files[0].name == "a-0010.params"


@pytest.mark.parametrize(
    ("name", "count", "dtypes"),
    [
        ("gluon-0003.params", "8", {"float32": 153}),
        ("sparse.params", "3", {"float32": 20, "int8": 6}),
        ("list.params", "2", {"float32": 6, "float64": 7}),
    ],
)
def test_weights_alone(name: str, count: str, dtypes: dict[str, int]) -> None:
    facts = read(mxnet_params, (MADE / name).read_bytes(), "download")
    assert facts is not None
    assert (facts.format, facts.problem) == ("mxnet", None)
    assert facts.details["tensors"] == count
    assert facts.dtypes == dtypes


@pytest.mark.parametrize(
    "array",
    [
        pytest.param(struct.pack("<IIqq", 0xF993FAC8, 2, 2, 3), id="of-0.11"),
        pytest.param(struct.pack("<III", 2, 2, 3), id="of-before"),
    ],
)
def test_older_layouts_of_arrays(array: bytes) -> None:
    # MXNet 1.9.1 loads both files and finds an array of 2 by 3 in each.
    data = struct.pack("<QQQ", 0x112, 0, 1) + array + struct.pack("<iii", 2, 0, 0) + bytes(24)
    data += struct.pack("<QQ", 1, 5) + b"arg:w"
    facts = read(mxnet_params, data, "old-0000.params")
    assert facts is not None
    assert (facts.dtypes, facts.problem) == ({"float32": 6}, None)
    assert facts.details["keys"] == "arg:w"
    assert facts.needs.devices == ("gpu",)


def test_a_folder_shows_the_network_and_weights_without_one() -> None:
    found = {each.name for each in read_models(MADE)}
    assert found == {"classic-symbol.json", "gluon-symbol.json", "sparse.params", "list.params"}


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b'{"nodes": {"op": 1}, "inputs": 2}', id="another-graph"),
        pytest.param(b'{"nodes": [{"op": "null"}, {"op": "tvm_op"}], "inputs": []}', id="tvm"),
        pytest.param(b'{"nodes": [], "op": [], "inputs": []}', id="no-nodes"),
        pytest.param(b'{"nodes": [ "op" "inputs" ', id="no-json"),
    ],
)
def test_other_json_is_no_network(data: bytes) -> None:
    assert read(mxnet_symbol, data, "graph.json") is None


def test_json_that_is_cut_is_damaged() -> None:
    with pytest.raises(Damaged, match="json-damaged"):
        read(mxnet_symbol, GLUON[:-300], "a-symbol.json")
    with pytest.raises(Damaged, match="json-damaged"):
        read(mxnet_symbol, b'{"inputs" : "op", "nodes": [' + b'{"a":' * 100_000, "a-symbol.json")


def test_cut_at_every_twentieth() -> None:
    for original in (WEIGHTS, SPARSE):
        for cut in cuts(original):
            facts = survives(mxnet_params, cut, "a.params")
            assert facts is None or (isinstance(facts, ModelFacts) and facts.problem == "truncated"), len(cut)
    for cut in cuts(GLUON):
        assert survives(mxnet_symbol, cut, "a-symbol.json") in (None, "json-damaged")


def test_numbers_that_cannot_be() -> None:
    many = read(mxnet_params, struct.pack("<QQQ", 0x112, 0, 1 << 63) + bytes(100), "a.params")
    assert many is not None
    assert many.problem == "too-large"
    axes = read(mxnet_params, struct.pack("<QQQII", 0x112, 0, 1, 0xFFFFFF, 7) + bytes(100), "a.params")
    assert axes is not None
    assert axes.problem == "array-damaged"
    huge = read(
        mxnet_params,
        struct.pack("<QQQIiiqq", 0x112, 0, 1, 0xF993FAC9, 0, 2, 1 << 62, 1 << 62) + bytes(100),
        "a.params",
    )
    assert huge is not None
    assert huge.problem == "truncated"


def test_attributes_that_are_no_texts() -> None:
    graph = json.loads(GLUON)
    graph["attrs"]["mxnet_version"] = "1.9"
    facts = read(mxnet_symbol, json.dumps(graph).encode(), "a-symbol.json")
    assert facts is not None
    assert facts.producer_version is None
    no_text = GLUON.replace(b'["int", 10901]', b'["\xd7\xff", 10901]')
    facts = read(mxnet_symbol, no_text, "a-symbol.json")
    assert facts is not None
    assert facts.producer_version is None


def test_json_of_nothing_but_brackets() -> None:
    with pytest.raises(Damaged, match="too-large"):
        read(mxnet_symbol, b'{"inputs": "op", "nodes": [' + b"{}," * 2_000_000, "a-symbol.json")


@given(mangled(GLUON, WEIGHTS, SPARSE))
def test_mangled_files(data: bytes) -> None:
    survives(mxnet_symbol, data, "a-symbol.json", **{"a-0000__params": data})
    survives(mxnet_params, data, "a.params")
