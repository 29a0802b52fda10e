"""The words in which programs tell that a GPU's memory did not suffice, and the figures in them."""

import functools

import msgspec
import re2

from checks.knowledge import Row, Table

LONGEST = 20_000  # characters of a text that are searched, the last ones
_UNITS = {"B": 1, "BYTES": 1, "": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SIZE = re2.compile(r"^([\d.,]+) ?([KMGT]?)(?:i?B|bytes)?$")


class Form(Row):
    """One wording; the groups of its pattern are explained at the head of the table."""

    framework: str
    pattern: str
    source: str
    others: str = ""


class MemoryErrors(Table):
    """resources/knowledge/gpu/memory_errors.toml."""

    form: tuple[Form, ...]


class Shortage(msgspec.Struct, frozen=True, kw_only=True):
    """What was asked for and what there was, in bytes; None: the text does not tell."""

    framework: str
    line: str
    asked: int
    total: int | None = None
    free: int | None = None
    own: int | None = None
    allocated: int | None = None
    kept: int | None = None
    others: int | None = None


def shortage_in(text: str) -> Shortage | None:
    """The last shortage that a text tells, by the most telling wording; None: none."""
    whole = " ".join(text[-LONGEST:].split())
    for form, pattern, others in _compiled():
        found = next(reversed(list(pattern.finditer(whole))), None)
        if found is not None:
            sizes = {name: bytes_of(size) for name, size in found.groupdict().items() if size}
            held = [bytes_of(size) for size in others.findall(whole)] if others is not None else []
            return Shortage(framework=form.framework, line=found[0], others=sum(held) if held else None, **sizes)
    return None


def bytes_of(size: str) -> int:
    """A size as an allocator writes it: "20.00 MiB", "107,374,182,400", "512 bytes" -> bytes.

    Raises:
        ValueError: it is none.
    """
    found = _SIZE.match(size.strip())
    if found is None:
        raise ValueError(size)
    return int(float(found[1].replace(",", "")) * _UNITS[found[2] or ""])


@functools.cache
def _compiled() -> tuple[tuple[Form, "re2._Regexp[str]", "re2._Regexp[str] | None"], ...]:
    return tuple(
        (form, re2.compile(form.pattern), re2.compile(form.others) if form.others else None)
        for form in MemoryErrors.read().form
    )
