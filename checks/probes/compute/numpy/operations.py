"""The operations of ..operations in NumPy, on the same inputs."""

import math

from ..bits import inputs as inputs_of

EPSILON = 1e-5  # of the layer norm, as in PyTorch


def inputs(numpy, operation):
    """The portable inputs of an operation."""
    return [inputs_of.numpy_uniform(numpy, shape, "float32", stream) for shape, stream in operation.inputs]


def run(numpy, operation, inputs, operand=None):
    """The result in the type of what is given. ``operand``: what is done to each factor of a product first."""
    return numpy.asarray(_RUN[operation.name](numpy, inputs, operand or _unchanged))


def _unchanged(factor):
    return factor


def _windows(numpy, pictures, side):
    """Every window of a picture as a row, with the zeros around it: (batch, rows, columns, channels * side * side)."""
    around = side // 2
    padded = numpy.pad(pictures, ((0, 0), (0, 0), (around, around), (around, around)))
    height, width = pictures.shape[2:]
    parts = [padded[:, :, i : i + height, j : j + width] for i in range(side) for j in range(side)]
    stacked = numpy.stack(parts, axis=2)  # batch, channels, places, rows, columns
    batch, channels = pictures.shape[:2]
    return stacked.reshape(batch, channels * side * side, height, width).transpose(0, 2, 3, 1)


def _convolved(numpy, pictures, kernels):
    rows = _windows(numpy, pictures, kernels.shape[-1])
    flat = numpy.ascontiguousarray(rows).reshape(-1, rows.shape[-1])
    products = flat @ numpy.ascontiguousarray(kernels.reshape(len(kernels), -1).T)
    return products.reshape(*rows.shape[:3], len(kernels)).transpose(0, 3, 1, 2)


def _pooled(numpy, pictures):
    batch, channels, height, width = pictures.shape
    kept = numpy.maximum(pictures, numpy.float32(0)).reshape(batch, channels, height // 2, 2, width // 2, 2)
    return kept.max(axis=(3, 5))


def _softmax(numpy, scores):
    shifted = numpy.exp(scores - scores.max(-1, keepdims=True))
    return shifted / shifted.sum(-1, keepdims=True)


def _attention(numpy, inputs, operand):
    queries, keys, values = (operand(factor) for factor in inputs)
    root = numpy.float32(math.sqrt(queries.shape[-1]))
    return operand(_softmax(numpy, (queries @ keys.transpose(0, 1, 3, 2)) / root)) @ values


def _layer_norm(numpy, inputs, _operand):
    row = inputs[0]
    deviation = numpy.sqrt(row.var(-1, keepdims=True) + numpy.float32(EPSILON))
    return (row - row.mean(-1, keepdims=True)) / deviation


def _network(numpy, inputs, operand):
    kept, first, second, dense = inputs
    kept = _pooled(numpy, _convolved(numpy, operand(kept), operand(first)))
    kept = _pooled(numpy, _convolved(numpy, operand(kept), operand(second)))
    return operand(kept.reshape(len(kept), -1)) @ operand(dense).T


def _conv2d(numpy, inputs, operand):
    return numpy.ascontiguousarray(_convolved(numpy, operand(inputs[0]), operand(inputs[1])))


def _scaled(numpy, inputs, factor=8):
    return inputs[0] * numpy.float32(factor)


def _erf(numpy, inputs, _operand):
    """Python's own of float64: NumPy has none."""
    return numpy.vectorize(math.erf, otypes=[numpy.float64])(_scaled(numpy, inputs, 4))


_RUN = {
    "matmul": lambda _numpy, inputs, operand: operand(inputs[0]) @ operand(inputs[1]),
    "conv2d": _conv2d,
    "linear": lambda _numpy, inputs, operand: operand(inputs[0]) @ operand(inputs[1]).T + inputs[2],
    "attention": _attention,
    "softmax": lambda numpy, inputs, _operand: _softmax(numpy, _scaled(numpy, inputs)),
    "layer-norm": _layer_norm,
    "network": _network,
    "sum": lambda _numpy, inputs, _operand: inputs[0].sum().reshape(1),
    "row-sum": lambda _numpy, inputs, _operand: inputs[0].sum(-1),
    "exp": lambda numpy, inputs, _operand: numpy.exp(_scaled(numpy, inputs)),
    "tanh": lambda numpy, inputs, _operand: numpy.tanh(_scaled(numpy, inputs)),
    "erf": _erf,
}

KNOWN = frozenset(_RUN) - {"erf"}  # what NumPy itself computes in float32


def conditions(numpy, operation, inputs):
    """What torch/numeric.py calls the condition of each element: how far rounding can move it."""
    exact = [numpy.asarray(array, dtype=numpy.float64) for array in inputs]
    bound = _CONDITION.get(operation.name)
    if bound is None:  # sums and products: of their magnitudes
        return run(numpy, operation, [abs(array) for array in exact])
    return bound(numpy, exact)


def _condition_of_attention(numpy, inputs):
    queries, keys, values = inputs
    root = math.sqrt(queries.shape[-1])
    scores = abs(queries) @ abs(keys).transpose(0, 1, 3, 2) / root
    weights = _softmax(numpy, queries @ keys.transpose(0, 1, 3, 2) / root)
    return (weights @ abs(values)) * (2 + 2 * scores.max(-1, keepdims=True))


def _condition_of_softmax(numpy, inputs):
    scaled = inputs[0] * 8
    span = scaled.max(-1, keepdims=True) - scaled.min(-1, keepdims=True)
    return _softmax(numpy, scaled) * (1 + (2 * span + 4) / scaled.shape[-1])


def _condition_of_layer_norm(numpy, inputs):
    row = inputs[0]
    deviation = numpy.sqrt(row.var(-1, keepdims=True) + EPSILON)
    return abs(row).mean(-1, keepdims=True) / deviation + abs(_layer_norm(numpy, inputs, _unchanged)) * (
        0.5 + 4 / row.shape[-1]
    )


_CONDITION = {
    "attention": _condition_of_attention,
    "softmax": _condition_of_softmax,
    "layer-norm": _condition_of_layer_norm,
    # As in torch/numeric.py.
    "exp": lambda numpy, inputs: numpy.exp(inputs[0] * 8) * (2 * (3 + 2 * 8)),
    "tanh": lambda numpy, inputs: numpy.ones(inputs[0].shape) * 8,
    "erf": lambda numpy, inputs: numpy.ones(inputs[0].shape) * 16,
}
