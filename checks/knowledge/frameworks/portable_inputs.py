"""Known answers of the portable inputs, by which every implementation of them is tested."""

from __future__ import annotations

import functools

import msgspec

from checks.knowledge import Table, load


class PhiloxAnswer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The authors' known answer: four words for a counter and a key."""

    counter: tuple[int, int, int, int]
    key: tuple[int, int]
    words: tuple[int, int, int, int]


class StreamWords(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Words of a stream from the index ``first`` on."""

    stream: int
    first: int
    words: tuple[int, ...]


class UniformBits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first numbers of a stream in a type, their bits in hexadecimal as a number is written."""

    dtype: str
    stream: int
    bits: tuple[str, ...]


class WholeNumbers(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first whole numbers of a stream below a limit."""

    limit: int
    stream: int
    numbers: tuple[int, ...]


class KnownFingerprint(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The fingerprint of the numbers of a stream in a shape and type; the first two sums of its portrait."""

    dtype: str
    stream: int
    shape: tuple[int, ...]
    fingerprint: str
    block_sums: tuple[str, str]


class PortableInputs(Table, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """resources/knowledge/portable_inputs.toml."""

    philox: tuple[PhiloxAnswer, ...]
    stream: tuple[StreamWords, ...]
    uniform: tuple[UniformBits, ...]
    whole: tuple[WholeNumbers, ...]
    fingerprint: tuple[KnownFingerprint, ...]


@functools.cache
def portable_inputs() -> PortableInputs:
    """The known answers."""
    return load("portable_inputs", PortableInputs)
