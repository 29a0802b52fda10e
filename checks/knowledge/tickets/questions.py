"""What to ask where a ticket does not tell its cause, and how each answer parts the causes."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import msgspec
import re2

from checks.knowledge import Row, Table, Worded
from checks.knowledge.catalogue import cause_files, family_of
from checks.knowledge.tickets.phrases import expand
from checks.paths import ROOT
from checks.prepared import prepared

LEARNED = ROOT / "learned" / "answers.json"
STATED = 30.0  # what the table states counts as so many tickets: people mention what is remarkable, not all that is so
OTHER = "other"  # the complaint that none of the table is
SURE_TO_SHOW = 0.97  # no output shows its cause always, and none of the answers is impossible
_LEAST = 0.005
_ROOM = 128 << 20  # bytes that one pattern may take, with all its phrases


class Choice(Worded):
    """One answer of a question. ``named``: RE2 by which a text has given it, without ``unless``."""

    id: str
    usual: float
    named: str = ""
    unless: str = ""
    shares: dict[str, float] = {}

    def is_in(self, text: str) -> bool:
        """Whether a text gives this answer by itself."""
        if not self.named or (self.unless and pattern(self.unless).search(text)):
            return False
        return bool(pattern(self.named).search(text))


class Tells(Row):
    """What an output may tell that is no cause by itself: a condition, and its share for each cause."""

    when: str
    usual: float
    shares: dict[str, float]

    def share(self, cause: str) -> float:
        """Of how many with this cause it holds."""
        known = _of(self.shares, cause)
        return self.usual if known is None else known


class TicketQuestion(Worded):
    """One question: with choices, or of what is pasted (``paste``: what that is called, in any language).

    ``needs``: RE2 without which a text does not make it one. ``for_complaints``: ids of those of which it is asked;
    empty = of all. ``asked``: RE2 by which a supporter asks the same in words of their own. ``cured``: the
    answer of who says that it helped. ``is_counted``: what people
    tell by themselves is a fair sample of what they would answer. ``prints``: RE2 for what a paste looks like.
    """

    id: str
    cost: float
    refused: float
    known: str = ""
    known_when: tuple[str, ...] = ()
    needs: str = ""
    for_complaints: tuple[str, ...] = ()
    asked: str = ""
    cured: str = ""
    is_counted: bool = False
    paste: str = ""
    prints: str = ""
    shows: dict[str, float] = {}
    tells: tuple[Tells, ...] = ()
    answer: tuple[Choice, ...] = ()

    def choice(self, name: str) -> Choice | None:
        """The answer of this id."""
        return next((choice for choice in self.answer if choice.id == name), None)


class Complaint(Row):
    """What a text complains of: ``all`` of these RE2 stand in it, and ``none`` does not. ``oftener``: see the table."""

    id: str
    all: tuple[str, ...]
    none: str = ""
    oftener: dict[str, float] = {}


class Product(Row):
    """What a text names by this RE2, and the causes that only who uses it can have."""

    named: str
    of: tuple[str, ...]


class Questions(Table):
    complaint: tuple[Complaint, ...]
    product: tuple[Product, ...]
    question: tuple[TicketQuestion, ...]


class Learned(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What tests/tools/learn_answers.py counted.

    ``complaints``: complaint -> cause -> tickets. ``answers``: question -> answer -> cause -> tickets that tell it.
    ``shows``: question -> cause -> (recorded machines whose output shows it, all that have it).
    """

    complaints: dict[str, dict[str, int]] = {}
    answers: dict[str, dict[str, dict[str, int]]] = {}
    shows: dict[str, dict[str, tuple[int, int]]] = {}


@functools.cache
def learned() -> Learned:
    """The counts."""
    return msgspec.json.decode(LEARNED.read_bytes(), type=prepared(Learned))


@functools.cache
def pattern(text: str) -> Any:
    """A pattern of the table, compiled: case does not matter."""
    options = re2.Options()
    options.case_sensitive, options.log_errors, options.max_mem = False, False, _ROOM
    return re2.compile(expand(text), options)


@functools.cache
def questions() -> Mapping[str, TicketQuestion]:
    """All questions by their ids."""
    return {question.id: question for question in Questions.read().question}


@functools.cache
def choice_shares(name: str) -> Mapping[str, Mapping[str, float]]:
    """Of a question with choices: answer -> cause -> the share of the customers with that cause who give it."""
    question = questions()[name]
    usual = {choice.id: choice.usual for choice in question.answer}
    counted = learned().answers.get(name, {}) if question.is_counted else {}
    table: dict[str, dict[str, float]] = {choice: {} for choice in usual}
    for cause in cause_files():
        stated = _stated(question, cause, usual)
        told = {choice: counted.get(choice, {}).get(cause, 0) for choice in usual}
        whole = STATED + sum(told.values())
        for choice, share in stated.items():
            table[choice][cause] = max((STATED * share + told[choice]) / whole, _LEAST)
    return table


def _stated(question: TicketQuestion, cause: str, usual: Mapping[str, float]) -> dict[str, float]:
    """The shares of the answers by the table, which sum up to 1."""
    named = {choice.id: _of(choice.shares, cause) for choice in question.answer}
    known = {choice: share for choice, share in named.items() if share is not None}
    left = max(1.0 - sum(known.values()), 0.0)
    others = sum(share for choice, share in usual.items() if choice not in known)
    rest = {choice: left * share / others for choice, share in usual.items() if choice not in known}
    whole = sum(known.values()) + sum(rest.values())
    return {choice: {**known, **rest}[choice] / whole for choice in usual}


@functools.cache
def shown_shares(name: str) -> Mapping[str, float]:
    """Of a question for a paste: cause -> the share of those with that cause to whose paste it can be seen."""
    question = questions()[name]
    counted = learned().shows.get(name, {})
    table = {}
    for cause in cause_files():
        shown, whole = counted.get(cause, (0, 0))
        share = (STATED * (_of(question.shows, cause) or 0.0) + shown) / (STATED + whole)
        if share:
            table[cause] = min(share, SURE_TO_SHOW)
    return table


def _of(table: Mapping[str, float], cause: str) -> float | None:
    """The row of a cause, or of its family."""
    return table.get(cause, table.get(family_of(cause)))
