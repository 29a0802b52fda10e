"""Checkpoints of trainers: how they are recognised, and where they keep the weights."""

from __future__ import annotations

import functools
from collections.abc import Iterable

import msgspec

from checks.knowledge import Table, load


class Program(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A trainer. ``keys``: all must be in its checkpoints; the other keys tell its version and the date."""

    name: str
    keys: tuple[str, ...]
    version_key: str = ""
    date_key: str = ""


class Keys(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Keys under which weights lie, in the order of preference, and those of other things."""

    weights: tuple[str, ...]
    beside: tuple[str, ...]


class CheckpointProgramsTable(Table, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """resources/knowledge/checkpoint_programs.toml."""

    program: tuple[Program, ...]
    keys: Keys


@functools.cache
def checkpoint_programs() -> CheckpointProgramsTable:
    """The table."""
    return load("checkpoint_programs", CheckpointProgramsTable)


def program_of(keys: Iterable[str]) -> Program | None:
    """The trainer whose checkpoint has these keys."""
    there = set(keys)
    return next((row for row in checkpoint_programs().program if there.issuperset(row.keys)), None)
