"""The smallest part of a model that still shows a difference: cut out, verified, written; and what is not claimed."""

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from checks.engine.catalogues.computations import read_measurement
from checks.facts import MinimalGraph
from tests.support import written_onnx as files

cutting = importlib.import_module("checks.probes.compute.model.onnx_cut")
graphs = importlib.import_module("checks.probes.compute.model.onnx_graph")
shrink = importlib.import_module("checks.probes.compute.model.minimal.shrink")
shown = importlib.import_module("checks.probes.compute.model.minimal.shown")
sides = importlib.import_module("checks.probes.compute.model.minimal.sides")
search = importlib.import_module("checks.probes.compute.model.minimal.found")
probe = importlib.import_module("checks.probes.compute.model.minimal.probe")
ROOT = Path(__file__).parents[4]
RUNTIME = ROOT / "tests" / "support" / "numpy_runtime"
CPU = "CPUExecutionProvider"
LAYERS = 4


class Ample:
    """A clock that has time for everything."""

    left = 60.0


class Over:
    """A clock whose time is up."""

    left = 0.0


def network(path: Path, planted: dict[int, str] | None = None, *, layers: int = LAYERS, external: bool = False) -> Path:
    """Layers of MatMul and Tanh; ``planted``: the operator behind a layer, of which "Add" gets a weight and a Tanh."""
    draw = np.random.default_rng(0)
    nodes, weights, value, data = [], [], "x", b""
    for place in range(layers):
        array = (draw.standard_normal((4, 4)) / 2).astype("float32")
        weights.append(files.weight(f"w{place}", array, ("net.data", len(data)) if external else None))
        data += array.tobytes()
        nodes.append(files.node("MatMul", [value, f"w{place}"], [f"m{place}"], f"product{place}"))
        nodes.append(files.node("Tanh", [f"m{place}"], [f"t{place}"], f"bent{place}"))
        value = f"t{place}"
        op = (planted or {}).get(place)
        if op == "Add":
            weights.append(files.weight("bias", np.full(4, 0.25, "float32")))
            nodes.append(files.node("Add", [value, "bias"], ["sum"], "sum"))
            nodes.append(files.node("Tanh", ["sum"], ["fused"], "fused"))
            value = "fused"
        elif op:
            nodes.append(files.node(op, [value], ["planted"], "planted"))
            value = "planted"
    nodes.append(files.node("Identity", [value], ["y"], "out"))
    path.write_bytes(files.model(nodes, weights, [files.value("x", (2, 4))], [files.value("y", (2, 4))]))
    if external:
        (path.parent / "net.data").write_bytes(data)
    return path


# --- fewer and fewer nodes --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("needed", [{3}, {3, 4}, {0, 99}, {2, 50, 97}, set(range(40, 47))])
def test_only_what_is_needed_is_left(needed: set[int]) -> None:
    tried: list[int] = []

    def shows(places: list[int]) -> bool:
        tried.append(len(places))
        return needed <= set(places)

    assert shrink.fewest(range(100), shows, Ample()) == (sorted(needed), True)
    assert len(tried) < 250


def test_without_time_what_is_left_is_not_called_the_least() -> None:
    assert shrink.fewest([1, 2, 3], lambda _: True, Over()) == ([1, 2, 3], False)


def test_it_goes_up_only_as_far_as_it_must() -> None:
    nodes = []
    for place in range(20):
        node = graphs.Node()
        node.inputs, node.outputs = [f"v{place - 1}"], [f"v{place}"]
        nodes.append(node)
    makers = {f"v{place}": place for place in range(20)}

    def up(needed: int, clock: Any = Ample) -> Any:
        return shrink.upward(range(20), makers, nodes, [15], lambda places: needed in places, clock())

    assert up(15) == [15]
    assert up(14) == [14, 15]
    assert up(10) == [8, 9, 10, 11, 12, 13, 14, 15]  # 1, 2 and 4 steps
    assert up(17) is None
    assert up(2, Over) is None


# --- a part as a model ------------------------------------------------------------------------------------------------


def test_a_part_has_its_nodes_weights_and_attributes_and_takes_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "net.onnx"
    weights = [files.weight("w", np.ones((4, 4), "float32")), files.weight("unused", np.ones(9, "float32"))]
    nodes = [
        files.node("Relu", ["x"], ["r"], "first"),
        files.node("Gemm", ["r", "w"], ["g"], "second", alpha=0.5, transB=1),
        files.node("Softmax", ["g"], ["y"], "third", domain="made.up", axis=-1),
    ]
    path.write_bytes(files.model(nodes, weights, [files.value("x", (2, 4))], [files.value("y", (2, 4))]))
    with cutting.Parts(str(path)) as parts:
        assert (parts.taken([1]), parts.ends([1]), parts.weights_of([1])) == (["r"], ["g"], ["w"])
        assert (parts.taken([0, 2]), parts.ends([0, 2])) == (["x", "g"], ["r", "y"])
        assert parts.told(1) == {
            "name": "second",
            "op": "Gemm",
            "domain": "",
            "attributes": ["alpha=0.5", "transB=1"],
        }
        assert parts.told(2)["attributes"] == ["axis=-1"]
        kind = cutting.element_of(np.zeros((2, 4), "float32"))
        cut = tmp_path / "cut.onnx"
        cut.write_bytes(parts.cut([1], {"r": kind}, {"g": kind}))
    part = graphs.read(str(cut))
    assert [node.name for node in part.nodes] == ["second"]
    assert (part.inputs, part.outputs, list(part.weights)) == (["r"], ["g"], ["w"])


def test_weights_beside_the_model_are_in_the_part(tmp_path: Path) -> None:
    path = network(tmp_path / "net.onnx", external=True)
    kind = cutting.element_of(np.zeros((2, 4), "float32"))
    with cutting.Parts(str(path)) as parts:
        content = parts.cut([2], {"t0": kind}, {"m1": kind})
    data = (tmp_path / "net.data").read_bytes()
    assert data[64:128] in content
    assert b"net.data" not in content
    assert len(content) < 400


def test_a_file_out_of_the_model_s_folder_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(bytes(64))
    inner = tmp_path / "model"
    inner.mkdir()
    weight = files.weight("w", np.ones((4, 4), "float32"), ("../secret", 0))
    (inner / "net.onnx").write_bytes(files.model([files.node("MatMul", ["x", "w"], ["y"])], [weight]))
    with cutting.Parts(str(inner / "net.onnx")) as parts, pytest.raises(graphs.NotRead, match="secret"):
        parts.cut([0], {}, {})


def test_constants_come_with_the_nodes_that_take_them(tmp_path: Path) -> None:
    path = tmp_path / "net.onnx"
    nodes = [files.node("Constant", [], ["c"], "c", value_int=3), files.node("Add", ["x", "c"], ["y"], "add")]
    path.write_bytes(files.model(nodes, (), [files.value("x", (2,))], [files.value("y", (2,))]))
    with cutting.Parts(str(path)) as parts:
        assert (parts.steps, parts.with_constants([1]), parts.taken([1])) == ([1], [0, 1], ["x"])


def test_more_than_one_file_can_hold_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutting, "MOST_BYTES", 300)
    with pytest.raises(cutting.TooLarge):
        cutting.Parts(str(network(tmp_path / "net.onnx")))


# --- the same difference ----------------------------------------------------------------------------------------------


def test_a_part_shows_it_again_only_with_the_same_kind_and_error() -> None:
    error = shown.Shown("error", failed=sides.Failed("error", "Fail: no kernel for Bad(1) in '/a/b.onnx' of 12"))
    same = shown.Shown("error", failed=sides.Failed("error", "Fail: no kernel for Bad(1) in '/c.onnx' of 7"))
    other = shown.Shown("error", failed=sides.Failed("error", "Fail: Invalid rank for input: x"))
    beyond = shown.Shown(shown.BEYOND, {"difference": {"max_abs": 0.5, "scale": 1.0}})
    less = shown.Shown(shown.BEYOND, {"difference": {"max_abs": 0.01, "scale": 1.0}})
    rounding = shown.Shown(shown.ROUNDING, {"difference": {"max_abs": 0.5, "scale": 1.0}})
    assert same.is_again(error)
    assert not other.is_again(error)
    assert beyond.is_again(beyond)
    assert not less.is_again(beyond)
    assert less.is_again(beyond, 0.02)  # it began as small as that
    assert not rounding.is_again(beyond)
    nan, infinite = (shown.Shown(shown.LOST, {"lost": {"kind": kind}}) for kind in ("nan", "infinite"))
    assert nan.is_again(nan)
    assert not infinite.is_again(nan)


# --- with a runtime ---------------------------------------------------------------------------------------------------


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., MinimalGraph]:
    """The fact that the probe reports of a model between two settings, computed by a stand-in for ONNX Runtime."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(search, "CHECKS", 1)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(RUNTIME), str(ROOT))))
    monkeypatch.syspath_prepend(str(RUNTIME))
    monkeypatch.delitem(sys.modules, "onnxruntime", raising=False)
    held = {name: np.linspace(-1, 1, 8, dtype="float32").reshape(2, 4) for name in ("x",)}
    np.savez(tmp_path / "given.npz", **held)

    def find(path: Path, first: str, second: str | None, python: str = "", **more: Any) -> MinimalGraph:
        argument = {
            "path": str(path),
            "format": "onnx",
            "inputs": str(tmp_path / "given.npz"),
            "first": {"device": CPU, "setting": first},
            "second": {"device": CPU, "setting": second, "python": python} if second else None,
            "folder": str(tmp_path / "out"),
            "seconds": 60.0,
            **more,
        }
        raw = [each for facts in probe.minimal(argument) for each in facts.get("measurements+", ())]
        read = read_measurement(json.loads(json.dumps(raw[-1])), "probe")
        assert isinstance(read, MinimalGraph)
        return read

    yield find
    sys.modules.pop("onnxruntime", None)


def test_a_fused_pair_is_kept_together_and_its_folder_shows_it(
    found: Callable[..., MinimalGraph], tmp_path: Path
) -> None:
    part = found(network(tmp_path / "net.onnx", {2: "Add"}), "ORT_DISABLE_ALL", "ORT_ENABLE_ALL")
    assert (part.shows, part.reason, part.error) == ("beyond", "", None)
    assert [node.name for node in part.nodes] == ["sum", "fused"]
    assert (part.nodes_before, part.nodes_after, part.is_least) == (11, 2, True)
    assert (part.again, part.checks, part.weights, part.version) == (1, 1, 1, "1.99.0")
    assert part.printed.splitlines()[0] == "onnxruntime 1.99.0"
    assert part.printed.splitlines()[1].startswith("fused: 8 of 8 differ, by ")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["inputs.npz", "minimal.onnx", "reproduce.py"]
    with np.load(tmp_path / "out" / "inputs.npz", allow_pickle=False) as inputs:
        assert [inputs[name].shape for name in inputs.files] == [(2, 4)]
    script = [sys.executable, str(tmp_path / "out" / "reproduce.py")]
    elsewhere = subprocess.run(script, cwd=tmp_path.parent, capture_output=True, text=True, check=False)
    assert (elsewhere.returncode, elsewhere.stdout.strip()) == (0, part.printed.strip())


def test_an_error_and_a_crash_of_one_setting_are_cut_down_to_their_node(
    found: Callable[..., MinimalGraph], tmp_path: Path
) -> None:
    refused = found(network(tmp_path / "net.onnx", {2: "Bad"}, layers=3), "default", "threads-2", folder=None)
    assert (refused.shows, [node.op for node in refused.nodes], refused.again) == ("error", ["Bad"], 1)
    assert refused.error is not None
    assert "no kernel for Bad" in refused.error.message
    crashed = found(network(tmp_path / "net.onnx", {0: "Abort"}, layers=1), "default", "threads-1", folder=None)
    assert (crashed.shows, [node.op for node in crashed.nodes], crashed.is_least) == ("crash", ["Abort"], True)


def test_numbers_that_get_lost_are_cut_down_to_where_they_do(
    found: Callable[..., MinimalGraph], tmp_path: Path
) -> None:
    part = found(network(tmp_path / "net.onnx", {1: "Log"}), "default", None, node="planted")
    assert (part.shows, [node.op for node in part.nodes]) == ("lost", ["Log"])
    assert part.lost_after > 0
    assert "NaN" in part.printed


def test_where_nothing_differs_nothing_is_written(found: Callable[..., MinimalGraph], tmp_path: Path) -> None:
    part = found(network(tmp_path / "net.onnx"), "ORT_DISABLE_ALL", "ORT_ENABLE_ALL")
    assert (part.reason, part.nodes_after) == ("no-difference", 0)
    assert not (tmp_path / "out").exists()


def test_a_model_of_two_gigabytes_is_refused(
    found: Callable[..., MinimalGraph], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cutting, "MOST_BYTES", 300)
    part = found(network(tmp_path / "net.onnx", {2: "Add"}), "ORT_DISABLE_ALL", "ORT_ENABLE_ALL")
    assert part.reason == "model-too-large"


def test_two_pythons_are_compared_by_a_script_for_both(found: Callable[..., MinimalGraph], tmp_path: Path) -> None:
    """The second is a start of the same Python in which another version of the runtime gives another result."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "onnxruntime.py").write_text(
        (RUNTIME / "onnxruntime.py").read_text().replace("1.99.0", "1.50.0").replace("1.001", "1.002")
    )
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{other}:{ROOT}" exec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    part = found(network(tmp_path / "net.onnx", {0: "Add"}, layers=1), "default", "default", python=str(python))
    assert (part.version, part.other_version, part.shows) == ("1.99.0", "1.50.0", "beyond")
    assert [node.name for node in part.nodes] == ["sum", "fused"]
    assert "outputs-1.99.0.npz\nfused: 8 of 8 differ" in part.printed
    assert "outputs-1.50.0.npz" not in part.printed  # its own


def test_a_python_without_the_runtime_is_no_difference(found: Callable[..., MinimalGraph], tmp_path: Path) -> None:
    network(tmp_path / "net.onnx", layers=1)
    missing = found(tmp_path / "net.onnx", "default", "default", python=str(tmp_path / "none"), folder=None)
    assert (missing.reason, missing.shows) == ("python-not-started", "")
    bare = tmp_path / "bare"
    bare.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" "$@"\n')
    bare.chmod(0o755)
    without = found(tmp_path / "net.onnx", "default", "default", python=str(bare), folder=None)
    assert without.reason == "python-not-started"
    assert "No module named 'onnxruntime'" in without.detail


def test_the_scripts_are_python(tmp_path: Path) -> None:
    folder = importlib.import_module("checks.probes.compute.model.minimal.folder")
    told = dict.fromkeys(("title", "versions", "numpy", "python", "system", "after", "before", "operators"), "-")
    first = sides.Side(np, CPU, "threads-2", place=str(tmp_path))
    second = sides.Side(np, "CUDAExecutionProvider", "deterministic", place=str(tmp_path))
    for kind in ("beyond", "lost", "crash"):
        compile(folder.script(kind, (first, second), {"x": np.zeros(2)}, told), "reproduce.py", "exec")
