"""ONNX models. Recorded ones are of the onnx packages and ONNX Runtime, made ones of onnx 1.23.2 (see MADE.md)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given
from support.mangled import MemoryFolder, cuts, mangled, survives
from support.mangled import read as read_bytes

from checks.facts import Binding, ModelFacts, NeededFile, OperatorUse, TensorSpec
from checks.readers.containers.folder import DiskFolder
from checks.readers.containers.protobuf.wire import parse
from checks.readers.containers.source import Damaged, opened
from checks.readers.models.exchange import onnx_graph
from checks.readers.models.exchange.onnx import onnx
from checks.readers.models.exchange.onnx_text import onnx_text

RECORDED = Path(__file__).parents[4] / "recordings" / "models" / "onnx"
MADE = RECORDED / "made"
BINARY = sorted([*RECORDED.glob("*.onnx"), *MADE.glob("*.onnx")])
TEXTS = [MADE / f"matmul.{form}" for form in ("textproto", "json", "onnxtxt")]
ALEXNET = RECORDED / "light_bvlc_alexnet.onnx"


def read(name: str) -> ModelFacts:
    path = MADE / name
    with opened(path) as source:
        facts = onnx.read(source, DiskFolder(path.parent)) or onnx_text.read(source, DiskFolder(path.parent))
    assert facts is not None
    return facts


def operators(facts: ModelFacts) -> dict[str, int]:
    return {
        ":".join(filter(None, (operator.domain, operator.name))): operator.count
        for operator in facts.needs.operators or ()
    }


def test_what_a_network_tells() -> None:
    facts = read("../light_bvlc_alexnet.onnx")
    assert (facts.format, facts.version, facts.producer, facts.problem) == ("onnx", "IR 3", "onnx-caffe2", None)
    assert facts.needs.opsets == {"": 9}
    assert facts.needs.frameworks == ("onnxruntime",)  # the oldest ones do not look at the numbers
    assert facts.inputs == (TensorSpec(name="data_0", dtype="float32", shape=(1, 3, 224, 224)),)
    assert facts.outputs == (TensorSpec(name="prob_1", dtype="float32", shape=(1, 1000)),)
    assert operators(facts) == {
        "ConstantOfShape": 16,
        "Relu": 7,
        "Conv": 5,
        "Gemm": 3,
        "MaxPool": 3,
        "Dropout": 2,
        "LRN": 2,
        "Reshape": 1,
        "Softmax": 1,
    }
    assert facts.bound_to == (Binding(kind="onnx-ir", value="3"), Binding(kind="onnx-opset", value="ai.onnx 9"))
    assert (facts.dependence, facts.quantization) == (None, "")


def test_weights_beside_the_model() -> None:
    facts = read("external.onnx")
    beside = NeededFile(name="weights.bin", size=128, present=True, present_size=128)
    assert facts.needs.files == (beside,)
    assert (facts.parameters, facts.needs.memory, facts.dtypes) == (32, 128, {"float32": 32})
    assert facts.size == (MADE / "external.onnx").stat().st_size + 128


@pytest.mark.parametrize(
    ("beside", "expected"),
    [
        pytest.param({}, NeededFile(name="weights.bin", size=128, present=False), id="missing"),
        pytest.param(
            {"weights__bin": b"\0" * 127},
            NeededFile(name="weights.bin", size=128, present=True, present_size=127),
            id="too-short",
        ),
    ],
)
def test_weights_that_are_not_there(beside: dict[str, bytes], expected: NeededFile) -> None:
    facts = read_bytes(onnx, (MADE / "external.onnx").read_bytes(), "model.onnx", **beside)
    assert facts is not None
    assert facts.needs.files == (expected,)
    assert facts.problem is None


def test_a_name_that_leads_out_is_not_followed() -> None:
    facts = read("external_outside.onnx")
    assert facts.needs.files == (NeededFile(name="../elsewhere/weights.bin", size=64, present=None),)


def test_the_models_own_functions_are_no_needed_operators() -> None:
    facts = read("function.onnx")
    assert operators(facts) == {"Add": 1, "Relu": 1}
    assert not any(operator.is_custom for operator in facts.needs.operators or ())
    assert facts.needs.opsets == {"": 17, "example.functions": 1}
    assert (facts.details["nodes"], facts.details["functions"]) == ("3", "1")


def test_operators_of_others() -> None:
    facts = read("custom_domains.onnx")
    assert facts.needs.operators == (
        OperatorUse(name="FusedGelu", is_custom=True),
        OperatorUse(name="Relu"),
        OperatorUse(name="EfficientNMS_TRT", domain="TRT", is_custom=True),
        OperatorUse(name="BertTokenizer", domain="ai.onnx.contrib", is_custom=True),
        OperatorUse(name="MyOp", domain="com.example", is_custom=True),
    )
    assert facts.dependence == "medium"
    assert Binding(kind="custom-operators", value="FusedGelu, TRT, ai.onnx.contrib, com.example") in facts.bound_to


@pytest.mark.parametrize(
    ("name", "frameworks"),
    [
        ("external.onnx", ("onnxruntime>=1.15.0",)),  # IR 9
        ("four_bits.onnx", ("onnxruntime>=1.18.0",)),  # IR 10, opset 21
        ("max_roi_pool.onnx", ("onnxruntime>=1.21.0",)),  # opset 22
        ("opset28.onnx", ("onnxruntime>1.31.1",)),
        ("extensions_op.onnx", ("onnxruntime>=1.15.0", "onnxruntime-extensions")),
        ("custom_domains.onnx", ("tensorrt",)),
        ("matmul.json", ("onnx",)),
    ],
)
def test_who_reads_it(name: str, frameworks: tuple[str, ...]) -> None:
    assert read(name).needs.frameworks == frameworks


@pytest.mark.parametrize(
    ("name", "quantization"),
    [
        ("four_bits.onnx", "int4 MatMulNBits"),
        ("qdq.onnx", "int8 QDQ"),
        ("../qlinearconv.onnx", "uint8 QOperator"),
        ("../basic_convinteger.onnx", "uint8 QOperator"),
        ("external.onnx", ""),
    ],
)
def test_quantisation(name: str, quantization: str) -> None:
    assert read(name).quantization == quantization


def test_branches_within_branches() -> None:
    facts = read("nested_if.onnx")
    assert operators(facts) == {"Abs": 2, "If": 2, "Neg": 1}
    assert (facts.details["nodes"], facts.details["subgraphs"]) == ("5", "4")


def test_sparse_weights() -> None:
    facts = read("sparse.onnx")
    assert (facts.parameters, facts.needs.memory) == (4, 24)  # two values and their two places
    assert facts.details["sparse-weights"] == "1"
    assert facts.inputs == (TensorSpec(name="x", dtype="float32", shape=("batch", 4)),)


def test_what_an_exporter_noted() -> None:
    facts = read("metadata.onnx")
    assert facts.details["class-names"] == "{0: 'person', 1: 'bicycle'}"
    assert (facts.details["task"], facts.details["stride"]) == ("detect", "32")
    assert facts.details["metadata"] == "batch=1"
    assert facts.outputs == (TensorSpec(name="output0", dtype="float32"),)


def test_before_operator_sets_had_numbers() -> None:
    facts = read("ir1.onnx")
    assert (facts.version, facts.needs.opsets, facts.problem) == ("IR 1", {"": 1}, None)


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("../if_seq.onnx", "sequence(float32)"),
        ("../loop16_seq_none.onnx", "sequence(float32)"),
        ("../cast_INT4_to_FLOAT.onnx", "float32"),
        ("../optional_get_element_sequence.onnx", "sequence(int32)"),
        ("../logreg_iris.onnx", "sequence(map(int64, float32))"),
    ],
)
def test_types_of_outputs(name: str, dtype: str) -> None:
    assert dtype in {output.dtype for output in read(name).outputs or ()}


@pytest.mark.parametrize("path", TEXTS, ids=[text.suffix for text in TEXTS])
def test_text_forms(path: Path) -> None:
    facts = read(path.name)
    assert (facts.format, facts.version, facts.producer, facts.producer_version) == (
        "onnx",
        "IR 9",
        "onnx-example",
        "1",
    )
    assert facts.needs.opsets == {"": 17, "ai.onnx.ml": 3}
    assert (facts.problem, facts.problem_detail) == ("text-form", path.suffix.lstrip("."))


@pytest.mark.parametrize("path", BINARY, ids=[each.stem for each in BINARY])
def test_any_name_will_do(path: Path) -> None:
    facts = read_bytes(onnx, path.read_bytes(), "download")
    assert facts is not None
    assert facts.problem is None


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(MADE / "input_0.pb", id="tensor"),
        pytest.param(RECORDED.parent / "tf-checkpoint", id="tensorflow"),
        pytest.param(RECORDED.parent / "paddle", id="paddle"),
        pytest.param(RECORDED.parent / "caffe", id="caffe"),
        pytest.param(RECORDED.parent / "tfjs", id="tfjs"),
        pytest.param(RECORDED.parent / "pickle", id="pickle"),
    ],
)
def test_what_is_not_onnx(path: Path) -> None:
    for each in [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]:
        for reader in (onnx, onnx_text):
            assert read_bytes(reader, each.read_bytes(), "model.onnx" if each.suffix == ".pb" else each.name) is None


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="empty"),
        pytest.param(bytes.fromhex("0a0731") + b"x" * 9, id="savedmodel-or-graphdef-node"),
        pytest.param(bytes.fromhex("0801120a") + b"x" * 10, id="savedmodel"),
        pytest.param(bytes.fromhex("0805120ca20204") + b"\0" * 20 + bytes.fromhex("a21f00"), id="core-ml"),
        pytest.param(b"B\x10just some text", id="text"),
        pytest.param(b"{}", id="json"),
        pytest.param(b'{"version": 1, "graph": 2}', id="other-json"),
    ],
)
def test_no_model(data: bytes) -> None:
    assert read_bytes(onnx, data, "model.pb") is None
    assert read_bytes(onnx_text, data, "model.pb") is None


def test_cut_at_every_twentieth() -> None:
    data = ALEXNET.read_bytes()
    for number, cut in enumerate(cuts(data)):
        facts = read_bytes(onnx, cut, "model.onnx")
        assert facts is not None if cut else facts is None
        if facts is not None:
            assert facts.problem == "truncated"
            assert facts.format == "onnx"
        if facts is not None and number > 10:
            assert facts.producer == "onnx-caffe2"
            assert facts.needs.operators


@pytest.mark.parametrize("path", BINARY, ids=[each.stem for each in BINARY])
def test_a_cut_file_is_never_called_whole(path: Path) -> None:
    for cut in cuts(path.read_bytes()):
        facts = survives(onnx, cut, "model.onnx")
        assert not isinstance(facts, ModelFacts) or facts.problem == "truncated" or _ends_between_fields(cut)


def _ends_between_fields(data: bytes) -> bool:
    """Whether it was cut before an operator set or function, which nothing in the file announces."""
    try:
        return any(each[0] == 8 for each in list(parse(data)))
    except Damaged:
        return False


def _size(value: int) -> bytes:
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def _field(number: int, content: bytes) -> bytes:
    return _size(number << 3 | 2) + _size(len(content)) + content


def _model(graph: bytes) -> bytes:
    return b"\x08\x08" + _field(7, graph) + _field(8, b"\x10\x11")


LONG = b"\xff" * 8 + b"\x7f"  # 2 to the 63, less one

HOSTILE = [
    pytest.param(b"\x08\x08\x3a" + LONG, "truncated", id="length-of-2-to-the-63"),
    pytest.param(_model(b"\x0a" + LONG), "truncated", id="length-within"),
    pytest.param(_model(_field(5, (b"\x08" + LONG) * 2 + b"\x10\x01")), "protobuf-damaged", id="beyond-all-memory"),
    pytest.param(_model(_field(5, b"\x08\x02" * 65)), "protobuf-damaged", id="a-tensor-of-65-axes"),
    pytest.param(_model(_field(5, _field(1, b"\x02" * 100_000))), "protobuf-damaged", id="of-100000"),
    pytest.param(_model(_field(5, b"\x08" + b"\xff" * 9 + b"\x01")), None, id="a-negative-axis"),
    pytest.param(_model(b"\x08\x05"), None, id="a-graph-of-numbers"),
    pytest.param(_model(_field(1, b"\x20\x05")), "protobuf-damaged", id="a-number-as-operator"),
    pytest.param(_model(_field(1, _field(4, b"\xff\xfe") + _field(7, b"\0"))), None, id="no-text-as-operator"),
    pytest.param(_model(_field(1, b"") * 11), "too-large", id="nodes-without-end"),
    pytest.param(_model(_field(13, b"") * 40_000), "too-large", id="fields-without-end"),
]


@pytest.mark.parametrize(("data", "problem"), HOSTILE)
def test_hostile(data: bytes, problem: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onnx_graph, "_MOST_NODES", 10)
    monkeypatch.setattr(onnx_graph, "_MOST_FIELDS", 1000)
    facts = read_bytes(onnx, data, "model.onnx")
    assert (facts.problem if facts else None) == problem


def _nested(depth: int) -> bytes:
    """Graphs within graphs, each in an attribute of a node."""
    graph = b""
    for _ in range(depth):
        graph = _field(1, _field(5, _field(6, graph)))
    return _model(graph)


def test_graphs_nested_without_end() -> None:
    facts = read_bytes(onnx, _nested(5_000), "model.onnx")
    assert facts is not None
    assert (facts.problem, facts.problem_detail) == ("protobuf-damaged", "graphs nested too deep")


def test_types_nested_without_end() -> None:
    kind = b""
    for _ in range(5_000):
        kind = _field(4, _field(1, kind))
    facts = read_bytes(onnx, _model(_field(11, _field(1, b"x") + _field(2, kind))), "model.onnx")
    assert facts is not None
    assert (facts.problem, facts.problem_detail) == ("protobuf-damaged", "types nested too deep")


def test_more_than_protobuf_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["checks.readers.models.exchange.onnx"], "_LIMIT", 3000)
    facts = read_bytes(onnx, ALEXNET.read_bytes(), "model.onnx")
    assert facts is not None
    assert facts.problem == "over-2-gib"
    assert operators(facts)["Conv"] == 5


def test_weights_are_stepped_over(tmp_path: Path) -> None:
    """A weight of 1 GB in the file, which nobody has on the disk: only its header is read."""
    raw = 1 << 30
    tensor = b"\x08" + _size(raw // 4) + b"\x10\x01\x42\x01w\x4a" + _size(raw)
    graph_size = 1 + len(_size(len(tensor) + raw)) + len(tensor) + raw
    head = b"\x08\x08\x3a" + _size(graph_size) + b"\x2a" + _size(len(tensor) + raw) + tensor
    path = tmp_path / "large.onnx"
    with open(path, "wb") as file:
        file.write(head)
        file.seek(raw, 1)
        file.write(b"\x42\x02\x10\x11")
    with opened(path) as source:
        facts = onnx.read(source, MemoryFolder())
    assert facts is not None
    assert (facts.problem, facts.parameters, facts.needs.memory) == (None, raw // 4, raw)
    assert facts.needs.opsets == {"": 17}


@given(mangled(*(each.read_bytes() for each in BINARY)))
def test_nothing_but_damage_comes_out(data: bytes) -> None:
    facts = survives(onnx, data, "model.onnx")
    assert facts is None or isinstance(facts, str | ModelFacts)


@given(mangled(*(text.read_bytes() for text in TEXTS)))
def test_nothing_but_damage_comes_out_of_text(data: bytes) -> None:
    facts = survives(onnx_text, data, "model.textproto")
    assert facts is None or isinstance(facts, str | ModelFacts)
