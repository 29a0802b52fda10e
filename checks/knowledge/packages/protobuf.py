"""Releases whose generated code does not work with a newer protobuf."""

from __future__ import annotations

import functools

import msgspec

from checks.knowledge import Table, load


class ProtobufRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Releases of ``package`` below ``before`` fail with ``protobuf`` of this version and later."""

    package: str
    before: str
    protobuf: str
    source: str


class Protobuf(Table, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """resources/knowledge/protobuf.toml."""

    row: tuple[ProtobufRow, ...]


@functools.cache
def protobuf() -> Protobuf:
    """The rows."""
    return load("protobuf", Protobuf)
