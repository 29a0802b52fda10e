"""The operating system by what is found on no other: its commands, prompts, messages and devices."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from checks.knowledge.tickets.words import TicketWords
from checks.readers.tickets.found.systems import named_system
from checks.readers.tickets.text import Statement, Text

_BEFORE = 40  # characters before a sign that may say that it is only suggested
_SUGGESTED = re.compile(
    r"(?:\b(?:try|run|use|type|or|e\.g\.?|please|should|could|would|can|must|to|users)|を実行)"
    r"(?: running| using)?[\s\"'`:$!(]*(?:sudo )?$"
)
# There the commands are those of an image, and what is to be mended may lie outside of it.
_ELSEWHERE = ("docker", "container", "podman", "kube", "コンテナ", "容器", "colab", "kaggle", "wsl", "ssh ")


def read_system_signs(text: Text) -> Iterator[Statement]:
    """The system, where the text names none, all signs are of one, and no image or other machine is mentioned."""
    if text.has(*_ELSEWHERE) or named_system(text.lower) is not None:
        return
    found: dict[str, int] = {}
    for system, pattern in _signs():
        offset = next((match.start() for match in pattern.finditer(text.whole) if _is_done(text, match.start())), None)
        if offset is not None:
            found[system] = offset
    if len(found) == 1:
        ((system, offset),) = found.items()
        yield Statement("machine.os", {"system": system}, text.at(offset))


def _is_done(text: Text, offset: int) -> bool:
    """Whether somebody did it or a program printed it, other than a line that suggests it."""
    start = max(text.line_start(offset), offset - _BEFORE)
    return _SUGGESTED.search(text.lower[start:offset]) is None


@functools.cache
def _signs() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((row.system, re.compile("|".join(row.signs), re.MULTILINE)) for row in TicketWords.read().system_sign)
