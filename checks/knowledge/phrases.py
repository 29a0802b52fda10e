"""Parts of sentences that a finding chooses: where one cause has several faces, each with words of its own.

resources/words/phrases.toml holds one table per phrase. A finding carries the chosen phrase in every language,
as ``<name>_en`` and ``<name>_ja``; the cause's text of each language names its own.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Iterable

import msgspec

from checks.facts.paths import ROOT
from checks.knowledge.catalogue import LANGUAGES, Words


@functools.cache
def phrases() -> dict[str, Words]:
    """Every phrase by its key."""
    text = (ROOT / "words" / "phrases.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), dict[str, Words])


def phrase(name: str, key: str, **values: str) -> dict[str, str]:
    """The values ``<name>_en`` and ``<name>_ja`` for a finding.

    Raises:
        KeyError: there is no such phrase, or it names a value that was not given.
    """
    words = phrases()[key]
    return {f"{name}_{language}": words.of(language).format_map(values) for language in LANGUAGES}


def listed(name: str, values: Iterable[str]) -> dict[str, str]:
    """The values ``<name>_en`` and ``<name>_ja``: several words in a row, or "none" in the reader's language."""
    words = tuple(values)
    if not words:
        return phrase(name, "nothing")
    return {f"{name}_en": ", ".join(words), f"{name}_ja": "、".join(words)}
