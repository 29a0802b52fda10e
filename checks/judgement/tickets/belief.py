"""How sure each cause of a ticket is once questions were answered: shares, opened and moved by answers.

A text that does not tell leaves most of its share to "unknown". Somebody has a cause all the same: what is left open is
spread over the causes that known tickets with the same complaint had, and each answer moves that by Bayes' rule.
"""

from __future__ import annotations

import functools
import math
import statistics
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from checks.facts import AskedQuestion, Facts
from checks.knowledge.catalogue import UNKNOWN, cause_files
from checks.knowledge.tickets.questions import (
    OTHER,
    Questions,
    choice_shares,
    learned,
    pattern,
    questions,
    shown_shares,
)
from checks.readers.tickets.conditions import holds
from checks.readers.tickets.read import ANSWER

OPENED = 0.8  # of what a text leaves open has a cause of the catalogue that known tickets had
BASE = 0.1  # of that may be any cause, whatever the complaint
FOREIGN = 0.05  # is left to the cause of a product that a text does not name which names others
EVEN = 0.5
SELDOM, FALSELY = 0.3, 0.02  # share of its tickets in which a check finds a cause, and of others in which it does
Shares = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Matter:
    """What a ticket is about: the id of its complaint, and the causes of products that it does not name."""

    complaint: str
    foreign: frozenset[str] = frozenset()


def matter_of(facts: Facts) -> Matter:
    """What the customer complains of, and with which products."""
    return matter_in("\n".join(log.text or "" for log in facts.logs if log.kind != ANSWER))


@functools.lru_cache(maxsize=400)
def matter_in(text: str) -> Matter:
    """The complaint that a text words first of all in the table, and what its products rule out."""
    products = Questions.read().product
    named = [product for product in products if pattern(product.named).search(text)]
    ours = {cause for product in named for cause in product.of}
    foreign = {cause for product in products if named for cause in product.of if cause not in ours}
    return Matter(_complaint_in(text), frozenset(foreign))


def _complaint_in(text: str) -> str:
    for complaint in Questions.read().complaint:
        if complaint.none and pattern(complaint.none).search(text):
            continue
        if all(pattern(wanted).search(text) for wanted in complaint.all):
            return complaint.id
    return OTHER


@functools.lru_cache(maxsize=400)
def usual_causes(matter: Matter) -> Shares:
    """The causes that known tickets with such a complaint had, and their shares, which sum up to 1."""
    counted = learned().complaints
    of_all: dict[str, float] = dict.fromkeys(cause_files(), 1.0)
    for causes in counted.values():
        for cause, count in causes.items():
            if cause in of_all:
                of_all[cause] += count
    of_all.pop(UNKNOWN, None)
    oftener = {
        name: often
        for row in Questions.read().complaint
        for name, often in row.oftener.items()
        if row.id == matter.complaint
    }
    seen = dict.fromkeys(oftener, 1) | counted.get(matter.complaint, {})
    here = {cause: count * oftener.get(cause, 1.0) for cause, count in seen.items() if cause in of_all}
    whole, some = sum(of_all.values()), sum(here.values()) or 1.0
    usual = {
        cause: (BASE * base / whole + (1 - BASE) * here.get(cause, 0.0) / some)
        * (FOREIGN if cause in matter.foreign else 1.0)
        for cause, base in of_all.items()
    }
    kept = sum(usual.values())
    return {cause: share / kept for cause, share in usual.items()}


def opened(shares: Shares, matter: Matter) -> dict[str, float]:
    """The shares, which sum up to 1, with what the text leaves open spread over the causes of such complaints.

    That is most of what is unknown, and what every cause has that the text is like in nothing.
    """
    whole = sum(shares.values()) or 1.0
    usual = usual_causes(matter)
    known = {cause: shares.get(cause, 0.0) / whole for cause in {*usual, *shares}}
    nothing = statistics.median(known[cause] for cause in usual)
    unknown = known.pop(UNKNOWN, 0.0)
    left = {cause: max(share - nothing, 0.0) for cause, share in known.items()}
    spread = sum(known.values()) - sum(left.values()) + unknown * OPENED
    belief = {cause: share + spread * usual.get(cause, 0.0) for cause, share in left.items()}
    return belief | {UNKNOWN: unknown * (1.0 - OPENED)}


def moved(belief: Shares, question: str, choice: str) -> dict[str, float]:
    """The belief once a question was answered by this choice."""
    table = choice_shares(question)[choice]
    told = {cause: share * table.get(cause, 0.0) for cause, share in belief.items()}
    whole = sum(told.values()) or 1.0
    return {cause: share / whole for cause, share in told.items()}


def pasted(belief: Shares, question: str, facts: Facts, named: Collection[str], found: Collection[str]) -> Shares:
    """The belief once something was pasted for a question.

    ``named``: the causes that a signature or a check names then; the others that it could show are the less likely.
    ``found``: those that a check proves, which it does of few that are not the cause.
    """
    shows, told = shown_shares(question), [row for row in questions()[question].tells if holds(row.when, facts)]
    borne_out = {cause for row in told for cause, share in row.shares.items() if share >= EVEN > row.usual}

    def kept(cause: str) -> float:
        factor = math.prod(row.share(cause) for row in told)
        if cause in found:
            factor *= max(shows.get(cause, 0.0), SELDOM) / FALSELY
        return factor if cause in named or cause in borne_out else factor * (1.0 - shows.get(cause, 0.0))

    left = {cause: share * kept(cause) for cause, share in belief.items()}
    whole = sum(left.values()) or 1.0
    return {cause: share / whole for cause, share in left.items()}


def with_answers(shares: Shares, facts: Facts, named: Collection[str], found: Collection[str]) -> dict[str, float]:
    """The shares once all questions are counted that were answered. ``named``, ``found``: see :func:`pasted`."""
    told = _told(facts.asked)
    if not told:
        return dict(shares)
    belief: Shares = opened(shares, matter_of(facts))
    for place, asked in enumerate(told):
        if asked.choice:
            belief = moved(belief, asked.question, asked.choice)
        else:  # what a check finds in all that was pasted counts once
            is_last = not any(later.is_pasted for later in told[place + 1 :])
            belief = pasted(belief, asked.question, facts, named, found if is_last else ())
    return dict(belief)


def _told(asked: Sequence[AskedQuestion]) -> list[AskedQuestion]:
    """Those that were answered, as far as this version knows the question and the answer."""
    known = [one for one in asked if one.question in questions() and (one.choice or one.is_pasted)]
    return [one for one in known if not one.choice or questions()[one.question].choice(one.choice)]
