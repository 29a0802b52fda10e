"""The operations of ..operations in PyTorch: run, and their conditions.

Written for torch 1.8 to 2.15.
"""

from .. import inputs as inputs_of

EPSILON = 1e-5  # of the layer norm


def inputs(torch, operation, dtype, device):
    """The portable inputs of an operation."""
    return [inputs_of.torch_uniform(torch, shape, dtype, stream, device) for shape, stream in operation.inputs]


def available(torch, operation):
    """Whether this version has the operation."""
    return operation.name != "attention" or hasattr(torch.nn.functional, "scaled_dot_product_attention")


def run(torch, operation, given, operand=None):
    """The result. ``operand``: what is done to each factor of a product first, to see what shorter formats do."""
    return _RUN[operation.name](torch, given, operand or _unchanged)


def condition(torch, operation, given):
    """What the error bound of each element of the result is in units of terms x unit roundoff, to the first order.

    The sum of the magnitudes of its terms where terms are added up (Higham, Accuracy and Stability of Numerical
    Algorithms, 2002, section 3.1); of the others it follows from their formulas. ``given``: inputs in float64.
    """
    made = _CONDITION.get(operation.name)
    return made(torch, given) if made else run(torch, operation, given).abs()


def _unchanged(factor):
    return factor


# --- what they compute -----------------------------------------------------------------------------------------------


def _matmul(torch, given, operand):
    return torch.matmul(operand(given[0]), operand(given[1]))


def _conv2d(torch, given, operand):
    return torch.nn.functional.conv2d(operand(given[0]), operand(given[1]), padding=1)


def _linear(torch, given, operand):
    return torch.nn.functional.linear(operand(given[0]), operand(given[1]), given[2])


def _attention(torch, given, operand):
    if operand is _unchanged:
        return torch.nn.functional.scaled_dot_product_attention(*given)
    queries, keys, values = (operand(each) for each in given)
    scores = torch.matmul(queries, keys.transpose(-1, -2)) / queries.shape[-1] ** 0.5
    return torch.matmul(operand(torch.softmax(scores, -1)), values)


def _softmax(torch, given, _operand):
    return torch.softmax(given[0] * 8, -1)


def _layer_norm(torch, given, _operand):
    return torch.nn.functional.layer_norm(given[0], given[0].shape[-1:], eps=EPSILON)


def _network(torch, given, operand):
    of = torch.nn.functional
    kept, first, second, dense = given
    kept = of.max_pool2d(torch.relu(of.conv2d(operand(kept), operand(first), padding=2)), 2)
    kept = of.max_pool2d(torch.relu(of.conv2d(operand(kept), operand(second), padding=2)), 2)
    return of.linear(operand(kept.flatten(1)), operand(dense))


_RUN = {
    "matmul": _matmul,
    "conv2d": _conv2d,
    "linear": _linear,
    "attention": _attention,
    "network": _network,
    "softmax": _softmax,
    "layer-norm": _layer_norm,
    "sum": lambda _torch, given, _operand: given[0].sum().reshape(1),
    "row-sum": lambda _torch, given, _operand: given[0].sum(-1),
    "exp": lambda torch, given, _operand: torch.exp(given[0] * 8),
    "tanh": lambda torch, given, _operand: torch.tanh(given[0] * 8),
    "erf": lambda torch, given, _operand: torch.erf(given[0] * 4),
}


# --- how far rounding can move them ----------------------------------------------------------------------------------


def _of_magnitudes(compute):
    return lambda torch, given: compute(torch, [each.abs() for each in given], _unchanged)


def _condition_of_attention(torch, given):
    """An error of the scores enters twice, through the exponential and through its sum."""
    queries, keys, values = given
    scores = torch.matmul(queries.abs(), keys.abs().transpose(-1, -2)) / queries.shape[-1] ** 0.5
    weights = torch.softmax(torch.matmul(queries, keys.transpose(-1, -2)) / queries.shape[-1] ** 0.5, -1)
    return torch.matmul(weights, values.abs()) * (2 + 2 * scores.amax(-1, keepdim=True))


def _condition_of_softmax(torch, given):
    """The exponential multiplies an error of its argument by the argument; its sum has the terms."""
    scaled = given[0] * 8
    span = scaled.amax(-1, keepdim=True) - scaled.amin(-1, keepdim=True)
    return torch.softmax(scaled, -1) * (1 + (2 * span + 4) / scaled.shape[-1])


def _condition_of_layer_norm(torch, given):
    """The mean has the terms of all magnitudes, the variance those of its squares, under a root."""
    row = given[0]
    deviation = (row.var(-1, unbiased=False, keepdim=True) + EPSILON).sqrt()
    normed = (row - row.mean(-1, keepdim=True)) / deviation
    return row.abs().mean(-1, keepdim=True) / deviation + normed.abs() * (0.5 + 4 / row.shape[-1])


_CONDITION = {
    "matmul": _of_magnitudes(_matmul),
    "conv2d": _of_magnitudes(_conv2d),
    "linear": _of_magnitudes(_linear),
    "network": _of_magnitudes(_network),
    "sum": _of_magnitudes(_RUN["sum"]),
    "row-sum": _of_magnitudes(_RUN["row-sum"]),
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
    "exp": lambda torch, given: torch.exp(given[0] * 8) * (2 * (3 + 2 * 8)),
    "tanh": lambda torch, given: torch.ones_like(given[0]) * 8,
    "erf": lambda torch, given: torch.ones_like(given[0]) * 16,
}
