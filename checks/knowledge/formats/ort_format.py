"""ONNX Runtime's own format: which releases load which version of it."""

from __future__ import annotations

import functools

import msgspec

from checks.facts.versions import release
from checks.knowledge import Table, load


class OrtFormatReader(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The versions of the format that ONNX Runtime loads from a release on, until the next row."""

    since: str
    formats: tuple[str, ...]


class OrtFormatTable(Table, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """resources/knowledge/ort_format.toml."""

    reader: tuple[OrtFormatReader, ...]


@functools.cache
def ort_format_table() -> OrtFormatTable:
    """The table."""
    return load("ort_format", OrtFormatTable)


def loads_ort_format(onnxruntime: str, version: str) -> bool:
    """Whether a release of ONNX Runtime loads a version of the format."""
    rows = [row for row in ort_format_table().reader if release(row.since) <= release(onnxruntime)]
    return bool(rows) and version in rows[-1].formats


def least_onnxruntime(version: str) -> str:
    """The release from which on all load a version of the format; "" where none of the table does."""
    least = ""
    for row in ort_format_table().reader:
        least = (least or row.since) if version in row.formats else ""
    return least
