"""A change in words: a phrase of resources/words/phrases.toml."""

from __future__ import annotations

import re

from checks.facts import Change, ChangeKind
from checks.facts.phrase import Phrase, Value
from checks.knowledge.phrases import phrase, phrases

_LONGEST = 80  # characters of a value in a sentence
_OF_A_GPU = re.compile(r"([a-z-]+)-(\d+)")


def name_of(change: Change) -> Value:
    """How what changed is called."""
    if change.kind == ChangeKind.PYTHON and f"change-of-python-{change.name}" in phrases():
        return phrase(f"change-of-python-{change.name}")
    if change.kind == ChangeKind.MACHINE:
        of_gpu = _OF_A_GPU.fullmatch(change.name)
        if of_gpu and f"change-of-{of_gpu[1]}" in phrases():
            return phrase(f"change-of-{of_gpu[1]}", number=of_gpu[2])
        if f"change-of-{change.name}" in phrases():
            return phrase(f"change-of-{change.name}")
    return shortened(change.name)


def change_in_words(change: Change) -> Phrase:
    """What changed, from what to what, and when."""
    name = name_of(change)
    before, after = value_in_words(change.before), value_in_words(change.after)
    if change.kind in (ChangeKind.FILE, ChangeKind.PROGRAM, ChangeKind.MODEL):
        is_gone = change.after is None and change.kind != ChangeKind.FILE
        told = phrase("change-file-gone" if is_gone else "change-file", name=name)
    elif before and after:
        told = phrase("change-other", name=name, before=before, after=after)
    elif after:
        told = phrase("change-added", name=name, after=after)
    elif before:
        told = phrase("change-removed", name=name, before=before)
    else:
        told = phrase("change-touched", name=name)
    return phrase("change-at", change=told, time=moment(change.time)) if change.time else told


def value_in_words(value: str | None) -> str:
    """A value as a sentence shows it; "" where there is none, which is not the same as an empty one."""
    return "" if value is None else shortened(value) or '""'


def moment(time: str) -> str:
    """A time of a case as a sentence shows it, in UTC."""
    found = re.match(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)", time)
    return f"{found[1]} {found[2]} UTC" if found else shortened(time)


def shortened(value: str) -> str:
    """One line that is not too long."""
    line = " ".join(value.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
