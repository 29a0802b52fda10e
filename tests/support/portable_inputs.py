"""Known answers of the portable inputs, by which every implementation of them is tested."""

from pathlib import Path

import msgspec

from checks.knowledge import Row, Table, tomli


class PhiloxAnswer(Row):
    """The authors' known answer: four words for a counter and a key."""

    counter: tuple[int, int, int, int]
    key: tuple[int, int]
    words: tuple[int, int, int, int]


class StreamWords(Row):
    """Words of a stream from the index ``first`` on."""

    stream: int
    first: int
    words: tuple[int, ...]


class UniformBits(Row):
    """The first numbers of a stream in a type, their bits in hexadecimal as a number is written."""

    dtype: str
    stream: int
    bits: tuple[str, ...]


class WholeNumbers(Row):
    """The first whole numbers of a stream below a limit."""

    limit: int
    stream: int
    numbers: tuple[int, ...]


class KnownFingerprint(Row):
    """The fingerprint of the numbers of a stream in a shape and type; the first two sums of its portrait."""

    dtype: str
    stream: int
    shape: tuple[int, ...]
    fingerprint: str
    block_sums: tuple[str, str]


class PortableInputs(Table):
    philox: tuple[PhiloxAnswer, ...]
    stream: tuple[StreamWords, ...]
    uniform: tuple[UniformBits, ...]
    whole: tuple[WholeNumbers, ...]
    fingerprint: tuple[KnownFingerprint, ...]


KNOWN = msgspec.convert(tomli.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")), PortableInputs)
