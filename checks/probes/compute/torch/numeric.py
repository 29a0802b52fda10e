"""The operations of ..operations in PyTorch: run, and their conditions.

Written for torch 1.8 to 2.15.
"""

from ..bits import inputs as inputs_of

EPSILON = 1e-5  # of the layer norm


def inputs(torch, operation, dtype, device):
    """The portable inputs of an operation."""
    return [inputs_of.torch_uniform(torch, shape, dtype, stream, device) for shape, stream in operation.inputs]


def available(torch, operation):
    """Whether this version has the operation."""
    return operation.name != "attention" or hasattr(torch.nn.functional, "scaled_dot_product_attention")


def run(torch, operation, inputs, operand=None):
    """The result. ``operand``: what is done to each factor of a product first, to see what shorter formats do."""
    return _RUN[operation.name](torch, inputs, operand or _unchanged)


def condition(torch, operation, inputs):
    """What the error bound of each element of the result is in units of terms x unit roundoff, to the first order.

    The sum of the magnitudes of its terms where terms are added up (Higham, Accuracy and Stability of Numerical
    Algorithms, 2002, section 3.1); of the others it follows from their formulas. ``inputs``: in float64.
    """
    bound = _CONDITION.get(operation.name)
    return bound(torch, inputs) if bound else run(torch, operation, [tensor.abs() for tensor in inputs])


def _unchanged(factor):
    return factor


def _attention(torch, inputs, operand):
    if operand is _unchanged:
        return torch.nn.functional.scaled_dot_product_attention(*inputs)
    queries, keys, values = (operand(factor) for factor in inputs)
    scores = torch.matmul(queries, keys.transpose(-1, -2)) / queries.shape[-1] ** 0.5
    return torch.matmul(operand(torch.softmax(scores, -1)), values)


def _network(torch, inputs, operand):
    of = torch.nn.functional
    kept, first, second, dense = inputs
    kept = of.max_pool2d(torch.relu(of.conv2d(operand(kept), operand(first), padding=2)), 2)
    kept = of.max_pool2d(torch.relu(of.conv2d(operand(kept), operand(second), padding=2)), 2)
    return of.linear(operand(kept.flatten(1)), operand(dense))


_RUN = {
    "matmul": lambda torch, inputs, operand: torch.matmul(operand(inputs[0]), operand(inputs[1])),
    "conv2d": lambda torch, inputs, operand: torch.nn.functional.conv2d(*map(operand, inputs), padding=1),
    "linear": lambda torch, inputs, operand: torch.nn.functional.linear(*map(operand, inputs[:2]), inputs[2]),
    "attention": _attention,
    "network": _network,
    "softmax": lambda torch, inputs, _operand: torch.softmax(inputs[0] * 8, -1),
    "layer-norm": lambda torch, inputs, _operand: torch.nn.functional.layer_norm(
        inputs[0], inputs[0].shape[-1:], eps=EPSILON
    ),
    "sum": lambda _torch, inputs, _operand: inputs[0].sum().reshape(1),
    "row-sum": lambda _torch, inputs, _operand: inputs[0].sum(-1),
    "exp": lambda torch, inputs, _operand: torch.exp(inputs[0] * 8),
    "tanh": lambda torch, inputs, _operand: torch.tanh(inputs[0] * 8),
    "erf": lambda torch, inputs, _operand: torch.erf(inputs[0] * 4),
}


# --- how far rounding can move them ----------------------------------------------------------------------------------


def _condition_of_attention(torch, inputs):
    """An error of the scores enters twice, through the exponential and through its sum."""
    queries, keys, values = inputs
    scores = torch.matmul(queries.abs(), keys.abs().transpose(-1, -2)) / queries.shape[-1] ** 0.5
    weights = torch.softmax(torch.matmul(queries, keys.transpose(-1, -2)) / queries.shape[-1] ** 0.5, -1)
    return torch.matmul(weights, values.abs()) * (2 + 2 * scores.amax(-1, keepdim=True))


def _condition_of_softmax(torch, inputs):
    """The exponential multiplies an error of its argument by the argument; its sum has the terms."""
    scaled = inputs[0] * 8
    span = scaled.amax(-1, keepdim=True) - scaled.amin(-1, keepdim=True)
    return torch.softmax(scaled, -1) * (1 + (2 * span + 4) / scaled.shape[-1])


def _condition_of_layer_norm(torch, inputs):
    """The mean has the terms of all magnitudes, the variance those of its squares, under a root."""
    row = inputs[0]
    deviation = (row.var(-1, unbiased=False, keepdim=True) + EPSILON).sqrt()
    normed = (row - row.mean(-1, keepdim=True)) / deviation
    return row.abs().mean(-1, keepdim=True) / deviation + normed.abs() * (0.5 + 4 / row.shape[-1])


_CONDITION = {
    "attention": _condition_of_attention,
    "softmax": _condition_of_softmax,
    "layer-norm": _condition_of_layer_norm,
    # What a processor or GPU may make of them by its standard, in units of u: an ulp is two of them just above a power
    # of two, and one of tanh and erf, which are below 1. OpenCL C 3.0, section "Relative Error as ULPs": 3 ulp for the
    # exponential, 5 for tanh, 16 for erf; 3 + floor(|2 x|) for the exponential where mathematics is to be fast, as
    # Metal's shaders are compiled. A fast tanh is (t - 1) / (t + 1) with t = exp(2 x): the error of t enters as
    # sech(x)^2 (3 + 4 |x|) units, at most 4, and four operations are rounded. CUDA documents 2 ulp for each of the
    # three (CUDA C++ Programming Guide, Standard Functions). The tanh of Eigen, which TensorFlow uses, is a rational
    # function that was off by 5.5 units (TensorFlow 2.21.0).
    "exp": lambda torch, inputs: torch.exp(inputs[0] * 8) * (2 * (3 + 2 * 8)),
    "tanh": lambda torch, inputs: torch.ones_like(inputs[0]) * 8,
    "erf": lambda torch, inputs: torch.ones_like(inputs[0]) * 16,
}
