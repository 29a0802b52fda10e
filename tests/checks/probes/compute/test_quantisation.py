"""What quantisation loses: which value stands for which, the loss of a layer, and what is not said of it."""

import importlib
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from checks.analysis.models.quantisation import worst_layer
from checks.engine.catalogues.computations import read_measurement
from checks.facts import QuantisationLoss
from tests.support import written_onnx as files

graphs = importlib.import_module("checks.probes.compute.model.onnx_graph")
pairing = importlib.import_module("checks.probes.compute.model.quantisation.pairs")
layers = importlib.import_module("checks.probes.compute.model.quantisation.layers")
probe = importlib.import_module("checks.probes.compute.model.quantisation.probe")
saturation = importlib.import_module("checks.probes.compute.model.quantisation.saturation")
ROOT = Path(__file__).parents[4]
RUNTIME = ROOT / "tests" / "support" / "numpy_runtime"
WIDTH, ROWS = 8, 16
X = np.linspace(-1, 1, ROWS * WIDTH, dtype="float32").reshape(ROWS, WIDTH)


def weights() -> list[Any]:
    draw = np.random.default_rng(1)
    return [(draw.standard_normal((WIDTH, WIDTH)) / 2 + 0.1).astype("float32") for _ in range(3)]


def float_model(path: Path) -> Path:
    """Three products with a Relu behind each."""
    nodes, held, value = [], [], "x"
    for place, array in enumerate(weights()):
        held.append(files.weight(f"w{place}", array))
        nodes.append(files.node("MatMul", [value, f"w{place}"], [f"m{place}"], f"product{place}"))
        nodes.append(files.node("Relu", [f"m{place}"], [f"r{place}"], f"relu{place}"))
        value = f"r{place}"
    nodes.append(files.node("Identity", [value], ["y"], "out"))
    shape = (ROWS, WIDTH)
    path.write_bytes(files.model(nodes, held, [files.value("x", shape)], [files.value("y", shape)]))
    return path


def quantised_model(path: Path, steps: dict[str, float] | None = None) -> Path:
    """The same with QuantizeLinear and DequantizeLinear, as onnxruntime.quantization puts them: no Relu is left.

    ``steps``: how many times too large or too small the scale of a weight ("w1") or value ("r0") is.
    """
    values, nodes, held, value = X, [], [], "x"

    def coded(name: str, source: str, largest: float, kind: Any) -> str:
        scale = np.float32(largest / 255 * (2 if kind is np.int8 else 1) * (steps or {}).get(name, 1.0))
        held.extend(
            [files.weight(f"{name}_scale", np.array(scale)), files.weight(f"{name}_zero_point", np.array(kind(0)))]
        )
        codes = [f"{name}_scale", f"{name}_zero_point"]
        if kind is np.uint8:
            nodes.append(files.node("QuantizeLinear", [source, *codes], [f"{name}_quantized"], f"{name}_Q"))
        nodes.append(files.node("DequantizeLinear", [f"{name}_quantized", *codes], [f"{name}_DQ"], f"{name}_DQ"))
        return f"{name}_DQ"

    for place, array in enumerate(weights()):
        largest = float(abs(array).max())
        scale = largest * 2 / 255
        held.append(files.weight(f"w{place}_quantized", np.rint(array / scale).clip(-128, 127).astype("int8")))
        weight = coded(f"w{place}", "", largest, np.int8)
        values = np.maximum(values @ array, 0)
        nodes.append(files.node("MatMul", [value, weight], [f"r{place}"], f"product{place}"))
        value = coded(f"r{place}", f"r{place}", float(values.max()), np.uint8)
    nodes.append(files.node("Identity", [value], ["y"], "out"))
    shape = (ROWS, WIDTH)
    path.write_bytes(files.model(nodes, held, [files.value("x", shape)], [files.value("y", shape)]))
    return path


@pytest.fixture
def lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., QuantisationLoss]]:
    """The fact that the probe reports of a quantised model, with other steps, beside the float one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(RUNTIME), str(ROOT))))
    monkeypatch.syspath_prepend(str(RUNTIME))
    monkeypatch.delitem(sys.modules, "onnxruntime", raising=False)
    np.savez(tmp_path / "given.npz", x=X)
    first = str(float_model(tmp_path / "net.onnx"))

    def measure(steps: dict[str, float] | None = None, first: str | None = first) -> QuantisationLoss:
        path = str(quantised_model(tmp_path / "int8.onnx", steps))
        given = str(tmp_path / "given.npz")
        argument = {"path": path, "first": first, "format": "onnx", "inputs": given, "seconds": 60.0}
        raw = [each for facts in probe.quantisation(argument) for each in facts.get("measurements+", ())]
        read = read_measurement(json.loads(json.dumps(raw[-1])), "probe")
        assert isinstance(read, QuantisationLoss)
        assert not read.error, read.error
        return read

    yield measure
    sys.modules.pop("onnxruntime", None)


# --- which value stands for which -------------------------------------------------------------------------------------


def test_the_value_before_a_relu_that_is_gone_stands_for_that_behind_it(tmp_path: Path) -> None:
    """onnxruntime.quantization lets the node before it give the value of the Relu, or keeps the name of the node."""
    first = graphs.read(str(float_model(tmp_path / "net.onnx")))
    second = graphs.read(str(quantised_model(tmp_path / "int8.onnx")))
    found = pairing.pairs(first, second)
    assert list(found) == ["r0", "r1", "r2", "y"]
    assert found["r0"].given == ("r0_DQ",)
    assert pairing.form_of(second) == "QDQ"
    for node in second.nodes:  # the other way: the MatMul's own name stays
        node.inputs = [name.replace("r0", "m0") for name in node.inputs]
        node.outputs = [name.replace("r0", "m0") for name in node.outputs]
    renamed = pairing.pairs(first, second)
    assert renamed["r0"].given == ("m0_DQ",)
    assert "m0" not in renamed


def node(op: str, inputs: list[str], outputs: list[str]) -> Any:
    made = graphs.Node()
    made.op, made.inputs, made.outputs = op, inputs, outputs
    return made


def test_codes_keep_their_scale_through_what_only_moves_them() -> None:
    graph = graphs.Graph()
    conv = ["x", "xs", "xz", "w", "ws", "wz", "cs", "cz", "b"]
    graph.nodes = [node("QLinearConv", conv, ["c_quantized"]), node("Flatten", ["c_quantized"], ["f_quantized"])]
    assert pairing.scales_of(graph) == {"c_quantized": ("cs", "cz"), "f_quantized": ("cs", "cz")}
    assert pairing.form_of(graph) == "QOperator"
    first = graphs.Graph()
    first.nodes = [node("Conv", ["x", "w", "b"], ["c"]), node("Flatten", ["c"], ["f"])]
    found = pairing.pairs(first, graph)
    assert {name: (pair.given, pair.codes) for name, pair in found.items()} == {
        "c": ((), "c_quantized"),
        "f": ((), "f_quantized"),
    }


@pytest.mark.parametrize(
    ("operators", "form"),
    [(["Conv"], ""), (["DynamicQuantizeLinear", "MatMulInteger"], "dynamic"), (["DequantizeLinear"], "QDQ")],
)
def test_how_a_model_is_quantised(operators: list[str], form: str) -> None:
    graph = graphs.Graph()
    graph.nodes = [node(op, [], [op]) for op in operators]
    assert pairing.form_of(graph) == form


# --- what is lost -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("found", "ratio"),
    [
        pytest.param([1.1, 0.0], 20.0, id="a-tenth"),
        pytest.param([1.0, 0.0], None, id="nothing"),
        pytest.param([float("inf"), 0.0], -300.0, id="not-finite"),
    ],
)
def test_signal_to_noise(found: list[float], ratio: float | None) -> None:
    assert layers.sqnr(np, np.array([1.0, 0.0]), np.array(found)) == (ratio and pytest.approx(ratio))


def test_a_good_model_has_no_layer_at_fault(lost: Callable[..., QuantisationLoss]) -> None:
    loss = lost()
    assert (loss.form, loss.version, loss.inputs_from, loss.rows) == ("QDQ", "1.99.0", "file", ROWS)
    assert loss.sqnr is not None
    assert loss.sqnr > 35
    assert worst_layer(loss) is None
    assert [layer.name for layer in loss.layers] == ["product0", "product1", "product2", "out"]
    assert loss.layers[0].nodes == ("product0", "relu0")
    assert loss.layers[0].held == ("w0",)
    assert loss.unmatched == 0
    assert loss.quantiser == "no-quantiser"  # no onnxruntime.quantization in the stand-in


@pytest.mark.parametrize(
    ("steps", "name"),
    [
        pytest.param({"w1": 1.4}, "product1", id="a-weight-s-scale"),
        pytest.param({"r0": 0.25}, "product0", id="a-range-that-is-too-small"),
        pytest.param({"r1": 40.0}, "product1", id="a-range-that-is-too-large"),
    ],
)
def test_the_layer_at_fault_is_found(lost: Callable[..., QuantisationLoss], steps: dict[str, float], name: str) -> None:
    loss = lost(steps)
    layer = worst_layer(loss)
    assert layer is not None
    assert layer.name == name
    assert loss.sqnr is not None
    assert loss.sqnr < 20
    assert layer.without is not None
    assert layer.without > 30
    assert ((layer.clipped or 0.0) > 0.1) == (steps.get("r0") == 0.25)


def test_another_model_is_not_said_to_lose_anything(lost: Callable[..., QuantisationLoss], tmp_path: Path) -> None:
    other = tmp_path / "other.onnx"
    content = (tmp_path / "net.onnx").read_bytes()
    for place in range(3):
        content = content.replace(b"m%d" % place, b"k%d" % place).replace(b"r%d" % place, b"q%d" % place)
    other.write_bytes(content.replace(b"\x01y", b"\x01z"))
    loss = lost(first=str(other))
    assert (loss.reason, loss.layers, loss.sqnr) == ("other-model", (), None)


def test_a_model_of_other_inputs_is_not_compared(lost: Callable[..., QuantisationLoss], tmp_path: Path) -> None:
    node = files.node("MatMul", ["x", "w"], ["y"])
    held, faces = [files.weight("w", np.ones((3, 3), "float32"))], [files.value(name, (1, 3)) for name in "xy"]
    small = files.model([node], held, faces[:1], faces[1:])
    (tmp_path / "int8.onnx").write_bytes(small)
    np.savez(tmp_path / "given.npz", x=X)
    argument = {
        "path": str(tmp_path / "int8.onnx"), "first": str(tmp_path / "net.onnx"), "format": "onnx",
        "inputs": str(tmp_path / "given.npz"), "seconds": 60.0,
    }  # fmt: skip
    raw = [each for facts in probe.quantisation(argument) for each in facts.get("measurements+", ())]
    assert raw[-1]["reason"] == "other-inputs", lost


def test_a_model_alone_tells_what_its_codes_cannot_hold(lost: Callable[..., QuantisationLoss]) -> None:
    loss = lost({"r1": 0.25}, first=None)
    assert loss.sqnr is None
    assert [layer.value for layer in loss.layers if (layer.clipped or 0.0) > 0.1] == ["r1"]
    assert {layer.value for layer in loss.layers} == {"r0", "r1", "r2"}


def test_wider_sums_are_told_of_only_where_they_change_something(monkeypatch: pytest.MonkeyPatch) -> None:
    class Way:
        def __init__(self, value: float) -> None:
            self.value = np.array([value, 2.0], dtype="float32")

        def results(self, _: Any) -> dict[str, Any]:
            return {"y": self.value}

    class Session:
        def __init__(self, value: float) -> None:
            self.value = value

        def get_outputs(self) -> list[Any]:
            return [type("Output", (), {"name": "y"})]

        def run(self, *_: Any) -> list[Any]:
            return [np.array([self.value, 2.0], dtype="float32")]

    model = type("Model", (), {"numpy": np})

    def seen(wide: float) -> dict[str, float]:
        monkeypatch.setattr(saturation.runtime, "session_of", lambda *_: Session(wide))
        found: dict[str, float] = saturation.seen("q.onnx", model, (Way(1.0), Way(0.5)), {})
        return found

    assert seen(0.5) == {}
    assert seen(0.99)["saturates"] == pytest.approx(46.99, abs=0.1)
