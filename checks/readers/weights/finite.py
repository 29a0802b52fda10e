"""Which weights of a model file hold NaN or infinite numbers: read block by block within bounds, nothing is run."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from checks.facts import ModelFacts, NotFiniteWeight, WeightValues
from checks.readers.containers.source import MIB, Cancelled, Damaged, Stopped, never
from checks.readers.weights import can_read, stored_weights
from checks.readers.weights.tensor import StoredTensor

MOST_BYTES = 512 * MIB  # of all tensors of one examination: a third of a second, and what the disk takes
MOST_NAMED = 20
# Of the others numbers may be codes whose meaning stands elsewhere.
_FORMATS = frozenset({
    "onnx", "safetensors", "torch-zip", "torchscript", "pt2", "gguf", "keras-h5", "keras-zip",
})  # fmt: skip
_AT_ONCE = MIB // 4  # numbers: what they become stays in a processor's cache


def weight_values(
    model: ModelFacts, cancelled: Cancelled = never, most: int = MOST_BYTES
) -> tuple[WeightValues | None, int]:
    """What the weights of a file of the disk hold, and how many bytes were read for it.

    None where they are not read: of another format, damaged, or more than ``most`` bytes, which are not read in part.
    """
    path = Path(model.path)
    if model.problem or model.format not in _FORMATS or not can_read(path, model.format):
        return None, 0
    try:
        with stored_weights(path, model.format, cancelled) as weights:
            fractions = [tensor for tensor in weights.tensors.values() if _is_of_fractions(tensor)]
            size = sum(tensor.data.size for tensor in fractions)
            if size > most:
                return None, 0
            values = _values(fractions, len(weights.left_out), is_graph=model.format == "onnx")
            return values if values.looked_at or values.left_out else None, size
    except (Damaged, Stopped):
        return None, 0


def _is_of_fractions(tensor: StoredTensor) -> bool:
    """Whether it holds fractions: as such, or as codes of ggml's blocks ("Q4_K"), which have their scale with them."""
    return "float" in tensor.dtype or tensor.dtype[:1].isupper()


def _values(tensors: Iterable[StoredTensor], left_out: int, *, is_graph: bool) -> WeightValues:
    found: list[NotFiniteWeight] = []
    looked_at = 0
    for tensor in tensors:
        if not tensor.can_decode:
            left_out += 1
            continue
        looked_at += 1
        if is_graph and tensor.count == 1:  # a constant of the program, such as a filling of NaN that is meant
            continue
        weight = _not_finite(tensor)
        if weight is not None and len(found) < MOST_NAMED:
            found.append(weight)
    return WeightValues(looked_at=looked_at, left_out=left_out, not_finite=tuple(found))


def _not_finite(tensor: StoredTensor) -> NotFiniteWeight | None:
    """NaN, or infinities above among other numbers: a mask has them below, and a limit nothing else."""
    nan = infinite = finite = 0
    for at in range(0, tensor.count, _AT_ONCE):
        count = min(_AT_ONCE, tensor.count - at)
        numbers = tensor.values(tensor.stored(at, count), 0, count)
        is_finite = int(np.count_nonzero(np.isfinite(numbers)))
        finite += is_finite
        if is_finite != numbers.size:
            nan += int(np.count_nonzero(np.isnan(numbers)))
            infinite += int(np.count_nonzero(np.isposinf(numbers)))
    if not nan and not (infinite and finite):
        return None
    return NotFiniteWeight(name=tensor.name, nan=nan, infinite=infinite, count=tensor.count)
