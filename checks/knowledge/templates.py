"""Templates of sentences and commands: ``{name}`` is a value, ``{{`` a brace, ``{name:words}`` several words."""

import functools
import string
from collections.abc import Mapping


def fill_sentence(template: str, values: Mapping[str, str]) -> str:
    """Fill a sentence. A placeholder that nobody gave stays visible, so that the report is not lost with it."""
    return "".join(
        literal + ("" if name is None else values.get(name, f"{{{name}}}")) for literal, name, _ in parts_of(template)
    )


@functools.lru_cache(maxsize=4096)
def placeholders(template: str) -> frozenset[str]:
    """The names that a template asks for."""
    return frozenset(name for _, name, _ in parts_of(template) if name is not None)


@functools.lru_cache(maxsize=4096)
def parts_of(template: str) -> tuple[tuple[str, str | None, str], ...]:
    """The literal texts, each with the name behind it (None at the end) and what follows that name's colon."""
    parsed = string.Formatter().parse(template)
    return tuple((literal, name, specification or "") for literal, name, specification, _ in parsed)
