"""Compiled Core ML models. The files are laid out as Xcode's compiler and the device write them, for both are only on
Apple's systems: metadata.json and model.mil as in published .mlmodelc folders.
"""

import json
from pathlib import Path

import pytest
from hypothesis import given
from support.mangled import MemoryFolder, mangled

from checks.facts import OperatorUse, TensorSpec
from checks.readers.containers.source import Damaged
from checks.readers.models import read_model
from checks.readers.models.apple.coreml_compiled import mlmodelc

DATA = (502).to_bytes(4, "little") + (7).to_bytes(4, "little") + bytes(60)
METADATA = json.dumps(
    [
        {
            "metadataOutputVersion": "3.0",
            "storagePrecision": "Mixed (Float16, Palettized (4 bits))",
            "computePrecision": "Mixed (Float16, Int32)",
            "specificationVersion": 7,
            "mlProgramOperationTypeHistogram": {"Ios16.cast": 2, "Ios16.conv": 5, "Select": 1},
            "availability": {"macOS": "13.0", "iOS": "16.0", "macCatalyst": "16.0"},
            "modelType": {"name": "MLModelType_mlProgram"},
            "inputSchema": [{"name": "x", "dataType": "Float16", "shape": "[1, 80, 3000]", "type": "MultiArray"}],
            "outputSchema": [{"name": "y", "dataType": "Double", "shape": "[1, 5]", "type": "MultiArray"}],
            "userDefinedMetadata": {
                "com.github.apple.coremltools.version": "7.1",
                "com.github.apple.coremltools.source": "torch==2.1.0",
            },
        }
    ]
).encode()
PROGRAM = b"""program(1.0)
[buildInfo = dict<tensor<string, []>, tensor<string, []>>({{"coremlc-version", "3404.23.1"}, {"coremltools-version", \
"7.1"}})]
{
    func main<ios17>(tensor<fp32, [1, 4]> x) {
            tensor<string, []> t = const()[name = tensor<string, []>("t"), val = tensor<string, []>("fp16")];
            tensor<fp16, [1, 4]> a = cast(dtype = t, x = x)[name = tensor<string, []>("a")];
            tensor<fp16, [1, 4]> b = relu(x = a)[name = tensor<string, []>("b")];
            tensor<fp16, [1, 4]> c = relu(x = b)[name = tensor<string, []>("c")];
        } -> (c);
}
"""
LAYERS = json.dumps({"storage": "model.espresso.weights", "layers": [{"type": "convolution"}, {"type": "softmax"}]})


def folder(**files: bytes) -> MemoryFolder:
    return MemoryFolder({name.replace("__", "."): data for name, data in files.items()}, "model.mlmodelc")


def test_with_the_metadata_of_xcode(tmp_path: Path) -> None:
    model = tmp_path / "model.mlmodelc"
    (model / "weights").mkdir(parents=True)
    (model / "coremldata.bin").write_bytes(DATA)
    (model / "metadata.json").write_bytes(METADATA)
    (model / "weights" / "weight.bin").write_bytes(bytes(100))
    facts = read_model(model)
    assert (facts.format, facts.version, facts.problem) == ("coreml-mlmodelc", "specification 7", None)
    assert (facts.producer, facts.producer_version, facts.dependence) == ("coremltools", "7.1", "high")
    assert facts.needs.systems == {"macOS": "13.0", "iOS": "16.0"}
    assert facts.needs.operators == (
        OperatorUse(name="conv", count=5),
        OperatorUse(name="cast", count=2),
        OperatorUse(name="Select", count=1),
    )
    assert facts.needs.memory == 100
    assert facts.inputs == (TensorSpec(name="x", dtype="float16", shape=(1, 80, 3000)),)
    assert facts.outputs == (TensorSpec(name="y", dtype="float64", shape=(1, 5)),)
    assert facts.details == {
        "model-kind": "mlProgram",
        "coreml-opset": "CoreML6",
        "converted-from": "torch==2.1.0",
        "precision": "Mixed (Float16, Int32)",
        "storage-precision": "Mixed (Float16, Palettized (4 bits))",
    }


def test_as_a_device_compiles_it() -> None:
    facts = mlmodelc.read(folder(coremldata__bin=DATA, model__mil=PROGRAM))
    assert facts is not None
    assert (facts.version, facts.producer_version) == ("specification 7", "7.1")
    assert facts.needs.operators == (OperatorUse(name="relu", count=2), OperatorUse(name="cast", count=1))
    assert facts.needs.systems is not None
    assert facts.needs.systems["macOS"] == "14"  # the operator set asks for more than the specification
    assert facts.details == {"model-kind": "mlProgram", "coreml-opset": "CoreML7"}


def test_a_network() -> None:
    data = (500).to_bytes(4, "little") + (4).to_bytes(4, "little")
    facts = mlmodelc.read(folder(coremldata__bin=data, model__espresso__net=LAYERS.encode()))
    assert facts is not None
    assert facts.needs.operators == (OperatorUse(name="convolution"), OperatorUse(name="softmax"))
    assert facts.details == {"model-kind": "neuralNetwork"}


def test_another_folder() -> None:
    assert mlmodelc.read(folder(metadata__json=METADATA)) is None
    assert mlmodelc.read(folder(coremldata__bin=DATA)) is None


def test_an_empty_part() -> None:
    with pytest.raises(Damaged, match="truncated"):
        mlmodelc.read(folder(coremldata__bin=b"", model__mil=b""))


def test_metadata_of_the_wrong_types() -> None:
    wrong = b'[{"specificationVersion": "x", "availability": [1], "mlProgramOperationTypeHistogram": {"a": "b"}}]'
    facts = mlmodelc.read(folder(coremldata__bin=DATA, metadata__json=wrong))
    assert facts is not None
    assert (facts.version, facts.needs.systems, facts.needs.operators) == (None, None, None)


@given(mangled(METADATA, PROGRAM, LAYERS.encode()))
def test_survives(data: bytes) -> None:
    for name in ("metadata__json", "model__mil", "model__espresso__net"):
        mlmodelc.read(folder(coremldata__bin=DATA, **{name: data}))
