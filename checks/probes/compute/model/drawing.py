"""Drawn inputs with which more shows than with the first that a model takes.

The first are numbers from 0 to 1 and whole numbers that are all the same, since all else may be no valid index. With
these the rows of texts are all alike, and what takes a logarithm or a root may lose its numbers.
"""

import re

from ..bits import inputs as portable
from . import lost
from .outputs import EMPTY, ZERO, code_of, flattened, nothing_in

_SET = re.compile(r"mask|len|length|size|count|num_|index|axis|dim", re.IGNORECASE)  # whole numbers that are no ids
_STREAM = 0x6E6F6973


def more_telling(model, run, clock):
    """Give the model other drawn inputs where these show more, while there is time to try them.

    ``spoiling`` are then those with which numbers got lost, if they did with the first.
    """
    numpy = model.numpy
    if clock.left <= 0:
        return
    arrays = _with_ids(numpy, model.arrays)
    outputs = arrays and _run(run, arrays)
    if outputs:
        model.arrays = arrays
    elif clock.left > 0:
        outputs = _run(run, model.arrays)
    if not outputs or not _shows_little(numpy, outputs) or clock.left <= 0:
        return
    again = _run(run, model.arrays)
    if again is None or code_of(numpy, again) != code_of(numpy, outputs):
        return  # what is finite once need not be so the next time
    is_spoilt = lost.is_spoilt(numpy, outputs)
    for name, numbers in _kinds(numpy):
        if clock.left <= 0:
            return
        arrays = _with_numbers(numpy, model.arrays, numbers)
        outputs = arrays and _run(run, arrays)
        if outputs and not _shows_little(numpy, outputs):
            model.spoiling = model.arrays if is_spoilt else None
            model.arrays, model.drawn_as = arrays, name
            return


def _shows_little(numpy, outputs):
    return lost.is_spoilt(numpy, outputs) or nothing_in(numpy, outputs) in (EMPTY, ZERO)


def _kinds(numpy):
    """(What the numbers are, those of a shape)."""
    yield "above-zero", lambda shape: 0.5 + numpy.abs(portable.numpy_uniform(numpy, shape, "float32", _STREAM)) / 2
    yield "both-signs", lambda shape: portable.numpy_uniform(numpy, shape, "float32", _STREAM)
    yield "small", lambda shape: portable.numpy_uniform(numpy, shape, "float32", _STREAM) / 1000


def _with_numbers(numpy, arrays, numbers):
    """The same with other fractions; None where there are none."""
    made = {
        name: numpy.asarray(numbers(array.shape)).astype(array.dtype).reshape(array.shape)
        for name, array in arrays.items()
        if array.dtype.kind == "f"
    }
    return dict(arrays, **made) if made else None


def _with_ids(numpy, arrays):
    """The same with whole numbers that are 0 or 1 in turn, where they may be the ids of something."""
    made = {
        name: (numpy.arange(array.size) * 37 % 101 % 2).astype(array.dtype).reshape(array.shape)
        for name, array in arrays.items()
        if array.dtype.kind in "iu" and array.size > 1 and not _SET.search(name)
    }
    return dict(arrays, **made) if made else None


def _run(run, arrays):
    try:
        return flattened(run(arrays))
    except Exception:  # it takes the first ones alone; what else fails is told where the model is compared
        return None
