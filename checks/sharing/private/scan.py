"""Searching a text for all rules of a turn at once, in time that grows with the text and not with the rules.

Texts are bytes in UTF-8 here: RE2 counts in them.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import re2

from checks.knowledge.tickets.redaction import KnownWords, RedactionRule
from checks.sharing.private.values import Found, is_right

_MEMORY = 256 << 20  # bytes for the automaton of one turn: with less RE2 takes a slower way
_BEFORE, _BEHIND = 4, 400  # bytes around the first match in which the others that begin there are looked for
PLACEHOLDER = re.compile(rb"<[a-z]+-\d+>|<dropped>")
_LONGEST_PLACEHOLDER = 20
_AROUND = 120  # bytes on both sides of what was found, by which it is judged


def compiled(pattern: str, *, captures: bool = True) -> re2._Regexp:
    """The pattern as RE2, with room for many alternatives; without groups it is several times faster."""
    return re2.compile(pattern, _options(captures))


_of_a_rule = functools.cache(compiled)


def _options(captures: bool) -> re2.Options:
    options = re2.Options()
    options.max_mem = _MEMORY
    options.log_errors = False
    options.never_capture = not captures
    return options


@dataclass(frozen=True)
class Hit:
    """What a rule hides: ``text[start:end]``."""

    rule: RedactionRule
    start: int
    end: int
    value: str


class Scanner:
    """Some rules, searched at once: one automaton finds where any of them stands, another which, and that rule what."""

    def __init__(self, rules: Iterable[RedactionRule]) -> None:
        self._rules = tuple(rules)  # each compiled where it is first needed: few ever are
        self._any = compiled("|".join(f"(?:{rule.pattern})" for rule in self._rules), captures=False)
        self._which = re2.Set.SearchSet(_options(captures=False))
        for rule in self._rules:
            self._which.Add(rule.pattern)
        self._which.Compile()

    def hits(self, text: bytes) -> Iterator[Hit]:
        """What looks right, from left to right; no two overlap."""
        place = 0
        while (match := self._any.search(text, place)) is not None:
            here, beyond = match.span()
            behind = here + 1
            for number in sorted(self._which.Match(text[max(0, here - _BEFORE) : beyond + _BEHIND])):
                rule = self._rules[number]
                found = _of_a_rule(rule.pattern).match(text, here)  # a search would read on to the end of the text
                if found is None:
                    continue
                start, end = found.span(found.lastindex)
                value = text[start:end].decode("utf-8", "replace")
                before, after = text[max(0, start - _AROUND) : start], text[end : end + _AROUND]
                if (
                    end > start
                    and not _is_hidden(rule, text, start, end)
                    and is_right(rule.looks, Found(value, _text(before), _text(after)))
                ):
                    yield Hit(rule, start, end, value)
                    behind = end
                    break
                if start == here:  # of what begins with its value no rest is looked at
                    behind = max(behind, end)
            place = behind


def _is_hidden(rule: RedactionRule, text: bytes, start: int, end: int) -> bool:
    """Whether a part of it was hidden before: then the rest was looked at, too. What ends at one is no whole host."""
    first = max(0, start - _LONGEST_PLACEHOLDER)
    around = text[first : end + _LONGEST_PLACEHOLDER]
    beyond = end + (rule.kind == "host")
    return b"<" in around and any(
        first + found.start() < beyond and first + found.end() > start for found in PLACEHOLDER.finditer(around)
    )


def replaced(text: bytes, hits: Iterable[Hit], named: Callable[[str, str], str]) -> bytes:
    """The text with each hit replaced by what ``named`` gives for its kind and value."""
    parts, place = [], 0
    for hit in hits:
        parts += [text[place : hit.start], named(hit.rule.kind, hit.value).encode()]
        place = hit.end
    return b"".join((*parts, text[place:])) if parts else text


@functools.cache
def turns() -> dict[int, Scanner]:
    """The scanners of all turns, in order."""
    rules = KnownWords.read().rules()
    return {
        turn: Scanner(rule for rule in rules if rule.turn == turn) for turn in sorted({rule.turn for rule in rules})
    }


@functools.cache
def teachers() -> tuple[Scanner, ...]:
    """The scanners of secrets and of the places that name people and machines, a turn at a time."""
    rules = [rule for rule in KnownWords.read().rules() if rule.teaches or rule.kind == "secret"]
    return tuple(Scanner(rule for rule in rules if rule.turn == turn) for turn in sorted({rule.turn for rule in rules}))


def _text(part: bytes) -> str:
    return part.decode("utf-8", "ignore")
