"""How programs, issue forms and people name what a machine has: keys of lists, packages, systems, hedging words."""

import functools

from checks.facts.versions import major_number
from checks.knowledge import Row, Table


class FieldRow(Row):
    """Keys of "key: value" lines, the fact that they tell, and how the value is read."""

    fact: str  # dotted name: "frameworks.torch.version"
    reads: str
    keys: tuple[str, ...]


class PackageRow(Row):
    """A distribution and the words for it, in lower case."""

    name: str
    words: tuple[str, ...]
    below: int | None = None  # major numbers from here on are something else's (a container's "23.10")


class SystemRow(Row):
    """An operating system and the words for it, in lower case."""

    words: tuple[str, ...]
    name: str
    system: str
    distribution: str = ""
    like: tuple[str, ...] = ()


class SystemSignRow(Row):
    """An operating system and what is found on no other, as patterns."""

    system: str
    signs: tuple[str, ...]


class NotHere(Row):
    """Words that say of a name or a version: this is not what is here."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    line: tuple[str, ...]


class GpuNames(Row):
    """Words in the names of GPUs, in lower case."""

    says_nothing: tuple[str, ...]  # about the die


class TicketWords(Table):
    field: tuple[FieldRow, ...]
    package: tuple[PackageRow, ...]
    system: tuple[SystemRow, ...]
    system_sign: tuple[SystemSignRow, ...]
    gpu_name: GpuNames
    not_here: NotHere


@functools.cache
def field_of_key() -> dict[str, FieldRow]:
    """Key of a "key: value" line -> what it tells."""
    return {key: row for row in TicketWords.read().field for key in row.keys}


@functools.cache
def first_impossible() -> dict[str, int]:
    """Distribution -> the major number from which on a version is not its own."""
    return {row.name: row.below for row in TicketWords.read().package if row.below is not None}


def is_possible(package: str, version: str) -> bool:
    """Whether a version can be one of this distribution (as far as the table tells)."""
    return major_number(version) < first_impossible().get(package, 10**6)


@functools.cache
def package_of_word() -> dict[str, str]:
    """Word for a distribution -> its name."""
    return {word: row.name for row in TicketWords.read().package for word in row.words}
