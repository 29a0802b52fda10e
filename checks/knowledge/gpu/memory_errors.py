"""The words in which programs tell that a GPU's memory did not suffice, and the figures in them."""

import functools
from collections.abc import Mapping, Sequence

import msgspec
import re2

from checks.knowledge import Row, Table
from checks.knowledge.sizes import size_of

LONGEST = 20_000  # characters of a text that are searched, the last ones


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
        sizes = {name: size_of(text) for name, text in found.groupdict().items() if text} if found else {}
        asked = sizes.pop("asked", None)
        if found is not None and asked is not None:
            held = [size_of(text) or 0 for text in others.findall(whole)] if others is not None else []
            own = sizes.get("own") or _own(held, sizes)
            if own and "own" not in sizes:
                sizes["own"] = own
                held.remove(own)
            others_hold = sum(held) if held else None
            return Shortage(framework=form.framework, line=found[0], asked=asked, others=others_hold, **sizes)
    return None


def _own(held: Sequence[int], sizes: Mapping[str, int | None]) -> int | None:
    """Of the processes that PyTorch lists, the one that wrote the text; None where none can be it.

    In a container the driver counts processes by the host's numbers, so that PyTorch does not know its own among them
    (c10/cuda/CUDACachingAllocator.cpp says "this process" of the one whose number is its own). It holds at least what
    PyTorch has allocated and keeps.
    """
    least = (sizes.get("allocated") or 0) + (sizes.get("kept") or 0)
    return min((size for size in held if size >= least), default=None) if least else None


@functools.cache
def _compiled() -> tuple[tuple[Form, "re2._Regexp[str]", "re2._Regexp[str] | None"], ...]:
    return tuple(
        (form, re2.compile(form.pattern), re2.compile(form.others) if form.others else None)
        for form in MemoryErrors.read().form
    )
