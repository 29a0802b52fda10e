"""What the quantisation of weights loses: each weight of a float model (ONNX, GGUF) beside its codes in another.

onnxruntime.quantization and converters to float16 keep the names: "w" becomes "w_quantized" with "w_scale" and
"w_zero_point", or a "w" in float16. Of a quantised model alone it is still seen how many of their codes the channels
use: where one channel is far larger than the others and all share one scale, these have few codes left.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from checks.facts import WeightLoss
from checks.readers.containers.source import Cancelled, Damaged, Stopped, never
from checks.readers.weights import StoredWeights, stored_weights
from checks.readers.weights.tensor import StoredTensor

MOST_NUMBERS = 1 << 25  # of one weight
CODES, SCALE, ZERO = "_quantized", "_scale", "_zero_point"
TURNED = "_Transposed"  # a Gemm's weight, of which dynamic quantisation makes that of a MatMul
_BIAS = "int32"  # biases are codes of 32 bits, which lose nothing that matters
_HALVES = ("float16", "bfloat16")
_Floats = NDArray[np.float64]
_Block = tuple[int, _Floats, _Floats]
_AT_ONCE = 1 << 15  # numbers, which with what is computed of them fit into a processor's own cache
_PACKED = 256  # numbers: a multiple of all blocks in which they are packed


def weight_losses(
    first: Path | None, second: Path, cancelled: Cancelled = never, form: str = "onnx"
) -> tuple[WeightLoss, ...]:
    """Of each weight that is quantised. ``first``: the float model; None: what the quantised one tells by itself.

    ``form``: the format of both, an id of model_formats.toml.

    A file that is damaged, or a cancel, gives none.
    """
    try:
        with stored_weights(second, form, cancelled) as theirs:
            if first is None:
                return tuple(_alone(theirs))
            with stored_weights(first, form, cancelled) as ours:
                return tuple(_beside(ours, theirs))
    except (Damaged, Stopped, OSError):
        return ()


def _alone(theirs: StoredWeights) -> Iterator[WeightLoss]:
    for name, tensor in theirs.tensors.items():
        plain = name.removesuffix(CODES)
        if plain != name and tensor.dtype != _BIAS and _fits(tensor) and plain + SCALE in theirs.tensors:
            face = _face(plain, tensor, theirs.tensors[plain + SCALE])
            yield WeightLoss(**face, **_channels(_numbers(tensor), tensor))


def _beside(ours: StoredWeights, theirs: StoredWeights) -> Iterator[WeightLoss]:
    for name, tensor in ours.tensors.items():
        if not _fits(tensor) or "float" not in tensor.dtype:
            continue
        is_turned = name + TURNED + CODES in theirs.tensors
        stored, shape = (name + TURNED, tensor.shape[::-1]) if is_turned else (name, tensor.shape)
        codes, scale = theirs.tensors.get(stored + CODES), theirs.tensors.get(stored + SCALE)
        if codes is not None and scale is not None and codes.dtype != _BIAS and codes.shape == shape:
            numbers = _numbers(tensor).T if is_turned else _numbers(tensor)
            found = _restored(numbers, codes, scale, theirs.tensors.get(stored + ZERO))
            yield WeightLoss(**_face(name, codes, scale), **found, **_channels(numbers, codes))
        else:
            shorter = theirs.tensors.get(name)
            if shorter is not None and _is_shorter(shorter, tensor):
                lost = _lost(_rows_of_stored(tensor, shorter), tensor.shape)
                yield WeightLoss(name=name, dtype=shorter.dtype, shape=shorter.shape, **lost)


def _is_shorter(shorter: StoredTensor, tensor: StoredTensor) -> bool:
    """In half precision, or in the blocks of ggml, which have their scale with them ("Q4_K")."""
    is_half = shorter.dtype in _HALVES and tensor.dtype not in _HALVES
    is_half = is_half or shorter.dtype[:1].isupper()
    return is_half and shorter.shape == tensor.shape and shorter.can_decode


def _fits(tensor: StoredTensor) -> bool:
    return tensor.can_decode and len(tensor.shape) > 1 and 0 < tensor.count <= MOST_NUMBERS


def _face(name: str, codes: StoredTensor, scale: StoredTensor) -> dict[str, Any]:
    return {"name": name, "dtype": codes.dtype, "shape": codes.shape, "scales": scale.count}


def _numbers(tensor: StoredTensor) -> _Floats:
    return tensor.numbers(0, tensor.count).reshape(tensor.shape)


def _restored(wanted: _Floats, codes: StoredTensor, scale: StoredTensor, zero: StoredTensor | None) -> dict[str, Any]:
    """The loss of codes. Which axis the scales belong to stands in the nodes: it is the one with the smaller loss."""
    stored, scales = _numbers(codes), scale.numbers(0, scale.count)
    zeros = zero.numbers(0, zero.count) if zero is not None and zero.count == scale.count else np.zeros(1)
    if scale.count == 1:
        return _lost(_rows(wanted, (stored - zeros[0]) * scales[0]), wanted.shape)
    best: dict[str, Any] = {}
    for axis, length in enumerate(wanted.shape):
        if length != scale.count:
            continue
        along = tuple(-1 if place == axis else 1 for place in range(wanted.ndim))
        restored = (stored - (zeros.reshape(along) if zeros.size > 1 else zeros[0])) * scales.reshape(along)
        found = _lost(_rows(wanted, restored), wanted.shape)
        if not best or (found["sqnr"] or math.inf) > (best["sqnr"] or math.inf):
            best = found
    return best


def _rows(wanted: _Floats, found: _Floats) -> Iterator[_Block]:
    """Some rows of both at a time, and where they begin."""
    count, length, most = _layout(wanted.shape)
    both = [array.reshape(count, length) for array in (wanted, found)]
    for at in range(0, count, most):
        yield at, both[0][at : at + most], both[1][at : at + most]


def _rows_of_stored(wanted: StoredTensor, found: StoredTensor) -> Iterator[_Block]:
    """The same of tensors of one shape, read as they are asked for."""
    count, length, most = _layout(wanted.shape)
    for at in range(0, count, most):
        rows = min(most, count - at)
        one, other = (tensor.numbers(at * length, rows * length).reshape(rows, length) for tensor in (wanted, found))
        yield at, one, other


def _layout(shape: Sequence[int]) -> tuple[int, int, int]:
    """(Rows, numbers of a row, rows of a block, which begins at a multiple of _PACKED numbers)."""
    length = math.prod(shape[1:])
    together = _PACKED // math.gcd(_PACKED, length)
    return shape[0], length, -(-max(1, _AT_ONCE // length) // together) * together


def _lost(blocks: Iterable[_Block], shape: Sequence[int]) -> dict[str, Any]:
    """What is lost between a wanted and a found array of a shape, some rows of which are given at a time."""
    count, length, _ = _layout(shape)
    rows, columns = np.zeros((2, count)), np.zeros((2, length))  # sums of squares: of what is wanted, of the errors
    largest = apart = 0.0
    with np.errstate(invalid="ignore", over="ignore"):
        for at, wanted, found in blocks:
            error = wanted - found
            for side, numbers in enumerate((wanted, error)):
                squares = numbers * numbers
                np.sum(squares, axis=1, out=rows[side, at : at + len(squares)])
                columns[side] += np.sum(squares, axis=0)
            largest = max(largest, float(np.max(np.abs(wanted), initial=0.0)))
            apart = max(apart, float(np.max(np.abs(error), initial=0.0)))
        signal, noise = map(float, np.sum(rows, axis=1))
    if not (math.isfinite(signal) and math.isfinite(noise)):
        return {"sqnr": None, "max_relative": None}
    channels = (rows, columns) if len(shape) == 2 else (rows,)  # of a matrix either axis may be that of the channels
    return {
        "sqnr": _poorest(np.array([[signal], [noise]])),
        "poorest": min((found for found in map(_poorest, channels) if found is not None), default=None),
        "max_relative": apart / largest if largest else None,
    }


def _poorest(squares: _Floats) -> float | None:
    """The smallest ratio of signal (first row) to noise in decibel; None where nothing has both."""
    signals, noises = squares[:, squares.all(axis=0)]
    return float(np.min(np.log10(signals) - np.log10(noises))) * 10.0 if signals.size else None


def _axes(numbers: _Floats) -> range:
    """Of a matrix either axis may be that of the channels."""
    return range(2 if numbers.ndim == 2 else 1)


def _channels(numbers: _Floats, codes: StoredTensor) -> dict[str, Any]:
    """The channel that uses the fewest codes, and how much larger the largest is than what is usual.

    It is told on the axis on which the channels differ more.
    """
    stored = _numbers(codes)
    found: dict[str, Any] = {}
    for axis in _axes(numbers):
        others = tuple(place for place in range(numbers.ndim) if place != axis)
        if numbers.shape[axis] < 2 or not others:
            continue
        reach = np.max(np.abs(numbers), axis=others)
        usual = float(np.median(reach))
        ratio = float(np.max(reach)) / usual if usual else None
        spans = np.max(stored, axis=others) - np.min(stored, axis=others) + 1
        if ratio is not None and math.isfinite(ratio) and ratio > (found.get("ratio") or 0.0):
            found = {"ratio": ratio, "axis": axis, "steps": int(np.min(spans)), "channel": int(np.argmin(spans))}
    return found
