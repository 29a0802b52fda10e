"""Texts that a stranger may have put into the facts of a case, and where they can stand."""

from collections.abc import Iterator
from typing import Any

HOSTILE = {
    "empty": "",
    "digit-that-is-no-number": "²",
    "number-without-end": "1" * 5000,
    "control-characters": "\x00\x1b[31m\u202e",
    "placeholder": "{0.__class__}{x}",
    "dots": "..",
    "lines-of-markdown": "x\n\n# Injected\n\n- [ ] item",
}


def keys_of_texts(value: Any, key: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for name, each in value.items():
            yield from keys_of_texts(each, name)
    elif isinstance(value, list):
        for each in value:
            yield from keys_of_texts(each, key)
    elif isinstance(value, str):
        yield key


def with_text(value: Any, key: str, text: str, name: str = "") -> Any:
    """The same plain data with every text of this key replaced."""
    if isinstance(value, dict):
        return {each: with_text(inner, key, text, each) for each, inner in value.items()}
    if isinstance(value, list):
        return [with_text(each, key, text, name) for each in value]
    return text if isinstance(value, str) and name == key else value
