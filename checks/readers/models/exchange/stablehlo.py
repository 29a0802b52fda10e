"""StableHLO: portable artifacts (MLIR bytecode), MLIR as text, and what jax.export serialises around them.

The bytecode begins with a magic, the version of the encoding and the name of its writer, which for StableHLO holds the
version: https://mlir.llvm.org/docs/BytecodeFormat/. Of jax.export's FlatBuffer only what needs no other part is read.
"""

from __future__ import annotations

import re
from collections import Counter

from checks.facts import Binding, OperatorUse, TensorSpec
from checks.readers.containers.flatbuffer import FlatBuffer, Table
from checks.readers.containers.folder import Folder
from checks.readers.containers.source import MIB, Damaged, Source
from checks.readers.models.reading import Reading
from checks.readers.models.registry import Rank, file_reader

_MAGIC = b"ML\xefR"
_LONGEST_PRODUCER = 200
_ARTIFACT = re.compile(r"StableHLO_v(\d{1,6}\.\d{1,6}\.\d{1,6})")
_MOST_TEXT = 64 * MIB
_PIECE = MIB
_TAIL = 200  # kept from one piece to the next, so that no name is cut
_MOST_NAMES = 5000
_MODULE = re.compile(rb"(?:\s|//[^\n]{0,500}\n|#\w{1,40} ?=[^\n]{0,2000}\n)*(?:builtin\.)?module\b[^\n]{0,2000}\{")
_OPERATION = re.compile(rb'(?:=|^)\s*"?(?:stablehlo|vhlo|mhlo|chlo)\.([a-z][a-z0-9_]{0,60})', re.MULTILINE)
_MAIN = re.compile(rb"func\.func (?:public )?@main\(([^\n]{0,20000}?)\)(?: -> |\s*\{)")
_ARGUMENT = re.compile(rb"%(\w{1,60}): tensor<([\w?]{1,200})>")
_TYPES = {"i1": "bool", "f8E4M3FN": "float8_e4m3fn", "f8E5M2": "float8_e5m2", "bf16": "bfloat16"}
_NUMBER = re.compile(r"(f|i|ui)(\d{1,3})")
# Fields of jax.export's table.
_FUNCTION, _INPUTS, _OUTPUTS, _PLATFORMS, _MODULE_BYTES, _CONVENTION = 1, 3, 5, 9, 13, 14
_LEAST_FIELDS = 15
_JAX_TYPES = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
    "complex64", "complex128", "bfloat16", "int4", "uint4", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz",
    "float8_e5m2", "float8_e5m2fnuz",
]  # fmt: skip
_MOST_FEATURES = 10_000


@file_reader("stablehlo", rank=Rank.MAGIC)
def bytecode(source: Source, _beside: Folder) -> Reading | None:
    """MLIR bytecode."""
    if source.size < 5 or source.read(0, 4) != _MAGIC:
        return None
    encoding, producer = _header(source, 0)
    artifact = _ARTIFACT.fullmatch(producer)
    return Reading(
        "stablehlo",
        version=f"StableHLO {artifact[1]}" if artifact else f"MLIR bytecode {encoding}",
        producer="stablehlo" if artifact else (producer or None),
        producer_version=artifact[1] if artifact else None,
        frameworks=("jax",),
        bound_to=(Binding(kind="stablehlo-version", value=artifact[1] if artifact else ""),),
        details={"bytecode-version": str(encoding)},
    )


@file_reader("stablehlo", rank=Rank.STRUCTURE)
def text_form(source: Source, _beside: Folder) -> Reading | None:
    """MLIR as text, where it holds StableHLO."""
    if source.size < 20 or not _MODULE.match(source.head):
        return None
    counts: Counter[str] = Counter()
    rest, inputs = b"", None
    for at in range(0, min(source.size, _MOST_TEXT), _PIECE):
        piece = rest + source.read(at, min(_PIECE, source.size - at))
        main = _MAIN.search(piece) if inputs is None else None
        inputs = _arguments(main[1]) if main else inputs
        lines, _, rest = piece.rpartition(b"\n")
        rest = rest[-_TAIL:]
        counts.update(found[1].decode() for found in _OPERATION.finditer(lines))
        if len(counts) > _MOST_NAMES:
            raise Damaged("too-large", f"more than {_MOST_NAMES} names of operations")
    if not counts:
        return None
    end = source.read(max(0, source.size - _TAIL), min(_TAIL, source.size)).rstrip()
    is_cut = not (end.endswith(b"}") or b"\n#" in end or end.startswith(b"#"))
    return Reading(
        "stablehlo",
        problem=Damaged("truncated") if is_cut else None,
        frameworks=("jax",),
        operators=tuple(OperatorUse(name=name, count=count) for name, count in counts.most_common()),
        inputs=inputs,
        details={"written-as": "MLIR"},
    )


@file_reader("jax-export", rank=Rank.STRUCTURE)
def jax_export(source: Source, _beside: Folder) -> Reading | None:
    """A function that jax.export serialised: a FlatBuffer without a name, with MLIR bytecode in it."""
    try:
        root = _exported(source)
    except Damaged:
        return None
    if root is None:
        return None
    start, _ = root.span(_MODULE_BYTES)
    encoding, producer = _header(source, start)
    artifact = _ARTIFACT.fullmatch(producer)
    platforms = tuple(root.texts(_PLATFORMS, 100))[:20]
    convention = root.integer(_CONVENTION, "H")
    return Reading(
        "jax-export",
        version=f"calling convention {convention}",
        producer="jax",
        frameworks=("jax",),
        devices=platforms,
        bound_to=(
            Binding(kind="jax-platforms", value=", ".join(platforms)),
            Binding(kind="stablehlo-version", value=artifact[1] if artifact else ""),
        ),
        inputs=_values(root, _INPUTS),
        outputs=_values(root, _OUTPUTS),
        details={
            "graph-name": root.text(_FUNCTION, 1000),
            "bytecode-version": str(encoding),
            "stablehlo-version": artifact[1] if artifact else producer,
        },
    )


def _header(source: Source, at: int) -> tuple[int, str]:
    """(version of the encoding, name of the writer) of bytecode. Raises Damaged: "truncated" or "header-damaged"."""
    head = source.read(at, min(5 + _LONGEST_PRODUCER, source.size - at))
    if len(head) < 6:
        raise Damaged("truncated", f"{len(head)} bytes")
    # The version is a varint whose lowest bit says that it is one byte long, as all versions so far are.
    producer, end, _ = head[5:].partition(b"\0")
    if not end:
        raise Damaged(
            "truncated" if source.size - at <= len(head) else "header-damaged", "the writer's name has no end"
        )
    return head[4] >> 1, producer.decode("utf-8", "replace")


def _exported(source: Source) -> Table | None:
    """The table of an exported function; None for another FlatBuffer, or none at all."""
    if source.size < 100 or int.from_bytes(source.read(0, 4), "little") >= min(source.size, 4096):
        return None
    root = FlatBuffer(source).root()
    if len(root) < _LEAST_FIELDS or not root.has(_MODULE_BYTES) or not root.has(_PLATFORMS):
        return None
    start, length = root.span(_MODULE_BYTES)
    return root if length > 8 and source.read(start, 4) == _MAGIC else None


def _values(root: Table, field: int) -> tuple[TensorSpec, ...] | None:
    """Inputs or outputs; None where the release that wrote it keeps them elsewhere."""
    if not root.has(field) or root.count(field) > _MOST_FEATURES:
        return None
    found = []
    for number, value in enumerate(root.tables(field)):
        dtype = value.integer(2, "b")
        axes = tuple(
            int(axis) if axis.isascii() and axis.isdigit() and len(axis) < 19 else axis[:60]
            for axis in value.texts(1, 1000)
        )
        name = _JAX_TYPES[dtype] if 0 <= dtype < len(_JAX_TYPES) else None
        found.append(TensorSpec(name=str(number), dtype=name, shape=axes[:64]))
    return tuple(found)


def _arguments(text: bytes) -> tuple[TensorSpec, ...]:
    """The inputs in the signature of main: %arg0: tensor<2x8xf32>."""
    found = []
    for name, kind in _ARGUMENT.findall(text):
        *axes, dtype = kind.decode().split("x")
        shape = tuple(int(axis) if axis.isdigit() and len(axis) < 19 else "?" for axis in axes)
        found.append(TensorSpec(name=name.decode(), dtype=_dtype(dtype), shape=shape[:64]))
    return tuple(found)


def _dtype(name: str) -> str | None:
    number = _NUMBER.fullmatch(name)
    if name in _TYPES or number is None:
        return _TYPES.get(name)
    return {"f": "float", "i": "int", "ui": "uint"}[number[1]] + number[2]
