"""GGUF: keys with values, then the tensors' names and places, then their bytes, which are never read.

The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from checks.facts import NamedClass, NeededFile
from checks.facts.versions import release
from checks.knowledge.formats.gguf import GgufTable, architecture_releases, file_type, ggml_type, type_releases
from checks.knowledge.formats.pickle_globals import DANGEROUS
from checks.readers.containers.cursor import Cursor
from checks.readers.containers.folder import Folder
from checks.readers.containers.source import Damaged, Source
from checks.readers.models.reading import Reading, missing_file
from checks.readers.models.registry import Rank, file_reader
from checks.readers.models.sets import other_parts
from checks.readers.models.settings.templates import reaching_names

_MAGIC = b"GGUF"
_NEWEST = 3
_MOST_KEYS = 65_536
_MOST_TENSORS = 500_000
_MOST_TEXTS = 8_000_000  # in all lists together: the largest tokenizers have 300,000 words and as many rules
_LONGEST_NAME = 65_535
_LONGEST_TEXT = 4096  # bytes of a value that is kept
_LONGEST_TEMPLATE = 1 << 20  # ... of a template of chats, which is a program in Jinja: real ones have some 20,000
_MOST_LISTS_DEEP = 4
_MOST_AXES = 8
_ALIGNMENT = 32
_GUESSED = 1024  # a flag in general.file_type
_TEXT, _LIST = 8, 9
_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
_DTYPES = {
    "F32": "float32", "F16": "float16", "BF16": "bfloat16", "F64": "float64", "I8": "int8", "I16": "int16",
    "I32": "int32", "I64": "int64",
}  # fmt: skip
TEMPLATE = "tokenizer.chat_template"  # and "tokenizer.chat_template.tool_use"
PART = re.compile(r"(.+)-(\d{5})-of-(\d{5})(\.gguf)")  # a file of a set

Value = int | float | str | bool


@dataclass(frozen=True)
class GgufTensor:
    """The entry of one tensor. ``shape``: the axis whose numbers lie side by side comes last, as in NumPy."""

    name: str
    kind: int  # its number type
    shape: tuple[int, ...]
    offset: int  # from where the first tensor begins

    @property
    def count(self) -> int:
        """How many numbers it holds."""
        return math.prod(self.shape)

    @property
    def size(self) -> int | None:
        """Its bytes; None for a type that the table has not."""
        row = ggml_type(self.kind)
        return None if row is None else -(-self.count // row.block) * row.bytes


@dataclass
class _Contents:
    """What was read, so far."""

    version: int
    values: dict[str, Value] = field(default_factory=dict)
    lengths: dict[str, int] = field(default_factory=dict)  # of lists
    texts_left: int = _MOST_TEXTS
    tensors: int = 0
    dtypes: Counter[int] = field(default_factory=Counter)  # number type -> numbers
    memory: int = 0
    unknown_type: int | None = None
    ends: int = 0  # where the last tensor ends, counted from the first one's place
    begins: int = 0  # where the first one does
    is_read: bool = False

    def add(self, tensor: GgufTensor) -> None:
        """Count a tensor."""
        self.tensors += 1
        self.dtypes[tensor.kind] += tensor.count
        if tensor.size is None:
            self.unknown_type = tensor.kind
        else:
            self.memory += tensor.size
            self.ends = max(self.ends, tensor.offset + tensor.size)

    def text(self, key: str) -> str:
        value = self.values.get(key, "")
        return str(value) if isinstance(value, str | int | float) else ""

    def count(self, key: str) -> int | None:
        value = self.values.get(key)
        return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


@file_reader("gguf", rank=Rank.MAGIC)
def gguf(source: Source, beside: Folder) -> Reading | None:
    """One file, and the other parts of its set where it is one of several."""
    if source.size < 4 or source.read(0, 4) != _MAGIC:
        return None
    cursor = Cursor(source, 4)
    version = cursor.number("I")
    if version & 0xFFFF == 0:  # the other byte order
        cursor = Cursor(source, 4, big_endian=True)
        version = cursor.number("I")
    if not 1 <= version <= 99:
        raise Damaged("header-damaged", f"version {version}")
    if version > _NEWEST:
        return Reading("gguf", version=str(version), problem=Damaged("version-unknown", str(version)))
    contents = _Contents(version)
    try:
        _read(cursor, contents)
        problem = None
    except Damaged as damage:
        problem = damage
    files = other_parts(source.name, beside, PART)
    for file in files or ():
        problem = problem or _add_part(contents, file, beside)
    return _reading(contents, cursor, problem, files)


def _add_part(contents: _Contents, part: NeededFile, beside: Folder) -> Damaged | None:
    """Add the tensors of another part of the set to the sums; what is wrong with it is returned."""
    if not part.present:
        return None
    with beside.file(part.name) as source:
        other = _Contents(contents.version)
        try:
            if source.read(0, 4) != _MAGIC:
                raise Damaged("header-damaged", "no GGUF")
            cursor = Cursor(source, 4)
            other.version = cursor.number("I")
            if not 1 <= other.version <= _NEWEST:
                raise Damaged("header-damaged", f"version {other.version}")
            _read(cursor, other)
        except Damaged as damage:
            return Damaged(damage.reason, f"{part.name}: {damage.detail}")
    contents.tensors += other.tensors
    contents.dtypes.update(other.dtypes)
    contents.memory += other.memory
    contents.unknown_type = contents.unknown_type or other.unknown_type
    return None


def read_tensors(source: Source) -> tuple[list[GgufTensor], int] | None:
    """The tensors of a file, and where the first one begins; None for what was not written by little-endian machines.

    Raises:
        Damaged: as the reader, also where a part of the tensors is missing.
    """
    if source.read(0, 4) != _MAGIC:
        raise Damaged("header-damaged", "no GGUF")
    cursor = Cursor(source, 4)
    contents = _Contents(cursor.number("I"))
    if not 1 <= contents.version <= _NEWEST:
        return None
    found: list[GgufTensor] = []
    _read(cursor, contents, found)
    return found, contents.begins


def _read(cursor: Cursor, contents: _Contents, found: list[GgufTensor] | None = None) -> None:
    """Read everything before the weights. ``found``: the tensors are put there."""
    size = "I" if contents.version == 1 else "Q"
    tensors, keys = cursor.number(size), cursor.number(size)
    if tensors > _MOST_TENSORS or keys > _MOST_KEYS:
        raise Damaged("header-damaged", f"{tensors} tensors, {keys} keys")
    for _ in range(keys):
        key = _text(cursor, size, _LONGEST_NAME)
        value = _value(cursor, contents, key, cursor.number("I"), size)
        if value is not None:
            contents.values[key] = value
    for _ in range(tensors):
        tensor = _tensor(cursor, size)
        contents.add(tensor)
        if found is not None:
            found.append(tensor)
    alignment = contents.count("general.alignment") or _ALIGNMENT
    if alignment % 8 or alignment > 1 << 20:
        raise Damaged("header-damaged", f"alignment {alignment}")
    contents.begins = -(-cursor.at // alignment) * alignment if tensors else cursor.at
    contents.is_read = True
    missing = contents.begins + contents.ends - cursor.source.size
    if missing > 0:
        raise Damaged("truncated", f"{missing} of {contents.ends} bytes are missing")


def _value(cursor: Cursor, contents: _Contents, key: str, kind: int, size: str) -> Value | None:
    """A value; of a list only its length is kept."""
    if kind == _TEXT:
        length = cursor.number(size)
        if length > (_LONGEST_TEMPLATE if key.startswith(TEMPLATE) else _LONGEST_TEXT):
            cursor.skip(length)
            return None
        return cursor.bytes(length).decode("utf-8", "replace")
    if kind == _LIST:
        contents.lengths[key] = _skip_list(cursor, contents, size, _MOST_LISTS_DEEP)
        return None
    if kind not in _NUMBERS:
        raise Damaged("header-damaged", f"{key[:100]}: type {kind}")
    if kind in (6, 12):
        number = cursor.float(_NUMBERS[kind])
        return number if math.isfinite(number) else None
    return cursor.number(_NUMBERS[kind])


def _skip_list(cursor: Cursor, contents: _Contents, size: str, deeper: int) -> int:
    kind, count = cursor.number("I"), cursor.number(size)
    if kind in _SIZES:
        cursor.skip(count * _SIZES[kind])
        return count
    contents.texts_left -= count
    if contents.texts_left < 0 or kind not in (_TEXT, _LIST) or not deeper:
        raise Damaged("header-damaged", f"a list of {count} of type {kind}")
    if kind == _TEXT:
        cursor.skip_texts(count, size)
    else:
        for _ in range(count):
            _skip_list(cursor, contents, size, deeper - 1)
    return count


def _text(cursor: Cursor, size: str, most: int) -> str:
    length = cursor.number(size)
    if length > most:
        raise Damaged("header-damaged", f"a name of {length} bytes")
    return cursor.bytes(length).decode("utf-8", "replace")


def _tensor(cursor: Cursor, size: str) -> GgufTensor:
    name = _text(cursor, size, _LONGEST_NAME)
    axes = cursor.number("I")
    if axes > _MOST_AXES:
        raise Damaged("header-damaged", f"{name[:100]}: {axes} axes")
    shape = tuple(cursor.number(size) for _ in range(axes))
    kind, offset = cursor.number("I"), cursor.number("Q")
    tensor = GgufTensor(name, kind, shape[::-1], offset)
    if tensor.count >= 1 << 50 or offset >= 1 << 62:
        raise Damaged("header-damaged", f"{name[:100]}: {tensor.count} numbers at {offset}")
    return tensor


def _reading(
    contents: _Contents, cursor: Cursor, damage: Damaged | None, files: tuple[NeededFile, ...] | None
) -> Reading:
    damage = damage or missing_file(files)
    if damage is None and contents.unknown_type is not None:
        damage = Damaged("dtype-unknown", str(contents.unknown_type))
    return Reading(
        "gguf",
        version=str(contents.version),
        problem=damage,
        frameworks=(_library(contents),),
        files=files,
        classes=tuple(_reaching(contents)) or None,
        memory=contents.memory if contents.is_read and contents.unknown_type is None else None,
        dtypes={dtype_name(number): count for number, count in contents.dtypes.items()} if contents.is_read else None,
        quantization=_quantization(contents),
        details=_details(contents, is_big_endian=cursor.order == ">"),
    )


def _reaching(contents: _Contents) -> Iterator[NamedClass]:
    """The templates that reach what no template of a chat needs."""
    for key, value in contents.values.items():
        if key.startswith(TEMPLATE) and isinstance(value, str) and (names := reaching_names(value)):
            yield NamedClass(name=key[:200], risk=DANGEROUS, given=names)


def dtype_name(number: int) -> str:
    """A number type as NumPy spells it; those of ggml by their own name."""
    row = ggml_type(number)
    return _DTYPES.get(row.name, row.name) if row else f"type {number}"


def _quantization(contents: _Contents) -> str | None:
    """What the mixture of number types is called; where the file does not say, the type of most of its numbers."""
    if not contents.tensors:
        return None
    kind = contents.count("general.file_type")
    name = file_type(kind % _GUESSED) if kind is not None else None
    if name is None:
        row = ggml_type(contents.dtypes.most_common(1)[0][0])
        name = row.name if row else None
    return "" if name in _DTYPES else name


def _library(contents: _Contents) -> str:
    """llama-cpp-python with the release that knows the kind of model and all number types."""
    if contents.text("general.architecture") in GgufTable.read().image_models:
        return "gguf"
    ranges = [architecture_releases(contents.text("general.architecture"))]
    ranges += [type_releases(number) for number in contents.dtypes]
    needed = [bounds[0] for bounds in ranges if bounds is not None]
    return f"llama-cpp-python>={max(needed, key=release)}" if needed else "llama-cpp-python"


def _details(contents: _Contents, *, is_big_endian: bool) -> dict[str, str]:
    kind = contents.text("general.architecture")
    number, count = contents.count("split.no"), contents.count("split.count")
    details = {
        "architecture": kind,
        "title": contents.text("general.name"),
        "content": contents.text("general.type"),
        "adapter": contents.text("adapter.type"),
        "projector": contents.text("clip.projector_type") or contents.text("clip.vision.projector_type"),
        "context-length": contents.text(f"{kind}.context_length"),
        "layers": contents.text(f"{kind}.block_count"),
        "tokenizer": " ".join(
            filter(None, (contents.text("tokenizer.ggml.model"), contents.text("tokenizer.ggml.pre")))
        ),
        "vocabulary": str(contents.lengths.get("tokenizer.ggml.tokens", "")),
        "base-model": contents.text("general.base_model.0.name"),
        "part": f"{number + 1} / {count}" if number is not None and count else "",
        "byte-order": "big-endian" if is_big_endian else "",
        "tensors": str(contents.tensors),
    }
    return {key: value[:200] for key, value in details.items() if value}
