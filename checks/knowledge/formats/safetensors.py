"""safetensors: the number types that a header may name, and what names of tensors tell."""

import functools

from checks.knowledge import Row, Table


class StoredType(Row):
    """A number type. ``safetensors`` and ``torch``: the first release that reads it; None all, "" none does."""

    name: str
    dtype: str
    bits: int
    safetensors: str | None = None
    torch: str | None = None


class NameSign(Row):
    """A part of a tensor's name that only one way of storing weights uses."""

    part: str
    kind: str  # "quantization", "adapter"
    means: str


class SafetensorsTable(Table):
    dtype: tuple[StoredType, ...]
    sign: tuple[NameSign, ...]


@functools.cache
def stored_types() -> dict[str, StoredType]:
    """The number types, by their name in the file."""
    return {row.name: row for row in SafetensorsTable.read().dtype}
