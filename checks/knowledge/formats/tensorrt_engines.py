"""What the header of a TensorRT engine says, and where engines load."""

from __future__ import annotations

import functools

import msgspec

from checks.knowledge import Table, load


class Serialization(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The number of an archive's layout and the releases that write it.

    ``seen``: "file" read off a file that names its version, "report" from a user's error text, "unsure".
    """

    product: str
    tag: int
    tensorrt: str
    seen: str


class RtxTarget(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A bit of TensorRT-RTX's header, and the compute capability that it stands for."""

    bit: int
    compute_capability: str
    since: str = ""


class Rule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where an engine loads. ``subject``: "version", "gpu", "system" or the builder's flag that loosens them."""

    subject: str
    rule: str
    source: str
    since: str = ""


class TensorRtEnginesTable(Table, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """resources/knowledge/tensorrt_engines.toml."""

    serialization: tuple[Serialization, ...]
    rtx_target: tuple[RtxTarget, ...]
    rule: tuple[Rule, ...]


@functools.cache
def tensorrt_engines_table() -> TensorRtEnginesTable:
    """The table."""
    return load("tensorrt_engines", TensorRtEnginesTable)


def written_by(product: str, tag: int) -> Serialization | None:
    """The releases that write archives of a number; None where the table has no row."""
    rows = tensorrt_engines_table().serialization
    return next((row for row in rows if row.product == product and row.tag == tag), None)


def rtx_targets(bits: int) -> tuple[str, ...]:
    """The compute capabilities among a header's bits; bits that nobody explained are left out."""
    rows = tensorrt_engines_table().rtx_target
    return tuple(row.compute_capability for row in rows if bits >> row.bit & 1)


def rule(subject: str) -> Rule:
    """The rule about something."""
    return next(row for row in tensorrt_engines_table().rule if row.subject == subject)
