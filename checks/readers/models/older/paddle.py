"""PaddlePaddle: programs in Protocol Buffers (.pdmodel, __model__) or JSON (Paddle 3), and their parameters.

A program is a ProgramDesc of Paddle's framework.proto: blocks of variables and operations, and the version of Paddle
that wrote it. Feed and fetch operations name inputs and outputs. JSON is the form of Paddle 3's new representation
(PIR). Parameters lie in one file (.pdiparams, __params__), one after another, or each in a file of its own name; a
tensor has two version numbers, a short TensorDesc and its numbers, which are stepped over.
"""

from __future__ import annotations

import math
import re
import struct
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import msgspec

from checks.facts import Binding, NeededFile, TensorSpec
from checks.prepared import prepared
from checks.readers.containers.folder import Folder
from checks.readers.containers.json_text import JSON_ERRORS, json_text
from checks.readers.containers.protobuf.wire import BYTES, VARINT, Fields, Message, signed
from checks.readers.containers.source import MIB, Damaged, Source
from checks.readers.models.reading import Reading, needed_file, operator_uses
from checks.readers.models.registry import Rank, file_reader

_DTYPES = {0: "bool", 1: "int16", 2: "int32", 3: "int64", 4: "float16", 5: "float32", 6: "float64", 20: "uint8"}
_DTYPES |= {21: "int8", 22: "bfloat16", 23: "complex64", 24: "complex128", 32: "float8_e4m3fn", 33: "float8_e5m2"}
_PIR_DTYPES = {"bool": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "ui8": "uint8"}
_PIR_DTYPES |= {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "c64": "complex64"}
_PIR_DTYPES |= {"index": "int64", "c128": "complex128", "fp8_e4m3fn": "float8_e4m3fn", "fp8_e5m2": "float8_e5m2"}
_DENSE = 7  # the type of a variable that is a tensor
_MOST_VARIABLE = 64 * 1024
_MOST_OPERATION = 4 * MIB  # some carry lists of numbers as attributes
_MOST_THINGS = 200_000  # variables, operations
_MOST_FILES = 500
_MOST_NAME = 300
_MOST_JSON = 32 * MIB
_MOST_DESCRIPTION = 1024
_DEEPEST = 6


@dataclass
class _Variable:
    name: str = ""
    dtype: str | None = None
    shape: tuple[int | str, ...] = ()
    is_stored: bool = False

    @property
    def spec(self) -> TensorSpec:
        """It as an input or output."""
        return TensorSpec(name=self.name, dtype=self.dtype, shape=self.shape)

    @property
    def count(self) -> int:
        """How many numbers it holds."""
        return math.prod(length for length in self.shape if isinstance(length, int))


@dataclass
class _Program:
    version: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    variables: dict[str, _Variable] = field(default_factory=dict)
    feeds: list[str] = field(default_factory=list)
    fetches: list[str] = field(default_factory=list)
    problem: Damaged | None = None

    @property
    def stored(self) -> list[_Variable]:
        """The parameters."""
        return [variable for variable in self.variables.values() if variable.is_stored]


@file_reader("paddle", rank=Rank.STRUCTURE)
def paddle_program(source: Source, beside: Folder) -> Reading | None:
    """A program in Protocol Buffers."""
    if not _is_program(source):
        return None
    program = _Program()
    try:
        for entry in Message(source):
            if entry.number == 1 and entry.wire == BYTES:
                _read_block(Message(source, entry.start, entry.size), program)
            elif entry.number == 4 and entry.wire == BYTES:
                program.version = Fields(source.read(entry.start, min(entry.size, 32))).number(1)
    except Damaged as damage:
        program.problem = damage
    version = _version(program.version)
    return _reading(program, version, f"paddlepaddle>={version}" if version else "paddlepaddle", source, beside)


@file_reader("paddle", rank=Rank.STRUCTURE)
def paddle_pir(source: Source, beside: Folder) -> Reading | None:
    """A program of Paddle 3 in JSON."""
    head = source.head
    if not re.match(rb'\s*\{\s*"base_code"\s*:\s*\{', head) or b'"pir"' not in head:
        return None
    text = json_text(source, _MOST_JSON)
    try:
        whole = msgspec.json.decode(text, type=prepared(_Whole))
        program = _Program()
        _read_regions(whole.program.regions, program, 0)
    except JSON_ERRORS as error:
        raise Damaged("json-damaged", str(error)) from error
    return _reading(program, None, "paddlepaddle>=3.0", source, beside, written=f"PIR {whole.base_code.version}")


@file_reader("paddle", rank=Rank.STRUCTURE)
def paddle_parameters(source: Source, _beside: Folder) -> Reading | None:
    """Parameters without the program."""
    if source.size < 24 or not _begins_as_tensor(source):
        return None
    numbers: Counter[str] = Counter()
    reading = Reading("paddle", producer="paddlepaddle", frameworks=("paddlepaddle",), dtypes=numbers)
    count = at = 0
    with reading.part():
        while at < source.size:
            at = _step_over(source, at, numbers)
            count += 1
            if count > _MOST_THINGS:
                raise Damaged("too-large", f"{count} tensors")
    reading.memory = _bytes(numbers)
    reading.details = {"content": "weights", "tensors": str(count)}
    return reading


def _reading(
    program: _Program, version: str | None, framework: str, source: Source, beside: Folder, written: str | None = None
) -> Reading:
    stored = program.stored
    numbers: Counter[str] = Counter()
    for entry in stored:
        numbers[entry.dtype or "?"] += entry.count
    files = tuple(_parameters_beside(source.name, stored, beside)) if stored else ()
    missing = next((file.name for file in files if not file.present), None)
    problem = program.problem or (Damaged("missing-part", missing) if missing else None)
    quantized = any("quantize" in kind for kind in program.kinds)
    return Reading(
        "paddle",
        version=written or version,
        producer="paddlepaddle",
        producer_version=version,
        frameworks=(framework,),
        operators=operator_uses(program.kinds),
        files=files,
        memory=_bytes(numbers),
        bound_to=(Binding(kind="paddle-version", value=f"PaddlePaddle {version}"),) if version else (),
        inputs=tuple(_specs(program.feeds, program)) or None,
        outputs=tuple(_specs(program.fetches, program)) or None,
        dtypes=numbers or None,
        quantization="int8" if quantized else "",
        problem=problem,
    )


def _specs(names: list[str], program: _Program) -> Iterator[TensorSpec]:
    for name in names[:100]:
        known = program.variables.get(name)
        yield known.spec if known else TensorSpec(name=name)


def _parameters_beside(name: str, stored: list[_Variable], beside: Folder) -> Iterator[NeededFile]:
    """The file with all parameters, or those of each parameter."""
    own = re.sub(r"\.(?:pdmodel|json)$", "", name) + ".pdiparams"
    together = [own] if name != "__model__" else ["__params__", "params"]
    for file in (needed_file(beside, name) for name in together):
        if file.present:
            yield file
            names = needed_file(beside, f"{file.name}.info")  # for training; nothing to run
            if names.present:
                yield names
            return
    apart = [variable.name for variable in stored[:_MOST_FILES]]
    if any(beside.size_of(parameter) is not None for parameter in apart):
        yield from (needed_file(beside, parameter) for parameter in apart)
        return
    yield NeededFile(name=together[0], present=False)


# --- Protocol Buffers ------------------------------------------------------------------------------------------------


def _is_program(source: Source) -> bool:
    """Whether it begins as a block does: its number, its parent's, and then variables or operations."""
    if source.size < 16 or source.read(0, 1) != b"\x0a":
        return False
    try:
        first = next(iter(Message(source)))
        block = iter(Message(source, first.start, first.size))
        index, parent = next(block), next(block)
        begins = [(index.number, index.wire, index.value), (parent.number, parent.wire)]
        if begins != [(1, VARINT, 0), (2, VARINT)] or signed(parent.value) not in (-1, 0):
            return False
        third = next(block, None)
        return third is not None and third.number in (3, 4) and third.wire == BYTES
    except (Damaged, StopIteration):
        return False


def _read_block(message: Message, program: _Program) -> None:
    for entry in message:
        if entry.wire != BYTES or entry.number not in (3, 4):
            continue
        if len(program.variables) + program.kinds.total() > _MOST_THINGS:
            raise Damaged("too-large", f"more than {_MOST_THINGS} variables and operations")
        if entry.number == 3:
            variable = _variable(message.data(entry, _MOST_VARIABLE))
            program.variables.setdefault(variable.name, variable)
        else:
            _read_operation(message.data(entry, _MOST_OPERATION), program)


def _variable(data: bytes) -> _Variable:
    fields = Fields(data)
    name, kind = fields.text(1, _MOST_NAME), Fields(fields.data(2))
    dtype, shape = _tensor(Fields(kind.data(3)).data(1)) if kind.number(1) == _DENSE else (None, ())
    is_stored = bool(fields.number(3)) and dtype is not None and name not in ("feed", "fetch")
    return _Variable(name, dtype, shape, is_stored)


def _tensor(data: bytes) -> tuple[str | None, tuple[int | str, ...]]:
    """A TensorDesc: type and shape, where -1 is a free length."""
    fields = Fields(data)
    shape = [length if (length := signed(item)) > 0 else "?" for item in fields.numbers(2)]
    return _DTYPES.get(fields.number(1, -1)), tuple(shape[:32])


def _read_operation(data: bytes, program: _Program) -> None:
    operation = Fields(data)
    kind = operation.text(3, _MOST_NAME)
    if kind in ("feed", "fetch"):
        arguments = operation.parts(2 if kind == "feed" else 1)[:100]  # outputs, or inputs
        names = [name for argument in arguments for name in Fields(argument).parts(2)]
        ends = program.feeds if kind == "feed" else program.fetches
        ends += [name.decode("utf-8", "replace")[:_MOST_NAME] for name in names]
    else:
        program.kinds[kind] += 1


def _version(number: int) -> str | None:
    """The version from its number: 3003001 is 3.3.1; 0 was written by a build of nobody's release."""
    if not 0 < number < 10**9:
        return None
    return f"{number // 10**6}.{number // 1000 % 1000}.{number % 1000}"


# --- JSON ------------------------------------------------------------------------------------------------------------


class _Operation(msgspec.Struct):
    """An operation: kind, attributes, inputs and outputs. What is not of a parameter, input or output stays unread."""

    kind: str = msgspec.field(name="#", default="")
    attributes: msgspec.Raw = msgspec.field(name="A", default=msgspec.Raw(b"[]"))
    inputs: msgspec.Raw = msgspec.field(name="I", default=msgspec.Raw(b"[]"))
    outputs: msgspec.Raw = msgspec.field(name="O", default=msgspec.Raw(b"[]"))
    regions: msgspec.Raw = msgspec.Raw(b"[]")


class _Block(msgspec.Struct):
    ops: list[_Operation] = []


class _Region(msgspec.Struct):
    blocks: list[_Block] = []


class _BaseCode(msgspec.Struct):
    version: int = 0


class _Inner(msgspec.Struct):
    regions: list[_Region] = []


class _Whole(msgspec.Struct):
    base_code: _BaseCode
    program: _Inner


def _read_regions(regions: list[_Region], program: _Program, depth: int) -> None:
    for operation in (item for region in regions for block in region.blocks for item in block.ops):
        if len(program.variables) + program.kinds.total() > _MOST_THINGS:
            raise Damaged("too-large", f"more than {_MOST_THINGS} operations")
        kind = operation.kind.partition(".")[2] or operation.kind
        if kind == "p":
            _read_parameter(operation, program)
        elif kind == "data":
            program.feeds.append(_read_end(operation, program))
        elif kind == "fetch":
            program.fetches.append(_read_end(operation, program))
        else:
            program.kinds[kind[:_MOST_NAME]] += 1
        if depth < _DEEPEST and bytes(operation.regions) != b"[]":
            _read_regions(msgspec.json.decode(operation.regions, type=prepared(list[_Region])), program, depth + 1)


def _read_parameter(operation: _Operation, program: _Program) -> None:
    attributes = msgspec.json.decode(operation.attributes)
    name = attributes[3] if isinstance(attributes, list) and len(attributes) > 3 else ""
    typed = _typed(msgspec.json.decode(operation.outputs))
    if isinstance(name, str) and typed is not None:
        program.variables[name[:_MOST_NAME]] = _Variable(name[:_MOST_NAME], typed[0], typed[1], is_stored=True)


def _read_end(operation: _Operation, program: _Program) -> str:
    """An input or output: its name, type and shape."""
    name = _named(operation)
    outputs = msgspec.json.decode(operation.outputs)
    typed = _typed(outputs[0]) if isinstance(outputs, list) and outputs else None
    program.variables[name] = _Variable(name, *(typed or (None, ())))
    return name


def _named(operation: _Operation) -> str:
    """The text of the attribute "name"."""
    attributes = msgspec.json.decode(operation.attributes)
    for attribute in attributes if isinstance(attributes, list) else ():
        if isinstance(attribute, dict) and attribute.get("N") == "name" and isinstance(attribute.get("AT"), dict):
            return str(attribute["AT"].get("D"))[:_MOST_NAME]
    return ""


def _typed(output: object) -> tuple[str | None, tuple[int | str, ...]] | None:
    """Type and shape of an output: {"TT": {"D": [{"#": "0.t_f32"}, [5], ...]}}."""
    kind = output.get("TT") if isinstance(output, dict) else None
    parts = kind.get("D") if isinstance(kind, dict) else None
    if (
        not isinstance(parts, list)
        or len(parts) < 2
        or not isinstance(parts[0], dict)
        or not isinstance(parts[1], list)
    ):
        return None
    dtype = _PIR_DTYPES.get(str(parts[0].get("#")).partition("t_")[2])
    return dtype, tuple(part if isinstance(part, int) and part > 0 else "?" for part in parts[1][:32])


# --- parameters ------------------------------------------------------------------------------------------------------


def _begins_as_tensor(source: Source) -> bool:
    """Two zero versions, no levels, and a description that begins with a type."""
    version, levels, tensor_version, size = struct.unpack("<IQIi", source.read(0, 20))
    if version or tensor_version or levels > 8 or not 2 <= size <= 200 or 20 + size > source.size:
        return False
    description = source.read(20, 2)
    return levels == 0 and description[0] == 0x08 and description[1] in _DTYPES


def _step_over(source: Source, at: int, numbers: Counter[str]) -> int:
    """Note a tensor and return where the next one begins."""
    version, levels = struct.unpack("<IQ", source.read(at, 12, ahead=256))
    if version != 0 or levels > 8:
        raise Damaged("array-damaged", f"version {version} and {levels} levels at {at}")
    at += 12
    for _ in range(levels):
        at += 8 + struct.unpack("<Q", source.read(at, 8, ahead=256))[0]
    tensor_version, size = struct.unpack("<Ii", source.read(at, 8, ahead=256))
    if tensor_version != 0 or not 0 < size <= _MOST_DESCRIPTION:
        raise Damaged("array-damaged", f"a description of {size} bytes at {at}")
    dtype, shape = _tensor(source.read(at + 8, size, ahead=256))
    if dtype is None:
        raise Damaged("array-damaged", f"an unknown type at {at}")
    count = math.prod(length if isinstance(length, int) else 0 for length in shape)
    at += 8 + size + count * _width(dtype)
    if at > source.size:
        raise Damaged("truncated", f"{count} numbers end at {at} of {source.size}")
    numbers[dtype] += count
    return at


def _bytes(numbers: Counter[str]) -> int:
    return sum(count * _width(dtype) for dtype, count in numbers.items())


def _width(dtype: str) -> int:
    bits = re.search(r"\d+", dtype)
    return int(bits[0]) // 8 if bits else 1
