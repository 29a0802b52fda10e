"""Templates of sentences and commands: ``{name}`` is a value, ``{{`` a brace, ``{name:words}`` several words."""

import string
from collections.abc import Iterator, Mapping


def fill_sentence(template: str, values: Mapping[str, str]) -> str:
    """Fill a sentence. A placeholder that nobody gave stays visible, so that the report is not lost with it."""
    return "".join(
        literal + ("" if name is None else values.get(name, f"{{{name}}}")) for literal, name, _ in parts_of(template)
    )


def placeholders(template: str) -> frozenset[str]:
    """The names that a template asks for."""
    return frozenset(name for _, name, _ in parts_of(template) if name is not None)


def parts_of(template: str) -> Iterator[tuple[str, str | None, str]]:
    """The literal texts, each with the name behind it (None at the end) and what follows that name's colon."""
    for literal, name, specification, _ in string.Formatter().parse(template):
        yield literal, name, specification or ""
