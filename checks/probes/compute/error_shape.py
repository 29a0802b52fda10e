"""How the errors of a result lie: one element, a factor, values at other places, or everywhere.

The result is a dict with the fields of the fact ErrorShape. Errors are in units of what rounding can make of their own
element (its condition), so that a wrong bit in a small element of a softmax counts as much as one in a large.
"""

from .bits.difference import index_of

PLACES = 8


def units(backend, errors, conditions):
    """Each error in units of its element's condition; 0 where the error is no number, or nothing was added up."""
    numbers = backend.numbers
    sizes = abs(errors)
    known = numbers.isfinite(sizes) & (conditions > 0)
    safe = numbers.where(known, conditions, numbers.ones_like(conditions))
    return numbers.where(known, sizes / safe, numbers.zeros_like(sizes))


def error_shape(backend, truth, result, conditions, formats):
    """The shape of the errors of ``result`` beside ``truth``, both in float64; ``conditions``: of each element.

    ``formats``: name -> what rounds the bits of a float32 to it, the shortest first.
    """
    numbers, shape = backend.numbers, result.shape
    truth, result, conditions = (array.reshape(-1) for array in (truth, result, conditions))
    finite = numbers.isfinite(result)
    result = numbers.where(finite, result, truth)
    errors = result - truth
    sizes = units(backend, errors, conditions)
    order = sizes.argsort()
    count = len(sizes)
    square = float((truth * truth).sum())
    slope = float((errors * truth).sum()) / square if square else 0.0
    moved = abs(_sorted(numbers, result) - _sorted(numbers, truth))
    return {
        "ladder": [float(sizes[order[count - place]]) for place in _ranks(count)],
        "slope": slope,
        "off_slope": float(units(backend, errors - slope * truth, conditions).max()),
        "off_order": float(moved.max()) / float(conditions.max()),
        "places": [index_of(int(order[count - place]), shape) for place in range(1, min(PLACES, count) + 1)],
        "stored_in": next((name for name, of_bits in formats if _is_kept(backend, result, of_bits)), ""),
    }


def _ranks(count):
    """1, 2, 4, 8 and so on."""
    return [1 << power for power in range(count.bit_length())]


def _sorted(numbers, array):
    ordered = numbers.sort(array)
    return getattr(ordered, "values", ordered)  # PyTorch gives the places, too


def _is_kept(backend, result, of_bits):
    """Whether rounding to fewer digits changes nothing."""
    return bool((backend.rounded(result, of_bits) == result).all())
