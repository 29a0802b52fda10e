"""Searching a text for all rules of a turn at once, in time that grows with the text and not with the rules.

Texts are bytes in UTF-8 here: RE2 counts in them.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import re2

from checks.knowledge.tickets.redaction import KnownWords, RedactionRule
from checks.readers.private.heads import head
from checks.readers.private.values import Found, is_right

_MEMORY = 256 << 20  # bytes for one automaton: with less RE2 takes a slower way
_GROUP = 14  # rules in one automaton: with more of them a mixed text leads it to ever new states, which cost most
_BEHIND = 400  # bytes behind where a head stands in which the rules that begin there are looked for
_ESCAPED = re.compile(r"\\.")
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


class _Group:
    """Some rules, found by their heads: one automaton tells where any of them may begin, another which."""

    def __init__(self, rules: Sequence[tuple[int, RedactionRule]]) -> None:
        self._numbers = tuple(number for number, _ in rules)
        heads = [head(rule.pattern) for _, rule in rules]
        self._any = compiled("|".join(f"(?:{one})" for one in heads), captures=False)
        self._which = re2.Set.MatchSet(_options(captures=False))
        for one in heads:
            self._which.Add(
                _ESCAPED.sub(lambda sign: "" if sign[0] == r"\b" else sign[0], one)
            )  # it sees nothing before
        self._which.Compile()

    def next(self, text: bytes, place: int) -> tuple[int, int]:
        """Where one of them may begin, and until where that is to be seen."""
        match = self._any.search(text, place)
        return (len(text) + 1, 0) if match is None else match.span()

    def at(self, text: bytes, begin: tuple[int, int]) -> list[int]:
        """The numbers of the rules that may begin there."""
        return [self._numbers[which] for which in self._which.Match(text[begin[0] : begin[1] + _BEHIND]) or ()]


class Scanner:
    """Some rules, searched at once: by the heads of their patterns, and where one stands by the whole pattern."""

    def __init__(self, rules: Iterable[RedactionRule]) -> None:
        self._rules = tuple(rules)  # each compiled where it is first needed: few ever are
        numbered = list(enumerate(self._rules))
        count = -(-len(numbered) // _GROUP)
        self._groups = tuple(_Group(numbered[start::count]) for start in range(count))

    def hits(self, text: bytes) -> Iterator[Hit]:
        """What looks right, from left to right; no two overlap."""
        begins = [group.next(text, 0) for group in self._groups]
        while (here := min(begins)[0]) <= len(text):
            behind = here + 1
            numbers = [
                number
                for group, begin in zip(self._groups, begins, strict=True)
                if begin[0] == here
                for number in group.at(text, begin)
            ]
            for number in sorted(numbers):
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
            for which, begin in enumerate(begins):
                if begin[0] < behind:
                    begins[which] = self._groups[which].next(text, behind)


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
def teaching_turns() -> frozenset[int]:
    """The turns whose rules find secrets, or places that name people and machines."""
    return frozenset(rule.turn for rule in KnownWords.read().rules() if rule.teaches or rule.kind == "secret")


def _text(part: bytes) -> str:
    return part.decode("utf-8", "ignore")
