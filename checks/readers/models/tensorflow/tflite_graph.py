"""What a TFLite FlatBuffer holds: operator codes, tensors and operators of each subgraph, and where the weights lie.

The schema: https://github.com/google-ai-edge/LiteRT/blob/main/tflite/converter/schema/schema.fbs
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from checks.knowledge.formats.tflite_operators import custom_operator, operator_name
from checks.readers.containers.flatbuffer import FlatBuffer, Table
from checks.readers.containers.source import Damaged, Source

EDGETPU = "edgetpu-custom-op"
NPU = "DISPATCH_OP"  # a part that LiteRT's compiler turned into code for a phone's NPU
FLEX = "Flex"  # an operator of TensorFlow itself, under its own name behind this
_CUSTOM = 32
_BLOCKWISE = 2  # the member of the union QuantizationDetails, and all after it
_MOST_TENSORS = 200_000
_MOST_CODES = 10_000
_MOST_NAMED = 1_000  # buffers with a name, signatures, files
_MOST_NAME = 1_000
_MOST_AXES = 64
_MOST_BUFFER = 1 << 40

# TensorType, by number.
_DTYPES = (
    "float32", "float16", "int32", "uint8", "int64", "string", "bool", "int16", "complex64", "int8", "float64",
    "complex128", "uint64", "resource", "variant", "uint32", "uint16", "int4", "bfloat16", "int2", "uint4",
    "float8_e4m3fn", "float8_e5m2",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Code:
    """An operator that the model uses. ``domain``: "" built in, "tensorflow", "edgetpu", "npu" or "custom"."""

    name: str
    domain: str
    version: int

    @property
    def is_foreign(self) -> bool:
        """Whether no interpreter brings it along, so that somebody else's library is needed."""
        return self.domain == "custom" and custom_operator(self.name) is None


@dataclass(frozen=True, slots=True)
class Buffer:
    """Where data lies: in this file, or in a file beside it. ``size`` 0: there is none."""

    size: int
    at: int = 0
    file: str = ""


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor. ``scales``: how many scales it is quantized with, 0 = not quantized."""

    table: Table
    dtype: str
    shape: tuple[int | str, ...]
    buffer: int
    data: Buffer
    scales: int
    is_blockwise: bool
    is_sparse: bool

    @property
    def name(self) -> str:
        """Its name, read when it is wanted."""
        return self.table.text(3, _MOST_NAME)

    @property
    def is_constant(self) -> bool:
        """Whether its content is in the file."""
        return self.data.size > 0

    @property
    def count(self) -> int:
        """How many numbers it holds; of a constant not more than its bytes can hold, unless most are left out."""
        count = math.prod(length for length in self.shape if isinstance(length, int))
        most = _MOST_BUFFER if self.is_sparse or not self.is_constant else self.data.size * 4
        return min(count, most)


@dataclass(frozen=True, slots=True)
class Operator:
    """One node."""

    table: Table
    code: Code
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Subgraph:
    """A graph. Indices that lead to no tensor are left out of what :meth:`of` gives."""

    tensors: tuple[Tensor, ...]
    operators: tuple[Operator, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]

    def of(self, indices: tuple[int, ...]) -> Iterator[Tensor]:
        """The tensors with these numbers; an input that is left out has the number -1."""
        return (self.tensors[index] for index in indices if 0 <= index < len(self.tensors))


class TfliteFile:
    """A .tflite file. Each part is read when it is asked for, and may be damaged on its own."""

    def __init__(self, source: Source) -> None:
        """Find the root. Raises Damaged: it leads nowhere; so may everything that is asked of it."""
        self.source = source
        self.flat = FlatBuffer(source)
        self.root = self.flat.root()
        self._tensors = 0

    def codes(self) -> tuple[Code, ...]:
        """The operators that nodes refer to by number."""
        return tuple(_code(table) for table in self.root.tables(1, _MOST_CODES))

    def buffer(self, number: int) -> Buffer:
        """Where a buffer lies."""
        at, length = self.root.span(4, 4)
        if not 0 <= number < length:
            return Buffer(0)
        table = Table(self.flat, self.flat.follow(at + 4 * number))
        start, size = table.span(0)
        if size == 0 and table.integer(1, "Q") > 1:  # behind the FlatBuffer, in files over 2 GB
            start, size = table.integer(1, "Q"), table.integer(2, "Q")
            if start + size > self.source.size:
                raise Damaged("truncated", f"{size} bytes at {start} of {self.source.size}")
        return Buffer(size, start)

    def metadata(self) -> Iterator[tuple[str, Buffer]]:
        """What tools have added: (name, its bytes)."""
        for table in self.root.tables(6, _MOST_NAMED):
            yield table.text(0, _MOST_NAME), self.buffer(table.integer(1, "I"))

    def signatures(self) -> Iterator[tuple[str, tuple[str, ...], tuple[str, ...]]]:
        """(name, inputs, outputs) of each way to call the model."""
        for table in self.root.tables(7, _MOST_NAMED):
            inputs, outputs = (
                tuple(name.text(0, _MOST_NAME) for name in table.tables(side, _MOST_NAMED)) for side in (0, 1)
            )
            yield table.text(2, _MOST_NAME), inputs, outputs

    def subgraphs(self) -> Iterator[Table]:
        """The graphs; the first is the model, others are bodies of loops and branches, or further signatures."""
        return self.root.tables(2)

    def tensors(self, subgraph: Table) -> Iterator[Tensor]:
        """The tensors of a graph."""
        external = self._external()
        for table in subgraph.tables(0):
            self._tensors += 1
            if self._tensors > _MOST_TENSORS:
                raise Damaged("too-large", f"more than {_MOST_TENSORS} tensors")
            data = external.get(table.integer(10, "I")) or self.buffer(table.integer(2, "I"))
            yield _tensor(table, data)

    def _external(self) -> dict[int, Buffer]:
        """The weights in files beside this one, by their ids; 0 is none of them."""
        files = [table.text(0, _MOST_NAME) for table in self.root.tables(8, _MOST_NAMED)]
        found = {}
        for table in self.root.tables(9, _MOST_TENSORS):
            group = table.integer(1, "I")
            name = files[group] if group < len(files) else ""
            found[table.integer(0, "I")] = Buffer(min(table.integer(3, "Q"), _MOST_BUFFER), table.integer(2, "Q"), name)
        found.pop(0, None)
        return found

    def operators(self, subgraph: Table, codes: tuple[Code, ...]) -> Iterator[Operator]:
        """The nodes of a graph, in the order in which they run."""
        for table in subgraph.tables(3):
            self._tensors += 1
            number = table.integer(0, "I")
            if number >= len(codes) or self._tensors > 2 * _MOST_TENSORS:
                raise Damaged("flatbuffer-damaged", f"operator {number} of {len(codes)}")
            yield Operator(table, codes[number], table.integers(1), table.integers(2))

    def options(self, operator: Operator) -> Source | None:
        """The bytes that a custom operator was given; None where there are none."""
        start, size = operator.table.span(5)
        if size == 0 and operator.table.integer(9, "Q") > 1:
            start, size = operator.table.integer(9, "Q"), operator.table.integer(10, "Q")
        return self.source.part(start, size) if size else None


def _code(table: Table) -> Code:
    # The number moved when a byte became too small for it; the older field then says 127.
    number = max(table.integer(0, "b"), table.integer(3))
    version = table.integer(2, default=1)
    if number != _CUSTOM:
        return Code(operator_name(number), "", version)
    name = table.text(1, _MOST_NAME)
    if name.startswith(FLEX):
        return Code(name, "tensorflow", version)
    return Code(name, {EDGETPU: "edgetpu", NPU: "npu"}.get(name, "custom"), version)


def _tensor(table: Table, data: Buffer) -> Tensor:
    shape = table.integers(7, most=_MOST_AXES) or table.integers(0, most=_MOST_AXES)
    kind = table.integer(1, "b")
    quantization = table.table(4)
    scales = quantization.count(2) if quantization else 0
    return Tensor(
        table=table,
        dtype=_DTYPES[kind] if 0 <= kind < len(_DTYPES) else f"type {kind}",
        shape=tuple(axis if axis >= 0 else "?" for axis in shape),
        buffer=table.integer(2, "I"),
        data=data,
        scales=scales,
        is_blockwise=bool(quantization and quantization.integer(4, "B") >= _BLOCKWISE),
        is_sparse=table.has(6),
    )
