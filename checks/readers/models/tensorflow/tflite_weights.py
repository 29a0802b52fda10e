"""The weights of a TFLite model: how many numbers of which type, and how they are quantized. None of them is read."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from checks.readers.models.tensorflow.tflite_graph import Subgraph, Tensor

_HALVES = ("float16", "bfloat16")
_WHOLE = ("int8", "uint8", "int4", "uint4", "int2", "int16")
_EIGHT_BITS = ("int8", "uint8")


@dataclass
class Weights:
    """What all graphs of a file hold together."""

    size: int = 0  # bytes, also of those in files beside
    dtypes: Counter[str] = field(default_factory=Counter)  # -> how many numbers
    files: dict[str, int] = field(default_factory=dict)  # beside the model -> bytes that are used of it
    grains: set[str] = field(default_factory=set)  # what shares a scale: "per-tensor", "per-channel", "blockwise"
    _schemes: Counter[str] = field(default_factory=Counter)
    _activations: Counter[str] = field(default_factory=Counter)  # type of what is computed in whole numbers -> tensors
    _counted: set[int] = field(default_factory=set)  # buffers, which tensors may share

    def add(self, graph: Subgraph) -> None:
        """Count the constants of a graph."""
        used_with = _used_with(graph)
        for number, tensor in enumerate(graph.tensors):
            if tensor.is_constant:
                self._add(tensor, used_with.get(number, ""))
            elif tensor.scales and tensor.dtype in _WHOLE:
                self._activations[tensor.dtype] += 1

    @property
    def quantization(self) -> str:
        """The ways in which the weights are quantized, that of most numbers first; "" none."""
        return ", ".join(name for name, _ in (self._schemes or self._activations).most_common())

    @property
    def computes_in_bytes(self) -> bool:
        """Whether anything between the operators has 8 bits."""
        return any(self._activations[dtype] for dtype in _EIGHT_BITS)

    def _add(self, tensor: Tensor, used_with: str) -> None:
        if tensor.data.file:
            end = tensor.data.at + tensor.data.size
            self.files[tensor.data.file] = max(end, self.files.get(tensor.data.file, 0))
        elif tensor.buffer in self._counted:
            return
        else:
            self._counted.add(tensor.buffer)
        self.size += tensor.data.size
        self.dtypes[tensor.dtype] += tensor.count
        scheme = _scheme(tensor, used_with)
        if scheme:
            self._schemes[scheme] += tensor.count
        if tensor.is_blockwise or tensor.scales:
            self.grains.add(
                "blockwise" if tensor.is_blockwise else "per-channel" if tensor.scales > 1 else "per-tensor"
            )


def _used_with(graph: Subgraph) -> dict[int, str]:
    """Constant -> what it is computed with: the type of the operator's first input, or what it is turned into."""
    found: dict[int, str] = {}
    for operator in graph.operators:
        first = next(graph.of(operator.inputs[:1]), None)
        kind = operator.code.name if first is None or first.is_constant else first.dtype
        for tensor in operator.inputs:
            found.setdefault(tensor, kind)
    return found


def _scheme(tensor: Tensor, used_with: str) -> str:
    """How a constant is quantized; "" where it is not, or is only the bias of something that is."""
    if tensor.dtype in _HALVES:
        return tensor.dtype
    if tensor.dtype not in _WHOLE or not (tensor.scales or tensor.is_blockwise):
        return ""
    if used_with == "float32":  # what it is multiplied with is turned into whole numbers anew for each inference
        return f"{tensor.dtype} dynamic range"
    if used_with == "int16" and tensor.dtype == "int8":
        return "int16x8"
    return f"{tensor.dtype} weights" if used_with == "DEQUANTIZE" else tensor.dtype
