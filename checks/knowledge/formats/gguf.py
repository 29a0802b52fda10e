"""GGUF and ggml: number types, kinds of models, and which release of llama-cpp-python first knew each."""

import functools

from checks.facts.versions import release
from checks.knowledge import Row, Table


class GgmlType(Row):
    """A number type of tensors: ``block`` numbers take ``bytes`` bytes."""

    number: int
    name: str
    block: int
    bytes: int


class FileType(Row):
    """A mixture of number types, as general.file_type names it: Q4_K_M."""

    number: int
    name: str


class LlamaRelease(Row):
    """A release of llama-cpp-python: the kinds of models and the number types that came and went with its llama.cpp."""

    version: str
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    types_added: tuple[int, ...] = ()
    types_removed: tuple[int, ...] = ()


class GgufTable(Table):
    """The oldest release comes first.

    ``first``: the llama-cpp-python that first read GGUF. ``image_models``: kinds that other programs read.
    """

    first: str
    image_models: tuple[str, ...]
    type: tuple[GgmlType, ...]
    file_type: tuple[FileType, ...]
    release: tuple[LlamaRelease, ...]


@functools.cache
def _types() -> dict[int, GgmlType]:
    return {row.number: row for row in GgufTable.read().type}


@functools.cache
def _file_types() -> dict[int, str]:
    return {row.number: row.name for row in GgufTable.read().file_type}


def ggml_type(number: int) -> GgmlType | None:
    """A number type; None where the table has none."""
    return _types().get(number)


def file_type(number: int) -> str | None:
    """What a mixture of number types is called; None where the table has none."""
    return _file_types().get(number)


@functools.cache
def architecture_releases(architecture: str) -> tuple[str, str | None] | None:
    """(the first release that knows a kind of model, the first that no longer does); None where there is none."""
    rows = GgufTable.read().release
    first = next((_since(row, rows[0]) for row in rows if architecture in row.added), None)
    gone = next((row.version for row in rows if architecture in row.removed), None)
    return (first, gone) if first is not None else None


@functools.cache
def type_releases(number: int) -> tuple[str, str | None] | None:
    """The same of a number type."""
    rows = GgufTable.read().release
    first = next((_since(row, rows[0]) for row in rows if number in row.types_added), None)
    gone = next((row.version for row in rows if number in row.types_removed), None)
    return (first, gone) if first is not None else None


def type_number(name: str) -> int | None:
    """The number of a type that only ggml has; None for those that have names of their own elsewhere (float32)."""
    return next((row.number for row in GgufTable.read().type if row.name == name), None)


def newest_release() -> str:
    """The newest release that the table was read from."""
    return max((row.version for row in GgufTable.read().release), key=release)


def _since(row: LlamaRelease, oldest: LlamaRelease) -> str:
    """What is known to the oldest release of the table is as old as GGUF, for all that is known."""
    return GgufTable.read().first if row is oldest else row.version
