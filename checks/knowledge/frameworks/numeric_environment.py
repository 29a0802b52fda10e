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


class Reader(Row):
    """Who reads a variable, or heeds a setting of PyTorch (``name``: how its name begins), and on which devices."""

    part: str
    name: str
    frameworks: tuple[str, ...]
    devices: tuple[str, ...]


class NumericEnvironmentTable(Table):
    """resources/knowledge/frameworks/numeric_environment.toml."""

    part: tuple[Part, ...]
    proof: tuple[Proof, ...]
    unnumeric_settings: tuple[str, ...]
    reader: tuple[Reader, ...]

    def names(self, part: str) -> tuple[str, ...]:
        """The variables of a part, in their order."""
        return tuple(row.name for row in self.reader if row.part == part)


@functools.cache
def numeric_parts() -> Mapping[str, Part]:
    """The parts by their names."""
    return {row.part: row for row in NumericEnvironmentTable.read().part}


@functools.cache
def parts_shown_by() -> Mapping[str, tuple[str, ...]]:
    """Setting -> the parts that it stands for: the same number of threads is set in several ways."""
    proofs = NumericEnvironmentTable.read().proof
    return {proof.setting: tuple(other.part for other in proofs if other.setting == proof.setting) for proof in proofs}


def is_read(part: str, entry: str, framework: str, device: str) -> bool:
    """Whether an entry of a part ("OMP_NUM_THREADS=1") says anything to a framework on a kind of device.

    Parts that are no lists of such entries do, and so do settings that have no row.
    """
    readers = [row for row in NumericEnvironmentTable.read().reader if row.part == part]
    if not readers:
        return True
    name, is_set, _ = entry.partition("=")
    rows = [row for row in readers if name.startswith(row.name)]
    return bool(is_set) and (not rows or any(framework in row.frameworks and device in row.devices for row in rows))
