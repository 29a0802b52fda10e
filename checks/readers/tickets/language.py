"""In which language somebody wrote: what a person wrote counts, not the English of the log below it."""

from __future__ import annotations

import re

from checks.knowledge.tickets.written_languages import scripts, small_words

ENGLISH, JAPANESE = "en", "ja"
_READ = 20_000  # characters
_FEW = 4  # letters of a script that may stand in a path or a name
_LEAST = 3  # different small words
_WORDS = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_PROSE = re.compile(r"^[^\n{}<>=|\\]{1,400}$", re.MULTILINE)  # lines that may be sentences


def language_of(text: str) -> str:
    """An ISO 639-1 code; English where nothing else is told, "" for no text. Kana at all is Japanese."""
    text = text[:_READ]
    if not text.strip():
        return ""
    for code, script in scripts():
        if len(script.findall(text, 0)) >= (1 if code == JAPANESE else _FEW):
            return code
    words = {word.lower() for line in _PROSE.findall(text) for word in _WORDS.findall(line)}
    counts = {code: len(small & words) for code, small in small_words().items()}
    best = max(counts, key=lambda code: counts[code])
    others = [count for code, count in counts.items() if code != best]
    return best if counts[best] >= _LEAST and counts[best] > max(others, default=0) else ENGLISH
