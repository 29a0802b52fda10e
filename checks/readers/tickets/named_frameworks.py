"""The frameworks that a text is about: by their names, their modules in code, and the versions that it states."""

from __future__ import annotations

import functools
import re

from checks.facts import Facts
from checks.knowledge.packages.ai_packages import framework_of_package
from checks.knowledge.tickets.words import package_of_word


def named_frameworks(facts: Facts) -> frozenset[str]:
    """Fields of Frameworks, and "numpy"; none where the text names none, so that it may be about any."""
    stated = {name for name, _ in facts.frameworks.each()} if facts.frameworks is not None else set()
    texts = "\n".join(log.text or "" for log in facts.logs).lower()
    of_word = _framework_of_word()
    return frozenset(stated | {of_word[found] for found in set(_words().findall(texts))})


@functools.cache
def _framework_of_word() -> dict[str, str]:
    of_package = framework_of_package()
    words = {word: of_package[name] for word, name in package_of_word().items() if name in of_package}
    return {**words, "numpy": "numpy", "keras": "tensorflow"}


@functools.cache
def _words() -> re.Pattern[str]:
    joined = "|".join(re.escape(word) for word in sorted(_framework_of_word(), key=len, reverse=True))
    return re.compile(rf"(?<![a-z0-9_/-])({joined})(?![a-z0-9_-])")
