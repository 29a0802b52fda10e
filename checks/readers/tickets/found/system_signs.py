"""The operating system by what is found on no other: its commands, prompts, messages and devices."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from typing import Any

import re2

from checks.knowledge.tickets.words import TicketWords
from checks.readers.tickets.found.systems import named_system
from checks.readers.tickets.text import Statement, Text

_NOT_BESIDE = re.compile(r"\(\?<?!(?:\[[^]]*\](?:\{\d+\})?|[^()])*\)")
_AT_MOST = re.compile(r"\{\d+,\d+\}")
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
    for system, gate, pattern in _signs():
        if gate.search(text.whole) is None:
            continue
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
def _signs() -> tuple[tuple[str, Any, re.Pattern[str]], ...]:
    """Each system, RE2 that is quick to say that none of its signs is there, and the signs."""
    rows = TicketWords.read().system_sign
    return tuple((row.system, _gate(row.signs), re.compile("|".join(row.signs), re.MULTILINE)) for row in rows)


def _gate(signs: Iterable[str]) -> Any:
    """RE2 that matches wherever a sign does: without limits and what must not stand beside it, and in all scripts."""
    plain = (_AT_MOST.sub("*", _NOT_BESIDE.sub("", sign)).replace(r"[\w", r"[\w\x{80}-\x{10ffff}") for sign in signs)
    return re2.compile("(?m)" + "|".join(plain))
