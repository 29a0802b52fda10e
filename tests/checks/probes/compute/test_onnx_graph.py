"""The nodes of an ONNX file without the onnx package, and outputs that are appended to it."""

import importlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

graph = importlib.import_module("checks.probes.compute.model.onnx_graph")
MODELS = Path(__file__).parents[3] / "recordings" / "models" / "onnx"
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
    assert [step.op for step in steps[:2]] == ["Conv", "Relu"]


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


def test_no_copy_fills_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    size = ALEXNET.stat().st_size
    monkeypatch.setattr(graph.shutil, "disk_usage", lambda _: SimpleNamespace(free=size * graph.TIMES_ROOM - 1))
    with pytest.raises(OSError, match="are free"):
        graph.Copy(ALEXNET, tmp_path / "copy", set())
    assert list((tmp_path / "copy").iterdir()) == []


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
    inner = graph.field(1, graph.field(4, b"If"))
    for _ in range(1500):
        inner = graph.field(1, graph.field(5, graph.field(6, inner)))
    path = tmp_path / "model.onnx"
    path.write_bytes(graph.field(7, inner))
    with pytest.raises(graph.NotRead):
        graph.read(path)


def node(op: str, *parts: bytes) -> bytes:
    """A node that gives "y"."""
    return bytes(graph.field(2, b"y") + graph.field(4, op.encode()) + b"".join(parts))


def branch(*nodes: bytes) -> bytes:
    """An attribute with a graph."""
    body = b"".join(graph.field(1, each) for each in nodes)
    return bytes(graph.field(5, graph.field(1, b"body") + graph.field(6, body)))


def function(name: str, *nodes: bytes) -> bytes:
    """A function that a file brings along."""
    return bytes(graph.field(25, graph.field(1, name.encode()) + b"".join(graph.field(7, each) for each in nodes)))


def read(path: Path, *nodes: bytes, more: bytes = b"") -> Any:
    path.write_bytes(graph.field(7, b"".join(graph.field(1, each) for each in nodes)) + more)
    return graph.read(path)


@pytest.mark.parametrize(
    ("made", "more", "is_seeded"),
    [
        pytest.param(node("RandomNormal", graph.field(5, graph.field(1, b"seed"))), b"", True, id="its-own-seed"),
        pytest.param(node("RandomNormal"), b"", False, id="none"),
        pytest.param(node("If", branch(node("Bernoulli"))), b"", False, id="none-in-a-branch"),
        pytest.param(node("Add"), function("Noise", node("RandomUniform")), False, id="none-in-a-function"),
        pytest.param(node("Add"), b"", True, id="nothing-that-draws"),
    ],
)
def test_whether_all_that_draws_has_a_seed_in_the_file(
    made: bytes, more: bytes, is_seeded: bool, tmp_path: Path
) -> None:
    assert read(tmp_path / "model.onnx", made, more=more).is_seeded is is_seeded


def test_a_branch_takes_values_from_around_it(tmp_path: Path) -> None:
    inner = graph.field(2, b"z") + graph.field(4, b"Log") + graph.field(1, b"outside")
    found = read(tmp_path / "model.onnx", node("If", graph.field(1, b"condition"), branch(inner)))
    assert found.nodes[0].inputs == ["condition", "outside"]


@pytest.mark.parametrize(
    ("made", "more", "op"),
    [
        pytest.param(node("If", branch(node("RandomUniform"))), b"", "If > RandomUniform", id="in-a-branch"),
        pytest.param(
            node("Loop", branch(node("If", branch(node("Bernoulli"))))), b"", "Loop > Bernoulli", id="in-a-branch-of-it"
        ),
        pytest.param(
            node("Noisy"),
            function("Noisy", node("Inner")) + function("Inner", node("RandomNormal")),
            "Noisy > RandomNormal",
            id="in-a-function",
        ),
        pytest.param(
            node("If", branch(node("Dropout"), node("RandomNormal"))), b"", "If > RandomNormal", id="before-dropout"
        ),
        pytest.param(node("If", branch(node("Add"))), b"", "If", id="none"),
        pytest.param(node("Self"), function("Self", node("Self")), "Self", id="a-function-of-itself"),
    ],
)
def test_what_draws_random_numbers_within_a_node_is_named(made: bytes, more: bytes, op: str, tmp_path: Path) -> None:
    (found,) = read(tmp_path / "model.onnx", made, more=more).nodes
    assert (found.op, found.draws) == (op, " > " in op)


def test_the_types_in_which_it_computes_are_those_of_matrices_and_of_casts(tmp_path: Path) -> None:
    to_half = node("Cast", graph.field(5, graph.field(1, b"to") + b"\x18\x0a"))  # i = 10
    to_whole = node("Cast", graph.field(5, graph.field(1, b"to") + b"\x18\x07"))
    matrix = b"\x08\x02\x08\x02\x10\x10"  # dims 2, 2; bfloat16
    constant = node("Constant", graph.field(5, graph.field(1, b"value") + graph.field(5, matrix)))
    assert read(tmp_path / "a.onnx", to_half, to_whole).kinds == {"float16"}
    assert read(tmp_path / "b.onnx", node("If", branch(constant))).kinds == {"bfloat16"}
    assert read(tmp_path / "c.onnx", node("Add")).kinds == set()


def test_a_name_without_end_is_cut(tmp_path: Path) -> None:
    (found,) = read(tmp_path / "a.onnx", node("Add", graph.field(3, b"n" * 100_000))).nodes
    assert len(found.label) == graph.LONGEST


@pytest.mark.parametrize("path", sorted(MODELS.glob("*.onnx")), ids=lambda path: path.stem)
def test_every_kind_of_model_is_read(path: Path) -> None:
    assert graph.read(path).nodes
