"""Which part of an environment can change computed numbers."""

import functools
from collections.abc import Mapping

from checks.knowledge import Row, Table


class Part(Row):
    """A part of an environment: on which devices it can change numbers, by how much, and how likely among others.

    ``frameworks``: whose part it is; () of all.
    """

    part: str
    devices: tuple[str, ...]
    sizes: tuple[str, ...]
    rank: int
    frameworks: tuple[str, ...] = ()


class Proof(Row):
    """A setting that, where it makes two machines agree, shows which part they differ in."""

    setting: str
    part: str


class NumericEnvironmentTable(Table):
    part: tuple[Part, ...]
    proof: tuple[Proof, ...]
    unnumeric_settings: tuple[str, ...]
    thread_variables: tuple[str, ...]
    numeric_variables: tuple[str, ...]


@functools.cache
def numeric_parts() -> Mapping[str, Part]:
    """The parts by their names."""
    return {row.part: row for row in NumericEnvironmentTable.read().part}


@functools.cache
def parts_shown_by() -> Mapping[str, tuple[str, ...]]:
    """Setting -> the parts that it stands for: the same number of threads is set in several ways."""
    proofs = NumericEnvironmentTable.read().proof
    return {proof.setting: tuple(other.part for other in proofs if other.setting == proof.setting) for proof in proofs}
