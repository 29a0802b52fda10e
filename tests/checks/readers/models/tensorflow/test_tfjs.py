"""TensorFlow.js models of tensorflowjs 4.22 and of npm packages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from support.mangled import MemoryFolder, cuts, mangled, survives

from checks.facts import ModelFacts, TensorSpec
from checks.readers.containers.source import of_bytes
from checks.readers.models import read_model, read_models
from checks.readers.models.tensorflow.tfjs import tfjs_model

RECORDED = Path(__file__).parents[4] / "recordings" / "models" / "tfjs"
MADE = RECORDED / "made"
GRAPH = (RECORDED / "antispoof.json").read_bytes()
LAYERS = (MADE / "layers-2.15" / "model.json").read_bytes()
MANIFEST = (RECORDED / "face_landmark_68_tiny_model-weights_manifest.json").read_bytes()


def shown(text: object, **beside: bytes) -> ModelFacts | None:
    data = json.dumps(text).encode()
    files = {name.replace("__", "."): content for name, content in beside.items()}
    return tfjs_model.read(of_bytes(data, "model.json"), MemoryFolder(files))


def test_a_graph() -> None:
    facts = read_model(MADE / "uint8" / "model.json")
    assert (facts.format, facts.problem) == ("tfjs", None)
    assert (facts.producer, facts.producer_version) == ("tensorflowjs", "4.22.0")
    assert facts.inputs == (TensorSpec(name="keras_tensor", dtype="float32", shape=("?", 8, 8, 3)),)
    assert facts.quantization == "uint8"
    assert (facts.dtypes, facts.needs.memory) == ({"float32": 400, "int32": 4}, 416)
    assert {operator.name for operator in facts.needs.operators or ()} >= {"Conv2D", "MatMul", "Placeholder"}
    assert facts.needs.frameworks == ("tfjs>=1.0.0",)
    assert facts.details == {
        "model-kind": "graph-model",
        "generated-by": "2.21.0",
        "converter": "TensorFlow.js Converter v4.22.0",
    }


def test_a_graph_of_a_package() -> None:
    facts = read_model(RECORDED / "antispoof.json")
    assert (facts.producer, facts.quantization) == (None, "float16")
    assert facts.dtypes == {"float32": 426545, "int32": 2}
    assert not any(operator.is_custom for operator in facts.needs.operators or ())  # _FusedConv2D is its own
    assert (facts.problem, facts.problem_detail) == ("missing-part", "antispoof.bin")


def test_layers() -> None:
    facts = read_model(MADE / "layers-2.15" / "model.json")
    assert (facts.problem, facts.parameters, facts.needs.memory) == (None, 418, 1672)
    assert facts.inputs == (TensorSpec(name="input_1", dtype="float32", shape=("?", 8, 8, 3)),)
    assert {operator.name for operator in facts.needs.operators or ()} == {
        "BatchNormalization",
        "Conv2D",
        "Dense",
        "Flatten",
        "InputLayer",
    }
    assert facts.details["keras-version"] == "2.15.0"
    assert "weights-by-place" not in facts.details


def test_words_of_keras_3_and_of_its_zip() -> None:
    of_keras_3 = read_model(MADE / "layers-3.15" / "model.json")
    assert "InputLayer(batch_shape)" in of_keras_3.details["keras-particular"]
    assert read_model(MADE / "layers-of-zip" / "model.json").details["weights-by-place"] == "yes"


def test_weights_without_a_model() -> None:
    facts = read_model(RECORDED / "face_landmark_68_tiny_model-weights_manifest.json")
    assert (facts.format, facts.problem) == ("tfjs", "missing-part")
    assert (facts.dtypes, facts.quantization) == ({"float32": 77224}, "uint8")
    assert facts.details == {"model-kind": "weights"}
    assert facts.bound_to[0].kind == "model-source"


def test_each_model_of_a_folder() -> None:
    assert {Path(each.path).parent.name for each in read_models(MADE)} == {
        "lambda",
        "layers-2.15",
        "layers-3.15",
        "layers-of-zip",
        "uint8",
    }


TWO = {"name": "a", "shape": [2, 3], "dtype": "float32"}


@pytest.mark.parametrize(
    ("shards", "problem"),
    [
        pytest.param({"a__bin": bytes(16), "b__bin": bytes(8)}, None, id="whole"),
        pytest.param({"a__bin": bytes(16)}, "missing-part", id="without-the-second"),
        pytest.param({"a__bin": bytes(16), "b__bin": bytes(7)}, "truncated", id="the-last-too-short"),
    ],
)
def test_shards(shards: dict[str, bytes], problem: str | None) -> None:
    facts = shown(
        {"modelTopology": None, "weightsManifest": [{"paths": ["./a.bin", "b.bin"], "weights": [TWO]}]}, **shards
    )
    assert facts is not None
    assert facts.problem == problem
    assert facts.details["topology"] == "none"


def test_shards_elsewhere_are_not_looked_for() -> None:
    manifest = [{"paths": ["../a.bin", "https://example.org/b.bin"], "weights": []}]
    facts = shown({"modelTopology": {"node": []}, "weightsManifest": manifest})
    assert facts is not None
    assert [file.present for file in facts.needs.files or ()] == [None, None]


def test_an_older_graph_tells_its_interface_by_its_nodes() -> None:
    shape = {"shape": {"dim": [{"size": "-1"}, {"size": 4}]}}
    node = {"name": "x", "op": "Placeholder", "attr": {"dtype": {"type": 1}, "shape": shape}}
    library = {"function": [{"signature": {"name": "f"}, "nodeDef": [{"name": "y", "op": "Prelu"}]}]}
    facts = shown(
        {"modelTopology": {"node": [node, {"name": "z", "op": "f"}], "library": library}, "weightsManifest": []}
    )
    assert facts is not None
    assert facts.inputs == (TensorSpec(name="x", dtype="float32", shape=("?", 4)),)
    assert [operator.name for operator in facts.needs.operators or ()] == ["Placeholder", "Prelu"]


@pytest.mark.parametrize(
    "data",
    [
        b"{}",
        b"[]",
        b"",
        b"[1, 2]",
        b'{"nodes": [], "arg_nodes": []}',
        b'{"modelTopology": null, "weightsManifest": null}',
        b'[{"weights": "heavy"}]',
        b"{" * 1000,
    ],
)
def test_another_file_is_none(data: bytes) -> None:
    assert survives(tfjs_model, data, "model.json") is None


@pytest.mark.parametrize(
    "topology",
    [
        "[" * 100_000,
        '{"node": 5}',
        '{"node": [{"op": 1}]}',
        '{"class_name": 5}',
        '"text"',
        "[]",
        '{"model_config": "{"}',
    ],
)
def test_a_damaged_topology(topology: str) -> None:
    data = f'{{"format": "graph-model", "modelTopology": {topology}, "weightsManifest": []}}'.encode()
    for text in (data, data.replace(b"graph-model", b"layers-model")):
        answer = survives(tfjs_model, text, "model.json")
        assert answer in ("json-damaged", "truncated") or (isinstance(answer, ModelFacts) and answer.problem)


@pytest.mark.parametrize("data", [GRAPH, LAYERS, MANIFEST])
def test_cut_at_every_twentieth(data: bytes) -> None:
    for cut in cuts(data):
        assert survives(tfjs_model, cut, "model.json") in (None, "truncated")


@given(mangled(GRAPH, LAYERS, MANIFEST))
def test_mangled(data: bytes) -> None:
    survives(tfjs_model, data, "model.json")
