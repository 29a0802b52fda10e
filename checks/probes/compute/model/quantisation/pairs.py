"""Which value of a quantised ONNX model stands for which of the float model that it was made of.

onnxruntime.quantization and converters to float16 keep the names of values. What is "v" in the float model is in the
quantised one "v" itself, what a DequantizeLinear makes of its codes, or "v_quantized", which are codes. Where a Relu
or Clip was taken out, because the codes cannot be below zero anyway, the value before it stands for that behind it.
"""

CODES = "_quantized"
# Where the scale of what a node gives stands among its inputs; the zero point is behind it.
_SCALE = {
    "QuantizeLinear": 1, "QLinearConv": 6, "QLinearMatMul": 6, "QGemm": 7, "QLinearAdd": 6, "QLinearMul": 6,
    "QLinearSigmoid": 3, "QLinearLeakyRelu": 3, "QLinearGlobalAveragePool": 3, "QLinearAveragePool": 3,
    "QLinearReduceMean": 3, "QLinearSoftmax": 3, "QLinearConcat": 0, "QLinearWhere": 7,
}  # fmt: skip
# What gives the codes that it takes.
_MOVING = frozenset((
    *("MaxPool", "Reshape", "Transpose", "Squeeze", "Unsqueeze", "Flatten", "Gather", "Slice", "Pad", "Split"),
    *("Resize", "Identity", "Expand", "DepthToSpace", "SpaceToDepth", "Concat", "Tile", "GatherND"),
))  # fmt: skip
_CUTTING_OFF = ("Relu", "Clip")
QDQ, OPERATORS, DYNAMIC, HALF = "QDQ", "QOperator", "dynamic", "float16"


class Pair:
    """A value in both models. ``given``: names of the quantised model that hold it as numbers; else ``codes``.

    ``scale``, ``zero``: names of those of its codes, where it has any.
    """

    def __init__(self, name, given, codes="", scale="", zero=""):
        self.name, self.given, self.codes, self.scale, self.zero = name, given, codes, scale, zero

    @property
    def wanted(self):
        """The name by which the quantised model gives it out."""
        return self.given[0] if self.given else self.codes


def form_of(graph):
    """How a model is quantised; "" where it is not."""
    operators = {node.op for node in graph.nodes}
    if operators & {"DynamicQuantizeLinear", "MatMulInteger", "ConvInteger", "MatMulIntegerToFloat"}:
        return DYNAMIC
    if any(op.startswith(("QLinear", "QGemm")) for op in operators):
        return OPERATORS
    if "DequantizeLinear" in operators:
        return QDQ
    return HALF if "float16" in graph.kinds else ""


def scales_of(graph):
    """Name of a value of codes -> (name of the scale, of the zero point)."""
    found = {}
    for node in graph.nodes:
        place = _SCALE.get(node.op)
        if place is not None and len(node.inputs) > place:
            zero = node.inputs[place + 1] if len(node.inputs) > place + 1 else ""
            found[node.outputs[0]] = (node.inputs[place], zero)
        elif node.op in _MOVING and node.inputs and node.inputs[0] in found:
            found.update((name, found[node.inputs[0]]) for name in node.outputs if name)
    return found


def pairs(first, second):
    """The values that both have, by their names in the float model, in the order in which that makes them."""
    scales = scales_of(second)
    made = {name for node in second.nodes for name in node.outputs if name}
    codes = {node.inputs[0]: node.outputs[0] for node in second.nodes if node.op == "QuantizeLinear"}
    numbers = {}
    for node in second.nodes:
        if node.op == "DequantizeLinear":
            numbers.setdefault(node.inputs[0], []).append(node.outputs[0])
    found = {}
    for name in (*first.inputs, *(name for node in first.nodes for name in node.outputs if name)):
        pair = _pair(name, made, codes, numbers, scales)
        if pair is not None:
            found[name] = pair
    _behind_what_was_taken_out(first, found)
    return found


def _pair(name, made, codes, numbers, scales):
    code = codes.get(name) or (name + CODES if name + CODES in scales else "")
    scale, zero = scales.get(code, ("", ""))
    if code and numbers.get(code):
        return Pair(name, tuple(numbers[code]), code, scale, zero)
    if code and name not in made:
        return Pair(name, (), code, scale, zero)
    return Pair(name, (name,), code, scale, zero) if name in made else None


def _behind_what_was_taken_out(first, found):
    """Let what stands before a Relu that the quantised model has not stand for what is behind it."""
    takers = {}
    for node in first.nodes:
        for name in node.inputs:
            takers.setdefault(name, []).append(node)
    for name in list(found):
        users = takers.get(name, ())
        if len(users) == 1 and users[0].op in _CUTTING_OFF and users[0].outputs[0] not in found:
            pair = found.pop(name)
            pair.name = users[0].outputs[0]
            found[pair.name] = pair


class Layer:
    """The nodes of the float model that make a value which both models have, from such values. ``places``: of them.

    Of an input, which is quantised, too, there are none, and ``node`` is None.
    """

    def __init__(self, pair, places, node):
        self.pair, self.places, self.node = pair, places, node


def layers(parts, found):
    """(The layers in the order of their values, how many nodes with weights belong to none, how many there are).

    ``parts``: of the float model (onnx_cut.Parts); ``found``: as ``pairs`` gives them.
    """
    steps, taken, made = set(parts.steps), set(), []
    for name, pair in found.items():
        if name in parts.graph.inputs and name not in parts.graph.weights:
            made.append(Layer(pair, [], None))
            continue
        if parts.makers.get(name) not in steps:
            continue
        waiting, places = [parts.makers[name]], set()
        while waiting:
            place = waiting.pop()
            if place in places:
                continue
            places.add(place)
            before = (value for value in parts.nodes[place].inputs if value and value not in found)
            waiting += [parts.makers[value] for value in before if parts.makers.get(value) in steps]
        taken |= places
        places = sorted(places)
        made.append(Layer(pair, places, _telling(parts, places)))
    made.sort(key=lambda layer: layer.places[-1] if layer.places else -1)
    heavy = [place for place in parts.steps if _has_weight(parts, place)]
    return made, sum(place not in taken for place in heavy), len(heavy)


def _telling(parts, places):
    """The node that a layer is named by: that with a weight, else the last."""
    heavy = [place for place in places if _has_weight(parts, place)]
    return parts.nodes[(heavy or places)[-1]]


def _has_weight(parts, place):
    shapes = (parts.graph.weights.get(name, ("", ()))[1] for name in parts.nodes[place].inputs)
    return any(len(shape) > 1 for shape in shapes)
