"""The ML program within a Core ML model: functions, operations, and the weights that they name in other files.

The messages: mlmodel/format/MIL.proto in apple/coremltools. Weights within the message are stepped over.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from checks.knowledge.formats.coreml import number_types
from checks.readers.containers.protobuf.wire import BYTES, Field, Fields, Message, parse
from checks.readers.containers.source import Damaged

_SMALL = 1 << 16  # bytes of an operation that is read at once; a larger one holds weights
_DEEPEST = 40  # blocks within blocks: loops within branches
_MOST_OPERATIONS = 500_000
_MOST_NAMES = 5000  # of operations and layers
_MOST_FILES = 100
_MOST_FUNCTIONS = 10_000
_LONGEST_NAME = 1000
_CONST = "const"
_MOST_NUMBERS = 1 << 50  # in one tensor
_MOST_AXES = 64


@dataclass(frozen=True)
class StoredNumbers:
    """A weight by name. ``file``: where its numbers lie, "" for the model itself.

    ``start``: where they begin, or the header before them where ``size`` is None.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    file: str
    start: int
    size: int | None = None


@dataclass
class Sums:
    """What is counted over all functions of all models in a file."""

    operators: Counter[tuple[str, str]] = field(default_factory=Counter)  # (name, class of a custom one)
    dtypes: Counter[str] = field(default_factory=Counter)
    quantization: Counter[str] = field(default_factory=Counter)
    precisions: Counter[str] = field(default_factory=Counter)
    weights: int = 0  # bytes
    opsets: set[str] = field(default_factory=set)
    functions: list[str] = field(default_factory=list)
    files: dict[str, int] = field(default_factory=dict)  # name -> where the last weight in it begins
    seen: set[tuple[int, int]] = field(default_factory=set)  # weights that several functions share
    operations: int = 0
    stored: list[StoredNumbers] | None = None  # collected where they are asked for

    def add_operator(self, name: str, custom: str = "") -> None:
        """One more operation, layer or model."""
        self.operators[name, custom] += 1
        if len(self.operators) > _MOST_NAMES:
            raise Damaged("too-large", f"more than {_MOST_NAMES} names of operations")


@dataclass(frozen=True)
class _Tensor:
    """The type of a value: its number type, its axes, and the file that its numbers are in."""

    dtype: int
    shape: tuple[int, ...]
    file: tuple[str, int] | None

    @property
    def count(self) -> int:
        """How many numbers it holds, as far as anything does."""
        return min(math.prod(self.shape), _MOST_NUMBERS)


def read_program(program: Message, sums: Sums) -> None:
    """Add a program to the sums."""
    for entry in program:
        if entry.number != 2:
            continue
        if len(sums.functions) >= _MOST_FUNCTIONS:
            raise Damaged("too-large", f"more than {_MOST_FUNCTIONS} functions")
        for part in program.message(entry):
            if part.number == 1:
                sums.functions.append(program.text(part, _LONGEST_NAME))
            elif part.number == 2:
                _read_function(program.message(part), sums)


def _read_function(function: Message, sums: Sums) -> None:
    for entry in function:
        if entry.number == 2:
            sums.opsets.add(function.text(entry, _LONGEST_NAME))
        elif entry.number == 3:
            for part in function.message(entry):
                if part.number == 2:
                    _read_block(function.message(part), sums, 0)


def _read_block(block: Message, sums: Sums, depth: int) -> None:
    if depth > _DEEPEST:
        raise Damaged("too-large", f"blocks within blocks, deeper than {_DEEPEST}")
    for entry in block:
        if entry.number != 3:
            continue
        sums.operations += 1
        if sums.operations > _MOST_OPERATIONS:
            raise Damaged("too-large", f"more than {_MOST_OPERATIONS} operations")
        _read_operation(block, entry, sums, depth)


def _read_operation(block: Message, place: Field, sums: Sums, depth: int) -> None:
    kind = output = ""
    values: list[tuple[str, _Tensor]] = []
    for part, data in _parts(block, place):
        if part.number == 1:
            kind = data.decode("utf-8", "replace")[:_LONGEST_NAME]
        elif part.number == 3:
            output = output or _first(data, 1).decode("utf-8", "replace")[:_LONGEST_NAME]
            dtype = number_types().get(_value_type(_first(data, 2))[0]) if kind != _CONST else None
            if dtype is not None:
                sums.precisions[dtype.name] += 1
        elif part.number == 4:
            _read_block(block.message(part), sums, depth + 1)
        elif part.number in (2, 5):
            values.extend(_values(data, is_attribute=part.number == 5))
    if kind != _CONST:
        sums.add_operator(kind)
    for name, value in values:
        if value.file is not None:
            _add_weight(sums, output if kind == _CONST else f"{output}/{name}", value, *value.file)
    if kind.startswith("constexpr_"):
        _add_quantization(sums, kind, dict(values))


def _parts(block: Message, place: Field) -> Iterator[tuple[Field, bytes]]:
    """The fields of an operation with their bytes; of one that holds weights, those bytes are left out."""
    operation = block.message(place)
    for part in operation:
        if part.wire != BYTES:
            continue
        is_block = part.number == 4
        yield part, b"" if is_block or part.size > _SMALL else operation.data(part, _SMALL)


def _values(data: bytes, *, is_attribute: bool) -> Iterator[tuple[str, _Tensor]]:
    """(name, tensor) of an attribute, or of what an input is bound to where that is no other operation."""
    fields = Fields(data)
    name = fields.text(1, _LONGEST_NAME)
    for content in fields.parts(2):
        bound = [Fields(binding).data(2) for binding in Fields(content).parts(1)] if not is_attribute else [content]
        yield from ((name, _value(value)) for value in bound if value)


def _first(data: bytes, wanted: int) -> bytes:
    """The first field of bytes with a number; what lies behind it may be damaged."""
    return next((content for number, _, content in parse(data) if number == wanted and isinstance(content, bytes)), b"")


def _value(data: bytes) -> _Tensor:
    fields = Fields(data)
    file = Fields(fields.data(5)) if fields.parts(5) else None
    return _Tensor(*_value_type(fields.data(2)), (file.text(1, _LONGEST_NAME), file.number(2)) if file else None)


def _value_type(data: bytes) -> tuple[int, tuple[int, ...]]:
    """(number type, lengths of the axes) of a ValueType that is a tensor."""
    tensor = Fields(Fields(data).data(1))
    axes = tensor.parts(3)
    if len(axes) > _MOST_AXES:
        raise Damaged("protobuf-damaged", f"more than {_MOST_AXES} axes")
    return tensor.number(1), tuple(Fields(Fields(axis).data(1)).number(1) for axis in axes)


def _add_weight(sums: Sums, name: str, value: _Tensor, file: str, offset: int) -> None:
    sums.files[file] = max(sums.files.get(file, 0), offset)
    if len(sums.files) > _MOST_FILES:
        raise Damaged("too-large", f"weights in more than {_MOST_FILES} files")
    dtype = number_types().get(value.dtype)
    if sums.stored is not None:
        sums.stored.append(StoredNumbers(name, dtype.name if dtype else "?", value.shape, file, offset))
    place = (list(sums.files).index(file), offset)
    if dtype is not None and place not in sums.seen:
        sums.seen.add(place)
        sums.dtypes[dtype.name] += value.count
        sums.weights += value.count * dtype.bits // 8


def _add_quantization(sums: Sums, kind: str, values: dict[str, _Tensor]) -> None:
    """How the weights of an operation are packed, by the operation that unpacks them."""
    what = {"constexpr_sparse_to_dense": "sparse", "constexpr_lut_to_sparse": "sparse"}.get(kind, "")
    if kind in ("constexpr_lut_to_dense", "constexpr_lut_to_sparse"):
        bits = _bits(values)
        what = f"palettized {bits}-bit" if bits else "palettized"
    elif kind in ("constexpr_affine_dequantize", "constexpr_blockwise_shift_scale"):
        data = values.get("quantized_data") or values.get("data")
        dtype = number_types().get(data.dtype) if data else None
        what = dtype.name if dtype else ""
    if what:
        sums.quantization[what] += 1


def _bits(values: dict[str, _Tensor]) -> int | None:
    """Bits of an index into a palette: the type of the indices, or what counts the palette's colours."""
    indices, palette = values.get("indices"), values.get("lut")
    dtype = number_types().get(indices.dtype) if indices else None
    if dtype is not None and dtype.bits < 8:
        return dtype.bits
    if palette is not None and 2 <= palette.count <= 256:
        return math.ceil(math.log2(palette.count))
    return dtype.bits if dtype else None
