"""The nodes of an ONNX file without the onnx package, and outputs that are appended to it."""

import importlib
from pathlib import Path

import pytest

from checks.probes import host  # noqa: F401 - lets the probe's parts be imported by their names

graph = importlib.import_module("naosu_compute_onnx_graph")
MODELS = Path(__file__).parents[2] / "recordings" / "models" / "onnx"
ALEXNET = MODELS / "light_bvlc_alexnet.onnx"


def test_nodes_come_in_their_order_with_what_they_take_and_give() -> None:
    read = graph.read(ALEXNET)
    assert [each.op for each in read.nodes[-3:]] == ["Dropout", "Gemm", "Softmax"]
    assert read.nodes[-1].outputs == read.outputs
    assert set(read.nodes[-1].inputs) <= set(read.nodes[-2].outputs)


def test_nodes_that_compute_with_weights_alone_are_no_steps() -> None:
    read = graph.read(ALEXNET)
    steps = read.steps()
    assert [each.op for each in read.nodes if each not in steps] == ["ConstantOfShape"] * 16
    assert [each.op for each in steps[:2]] == ["Conv", "Relu"]


def test_what_draws_random_numbers_is_a_step_though_it_takes_nothing() -> None:
    node = graph.Node()
    node.op, node.outputs = "RandomNormal", ["noise"]
    made = graph.Graph()
    made.nodes.append(node)
    assert made.steps() == [node]


def test_appended_outputs_are_read_as_part_of_the_same_graph(tmp_path: Path) -> None:
    copy = graph.Copy(ALEXNET, tmp_path / "copy", set())
    before = graph.read(ALEXNET)
    path = Path(copy.giving(["conv1_1", "größe"]))
    assert graph.read(path).outputs == [*before.outputs, "conv1_1", "größe"]
    assert [each.op for each in graph.read(path).nodes] == [each.op for each in before.nodes]
    assert path.read_bytes().startswith(ALEXNET.read_bytes())
    # The next slice does not have the outputs of the one before.
    assert graph.read(copy.giving(["pool5_1"])).outputs == [*before.outputs, "pool5_1"]


def test_files_with_weights_lie_beside_the_copy_and_none_from_elsewhere_does(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    (folder / "weights").mkdir(parents=True)
    (folder / "weights" / "a.bin").write_bytes(b"weights")
    (tmp_path / "secret").write_bytes(b"secret")
    model = folder / "model.onnx"
    model.write_bytes(ALEXNET.read_bytes())
    graph.Copy(model, tmp_path / "copy", {"weights/a.bin", "../secret", str(tmp_path / "secret"), ""})
    found = sorted(path.relative_to(tmp_path / "copy").as_posix() for path in (tmp_path / "copy").rglob("*"))
    assert found == ["weights", "weights/a.bin", "with-outputs.onnx"]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"PK\x03\x04 no model at all", id="another-format"),
        pytest.param(b"\x3a\xff\xff\xff\xff\x0f", id="longer-than-the-file"),
        pytest.param(b"\x3a" + b"\xff" * 20, id="a-number-without-end"),
        pytest.param(ALEXNET.read_bytes()[:1000], id="cut-off"),
    ],
)
def test_a_damaged_file_is_told_as_one(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(content)
    with pytest.raises(graph.NotRead):
        graph.read(path)


def test_graphs_in_graphs_without_end_are_told(tmp_path: Path) -> None:
    inner = graph._field(1, graph._field(4, b"If"))
    for _ in range(1500):
        inner = graph._field(1, graph._field(5, graph._field(6, inner)))
    path = tmp_path / "model.onnx"
    path.write_bytes(graph._field(7, inner))
    with pytest.raises(graph.NotRead):
        graph.read(path)


@pytest.mark.parametrize("path", sorted(MODELS.glob("*.onnx")), ids=lambda path: path.stem)
def test_every_kind_of_model_is_read(path: Path) -> None:
    assert graph.read(path).nodes
