"""How the nodes of two ONNX models are connected and set: what differs, and what only has other names."""

from pathlib import Path

import numpy as np
import pytest

from checks.analysis.models.wiring import wiring_differences
from tests.support import written_onnx as files

WEIGHT = files.weight("w", np.ones((4, 4), "float32"))
OTHER = files.weight("v", np.ones((4, 4), "float32"))
PLAIN = (
    files.node("MatMul", ["x", "w"], ["a"], "first"),
    files.node("Gemm", ["a", "v"], ["b"], "second", alpha=0.5, transB=1),
    files.node("Add", ["a", "b"], ["y"], "third"),
)


def compared(tmp_path: Path, *nodes: bytes) -> tuple[list[tuple[str, str, str, str]], bool]:
    paths = []
    for name, held in (("one", PLAIN), ("other", nodes)):
        path = tmp_path / f"{name}.onnx"
        path.write_bytes(files.model(held, [WEIGHT, OTHER], [files.value("x", (2, 4))], [files.value("y", (2, 4))]))
        paths.append(path)
    found, is_whole = wiring_differences(paths[0], paths[1])
    return [(each.what, each.name, each.first, each.second) for each in found], is_whole


def test_the_same(tmp_path: Path) -> None:
    assert compared(tmp_path, *PLAIN) == ([], True)


def test_other_names_of_nodes_and_values_are_the_same(tmp_path: Path) -> None:
    renamed = (
        files.node("MatMul", ["x", "w"], ["t0"]),
        files.node("Gemm", ["t0", "v"], ["t1"], alpha=0.5, transB=1),
        files.node("Add", ["t0", "t1", ""], ["out"]),
    )
    assert compared(tmp_path, *renamed) == ([], True)


def test_another_attribute(tmp_path: Path) -> None:
    found, is_whole = compared(tmp_path, PLAIN[0], files.node("Gemm", ["a", "v"], ["b"], alpha=0.25), PLAIN[2])
    assert found == [
        ("attribute", "second (Gemm): alpha", "0.5", "0.25"),
        ("attribute", "second (Gemm): transB", "1", ""),
    ]
    assert is_whole


@pytest.mark.parametrize(
    ("inputs", "name"),
    [
        pytest.param([["x", "w"], ["a", "v"], ["b", "a"]], "third (Add)", id="turned-round"),
        pytest.param([["x", "w"], ["x", "v"], ["a", "b"]], "second (Gemm)", id="another-value"),
        pytest.param([["x", "w"], ["a", "w"], ["a", "b"]], None, id="another-weight-of-the-same-place"),
    ],
)
def test_another_connection(tmp_path: Path, inputs: list[list[str]], name: str | None) -> None:
    nodes = (
        files.node("MatMul", inputs[0], ["a"]),
        files.node("Gemm", inputs[1], ["b"], alpha=0.5, transB=1),
        files.node("Add", inputs[2], ["y"]),
    )
    found, _ = compared(tmp_path, *nodes)
    assert [(each[0], each[1]) for each in found] == ([("wiring", name)] if name else [])


def test_a_weight_that_stands_at_two_places_and_then_at_one(tmp_path: Path) -> None:
    shared = (files.node("MatMul", ["x", "w"], ["a"]), files.node("MatMul", ["a", "w"], ["y"]))
    apart = (files.node("MatMul", ["x", "w"], ["a"]), files.node("MatMul", ["a", "v"], ["y"], "last"))
    paths = []
    for name, held in (("one", shared), ("other", apart)):
        path = tmp_path / f"{name}.onnx"
        path.write_bytes(files.model(held, [WEIGHT, OTHER]))
        paths.append(path)
    found, _ = wiring_differences(paths[0], paths[1])
    assert [(each.what, each.first, each.second) for each in found] == [("wiring", "a, w", "a, v")]


def test_other_operators_are_left_to_their_counts(tmp_path: Path) -> None:
    assert compared(tmp_path, *PLAIN[:2]) == ([], False)
    assert compared(tmp_path, *PLAIN[:2], files.node("Sub", ["a", "b"], ["y"])) == ([], False)


def test_what_lies_within_a_node_is_not_judged(tmp_path: Path) -> None:
    def branch(name: str) -> bytes:
        inner = files.wire.field(1, files.node("Identity", ["x"], [name]))
        attribute = files.wire.field(1, b"then_branch") + files.wire.field(6, inner)
        return files.node("If", ["c"], ["y"], "if") + bytes(files.wire.field(5, attribute))

    paths = []
    for name in ("one", "other"):
        path = tmp_path / f"{name}.onnx"
        path.write_bytes(files.model([branch(name)]))
        paths.append(path)
    assert wiring_differences(paths[0], paths[1]) == ((), False)
    assert wiring_differences(paths[0], paths[0]) == ((), True)
