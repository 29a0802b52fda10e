"""The words of the program in every language, without Qt: the headless commands speak too.

resources/words/<area>.toml holds one table per text, ``[key]`` with ``en`` and ``ja``; a text is asked for as
"area.key". Other languages have files of their own (:mod:`checks.languages`). Texts may name {placeholders}; {program}
is always filled.
"""

from __future__ import annotations

import functools
import locale
import os
from typing import NamedTuple

import tomli

from checks.languages import LANGUAGES, translated
from checks.paths import ROOT


class Text(NamedTuple):
    """One text in each language. No struct of msgspec: to import that would take a tenth of the first window's time."""

    en: str
    ja: str

    def of(self, language: str) -> str:
        """What is for a language."""
        return self.ja if language == "ja" else translated(self.en, language)


@functools.cache
def area(name: str) -> dict[str, Text]:
    """All texts of one file.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: a text lacks a language or has an unknown key.
    """
    texts = tomli.loads((ROOT / "words" / f"{name}.toml").read_text(encoding="utf-8"))
    for key, text in texts.items():
        if (
            not isinstance(text, dict)
            or text.keys() != {"en", "ja"}
            or not all(isinstance(each, str) for each in text.values())
        ):
            raise ValueError(f"words/{name}.toml: {key}: a text has en and ja and nothing else")
    return {key: Text(**text) for key, text in texts.items()}


def words(key: str, language: str, /, **values: object) -> str:
    """The text "area.key" in a language, with its placeholders filled.

    Raises:
        KeyError: there is no such text, or a placeholder was not given.
    """
    name, _, text = key.partition(".")
    found = area(name)[text].of(language)
    if values:
        return found.format_map({"program": program(), **values})
    return found.replace("{program}", program())


def program() -> str:
    """What the user types to start the program: where it was not installed, packaging/run says how that began."""
    return os.environ.get("NAOSU_PROGRAM") or "naosu"


def known(key: str, otherwise: str, language: str) -> str:
    """The text "area.key" for a value of a case; the value itself where it is one that this version does not know."""
    name, _, text = key.partition(".")
    found = area(name).get(text)
    return found.of(language) if found else otherwise


def system_language() -> str:
    """The user's language as the system says it, if Naosu speaks it, else "en". NAOSU_LANG overrides it."""
    for name in ("NAOSU_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        chosen = os.environ.get(name, "")
        if chosen:
            return _spoken(chosen)
    return _spoken(locale.getlocale()[0] or "")


def _spoken(locale_name: str) -> str:
    """The language of a locale ("pt_BR.UTF-8", "ja", Windows's "Japanese_Japan"), if Naosu speaks it, else "en"."""
    tag = locale_name.partition(".")[0].partition("@")[0].replace("_", "-").lower()
    language = tag.partition("-")[0]
    codes = {code.lower(): code for code in LANGUAGES}
    return codes.get(tag) or codes.get("ja" if language == "japanese" else language, "en")
