"""GGML before GGUF: whisper.cpp's files, which are still in use, and those of llama.cpp until August 2023.

All numbers are little-endian. Magic, numbers of the network, words, then each tensor with its bytes behind it. The
readers of both are in their programs: whisper.cpp (src/whisper.cpp) and llama.cpp (convert_llama_ggml_to_gguf.py).
"""

from __future__ import annotations

import math
import struct
from collections import Counter
from collections.abc import Callable

from checks.knowledge.formats.gguf import file_type, ggml_type
from checks.readers.containers.cursor import Cursor
from checks.readers.containers.folder import Folder
from checks.readers.containers.source import Damaged, Source
from checks.readers.models.language.gguf import dtype_name
from checks.readers.models.reading import Reading
from checks.readers.models.registry import Rank, file_reader

_PLAIN = b"lmgg"  # no version, no alignment
_OF_LLAMA = {b"fmgg": "GGMF", b"tjgg": "GGJT", b"algg": "GGLA"}
_ALIGNED = ("GGJT", "GGLA")  # each tensor's bytes begin at a multiple of
_ALIGNMENT = 32
_MOST_WORDS = 1_000_000
_LONGEST_WORD = 65_536
_MOST_TENSORS = 100_000
_LONGEST_NAME = 1024
_VERSION_FACTOR = 1000  # the file type holds the version of the quantisation in its thousands
_SHARED_TYPES = 9  # up to here the programs agree on the numbers of file types
_WHISPER = {4: "tiny", 6: "base", 12: "small", 24: "medium", 32: "large"}  # by layers of the encoder
_AUDIO_CONTEXT, _TEXT_CONTEXT = 1500, 448  # of every Whisper
_ENGLISH = 51864  # words of the models for English alone


@file_reader("ggml", "ggml-llama", rank=Rank.MAGIC)
def ggml(source: Source, _beside: Folder) -> Reading | None:
    """One file."""
    if source.size < 4 or source.read(0, 4) not in (_PLAIN, *_OF_LLAMA):
        return None
    cursor = Cursor(source, 4)
    magic = source.read(0, 4)
    if magic in _OF_LLAMA:
        return _of_llama(cursor, _OF_LLAMA[magic])
    beginning = source.read(4, min(44, source.size - 4))
    numbers = struct.unpack(f"<{len(beginning) // 4}i", beginning[: len(beginning) // 4 * 4])
    if len(numbers) == 11 and numbers[1] == _AUDIO_CONTEXT and numbers[5] == _TEXT_CONTEXT:
        return _whisper(cursor)
    if len(numbers) >= 7 and numbers[3] > 0 and numbers[1] == numbers[3] * numbers[5]:
        return _of_llama(cursor, "GGML")
    return _named(cursor)


def _whisper(cursor: Cursor) -> Reading:
    words, _, _, _, encoder, _, _, _, decoder, _, kind = (cursor.number("i") for _ in range(11))
    reading = Reading(
        "ggml",
        frameworks=("pywhispercpp",),
        quantization=_file_type(kind),
        details={
            "architecture": "whisper",
            "title": f"whisper {_WHISPER.get(encoder, '')}{'.en' if words == _ENGLISH else ''}".strip(),
            "layers": f"{encoder} + {decoder}",
            "vocabulary": str(words),
        },
    )

    def skip() -> None:
        rows, columns = cursor.number("I"), cursor.number("I")  # of the filter bank
        cursor.skip(rows * columns * 4)
        _skip_words(cursor, cursor.number("I"), after=0)

    return _with_tensors(reading, cursor, skip)


def _of_llama(cursor: Cursor, name: str) -> Reading:
    """A file of llama.cpp, which no release since has read: by the name of its kind, and its version."""
    reading = Reading("ggml-llama", version=name)
    try:
        if name != "GGML":
            reading.version = f"{name} {cursor.number('I')}"
        if name == "GGLA":
            reading.details = {"architecture": "llama", "adapter": "LoRA"}
            return reading
        words, _, _, _, layers, _, kind = (cursor.number("i") for _ in range(7))
    except Damaged as damage:
        reading.fail(damage)
        return reading
    reading.details = {"architecture": "llama", "layers": str(layers), "vocabulary": str(words)}
    reading.quantization = _file_type(kind)
    skip = lambda: _skip_words(cursor, words, after=0 if name == "GGML" else 4)  # noqa: E731 - a score after each
    return _with_tensors(reading, cursor, skip, is_aligned=name in _ALIGNED)


def _named(cursor: Cursor) -> Reading:
    """A file of another program of the family; whisper.cpp's voice detectors say their name first."""
    length = cursor.number("I")
    reading = Reading("ggml")
    if not 4 <= length <= 32:
        return reading
    name = cursor.bytes(length)
    if not name.isascii() or not name.decode().isprintable():
        return reading
    version = ".".join(str(cursor.number("i")) for _ in range(3))
    reading = Reading(
        "ggml",
        frameworks=("pywhispercpp",),
        details={"architecture": name.decode(), "title": f"{name.decode()} {version}"},
    )
    if not name.startswith(b"silero"):
        return reading

    def skip() -> None:
        cursor.skip(8)
        cursor.skip(cursor.number("I") * 12 + 16)

    return _with_tensors(reading, cursor, skip)


def _with_tensors(reading: Reading, cursor: Cursor, skip: Callable[[], None], *, is_aligned: bool = False) -> Reading:
    """Add the sums over all tensors; ``skip`` leads to the first of them."""
    counts: Counter[int] = Counter()
    memory = 0
    with reading.part():
        skip()
        while cursor.at < cursor.source.size:
            kind, count, taken = _tensor(cursor, is_aligned=is_aligned)
            counts[kind] += count
            memory += taken
            if counts.total() >= 1 << 62:
                raise Damaged("header-damaged", "more numbers than there can be")
        reading.dtypes = {dtype_name(kind): count for kind, count in counts.items()}
        reading.memory = memory
    return reading


def _tensor(cursor: Cursor, *, is_aligned: bool) -> tuple[int, int, int]:
    """(number type, numbers, bytes) of the next tensor."""
    axes, length, kind = cursor.number("I"), cursor.number("I"), cursor.number("I")
    row = ggml_type(kind)
    if axes > 4 or length > _LONGEST_NAME or row is None:
        raise Damaged("header-damaged", f"{axes} axes, type {kind}, a name of {length} bytes")
    count = math.prod(cursor.number("I") for _ in range(axes))
    cursor.skip(length)
    if is_aligned:
        cursor.skip(-cursor.at % _ALIGNMENT)
    taken = count // row.block * row.bytes
    if cursor.at + taken > cursor.source.size:
        raise Damaged("truncated", f"{cursor.at + taken - cursor.source.size} bytes of a tensor are missing")
    cursor.skip(taken)
    return kind, count, taken


def _skip_words(cursor: Cursor, count: int, *, after: int) -> None:
    """Leave out the words, and so many bytes after each."""
    if not 0 <= count <= _MOST_WORDS:
        raise Damaged("header-damaged", f"{count} words")
    for _ in range(count):
        length = cursor.number("I")
        if length > _LONGEST_WORD:
            raise Damaged("header-damaged", f"a word of {length} bytes")
        cursor.skip(length + after)


def _file_type(kind: int) -> str | None:
    kind %= _VERSION_FACTOR
    name = file_type(kind) if 0 <= kind <= _SHARED_TYPES else None
    return "" if name in ("F16", "F32") else name
