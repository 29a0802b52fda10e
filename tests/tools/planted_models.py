"""Makes the models of planted_graphs.py, in a Python with onnx, NumPy and onnxruntime: FOLDER, and plan.json in it."""

import json
import logging
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static

FOLDER = Path(sys.argv[1])
DRAW = np.random.default_rng(0)
WIDTH, LAYERS = 32, 20
PLAIN, ALL = "ORT_DISABLE_ALL", "ORT_ENABLE_ALL"
node, array = helper.make_node, numpy_helper.from_array


def f32(values):
    """Numbers as float32."""
    return np.asarray(values, "float32")


# --- differences ------------------------------------------------------------------------------------------------------


def deep(name, plant, place, opset=17):
    """Layers of products with what is planted behind one of them: (nodes, weights, the value that comes out)."""
    nodes, weights, value = [], [], "x"
    for layer in range(LAYERS):
        weights += [array(f32(DRAW.standard_normal((WIDTH, WIDTH)) / WIDTH**0.5), f"w{layer}")]
        weights += [array(f32(np.zeros(WIDTH)), f"b{layer}")]
        nodes += [node("MatMul", [value, f"w{layer}"], [f"m{layer}"], f"mm{layer}")]
        nodes += [node("Add", [f"m{layer}", f"b{layer}"], [f"a{layer}"], f"add{layer}")]
        nodes += [node("Tanh", [f"a{layer}"], [f"t{layer}"], f"tanh{layer}")]
        value = f"t{layer}"
        if layer == place:
            more, held, value = plant(value)
            nodes, weights = nodes + more, weights + held
    nodes += [node("Identity", [value], ["y"], "out")]
    shape = [4, WIDTH]
    faces = [helper.make_tensor_value_info(face, TensorProto.FLOAT, shape) for face in ("x", "y")]
    graph = helper.make_graph(nodes, "g", faces[:1], faces[1:], weights)
    sets = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]
    onnx.save(helper.make_model(graph, opset_imports=sets, ir_version=8), FOLDER / name)


def single(op):
    """One operator of one input."""
    return lambda value: ([node(op, [value], ["p"], "planted")], [], "p")


def overflow(value):
    """The exponential of something large."""
    nodes = [node("Mul", [value, "k"], ["k1"], "scale"), node("Exp", ["k1"], ["k2"], "planted")]
    return nodes, [array(f32(1e4), "k")], "k2"


def zero_by_zero(value):
    """A difference of the same, divided by itself."""
    return [node("Sub", [value, value], ["d0"], "sub"), node("Div", ["d0", "d0"], ["d1"], "planted")], [], "d1"


def all_masked(value):
    """The softmax of nothing but minus infinity."""
    nodes = [node("Add", [value, "mask"], ["s0"], "masked"), node("Softmax", ["s0"], ["s1"], "planted", axis=-1)]
    return nodes, [array(f32(np.full((4, WIDTH), -np.inf)), "mask")], "s1"


def gelu(value):
    """GELU in its parts, which ONNX Runtime fuses."""
    nodes = [node("Div", [value, "g0"], ["e0"], "g_div"), node("Erf", ["e0"], ["e1"], "g_erf")]
    nodes += [node("Add", ["e1", "g1"], ["e2"], "g_add"), node("Mul", [value, "e2"], ["e3"], "g_mul")]
    nodes += [node("Mul", ["e3", "g2"], ["e4"], "g_half")]
    return nodes, [array(f32(number), name) for number, name in ((2**0.5, "g0"), (1, "g1"), (0.5, "g2"))], "e4"


def normal(value):
    """A layer normalisation, whose order of sums changed between releases."""
    held = [array(f32(np.ones(WIDTH)), "n0"), array(f32(np.zeros(WIDTH)), "n1")]
    return [node("LayerNormalization", [value, "n0", "n1"], ["n2"], "planted", axis=-1)], held, "n2"


def unknown(value):
    """An operator that older releases do not know, and what adds its result."""
    held = [array(DRAW.integers(0, 255, (WIDTH, 16)).astype("uint8"), "u0"), array(np.arange(4, dtype="int64"), "u1")]
    held += [array(f32(np.ones((WIDTH, 2))), "u2")]
    kinds = {"bits": 4, "block_size": 16, "gather_axis": 0, "quantize_axis": 1, "domain": "com.microsoft"}
    nodes = [node("GatherBlockQuantized", ["u0", "u1", "u2"], ["u3"], "planted", **kinds)]
    return [*nodes, node("Add", [value, "u3"], ["u4"], "added")], held, "u4"


GELU = ["g_div", "g_erf", "g_add", "g_mul", "g_half"]
# What is planted -> (it, behind which layer, the settings, where numbers get lost, the nodes of the part).
PARTS = {
    "NaN of a logarithm": (single("Log"), 7, "default", None, "planted", ["planted"]),
    "NaN of a root": (single("Sqrt"), 15, "default", None, "planted", ["planted"]),
    "NaN of 0 / 0": (zero_by_zero, 8, "default", None, "planted", ["planted"]),
    "NaN of a softmax that is masked": (all_masked, 5, "default", None, "planted", ["masked", "planted"]),
    # The product behind it makes NaN of infinities with both signs: only the two make NaN of what is finite.
    "infinite exponential": (overflow, 10, "default", None, "planted", ["planted", "mm11"]),
    "fused GELU": (gelu, 9, PLAIN, ALL, "", GELU),
    "fused GELU, basic and extended": (gelu, 3, "ORT_ENABLE_BASIC", "ORT_ENABLE_EXTENDED", "", GELU),
    "normalisation of two releases": (normal, 9, "default", "other", "", ["planted"]),
    "operator of a newer release": (unknown, 6, "default", "other", "", ["planted", "added"]),
}


def parts():
    """All of them, as planted_graphs.py reads them."""
    plan = {}
    for place, (name, (plant, layer, first, second, lost, nodes)) in enumerate(PARTS.items()):
        deep(f"part{place}.onnx", plant, layer)
        plan[name] = {"path": f"part{place}.onnx", "first": first, "second": second, "node": lost, "nodes": nodes}
    return plan


# --- losses -----------------------------------------------------------------------------------------------------------


def convolutions():
    """A small network of convolutions and products with drawn weights, as a model."""
    weights = {
        "c1": f32(DRAW.standard_normal((16, 1, 3, 3)) / 3),
        "c2": f32(DRAW.standard_normal((16, 1, 3, 3)) / 3),
        "c3": f32(DRAW.standard_normal((32, 16, 1, 1)) / 4),
        "f1": f32(DRAW.standard_normal((2048, 64)) / 45),
        "f2": f32(DRAW.standard_normal((64, 10)) / 8),
    }
    nodes = [node("Conv", ["x", "c1", "d1"], ["v1"], "conv1", pads=[1, 1, 1, 1]), node("Relu", ["v1"], ["r1"], "relu1")]
    nodes += [node("Conv", ["r1", "c2", "d2"], ["v2"], "conv2", pads=[1, 1, 1, 1], group=16)]
    nodes += [node("Relu", ["v2"], ["r2"], "relu2"), node("Conv", ["r2", "c3", "d3"], ["v3"], "conv3")]
    nodes += [node("Relu", ["v3"], ["r3"], "relu3"), node("Flatten", ["r3"], ["v4"], "flatten")]
    nodes += [node("MatMul", ["v4", "f1"], ["v5"], "product1"), node("Relu", ["v5"], ["r5"], "relu5")]
    nodes += [node("MatMul", ["r5", "f2"], ["y"], "product2")]
    biases = {"d1": f32(np.full(16, 0.1)), "d2": f32(np.full(16, 0.1)), "d3": f32(np.full(32, 0.1))}
    held = [array(value, name) for name, value in {**weights, **biases}.items()]
    faces = [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 1, 8, 8])]
    faces += [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 10])]
    graph = helper.make_graph(nodes, "g", faces[:1], faces[1:], held)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


class Inputs(CalibrationDataReader):
    """Drawn inputs, so many times as large as those that are measured with."""

    def __init__(self, times=1.0):
        self._left = [{"x": f32(np.abs(np.random.default_rng(1).standard_normal((64, 1, 8, 8))) * times)}]

    def get_next(self):
        """The next ones; None where there are no more."""
        return self._left.pop() if self._left else None


def static(source, target, times=1.0, **options):
    """QDQ, with unsigned values and signed weights."""
    kinds = {"quant_format": QuantFormat.QDQ, "weight_type": QuantType.QInt8, "activation_type": QuantType.QUInt8}
    quantize_static(source, target, Inputs(times), **{**kinds, **options})


def changed(source, target, changes):
    """The same model with other numbers: name of a weight -> what is done with it."""
    model = onnx.load(source)
    for held in model.graph.initializer:
        if held.name in changes:
            before = numpy_helper.to_array(held).copy()
            held.CopyFrom(array(np.asarray(changes[held.name](before), before.dtype), held.name))
    onnx.save(model, target)


def scaled(place, times, axis=0):
    """One channel so many times as large."""

    def change(values):
        index = [slice(None)] * values.ndim
        index[axis] = place
        values[tuple(index)] *= times
        return values

    return change


def cut_off(values):
    """A kernel that is very large and gives nothing but what the Relu cuts off."""
    values[2] = -np.abs(values[2]) * 150
    return values


UNEVEN = {"c2": scaled(7, 80), "d2": scaled(7, 80), "c3": scaled(7, 1 / 80, 1)}
HIDDEN = {"c1": cut_off, "d1": lambda values: np.where(np.arange(16) == 2, -5, values)}


def less_of_channel(values):
    """The weight behind, so that the output stays what it was."""
    return values * np.where(np.arange(2048) // 64 == 5, 0.01, 1)[:, None]


SPREAD = {"c3": scaled(5, 100), "d3": scaled(5, 100), "f1": less_of_channel}
# What is planted -> (changes of the float model, options of the quantiser, changes behind it, the layers at fault).
LOSSES = {
    "large channel of a depthwise convolution": (UNEVEN, {}, {}, ["conv2"]),
    "large kernel that the Relu hides": (HIDDEN, {}, {}, ["conv1"]),
    "large channel of a 1 x 1 convolution": (SPREAD, {}, {}, ["conv3"]),
    "large kernel, QOperator": (HIDDEN, {"quant_format": QuantFormat.QOperator}, {}, ["conv1"]),
    "large kernel, dynamic": (HIDDEN, {"dynamic": True}, {}, ["conv1"]),
    "scale of a weight": ({}, {}, {"f2_scale": lambda values: values * 1.3}, ["product2"]),
    "zero point of a weight": ({}, {}, {"c2_zero_point": lambda values: values + 9}, ["conv2"]),
    "bias with another sign": ({}, {}, {"d1_quantized": lambda values: values * -8}, ["conv1"]),
    # The value behind the Flatten has the same scale, so that no single layer makes it better.
    "range that is too small": ({}, {}, {"r3_scale": lambda values: values / 8}, ["calibration"]),
    "range that is too large": ({}, {}, {"r2_scale": lambda values: values * 16}, ["conv2"]),
    "calibrated with inputs a tenth as large": ({}, {"times": 0.1}, {}, ["calibration"]),
    "calibrated with inputs twenty times as large": ({}, {"times": 20.0}, {}, ["calibration"]),
}


def losses():
    """All of them, as planted_graphs.py reads them."""
    onnx.save(convolutions(), FOLDER / "plain.onnx")
    np.savez(FOLDER / "inputs.npz", x=f32(np.abs(np.random.default_rng(2).standard_normal((64, 1, 8, 8)))))
    plan = {}
    for place, (name, (before, options, behind, layers)) in enumerate(LOSSES.items()):
        first, path = f"float{place}.onnx", f"loss{place}.onnx"
        changed(FOLDER / "plain.onnx", FOLDER / first, before)
        if options.get("dynamic"):
            quantize_dynamic(FOLDER / first, FOLDER / path, weight_type=QuantType.QUInt8)
        else:
            static(FOLDER / first, FOLDER / path, **options)
        changed(FOLDER / path, FOLDER / path, behind)
        plan[name] = {"path": path, "first": first, "layers": layers}
    return plan


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    (FOLDER / "plan.json").write_text(json.dumps({"parts": parts(), "losses": losses()}))
