"""Tensors of PyTorch and arrays of NumPy, in each other's place."""

import re

from ..model import kit as model_kit
from . import compare

_PLACE = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+)|# (?P<place>\S+\.py:\d+)')
_OF_NUMPY = ("torch.float16", "torch.float32", "torch.float64")
_LIBRARY = re.compile(r"[/\\](?:site|dist)-packages[/\\]|__torch__|^<")  # "<eval_with_key>.17": no file at all


def arrays_of(result):
    """The tensors of a result, in order, as arrays by name."""
    from torch.utils import _pytree

    tensors = [leaf for leaf in _pytree.tree_flatten(result)[0] if hasattr(leaf, "detach")]
    return {"output %d" % place: as_array(tensor) for place, tensor in enumerate(tensors)}


def as_array(tensor):
    """A tensor as an array; NumPy has no bfloat16, of which float32 holds every number.

    Raises:
        NotDrawn: NumPy has nothing for a tensor of this kind.
    """
    kind = "%s, %s" % (tensor.dtype, tensor.layout)
    tensor = tensor.detach()
    if tensor.is_quantized:
        tensor = tensor.dequantize()
    try:
        if str(tensor.layout) != "torch.strided":
            tensor = tensor.to_dense()
        if tensor.dtype.is_floating_point and str(tensor.dtype) not in _OF_NUMPY:
            tensor = tensor.float()
        return tensor.resolve_conj().resolve_neg().cpu().numpy().copy()
    except (TypeError, RuntimeError) as error:
        if model_kit.is_no_memory(error):
            raise
        raise model_kit.NotDrawn("output-type", kind) from error


def tensors_of(arrays):
    """Arrays by name as tensors in their order."""
    import torch

    return tuple(torch.from_numpy(array.copy()) for array in arrays.values())


def rounding_of(tensors):
    """(The unit roundoff of the weights, the terms of the longest sum of products, the number of such layers)."""
    kinds = {str(tensor.dtype).replace("torch.", "") for tensor in tensors}
    unit = max((compare.UNITS[kind] for kind in kinds if kind in compare.UNITS), default=compare.UNITS["float32"])
    terms = [tensor.numel() // tensor.shape[0] for tensor in tensors if tensor.dim() > 1 and tensor.shape[0]]
    return unit, max(terms, default=1), max(len(terms), 1)


def in_float64(values):
    """The same with every float tensor in float64."""
    import torch

    return [value.double() if torch.is_tensor(value) and value.is_floating_point() else value for value in values]


def place_of(text):
    """The last line of the user's own Python that a trace names ("net.py:11"), "" where it names only a library's."""
    found = [match.group("place") or "%(file)s:%(line)s" % match.groupdict() for match in _PLACE.finditer(text or "")]
    return ([place for place in found if not _LIBRARY.search(place)] or [""])[-1]
