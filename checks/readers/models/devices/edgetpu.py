"""The Edge TPU's part of a TFLite file: what the compiler put into its custom operator, or could put into it.

The options of the custom operator are a FlexBuffer; in it lies a FlatBuffer "DWN1", the package with its programs:
https://github.com/google-coral/libedgetpu/blob/master/executable/executable.fbs
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from checks.knowledge.formats.edgetpu import compiler_release, edgetpu_operators
from checks.readers.containers import flexbuffer
from checks.readers.containers.flatbuffer import FlatBuffer
from checks.readers.containers.source import Damaged, Source
from checks.readers.models.tensorflow.tflite_graph import Operator, Subgraph, Tensor

_PROGRAM = "4"  # the key of the package among the options
_MORE_PROGRAMS = "7"  # the same for other chips
_IDENTIFIER = b"DWN1"
_CACHING = 1  # a program that only loads parameters into the chip's memory, where they stay
_CHANGE = re.compile(r"cl/(\d+)")
_MOST_PACKAGES = 1000
_EIGHT_BITS = ("int8", "uint8")
_INNER_AXES = 3  # the chip's tensors have no more
_TO_BYTES = ("QUANTIZE", "CAST")  # these may stand before the part for the Edge TPU, and this one behind it
_TO_FLOAT = "DEQUANTIZE"


@dataclass
class Compiled:
    """The packages of a file, summed up."""

    packages: int = 0
    runtime: int = 0  # the lowest version of the runtime that runs all of them
    compilers: set[str] = field(default_factory=set)
    chips: set[str] = field(default_factory=set)
    kept: int = 0  # bytes of parameters that stay in the chip's memory
    streamed: int = 0  # bytes of parameters that are sent for each inference

    @property
    def compiler(self) -> str:
        """The compiler's version, or the number of the change that it was built from; "" where it is unknown."""
        return ", ".join(sorted(filter(None, map(_compiler, self.compilers))))


def add_package(compiled: Compiled, options: Source) -> None:
    """Read what one custom operator brings. Raises Damaged: its options or programs are not what they should be."""
    compiled.packages += 1
    if compiled.packages > _MOST_PACKAGES:
        raise Damaged("too-large", f"more than {_MOST_PACKAGES} parts for the Edge TPU")
    options_map = flexbuffer.root(options).map()
    programs = [options_map[_PROGRAM]] if _PROGRAM in options_map else []
    for program in (*programs, *(options_map[_MORE_PROGRAMS].items() if _MORE_PROGRAMS in options_map else ())):
        span = program.span()
        if span is not None:
            _add_program(compiled, options.part(*span))


def _add_program(compiled: Compiled, source: Source) -> None:
    package = FlatBuffer(source)
    if package.identifier != _IDENTIFIER:
        raise Damaged("flatbuffer-damaged", f"{package.identifier!r} where a program of the Edge TPU should be")
    root = package.root()
    compiled.runtime = max(compiled.runtime, root.integer(0))
    compiled.compilers.add(root.text(4, 256))
    parts = source.part(*root.span(1))
    executables = FlatBuffer(parts).root()
    for start, size in executables.text_spans(0):
        executable = FlatBuffer(parts.part(start, size)).root()
        compiled.chips.add(executable.text(10, 256))
        parameters = executable.span(6)[1]
        if executable.integer(13, "h") == _CACHING:
            compiled.kept += parameters
        else:
            compiled.streamed += parameters


def _compiler(written: str) -> str:
    change = _CHANGE.match(written)
    if change is None:
        return ""
    row = compiler_release(int(change[1][:18]))
    return row.version if row else change[0][:40]


@dataclass(frozen=True)
class Mappable:
    """How much of a plain model the compiler could give to the Edge TPU. ``in_the_way``: what stops it -> how often."""

    operators: int
    mapped: int
    in_the_way: Counter[str]


def mappable(graph: Subgraph) -> Mappable:
    """Follow the graph as the compiler does: from the inputs up to what does not fit; nothing after that is mapped."""
    blocked: set[int] = set()  # tensors that come from the CPU
    mapped = 0
    in_the_way: Counter[str] = Counter()
    for operator in graph.operators:
        is_free = not any(tensor in blocked for tensor in operator.inputs)
        reason = _reason(operator, graph)
        name = operator.code.name
        if not reason and is_free:
            mapped += 1
        elif not (is_free and name in _TO_BYTES):
            blocked.update(operator.outputs)
            if reason and name != _TO_FLOAT:
                in_the_way[name if reason == name else f"{name} ({reason})"] += 1
    return Mappable(len(graph.operators), mapped, in_the_way)


def _reason(operator: Operator, graph: Subgraph) -> str:
    """Why an operator stays on the CPU: its name, a data type, "?" for an open size, a shape; "" = it need not."""
    if operator.code.domain or operator.code.name not in edgetpu_operators():
        return operator.code.name
    for tensor in graph.of((*operator.inputs, *operator.outputs)):
        if not tensor.is_constant and not _is_state(tensor) and tensor.dtype not in _EIGHT_BITS:
            return tensor.dtype
        if not tensor.is_constant and (reason := _misfit(tensor.shape)):
            return reason
    return ""


def _misfit(shape: tuple[int | str, ...]) -> str:
    """What is wrong with a shape. An open batch is no obstacle: the compiler takes it as one."""
    axes = tuple(1 if number == 0 and length == "?" else length for number, length in enumerate(shape))
    if "?" in axes:
        return "?"
    return "×".join(map(str, axes)) if any(axis != 1 for axis in axes[:-_INNER_AXES]) else ""


def _is_state(tensor: Tensor) -> bool:
    """Whether it is what a recurrent layer remembers, which has 16 bits."""
    return tensor.table.integer(5, "B") != 0
