"""Two models side by side, written by PyTorch and NumPy themselves."""

import json
import math
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import pytest
import torch

from checks.analysis.models.side_by_side import _are_equal, compare_models, differences
from checks.facts import ModelComparison, ModelFacts, ModelNeeds, OperatorUse, TensorSpec
from checks.readers.containers.source import Damaged, Stopped
from checks.readers.models import read_model
from checks.readers.weights import savedmodel as savedmodel_weights
from checks.readers.weights import stored_weights
from checks.readers.weights.tensor import decoded, item_size

RECORDED = Path(__file__).parents[3] / "recordings" / "models"
Compare = Callable[[dict[str, torch.Tensor], dict[str, torch.Tensor]], ModelComparison]

DTYPES = {
    "float64": torch.float64,
    "float32": torch.float32,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
    "float8_e4m3fn": torch.float8_e4m3fn,
    "float8_e5m2": torch.float8_e5m2,
    "int64": torch.int64,
    "int8": torch.int8,
    "uint8": torch.uint8,
    "bool": torch.bool,
}


@pytest.fixture
def compare(tmp_path: Path) -> Compare:
    def compared(first: dict[str, torch.Tensor], second: dict[str, torch.Tensor]) -> ModelComparison:
        for name, tensors in (("a.pt", first), ("b.pt", second)):
            torch.save(tensors, tmp_path / name)
        return compare_models(read_model(tmp_path / "a.pt"), read_model(tmp_path / "b.pt"))

    return compared


def weights(seed: int = 0) -> dict[str, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    names = ("conv1.weight", "conv1.bias", "fc.weight")
    shapes = ((8, 3, 3, 3), (8,), (10, 72))
    return {name: torch.randn(shape, generator=generator) for name, shape in zip(names, shapes, strict=True)}


def test_the_same(compare: Compare) -> None:
    compared = compare(weights(), weights())
    assert compared.differences == ()
    assert compared.weights == {"same": 3}
    assert compared.tensors == ()


def test_one_number_that_differs_is_found_with_its_distance(compare: Compare) -> None:
    other = weights()
    other["fc.weight"][3, 5] += 0.5
    compared = compare(weights(), other)
    assert compared.weights == {"same": 2, "values": 1}
    (tensor,) = compared.tensors
    assert tensor.name == "fc.weight"
    assert tensor.max_abs == pytest.approx(0.5, rel=1e-6)
    assert tensor.max_rel == pytest.approx(0.5 / weights()["fc.weight"].abs().max().item(), rel=1e-6)


def test_another_type_is_compared_by_value(compare: Compare) -> None:
    halves = {name: each.half() for name, each in weights().items()}
    compared = compare(weights(), halves)
    assert compared.weights == {"dtype": 3}
    for tensor in compared.tensors:
        assert tensor.max_rel is not None
        assert 0 < tensor.max_rel < 2**-10
        assert "float16" in tensor.second
    assert [difference.what for difference in compared.differences] == ["dtype", "dtype"]


def test_shape_and_names(compare: Compare) -> None:
    first, second = weights(), weights()
    second["conv1.weight"] = torch.zeros(8, 3, 5, 5)
    second["model.head.fc.weight"] = second.pop("fc.weight")
    second["extra"] = torch.ones(4)
    compared = compare(first, second)
    assert compared.weights == {"same": 1, "shape": 1, "only-second": 1, "renamed": 1}


def test_an_exporter_that_puts_a_beginning_before_the_names(compare: Compare) -> None:
    second = {f"model.{name}": each * 1.001 for name, each in weights().items() if name != "conv1.bias"}
    compared = compare(weights(), second)
    assert compared.weights == {"values": 2, "only-first": 1}
    assert {tensor.name for tensor in compared.tensors} >= {"fc.weight → model.fc.weight"}


def test_what_is_not_a_number_is_no_agreement(compare: Compare) -> None:
    first, second = weights(), weights()
    first["conv1.bias"][0] = second["conv1.bias"][0] = math.nan
    second["fc.weight"][0, 0] = math.nan
    compared = compare(first, second)
    assert compared.weights == {"same": 2, "values": 1}
    assert compared.tensors[0].max_abs == np.finfo(np.float64).max
    msgspec.json.encode(compared)  # JSON knows no infinity


def test_an_empty_tensor_and_a_scalar(compare: Compare) -> None:
    tensors = {"empty": torch.zeros(0, 5), "scalar": torch.tensor(1.5)}
    assert compare(tensors, tensors).weights == {"same": 2}


def test_a_view_that_does_not_lie_in_one_piece_is_left_out(compare: Compare) -> None:
    turned = {**weights(), "turned": torch.randn(4, 5).t()}
    straight = {name: each.contiguous() for name, each in turned.items()}
    for other in (turned, straight):
        compared = compare(turned, other)
        assert compared.weights == {"same": 3, "left-out": 1}
        assert [(tensor.name, tensor.kind) for tensor in compared.tensors] == [("turned", "left-out")]


@pytest.mark.parametrize("name", DTYPES)
def test_every_type_is_read_as_the_framework_reads_it(name: str, tmp_path: Path) -> None:
    values = torch.tensor([0.0, 1.0, 1.0, 0.0, 1.0]) if name == "bool" else torch.tensor([0.0, 1.0, 2.5, 100.0, 0.02])
    tensor = values.to(DTYPES[name])
    torch.save({"x": tensor}, tmp_path / "x.pt")
    with stored_weights(tmp_path / "x.pt", "torch-zip") as stored:
        each = stored.tensors["x"]
        assert (each.dtype, each.shape, each.can_decode) == (name, (5,), True)
        read = decoded(b"".join(each.blocks()), name)
    assert read.tolist() == tensor.to(torch.float64).tolist()


@pytest.mark.parametrize("name", ["float8_e4m3fn", "float8_e5m2"])
def test_all_values_of_eight_bits(name: str) -> None:
    codes = bytes(range(256))
    expected = torch.frombuffer(bytearray(codes), dtype=torch.uint8).view(DTYPES[name]).to(torch.float64).numpy()
    np.testing.assert_array_equal(decoded(codes, name), expected)
    assert item_size(name) == 1


def test_arrays_of_numpy(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", w=np.arange(100.0), other=np.ones(3, np.int32))
    np.savez(tmp_path / "b.npz", w=np.arange(100.0) + 1e-9, other=np.ones(3, np.int32))
    compared = compare_models(read_model(tmp_path / "a.npz"), read_model(tmp_path / "b.npz"))
    assert compared.weights == {"same": 1, "values": 1}
    assert compared.tensors[0].max_abs == pytest.approx(1e-9, rel=1e-5)


@pytest.mark.parametrize("name", ["light_bvlc_alexnet.onnx", "logreg_iris.onnx", "mul_1.onnx"])
def test_onnx_with_itself(name: str) -> None:
    model = read_model(RECORDED / "onnx" / name)
    compared = compare_models(model, model)
    unread = "none" if name == "logreg_iris.onnx" else ""  # its numbers are attributes
    assert (compared.differences, compared.weights_unread) == ((), unread)
    assert set(compared.weights or {}) <= {"same"}
    assert compared.same_bytes


def test_operators_that_are_set_otherwise_are_told(tmp_path: Path) -> None:
    """A number of an operator is no weight, and nothing that was counted."""
    content = bytearray((RECORDED / "onnx" / "light_bvlc_alexnet.onnx").read_bytes())
    place = content.index(b"alpha") + len("alpha") + 1
    content[place : place + 4] = np.float32(0.9).tobytes()
    (tmp_path / "other.onnx").write_bytes(content)
    models = [read_model(path) for path in (RECORDED / "onnx" / "light_bvlc_alexnet.onnx", tmp_path / "other.onnx")]
    compared = compare_models(models[0], models[1])
    (difference,) = compared.differences
    assert (difference.what, difference.second) == ("attribute", "0.9")
    assert difference.name.endswith("(LRN): alpha")
    assert set(compared.weights or {}) == {"same"}
    assert (compared.same_bytes, compared.has_operators, compared.is_wired) == (False, True, True)


def test_of_folders_no_bytes_are_compared(tmp_path: Path) -> None:
    assert _are_equal(tmp_path, tmp_path, 100, lambda: False) is None
    (tmp_path / "a").write_bytes(b"1234")
    (tmp_path / "b").write_bytes(b"1235")
    pairs = {"a": True, "b": False}
    assert {other: _are_equal(tmp_path / "a", tmp_path / other, 100, lambda: False) for other in pairs} == pairs
    assert _are_equal(tmp_path / "a", tmp_path / "b", 3, lambda: False) is None
    with pytest.raises(Stopped):
        _are_equal(tmp_path / "a", tmp_path / "b", 100, lambda: True)
    assert _are_equal(tmp_path / "a", tmp_path / "gone", 100, lambda: False) is None


def test_why_weights_are_not_compared(tmp_path: Path) -> None:
    torch.save(weights(), tmp_path / "a.pt")
    model = read_model(tmp_path / "a.pt")
    text = msgspec.structs.replace(model, format="caffe")
    assert compare_models(model, text).weights_unread == "no-reader"
    assert compare_models(model, model, most=100).weights_unread == "too-large"
    gone = msgspec.structs.replace(model, path=str(tmp_path / "gone.pt"))
    assert compare_models(model, gone).weights_unread == "no-reader"  # a member of an archive has no file of its own
    (tmp_path / "a.pt").write_bytes((tmp_path / "a.pt").read_bytes()[:300])
    assert compare_models(model, model).weights_unread == "unreadable"


def onnx_of(tmp_path: Path, tensor: bytes) -> ModelFacts:
    """An ONNX model with one initializer, given as the bytes of its TensorProto."""
    graph = b"\x0a\x06\x22\x04Relu" + b"\x2a" + bytes([len(tensor)]) + tensor
    path = tmp_path / "a.onnx"
    path.write_bytes(b"\x08\x08\x3a" + bytes([len(graph)]) + graph + b"\x42\x02\x10\x11")
    return read_model(path)


def test_nothing_to_compare_is_not_called_the_same(tmp_path: Path) -> None:
    path = tmp_path / "a.onnx"
    path.write_bytes(b"\x08\x08\x3a\x08\x0a\x06\x22\x04Relu\x42\x02\x10\x11")
    model = read_model(path)
    assert model.problem is None
    compared = compare_models(model, model)
    assert (compared.weights, compared.weights_unread) == (None, "none")


@pytest.mark.parametrize("offset", ["²", "9" * 40])
def test_an_offset_that_is_no_number_of_this_world(tmp_path: Path, offset: str) -> None:
    (tmp_path / "w").write_bytes(bytes(4))
    said = offset.encode()
    place = b"\x0a\x08location\x12\x01w", b"\x0a\x06offset\x12" + bytes([len(said)]) + said
    external = b"".join(b"\x6a" + bytes([len(each)]) + each for each in place)
    model = onnx_of(tmp_path, b"\x08\x01\x10\x01\x42\x01w" + external + b"\x70\x01")
    assert model.problem is None
    assert compare_models(model, model).weights_unread in ("", "unreadable")


def test_a_tensor_of_too_many_axes(tmp_path: Path) -> None:
    # The reader of facts ends at the texts (field 6); what follows them is seen by the comparison alone.
    model = onnx_of(tmp_path, b"\x10\x08\x32\x01x\x0a\x46" + b"\x02" * 70)
    assert model.problem is None
    assert compare_models(model, model).weights_unread == "unreadable"


def test_the_structure() -> None:
    first = ModelFacts(
        format="onnx",
        version="IR 8",
        producer="pytorch",
        producer_version="2.3.0",
        inputs=(TensorSpec(name="x", dtype="float32", shape=(1, 3)),),
        needs=ModelNeeds(opsets={"": 17}, operators=(OperatorUse(name="Conv", count=2), OperatorUse(name="Relu"))),
    )
    second = ModelFacts(
        format="onnx",
        version="IR 8",
        producer="pytorch",
        producer_version="2.9.0",
        inputs=(TensorSpec(name="input", dtype="float32", shape=("batch", 3)),),
        needs=ModelNeeds(opsets={"": 18, "com.microsoft": 1}, operators=(OperatorUse(name="Conv", count=2),)),
    )
    found = [
        (difference.what, difference.name, difference.first, difference.second)
        for difference in differences(first, second)
    ]
    assert found == [
        ("producer", "", "pytorch 2.3.0", "pytorch 2.9.0"),
        ("opset", "", "17", "18"),
        ("opset", "com.microsoft", "", "1"),
        ("input-name", "", "x", "input"),
        ("input", "x", "float32 [1, 3]", "float32 [batch, 3]"),
        ("operator", "Relu", "1", ""),
    ]
    assert differences(first, first) == ()


# Real files whose weights must be found, and how many numbers they are.
WITH_WEIGHTS = {
    "gguf/made/tiny.gguf": 256,
    "gguf/made/split-00001-of-00002.gguf": 256,
    "keras-h5/made/small-2.4.h5": 418,
    "keras-h5/made/small-2.4.weights.h5": 418,
    "keras-h5/made/bfloat16-3.15.weights.h5": 418,
    "keras-zip/made/small-2.15.keras": 418,
    "openvino-ir/made/tiny.xml": 130,
    "openvino-ir/made/u4.xml": 33,
    "tf-checkpoint/made/model.ckpt-7.index": 2671,
    "tf-checkpoint/made/model.ckpt-7.meta": 2671,
    "tf-checkpoint/made/sharded.ckpt.data-00001-of-00002": 2671,
    "savedmodel/made/tf1.15": 2671,
    "savedmodel/made/keras2.4": 18,
    "savedmodel/made/keras2.4/saved_model.pb": 18,
    "tfjs/made/layers-2.15/model.json": 418,
    "tfjs/made/uint8/model.json": 404,
    "coreml-mlmodel/made/nn.mlmodel": 566,
    "coreml-mlpackage/made/ios16.mlpackage": 132,
    "coreml-mlpackage/made/pal4.mlpackage": 164,
}


@pytest.mark.parametrize("name", WITH_WEIGHTS)
def test_every_weight_of_a_real_file_is_found(name: str) -> None:
    path = RECORDED / name
    model = read_model(path)
    with stored_weights(path, model.format or "") as stored:
        assert sum(tensor.count for tensor in stored.tensors.values()) == WITH_WEIGHTS[name] == model.parameters
        assert not stored.left_out
    compared = compare_models(model, model)
    assert (compared.weights_unread, compared.weights) == ("", {"same": len(stored.tensors)})


def recorded_weights(name: str) -> dict[str, list[float]]:
    path = RECORDED / name
    with stored_weights(path, read_model(path).format or "") as stored:
        return {key: each.numbers(0, each.count).tolist() for key, each in stored.tensors.items() if each.can_decode}


def test_what_is_quantised_is_read_as_ggml_reads_it() -> None:
    """Beside each tensor lie the numbers that the gguf package made of it."""
    read = recorded_weights("gguf/made/quantized.gguf")
    packed = [name for name in read if not name.endswith(".values")]
    assert len(packed) == 8
    for name in packed:
        assert read[name] == read[f"{name}.values"], name


def test_types_of_ggml_that_are_not_unpacked_are_compared_by_their_bytes(tmp_path: Path) -> None:
    data = bytearray((RECORDED / "gguf" / "made" / "quantized.gguf").read_bytes())
    kind = data.index(b"\x04\0\0\0\0\0\0\0Q4_0") + 8 + 4 + 4 + 2 * 8  # behind the name and two axes
    assert data[kind] == 2
    data[kind] = 20  # IQ4_NL, whose blocks are as long as those of Q4_0
    path = tmp_path / "a.gguf"
    path.write_bytes(data)
    with stored_weights(path, "gguf") as stored:
        first = stored.tensors["Q4_0"]
        block = b"".join(first.blocks())
    at = data.index(block)
    data[at] ^= 1
    (tmp_path / "b.gguf").write_bytes(data)
    compared = compare_models(read_model(path), read_model(tmp_path / "b.gguf"))
    assert compared.weights == {"same": 15, "values": 1}
    assert (compared.tensors[0].name, compared.tensors[0].max_abs) == ("Q4_0", None)


def test_a_keras_model_and_what_was_converted_of_it() -> None:
    """The weights of the .keras file, by other names, in the shards of TensorFlow.js."""
    keras, tfjs = (
        read_model(RECORDED / name) for name in ("keras-zip/made/small-2.15.keras", "tfjs/made/layers-2.15/model.json")
    )
    compared = compare_models(keras, tfjs)
    assert compared.weights is not None
    assert compared.weights["renamed"] >= 2
    assert "values" not in compared.weights


def test_what_tfjs_rounded_has_a_distance() -> None:
    """uint8 with a scale against the numbers that it was made of."""
    exact = recorded_weights("tfjs/made/layers-3.15/model.json")["sequential/conv2d/kernel"]
    (rounded,) = (each for name, each in recorded_weights("tfjs/made/uint8/model.json").items() if "conv2d" in name)
    largest = max(map(abs, exact))
    assert 0 < max(abs(a - b) for a, b in zip(exact, rounded, strict=True)) < largest / 100


def tfjs_with(path: Path, first: dict[str, object], data: bytes) -> ModelFacts:
    """A model with one weight of three numbers behind another one."""
    weights = [first, {"name": "w", "shape": [3], "dtype": "float32"}]
    group = {"paths": ["g.bin"], "weights": weights}
    path.write_text(json.dumps({"format": "graph-model", "modelTopology": {"node": []}, "weightsManifest": [group]}))
    (path.parent / "g.bin").write_bytes(data + np.array([1, 2, 3], "<f4").tobytes())
    return read_model(path)


def test_texts_of_tfjs_are_stepped_over(tmp_path: Path) -> None:
    """Each has its length before it, as the vocabulary of a real model in the npm package vscode-languagedetection."""
    texts: dict[str, object] = {"name": "vocabulary", "shape": [2], "dtype": "string"}
    model = tfjs_with(tmp_path / "model.json", texts, b"\x02\0\0\0ab\x00\0\0\0")
    with stored_weights(tmp_path / "model.json", "tfjs") as stored:
        assert stored.tensors["w"].numbers(0, 3).tolist() == [1, 2, 3]
    assert compare_models(model, model).weights == {"same": 1, "left-out": 1}


def test_what_follows_an_unknown_type_is_left_out(tmp_path: Path) -> None:
    model = tfjs_with(tmp_path / "model.json", {"name": "odd", "shape": [2], "dtype": "float5"}, b"")
    assert compare_models(model, model).weights == {"left-out": 2}


def test_codes_are_not_measured_against_numbers(tmp_path: Path) -> None:
    torch.save({"w": torch.randn(64)}, tmp_path / "a.pt")
    torch.save({"w": torch.zeros(64, dtype=torch.int8)}, tmp_path / "b.pt")
    (tensor,) = compare_models(read_model(tmp_path / "a.pt"), read_model(tmp_path / "b.pt")).tensors
    assert (tensor.kind, tensor.max_abs) == ("dtype", None)


def test_the_single_file_of_tensorflow_1_is_left_out() -> None:
    model = read_model(RECORDED / "tf-checkpoint" / "made" / "old.ckpt")
    compared = compare_models(model, model)
    assert compared.weights == {"left-out": 3}


def test_the_same_bytes_a_thousand_times_are_not_read(tmp_path: Path) -> None:
    """A list of tensors that all stand for the whole file would take for ever."""
    header = {f"t{n}": {"dtype": "U8", "shape": [1 << 20], "data_offsets": [0, 1 << 20]} for n in range(9000)}
    text = json.dumps(header).encode()
    (tmp_path / "a.safetensors").write_bytes(len(text).to_bytes(8, "little") + text + bytes(1 << 20))
    with pytest.raises(Damaged, match="too-large"), stored_weights(tmp_path / "a.safetensors", "safetensors"):
        pass


def test_what_an_onnx_file_holds_in_another_way_is_not_called_the_same(tmp_path: Path) -> None:
    """Four-bit numbers one by one, and texts; an empty tensor has nothing that could differ."""
    for name, value in (("a", 1), ("b", 2)):
        model = onnx_graph_of(
            onnx_tensor("packed", 22, [100], bytes([0x2A, 50]) + bytes([value] * 50)),
            onnx_tensor("texts", 8, [1], b"\x32\x01" + bytes([0x40 + value])),
            onnx_tensor("empty", 1, [0], b""),
        )
        (tmp_path / f"{name}.onnx").write_bytes(model)
    compared = compare_models(read_model(tmp_path / "a.onnx"), read_model(tmp_path / "b.onnx"))
    assert compared.weights == {"same": 1, "left-out": 2}


def onnx_tensor(name: str, dtype: int, dims: list[int], data: bytes) -> bytes:
    """A TensorProto; ``data``: the field that holds its numbers."""
    said = b"".join(bytes([0x08, dim]) for dim in dims) + bytes([0x10, dtype]) + data
    return said + bytes([0x42, len(name)]) + name.encode()


def onnx_graph_of(*initializers: bytes) -> bytes:
    """A model of these initializers and nothing else."""
    graph = b"".join(bytes([0x2A, len(initializer)]) + initializer for initializer in initializers)
    return bytes([0x08, 9, 0x42, 2, 0x10, 17, 0x3A, len(graph)]) + graph


@pytest.mark.parametrize("least", [64, 1])
def test_constants_of_a_savedmodel_are_not_called_the_same(least: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shapes and axes are no weights; this file holds nothing larger."""
    monkeypatch.setattr(savedmodel_weights, "_LEAST", least)
    with stored_weights(RECORDED / "savedmodel" / "made" / "tf2.21", "savedmodel") as found:
        assert found.left_out == (frozenset() if least > 1 else {"saved_model.pb: Const"})
        assert len(found.tensors) == 3


def test_a_number_that_signals_is_no_number() -> None:
    assert math.isnan(decoded(b"\x01\x00\xa0\x7f", "float32")[0])
