"""Core ML models that coremltools wrote, whole and damaged."""

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from support.mangled import cuts, mangled, read, survives

from checks.facts import NeededFile, OperatorUse, TensorSpec
from checks.knowledge.formats.coreml import CoreMlTable, specification_of_opset
from checks.readers.models import read_model, read_models
from checks.readers.models.apple.coreml import mlmodel

RECORDINGS = Path(__file__).parents[4] / "recordings" / "models"
PACKAGES = RECORDINGS / "coreml-mlpackage" / "made"
MODELS = RECORDINGS / "coreml-mlmodel" / "made"
INNER = "Data/com.apple.CoreML/model.mlmodel"
WEIGHTS = "Data/com.apple.CoreML/weights/weight.bin"
PROGRAM = (PACKAGES / "pal4.mlpackage" / INNER).read_bytes()
NETWORK = (MODELS / "nn.mlmodel").read_bytes()


def test_all_of_a_package() -> None:
    facts = read_model(PACKAGES / "ios16.mlpackage")
    assert (facts.format, facts.version, facts.problem) == ("coreml-mlpackage", "specification 7", None)
    assert (facts.producer, facts.producer_version) == ("coremltools", "9.0")
    assert facts.needs.systems == {"macOS": "13", "iOS": "16", "tvOS": "16", "watchOS": "9"}
    assert facts.needs.operators == (
        OperatorUse(name="cast", count=2),
        OperatorUse(name="conv"),
        OperatorUse(name="relu"),
        OperatorUse(name="reshape"),
        OperatorUse(name="linear"),
        OperatorUse(name="softmax"),
    )
    size = (PACKAGES / "ios16.mlpackage" / WEIGHTS).stat().st_size
    assert facts.needs.files == (NeededFile(name=WEIGHTS, size=size, present=True, present_size=size),)
    assert facts.inputs == (TensorSpec(name="x", dtype="float32", shape=(1, 2, 4, 4)),)
    assert facts.outputs == (TensorSpec(name="prob", dtype="float32", shape=(1, 3)),)
    assert (facts.parameters, facts.dtypes, facts.quantization) == (132, {"float16": 132}, "")
    assert facts.details["model-kind"] == "mlProgram"
    assert facts.details["coreml-opset"] == "CoreML6"
    assert facts.details["precision"] == "float16, float32"


@pytest.mark.parametrize(
    ("name", "quantization", "dtype", "macos"),
    [
        pytest.param("pal4", "palettized 4-bit", "uint4", "15", id="palettized"),
        pytest.param("q4", "int4", "int4", "15", id="int4"),
    ],
)
def test_packed_weights(name: str, quantization: str, dtype: str, macos: str) -> None:
    facts = read_model(PACKAGES / f"{name}.mlpackage")
    assert facts.quantization == quantization
    assert facts.dtypes is not None
    assert facts.dtypes[dtype] == 132
    assert facts.needs.systems is not None
    assert facts.needs.systems["macOS"] == macos


def test_weights_that_functions_share_count_once() -> None:
    facts = read_model(PACKAGES / "multi.mlpackage")
    assert (facts.parameters, facts.details["functions"]) == (132, "a, b")
    assert facts.inputs is not None
    assert [each.name for each in facts.inputs] == ["x"]


@pytest.mark.parametrize(
    ("name", "kind", "version", "parameters"),
    [
        pytest.param("nn", "neuralNetwork", "specification 1", 566, id="network"),
        pytest.param("nn8", "neuralNetwork", "specification 3", 566, id="quantized"),
        pytest.param("pipe", "pipeline (1)", "specification 1", 566, id="pipeline"),
        pytest.param("tree", "treeEnsembleRegressor", "specification 1", 0, id="tree"),
    ],
)
def test_kinds_of_models(name: str, kind: str, version: str, parameters: int) -> None:
    facts = read_model(MODELS / f"{name}.mlmodel")
    assert (facts.format, facts.version, facts.problem) == ("coreml-mlmodel", version, None)
    assert (facts.details["model-kind"], facts.parameters) == (kind, parameters)


def test_a_quantized_network() -> None:
    facts = read_model(MODELS / "nn8.mlmodel")
    assert (facts.quantization, facts.dtypes) == ("linear 8-bit", {"uint8": 566})


def test_a_layer_of_ones_own() -> None:
    facts = read_model(MODELS / "custom.mlmodel")
    assert facts.needs.operators == (OperatorUse(name="MyLayer", domain="custom", is_custom=True),)


def test_inputs_that_are_no_tensors() -> None:
    facts = read_model(MODELS / "tree.mlmodel")
    assert facts.inputs == (
        TensorSpec(name="a", dtype="float64", shape=()),
        TensorSpec(name="b", dtype="int64", shape=()),
    )


def test_known_under_any_name(tmp_path: Path) -> None:
    for path in MODELS.glob("*.mlmodel"):
        shutil.copy(path, tmp_path / "download")
        assert read_model(tmp_path / "download").format == "coreml-mlmodel", path.name
    shutil.copytree(PACKAGES / "q4.mlpackage", tmp_path / "folder")
    assert read_model(tmp_path / "folder").format == "coreml-mlpackage"


def test_weights_are_missing_or_short(tmp_path: Path) -> None:
    package = shutil.copytree(PACKAGES / "ios16.mlpackage", tmp_path / "x.mlpackage")
    weights = package / WEIGHTS
    weights.write_bytes(weights.read_bytes()[:-8])
    assert (read_model(package).problem, read_model(package).problem_detail) == ("truncated", WEIGHTS)
    weights.unlink()
    assert (read_model(package).problem, read_model(package).problem_detail) == ("missing-part", WEIGHTS)
    (package / INNER).unlink()
    assert (read_model(package).problem, read_model(package).problem_detail) == ("missing-part", INNER)


@pytest.mark.parametrize(
    ("manifest", "problem"),
    [
        pytest.param('{"itemInfoEntries": {}, "rootModelIdentifier": "a"}', "json-damaged", id="no-entry"),
        pytest.param(
            '{"itemInfoEntries": {"a": {"path": "../../../etc/passwd"}}, "rootModelIdentifier": "a"}',
            "json-damaged",
            id="outside",
        ),
        pytest.param('{"rootModelIdentifier": [', "json-damaged", id="cut"),
    ],
)
def test_hostile_manifests(manifest: str, problem: str, tmp_path: Path) -> None:
    package = shutil.copytree(PACKAGES / "ios16.mlpackage", tmp_path / "x.mlpackage")
    (package / "Manifest.json").write_text(manifest, "utf-8")
    assert read_model(package).problem == problem


def test_the_manifest_of_something_else(tmp_path: Path) -> None:
    (tmp_path / "Manifest.json").write_text(json.dumps({"name": "app", "version": 1}), "utf-8")
    shutil.copy(MODELS / "nn.mlmodel", tmp_path)
    assert [each.format for each in read_models(tmp_path)] == ["coreml-mlmodel"]


@pytest.mark.parametrize("data", [*cuts(NETWORK)][1:])
def test_cut(data: bytes) -> None:
    answer = survives(mlmodel, data, "model.mlmodel")
    assert getattr(answer, "problem", answer) == "truncated"


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"\x08\x01\x12\x04\x0a\x02hi", id="no-type-of-an-input"),
        pytest.param(b"\x08\x09\x12\x07pytorch\x1a\x052.1.0", id="onnx"),
        pytest.param(b"\x08\x01\x12\x10\x0a\x0e\x12\x06\x0a\x04MLIR\x22\x04tags", id="savedmodel"),
        pytest.param(b"\x08\x01", id="two-bytes"),
    ],
)
def test_not_mine(data: bytes) -> None:
    assert read(mlmodel, data, "file") is None


def test_pipelines_in_pipelines_end() -> None:
    data = b""
    for _ in range(40):
        inner = b"\x0a" + _varint(len(data)) + data
        data = b"\xd2\x0c" + _varint(len(inner)) + inner
    answer = survives(mlmodel, b"\x08\x01" + data, "model.mlmodel")
    assert getattr(answer, "problem", None) == "too-large"


def _varint(value: int) -> bytes:
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def test_the_table() -> None:
    versions = [row.version for row in CoreMlTable.read().specification]
    assert versions == [*range(1, len(versions) + 1)]
    row = specification_of_opset("CoreML7")
    assert row is not None
    assert row is specification_of_opset("ios17")
    assert (row.version, row.systems["macOS"]) == (8, "14")


@given(mangled(PROGRAM, NETWORK, (MODELS / "pipe.mlmodel").read_bytes()))
def test_survives(data: bytes) -> None:
    survives(mlmodel, data, "model.mlmodel")
