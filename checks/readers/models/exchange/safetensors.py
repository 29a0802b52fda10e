"""safetensors: a JSON header of tensors, then their bytes, which are never read.

The format: eight bytes with the length of the header, little-endian; the header; the tensors, without gaps and in the
order of their offsets. https://github.com/safetensors/safetensors#format
"""

from __future__ import annotations

import functools
import math
import re
from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import msgspec

from checks.facts import NeededFile
from checks.facts.versions import release
from checks.knowledge.formats.safetensors import SafetensorsTable, StoredType, stored_types
from checks.prepared import prepared
from checks.readers.containers.folder import Folder
from checks.readers.containers.json_text import JSON_ERRORS
from checks.readers.containers.source import MIB, Damaged, Source
from checks.readers.models.language.hf_config import described
from checks.readers.models.reading import Reading, missing_file
from checks.readers.models.registry import Rank, file_reader
from checks.readers.models.sets import other_parts
from checks.readers.models.settings.called import called_in_texts

MOST_HEADER = 100_000_000  # bytes: the library itself refuses more
_LENGTH = 8
_MOST_ENTRY = 64 * 1024  # bytes of the entry of one tensor
_MOST_METADATA = 4 * MIB
_PIECE = 32 * MIB
_BEGINS = re.compile(rb'\{\s*(?:\}|"(?:[^"\\]|\\.){0,2000}"\s*:\s*\{)', re.DOTALL)
_ENTRY = re.compile(
    rb'\s*+("(?:[^"\\]++|\\.)*+")\s*+:\s*+(\{(?:[^"{}]++|"(?:[^"\\]++|\\.)*+")*+\})\s*+([,}])', re.DOTALL
)
_SHARD = re.compile(r"(.+)-(\d{5,6})-of-(\d{5,6})(\.safetensors)")


class Tensor(msgspec.Struct, frozen=True):
    """The entry of a tensor in the header. Offsets count from the end of the header."""

    dtype: str
    shape: tuple[int, ...]
    data_offsets: tuple[int, int]

    @property
    def count(self) -> int:
        """How many numbers it holds."""
        return math.prod(self.shape)


@dataclass
class Header:
    """A header, summed up while it is read."""

    size: int  # of the header itself
    metadata: dict[str, str] = field(default_factory=dict)
    tensors: int = 0
    data_size: int | None = None  # bytes of all tensors
    dtypes: Counter[str] = field(default_factory=Counter)
    types: set[StoredType] = field(default_factory=set)
    signs: set[tuple[str, str]] = field(default_factory=set)  # (kind, what it means)
    problem: Damaged | None = None


@file_reader("safetensors", rank=Rank.STRUCTURE)
def safetensors(source: Source, beside: Folder) -> Reading | None:
    """One file, and the other parts of its set where its name counts them."""
    if not _is_mine(source):
        return None
    header = read_header(source)
    reading = reading_of(header, other_parts(source.name, beside, _SHARD))
    return described(reading, beside) if _is_whole_model(source.name) else reading


def read_header(source: Source) -> Header:
    """The whole header. What is wrong with it is its ``problem``; what could be read is there all the same."""
    length = int.from_bytes(source.read(0, _LENGTH), "little")
    header = Header(size=length)
    spans = _Spans()
    try:
        for tensor in _tensors(source, header):
            _add(header, spans, tensor)
        _check_end(header, spans, source.size - _LENGTH - length)
    except Damaged as problem:
        header.problem = problem
    return header


def reading_of(header: Header, files: tuple[NeededFile, ...] | None = None) -> Reading:
    """A header in the words of a model."""
    quantization = sorted(means for kind, means in header.signs if kind == "quantization")
    return Reading(
        "safetensors",
        problem=header.problem or missing_file(files),
        frameworks=_frameworks(header),
        classes=called_in_texts(header.metadata.values()) or None,
        files=files,
        memory=header.data_size,
        dtypes=header.dtypes,
        quantization=", ".join(quantization) or None,
        details=_details(header),
    )


def _is_mine(source: Source) -> bool:
    """Whether it begins as the format does. A file that ends within its first bytes is recognised by its name."""
    if source.size < _LENGTH + 2:
        return source.size > 0 and source.name.endswith(".safetensors")
    head = source.head
    length = int.from_bytes(head[:_LENGTH], "little")
    begins = _BEGINS.match(head, _LENGTH, min(_LENGTH + length, len(head)))
    is_cut = source.size < len(head) + 1 and source.name.endswith(".safetensors") and head[_LENGTH] == ord("{")
    return 2 <= length <= MOST_HEADER and (begins is not None or is_cut)


def _is_whole_model(name: str) -> bool:
    """Whether a name is one that the libraries of Hugging Face give to all weights of a model, or to a part of them."""
    return bool(re.fullmatch(r"(?:model|adapter_model|diffusion_pytorch_model)(?:[.-].*)?\.safetensors", name))


def _tensors(source: Source, header: Header) -> Iterator[Tensor]:
    """The tensors one by one, so that a header of millions costs no more memory than its text.

    Raises:
        Damaged: "truncated", "header-damaged".
    """
    text = _text(source, header.size)
    begin = re.compile(rb"\s*\{\s*").match(text)
    if begin is None:
        raise Damaged("header-damaged", "no JSON object")
    at = begin.end()
    is_open = text[at : at + 1] != b"}"
    while is_open:
        entry = _ENTRY.match(text, at)
        if entry is None:
            missing = header.size - len(text)
            if missing > 0:
                raise Damaged("truncated", f"{missing} bytes of the header are missing, and all tensors")
            raise Damaged("header-damaged", f"at byte {_LENGTH + at}")
        name, value, follows = entry.groups()
        if name == b'"__metadata__"':
            header.metadata = _metadata(value)
        else:
            _look_at_name(header, name)
            yield _decoded(value)
        at = entry.end()
        is_open = follows == b","
    if text[at:].strip(b" \0}\n\t\r"):
        raise Damaged("header-damaged", f"more text at byte {_LENGTH + at}")


def _text(source: Source, length: int) -> bytearray:
    """The header, or what there is of it."""
    text = bytearray()
    end = min(_LENGTH + length, source.size)
    for at in range(_LENGTH, end, _PIECE):
        text += source.read(at, min(_PIECE, end - at))
    return text


def _metadata(value: bytes) -> dict[str, str]:
    if len(value) > _MOST_METADATA:
        return {}
    try:
        return msgspec.json.decode(value, type=prepared(dict[str, str]))
    except JSON_ERRORS as error:
        raise Damaged("header-damaged", f"__metadata__: {error}") from error


def _decoded(value: bytes) -> Tensor:
    if len(value) > _MOST_ENTRY:
        raise Damaged("header-damaged", f"{len(value)} bytes for one tensor")
    try:
        tensor = _DECODER.decode(value)
    except JSON_ERRORS as error:
        raise Damaged("header-damaged", str(error)) from error
    if len(tensor.shape) > 256 or min(numbers := (*tensor.shape, *tensor.data_offsets)) < 0 or max(numbers) >= 1 << 63:
        raise Damaged("header-damaged", "a length or offset that no file has")
    return tensor


_DECODER = msgspec.json.Decoder(prepared(Tensor))


class _Spans:
    """Where the tensors lie. Files have them in the order of their bytes, or nearly all do."""

    def __init__(self) -> None:
        """None yet."""
        self.starts = array("Q")
        self.ends = array("Q")

    def ordered(self) -> Iterator[tuple[int, int]]:
        """(start, end), by place."""
        # As one number each, so that millions can be sorted in little memory; the end decides for empty tensors.
        joined = [(start << 64) | end for start, end in zip(self.starts, self.ends, strict=True)]
        joined.sort()
        return ((span >> 64, span & 0xFFFFFFFFFFFFFFFF) for span in joined)


def _add(header: Header, spans: _Spans, tensor: Tensor) -> None:
    start, end = tensor.data_offsets
    if end < start:
        raise Damaged("header-damaged", f"a tensor from {start} to {end}")
    bits = (end - start) * 8
    row = stored_types().get(tensor.dtype)
    if row is None:
        if tensor.count > bits:  # no number takes up less than a bit
            raise Damaged("header-damaged", f"{tensor.dtype} {list(tensor.shape)} in {end - start} bytes")
        header.problem = header.problem or Damaged("dtype-unknown", tensor.dtype[:100])
    elif tensor.count * row.bits != bits:
        raise Damaged("header-damaged", f"{tensor.dtype} {list(tensor.shape)} in {end - start} bytes")
    else:
        header.types.add(row)
    header.tensors += 1
    header.dtypes[row.dtype if row else tensor.dtype[:100]] += tensor.count
    spans.starts.append(start)
    spans.ends.append(end)


def _check_end(header: Header, spans: _Spans, there: int) -> None:
    """Whether the tensors lie one after the other, and the file ends where the last one does.

    Raises:
        Damaged: "truncated" or "header-damaged".
    """
    reached = 0
    for start, end in spans.ordered():
        if start != reached:
            what = "overlap" if start < reached else "leave a gap"
            raise Damaged("header-damaged", f"tensors {what} at byte {start} of the data")
        reached = end
    header.data_size = reached
    if there < reached:
        raise Damaged("truncated", f"{reached - there} of {reached} bytes are missing")
    if there > reached:
        raise Damaged("header-damaged", f"{there - reached} bytes belong to no tensor")


def _look_at_name(header: Header, name: bytes) -> None:
    meanings, parts = _signs()
    for found in parts.finditer(name):
        header.signs.add(meanings[found.group()])


@functools.cache
def _signs() -> tuple[dict[bytes, tuple[str, str]], re.Pattern[bytes]]:
    """What parts of a name mean, and an expression that finds them: it is asked for each of a million tensors."""
    meanings = {row.part.encode(): (row.kind, row.means) for row in SafetensorsTable.read().sign}
    return meanings, re.compile(b"|".join(map(re.escape, meanings)))


def _frameworks(header: Header) -> tuple[str, ...]:
    """The package that reads it, and PyTorch where its number types ask for a certain release."""
    known = [row.safetensors for row in header.types if row.safetensors]
    needed = [f"safetensors>={max(known, key=release)}" if known else "safetensors"]
    types = [row.torch for row in header.types if row.torch is not None]
    if types and all(types):  # "": a type that no PyTorch has
        needed.append(f"torch>={max(types, key=release)}")
    return tuple(needed)


def _details(header: Header) -> dict[str, str]:
    """The metadata beside the tensors: framework, base model, adapter."""
    metadata = header.metadata
    adapters = sorted(means for kind, means in header.signs if kind == "adapter")
    details = {
        "tensors": str(header.tensors),
        "written-for": metadata.get("format", ""),
        "adapter": ", ".join(adapters),
        "architecture": metadata.get("modelspec.architecture", ""),
        "title": metadata.get("modelspec.title", ""),
        "base-model": metadata.get("ss_base_model_version", ""),
    }
    return {key: value[:200] for key, value in details.items() if value}
