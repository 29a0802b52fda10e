"""A language made of English: every letter with an accent, two fifths longer, in brackets.

What is on a page without brackets was written into the program; what is cut off had room for English alone.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tomli

from checks.paths import ROOT

CODE = "xx"
NOTE = "[Ńóţ åļļ īş ţŕåńşļåţéđ]"
_ACCENTS = str.maketrans("aceilnorstuyACEILNORSTUY", "åçéîļñóřšţûýÅÇÉÎĻÑÓŘŠŢÛÝ")
_KEPT = re.compile(r"(\{[^{}]*\}|%\(\w+\)s)")


def pseudo(english: str) -> str:
    """A sentence in it. Its placeholders stay, and so do the lines."""
    parts = _KEPT.split(english)
    told = "".join(part if _KEPT.fullmatch(part) else part.translate(_ACCENTS) for part in parts)
    words = re.findall(r"[^\W\d_]{2,}", _KEPT.sub("", english).translate(_ACCENTS))
    longer = " ".join(words)[: max(2, len(english) * 2 // 5)]
    return f"[{told} {longer}]"


def english_sentences() -> Iterator[str]:
    """All that stands in resources beside its Japanese."""
    for path in sorted(ROOT.rglob("*.toml")):
        yield from _english(tomli.loads(path.read_text(encoding="utf-8")))


def _english(told: Any) -> Iterator[str]:
    if isinstance(told, dict):
        if {"en", "ja"} <= told.keys():
            yield from _texts(told["en"])
        for key, value in told.items():
            if key not in ("en", "ja"):
                yield from _english(value)
    elif isinstance(told, list):
        for value in told:
            yield from _english(value)


def _texts(told: Any) -> Iterator[str]:
    if isinstance(told, str):
        yield told
    elif isinstance(told, dict):
        for value in told.values():
            yield from _texts(value)


def write_language(folder: Path, *, without: str = "") -> Path:
    """Its files, as a translator would add them; ``without`` one sentence. The folder that NAOSU_LANGUAGES names."""
    own = folder / CODE
    own.mkdir(parents=True)
    (own / "language.toml").write_text(f'name = "Pséûdó"\nnote = "{NOTE}"\n', encoding="utf-8")
    sentences = {english: pseudo(english) for english in english_sentences() if english.strip() and english != without}
    lines = (f"{json.dumps(english)} = {json.dumps(told, ensure_ascii=False)}\n" for english, told in sentences.items())
    (own / "sentences.toml").write_text("".join(lines), encoding="utf-8")
    return folder
