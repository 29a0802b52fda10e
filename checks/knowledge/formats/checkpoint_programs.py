"""Checkpoints of trainers: how they are recognised, and where they keep the weights."""

from collections.abc import Iterable

from checks.knowledge import Row, Table


class Program(Row):
    """A trainer. ``keys``: all must be in its checkpoints; the other keys tell its version and the date."""

    name: str
    keys: tuple[str, ...]
    version_key: str = ""
    date_key: str = ""


class Keys(Row):
    """Keys under which weights lie, in the order of preference, and those of other things."""

    weights: tuple[str, ...]
    beside: tuple[str, ...]


class CheckpointProgramsTable(Table):
    program: tuple[Program, ...]
    keys: Keys


def program_of(keys: Iterable[str]) -> Program | None:
    """The trainer whose checkpoint has these keys."""
    there = set(keys)
    return next((row for row in CheckpointProgramsTable.read().program if there.issuperset(row.keys)), None)
