"""The same computation tried in other ways: its terms in other orders, its inputs in shorter formats.

What these make of a result on this very device tells what made an error or a difference, which its size does not.
"""

import functools

from ..model import kit as model_kit
from . import kit as compute
from .runs import Run

ENOUGH = 64  # elements of all orders together, so that the largest of their errors tells what is usual
ORDERS = (2, 64)  # beside the first, at the least and at the most
_CUT = 13  # of the 23 digits of float32 that TensorFloat-32 has not
_SHORT = 16  # ... and those that bfloat16 has not
# The bits of a number of float32 as those of the nearest with fewer digits; "tf32-cut": with the digits cut off, as
# tensor cores do with a float32 that nobody rounded for them.
ROUNDINGS = {
    "tf32": lambda bits: (bits + (1 << (_CUT - 1))) & -(1 << _CUT),
    "tf32-cut": lambda bits: bits & -(1 << _CUT),
    "bfloat16": lambda bits: (bits + ((1 << (_SHORT - 1)) - 1) + ((bits >> _SHORT) & 1)) & -(1 << _SHORT),
}
CUTS = (("bfloat16", lambda bits: bits & -(1 << _SHORT)), ("tf32", ROUNDINGS["tf32-cut"]))  # the shortest first


def in_other_orders(backend, operation, given, elements, clock):
    """Results with the terms reordered, in float64; more of them where the result has few elements.

    None at all where the device has no room for other inputs beside the usual ones, or cannot reorder them.
    """
    try:
        return list(_reordered(backend, operation, given, elements, clock))
    except Exception as error:
        if not (model_kit.is_no_memory(error) or compute.is_unsupported(error)):
            raise
        return []


def _reordered(backend, operation, given, elements, clock):
    for seed in range(1 + max(ORDERS[0], min(ORDERS[1], ENOUGH // max(1, elements)))):
        inputs, back = operation.reordered(given, backend.taken, lambda length, seed=seed: backend.drawn(length, seed))
        result, _ = backend.result(operation, inputs, Run(backend.device), clock)
        yield backend.wide(back(result))


def in_shorter_formats(backend, operation, exact, truth):
    """The errors that shorter formats make: of a product's factors, as a device rounds them through all layers."""
    found = {}
    for name, of_bits in ROUNDINGS.items():
        rounded = functools.partial(backend.rounded, of_bits=of_bits)
        if operation.products:
            result = backend.truth(operation, exact, rounded)
        else:
            result = backend.truth(operation, [rounded(array) for array in exact])
        found[name] = result - truth
    return found
