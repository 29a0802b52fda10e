"""The languages that Naosu speaks.

English and Japanese stand beside each other in resources/. Every other language is a folder with files of its own,
resources/languages/<code>/: ``language.toml`` names it, and all other files there hold ``"English" = "the same"``. What
it does not have is said in English. NAOSU_LANGUAGES is one more folder of such folders, to try a language.

The first window and the help of the commands ask for them, so that only what is needed is read.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from checks.paths import ROOT

_CODE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})?")
_PLACEHOLDER = re.compile(r"\{[^{}]*\}|%\(\w+\)s")
_HEAD = "language.toml"


class Language(NamedTuple):
    """``name``: in itself, so that its speakers find it. ``letters``: a font that has these has the others.

    ``note``: what a report says first where not all sentences are translated, in this language.
    """

    name: str
    letters: str = "A"
    note: str = ""


_WRITTEN = {"en": Language("English"), "ja": Language("日本語", "Aあ漢")}


@functools.cache
def languages() -> dict[str, Language]:
    """Every language by its code, which is that of the system's locales.

    Raises:
        ValueError: the head of a language cannot be read, or has an unknown key.
    """
    found = dict(_WRITTEN)
    for folder in _folders():
        try:
            found.setdefault(folder.name, Language(**_read(folder / _HEAD)))
        except TypeError as error:
            raise ValueError(f"{folder / _HEAD}: {error}") from error
    return found


def translated(english: str, language: str) -> str:
    """A sentence in a language that has files of its own; in English where it lacks it, or has other placeholders."""
    return english if language in _WRITTEN else _sentences(language).get(english, english)


@functools.cache
def _sentences(language: str) -> dict[str, str]:
    folder = next((folder for folder in _folders() if folder.name == language), None)
    if folder is None:
        return {}
    files = (path for path in sorted(folder.glob("*.toml")) if path.name != _HEAD)
    known = {english: told for path in files for english, told in _read(path).items()}
    return {english: told for english, told in known.items() if _placeholders(english) == _placeholders(told)}


def _placeholders(text: str) -> set[str]:
    return set(_PLACEHOLDER.findall(text))


def _folders() -> Iterator[Path]:
    own = os.environ.get("NAOSU_LANGUAGES")
    for place in (ROOT / "languages", Path(own) if own else None):
        if place is not None and place.is_dir():
            yield from (folder for folder in sorted(place.iterdir()) if is_language(folder))


def is_language(folder: Path) -> bool:
    """Whether a folder holds a language."""
    return _CODE.fullmatch(folder.name) is not None and (folder / _HEAD).is_file()


def _read(path: Path) -> dict[str, str]:
    import tomli  # not where there are only the languages that are written with the program

    try:
        found = tomli.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:  # also where it is not UTF-8
        raise ValueError(f"{path}: {error}") from error
    if not all(isinstance(text, str) for text in found.values()):
        raise ValueError(f"{path}: every value is a text")
    return found


LANGUAGES = tuple(languages())
