"""What a quantised model shows by itself: numbers that its codes cannot hold, on the inputs that were given."""

from ..minimal.values import Values
from .pairs import scales_of

_PLAIN = "ORT_DISABLE_ALL"


def activations(numpy, parts, whole, arrays, clock):
    """What goes into each QuantizeLinear beside what its codes can hold, as fields of LayerLoss."""
    scales, told = scales_of(parts.graph), []
    nodes = [node for node in parts.graph.nodes if node.op == "QuantizeLinear"]
    wanted = {node.inputs[0] for node in nodes}
    makers = [parts.nodes[place] for place in parts.steps if wanted & set(parts.nodes[place].outputs)]
    values = Values(whole.way(setting=_PLAIN), arrays, makers, {}, clock.part(2))
    for node in nodes:
        scale, zero = (parts.array(numpy, name) if name else None for name in scales[node.outputs[0]])
        found = values.of([node.inputs[0]])
        if clock.left <= 0 or scale is None or scale.size != 1 or zero is None or found is None:
            continue
        value, step, shift = found[node.inputs[0]], float(scale.ravel()[0]), int(zero.ravel()[0])
        limits = numpy.iinfo(zero.dtype)
        low, high = (limits.min - shift) * step, (limits.max - shift) * step
        # With a zero at the end of its codes it stands for a Relu, too, which was taken out on purpose.
        is_below = (value < low - step / 2) & (shift != limits.min)
        maker = parts.makers.get(node.inputs[0])
        told.append({
            "name": parts.nodes[maker].label if maker is not None else node.inputs[0],
            "op": parts.nodes[maker].op if maker is not None else "",
            "value": node.inputs[0],
            "scale": step,
            "zero_point": shift,
            "dtype": str(zero.dtype),
            "reaches": [low, high],
            "seen": [float(value.min()), float(value.max())],
            "clipped": float(((value > high + step / 2) | is_below).mean()),
        })  # fmt: skip
    return told
