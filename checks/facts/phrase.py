"""Words that a finding chooses, without the words themselves: these are in resources/ and depend on the reader."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec


class Phrase(msgspec.Struct, frozen=True, omit_defaults=True):
    """A key of resources/words/phrases.toml, and what its placeholders stand for."""

    key: str
    values: Mapping[str, Value] = {}


Value = str | Phrase | tuple[str | Phrase, ...]
"""A value of a finding: text as it is, a phrase, or several of these in a row."""
