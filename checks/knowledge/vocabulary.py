"""The words of the field: whatever the tables and the catalogue say."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from checks.paths import ROOT

_WORD = re.compile(r"[^\W_]{2,}")
_TERM = re.compile(r"[a-z0-9](?:[\w.+-]*[a-z0-9])?")
_OF_PEOPLE = "redaction.toml"  # lists names on purpose


@dataclass(frozen=True)
class Vocabulary:
    """``words`` are letters and digits; ``terms`` go on over signs: "x86_64", "nvidia-smi", "libcudart.so.12"."""

    words: frozenset[str]
    terms: frozenset[str]


@functools.cache
def vocabulary() -> Vocabulary:
    """All of it, in small letters."""
    files = (path for folder in ("causes", "knowledge") for path in sorted((ROOT / folder).rglob("*.toml")))
    whole = "\n".join(path.read_text("utf-8") for path in files if path.name != _OF_PEOPLE)
    text = "\n".join({part.casefold() for part in set(whole.split())})  # most stand there many times
    return Vocabulary(words=frozenset(_WORD.findall(text)), terms=frozenset(_TERM.findall(text)))
