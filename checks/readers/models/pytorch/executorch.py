"""ExecuTorch: programs (.pte, "ET12"), the same with their tests (.bpte, "BP08"), and files of weights (.ptd, "FT01").

A header behind the first eight bytes tells where the segments begin that follow the FlatBuffer. The schemas:
https://github.com/pytorch/executorch/tree/main/schema and extension/flat_tensor/serialize
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from checks.facts import TensorSpec
from checks.knowledge.formats.executorch import executorch_backend
from checks.readers.containers.flatbuffer import IDENTIFIER, FlatBuffer, Table
from checks.readers.containers.folder import Folder
from checks.readers.containers.source import Damaged, Source
from checks.readers.models.reading import Reading, operator_uses
from checks.readers.models.registry import Rank, file_reader

_PROGRAM, _BUNDLE, _WEIGHTS = b"ET12", b"BP08", b"FT01"
_HEADER = 8
_PROGRAM_HEADER, _WEIGHTS_HEADER = b"eh00", b"FH01"
_TENSOR = 5  # the member of the union KernelTypes
_TEST_TENSOR = 1  # the member of the union ValueUnion
_KERNEL, _DELEGATE = 1, 2  # members of the union InstructionArguments
_BOUND, _UNBOUND = 1, 2
_EXTERNAL = 1
_MOST_VALUES = 200_000
_MOST_NAMES = 10_000  # of operators, backends, methods
_MOST_FACES = 1_000  # inputs, and outputs
_MOST_BYTES = 1 << 48
# Namespaces of operators that the libraries shipped with the runtime bring along.
_SHIPPED = ("aten", "dim_order_ops", "executorch_prim", "quantized_decomposed")

# ScalarType, by number.
_DTYPES = {
    0: "uint8", 1: "int8", 2: "int16", 3: "int32", 4: "int64", 5: "float16", 6: "float32", 7: "float64", 11: "bool",
    12: "qint8", 13: "quint8", 14: "qint32", 15: "bfloat16", 16: "quint4x2", 17: "quint2x4", 22: "bits16",
    23: "float8_e5m2", 24: "float8_e4m3fn", 25: "float8_e5m2fnuz", 26: "float8_e4m3fnuz", 27: "uint16", 28: "uint32",
    29: "uint64",
}  # fmt: skip


@dataclass
class _Program(Reading):
    """A program: its methods, and how often they call which kernel and which backend."""

    methods: list[str] = field(default_factory=list)
    kernels: Counter[str] = field(default_factory=Counter)
    backends: Counter[str] = field(default_factory=Counter)
    external: set[str] = field(default_factory=set)
    counted: set[tuple[int, bool]] = field(default_factory=set)
    values: int = 0


@file_reader("executorch", "executorch-data", rank=Rank.MAGIC)
def executorch(source: Source, _beside: Folder) -> Reading | None:
    """One file. The program that loads it chooses the file of weights that belongs to it."""
    identifier = source.read(IDENTIFIER, 4) if source.size >= _HEADER else b""
    if identifier == _PROGRAM:
        return _program(source)
    if identifier == _BUNDLE:
        return _bundle(source)
    return _weights(source) if identifier == _WEIGHTS else None


def _program(source: Source) -> Reading:
    program = _Program(
        "executorch",
        version=_PROGRAM.decode(),
        producer="executorch",
        frameworks=("executorch",),
        memory=0,
        dtypes=Counter(),
    )
    with program.part():
        root = FlatBuffer(source).root()
        with program.part():
            for plan in root.tables(1, _MOST_NAMES):
                _read_plan(plan, program)
        program.memory = sum(table.span(0)[1] for number in (2, 3) for table in root.tables(number))
        program.memory += _segments(root.tables(4), source, _header(source, _PROGRAM_HEADER, 1))
    rows = [row for backend in program.backends if (row := executorch_backend(backend))]
    program.operators = operator_uses(program.kernels, is_custom=lambda name: name.split("::")[0] not in _SHIPPED)
    program.devices = sorted({row.runs_on for row in rows if row.runs_on != "CPU"})
    program.dependence = "high" if any(row.dependence == "high" for row in rows) else None
    if program.backends:
        program.bind("executorch-delegates", ", ".join(sorted(program.backends)))
    program.details = {
        "methods": ", ".join(program.methods[:20]),
        "delegates": ", ".join(f"{name} ×{count}" for name, count in program.backends.most_common()),
        "external-tensors": str(len(program.external) or ""),
    }
    return program


def _read_plan(plan: Table, program: _Program) -> None:
    program.methods.append(plan.text(0, 256))
    tensors = {}
    for number, value in enumerate(plan.tables(2)):
        program.values += 1
        if program.values > _MOST_VALUES:
            raise Damaged("too-large", f"more than {_MOST_VALUES} values")
        tensor = value.table(1) if value.integer(0, "B") == _TENSOR else None
        if tensor is not None:
            tensors[number] = tensor
            _add_tensor(tensor, program)
    if program.inputs is None:
        program.inputs = _specs(plan.integers(3)[:_MOST_FACES], tensors)
        program.outputs = _specs(plan.integers(4)[:_MOST_FACES], tensors)
    operators = [f"{table.text(0, 256)}.{table.text(1, 256)}".rstrip(".") for table in plan.tables(6, _MOST_NAMES)]
    backends = [table.text(0, 256) for table in plan.tables(7, _MOST_NAMES)]
    for chain in plan.tables(5):
        for instruction in chain.tables(2):
            names, seen = {_KERNEL: (operators, program.kernels), _DELEGATE: (backends, program.backends)}.get(
                instruction.integer(0, "B"), ((), Counter[str]())
            )
            call = instruction.table(1) if names else None
            index = call.integer(0) if call else -1
            if 0 <= index < len(names):
                seen[names[index]] += 1


def _add_tensor(tensor: Table, program: _Program) -> None:
    """Count a constant: one with data in the file, or in a file beside."""
    extra = tensor.table(9)
    if extra is not None and extra.integer(2, "b") == _EXTERNAL:
        key = extra.text(1, 1_000)
        if key in program.external:
            return
        program.external.add(key)
    else:
        key_in_file = (tensor.integer(5, "I"), tensor.has(6))
        if key_in_file[0] == 0 or key_in_file in program.counted:
            return
        program.counted.add(key_in_file)
    program.count(_dtype(tensor.integer(0, "b")), _count(tensor.integers(2, most=64)))


def _specs(indices: tuple[int, ...], tensors: dict[int, Table]) -> tuple[TensorSpec, ...]:
    found = []
    for number, index in enumerate(indices):
        tensor = tensors.get(index)
        if tensor is None:
            found.append(TensorSpec(name=str(number)))
            continue
        sizes, kind = tensor.integers(2, most=64), tensor.integer(8, "b")
        shape: tuple[int | str, ...] = sizes
        if kind == _BOUND:
            shape = tuple(f"≤{size}" for size in sizes)
        elif kind == _UNBOUND:
            shape = ("?",) * len(sizes)
        found.append(TensorSpec(name=str(number), dtype=_dtype(tensor.integer(0, "b")), shape=shape))
    return tuple(found)


def _dtype(number: int) -> str:
    return _DTYPES.get(number, f"type {number}")


def _count(sizes: tuple[int, ...]) -> int:
    return min(math.prod(max(size, 0) for size in sizes), _MOST_BYTES)


def _header(source: Source, magic: bytes, place: int) -> int:
    """Where the segments begin: a number of the header, which old and small files do not have; 0 without one.

    Raises:
        Damaged: "truncated" where the header counts more than there is.
    """
    head = source.read(_HEADER, min(40, source.size - _HEADER))
    if head[:4] != magic:
        return 0
    numbers = [int.from_bytes(head[at : at + 8], "little") for at in range(8, len(head) - 7, 8)]
    length = int.from_bytes(head[4:8], "little")
    if len(numbers) <= place:
        raise Damaged("truncated", "a cut header")
    base = numbers[place]
    data = numbers[place + 1] if length >= 8 * (place + 3) and len(numbers) > place + 1 else 0
    if base + data > source.size:
        raise Damaged("truncated", f"{base + data} bytes of {source.size}")
    return base


def _segments(tables: Iterator[Table], source: Source, base: int) -> int:
    """The bytes of all segments together."""
    size = 0
    for table in tables:
        start, length = table.integer(0, "Q"), table.integer(1, "Q")
        if base + start + length > source.size:
            raise Damaged("truncated", f"{length} bytes at {base + start} of {source.size}")
        size += length
    return min(size, source.size)


def _bundle(source: Source) -> Reading:
    root = FlatBuffer(source).root()
    program = source.part(*root.span(2))
    if program.size < _HEADER or program.read(IDENTIFIER, 4) != _PROGRAM:
        raise Damaged("flatbuffer-damaged", "no program in it")
    reading = _program(program)
    tests = 0
    with reading.part():
        for suite in root.tables(1):
            for case in suite.tables(1):
                _step_over_tensors(case)
                tests += 1
    reading.details["bundled-tests"] = str(tests)
    return reading


def _step_over_tensors(case: Table) -> None:
    """See that the inputs and outputs of a test are there."""
    for number in (0, 1):
        for value in case.tables(number):
            tensor = value.table(1) if value.integer(0, "B") == _TEST_TENSOR else None
            if tensor is not None:
                tensor.span(2)


def _weights(source: Source) -> Reading:
    reading = Reading(
        "executorch-data",
        version=_WEIGHTS.decode(),
        producer="executorch",
        frameworks=("executorch",),
        memory=0,
        dtypes=Counter(),
    )
    names = 0
    with reading.part():
        root = FlatBuffer(source).root()
        for table in root.tables(2):
            names += 1
            layout = table.table(2)
            if layout is not None:
                reading.count(_dtype(layout.integer(0, "b")), _count(layout.integers(1, most=64)))
        reading.memory = _segments(root.tables(1), source, _header(source, _WEIGHTS_HEADER, 2))
    reading.details["tensors"] = str(names)
    return reading
