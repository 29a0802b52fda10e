"""What a reader says of a model file in a few English words ("protocol 5", "yes"), in the reader's language."""

from __future__ import annotations

import re

from checks.knowledge.formats.model_formats import model_format
from wizard.words import area, known, words

_VERSION = re.compile(r"([A-Za-z]+(?: [a-z]+)?) (\S+)")  # "specification 7", "calling convention 10"


def format_in_words(format_id: str | None, language: str) -> str:
    """The name of a format."""
    row = model_format(format_id) if format_id else None
    return row.named(language) if row else format_id or words("models.format-unknown", language)


def version_in_words(version: str, language: str) -> str:
    """The version of a format, which each format counts in its own way."""
    found = _VERSION.fullmatch(version)
    key = f"version-{found[1].lower().replace(' ', '-')}" if found else ""
    return words(f"models.{key}", language, number=found[2]) if found and key in area("models") else version


def detail_in_words(value: str, language: str) -> str:
    """The value of a detail; names and numbers stay as they are."""
    return known(f"models.value-{value}", value, language)
