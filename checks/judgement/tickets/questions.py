"""Which question to ask about a ticket: the one whose answer is expected to change the remedy for the better.

Exactly one cause is taken to be the root cause. To act now is to carry out the remedy that serves the likeliest causes.
A question is worth what its answer is expected to gain in certainty about the remedy, for each minute that it costs
the customer: decision-theoretic troubleshooting with the value of information one step ahead (Heckerman, Breese and
Rommelse 1995, "Decision-theoretic troubleshooting", Communications of the ACM 38(3)). Certainty is the length of the
vector of the remedies' shares: 1 where one remedy is certain, and unlike the largest share alone it also rises where
an answer leaves five equally likely remedies of ten. Where every answer leaves the same remedy best, nothing is asked.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from checks.facts import Facts
from checks.facts.case import Case
from checks.judgement.judge import judge_each
from checks.judgement.tickets.belief import Shares, matter_of, moved, opened
from checks.judgement.tickets.odds import candidates
from checks.knowledge.catalogue import UNKNOWN, cause_of
from checks.knowledge.tickets.questions import TicketQuestion, choice_shares, pattern, questions, shown_shares
from checks.readers.tickets.conditions import is_known

# Of certainty, below which nobody is asked: where something would be done already, and where nothing is likely yet.
LEAST_GAIN, LEAST_GAIN_UNDECIDED = 0.04, 0.015
EVEN = 0.5  # below, nothing is called the cause
LEAST_CHANGE = 0.05  # how likely it must be that the answer makes another remedy the best one
ROUND = 1.0  # what it costs to ask at all, whatever is asked
MOST_ASKED = 3  # after so many answers the desk does not learn what it needs by asking


@dataclass(frozen=True, slots=True)
class NextQuestion:
    """A question worth asking. ``gain``: the expected one in certainty of the remedy, from 0 to 1.

    ``parts``: the causes that its answers part, the likeliest first, each of another remedy.
    """

    question: TicketQuestion
    gain: float
    parts: tuple[str, ...]


def next_questions(case: Case) -> tuple[NextQuestion, ...]:
    """The questions worth asking about a ticket, the best first; none of an examined machine, which is probed."""
    facts = case.facts
    if not facts.reported or sum(1 for asked in facts.asked if asked.choice or asked.is_pasted) >= MOST_ASKED:
        return ()
    matter = matter_of(facts)
    known = candidates(facts, tuple(judge_each(facts)))
    remedies = {cause: candidate.remedy for cause, candidate in known.items()}
    belief = opened({cause: candidate.share for cause, candidate in known.items()}, matter)
    is_decided = max(by_remedy(belief, remedies).values(), default=0.0) >= EVEN
    least = LEAST_GAIN if is_decided else LEAST_GAIN_UNDECIDED
    worth = [_worth(question, belief, remedies) for question in open_questions(facts, matter.complaint)]
    return tuple(sorted((one for one in worth if one.gain >= least), key=_by_worth))


def _by_worth(asked: NextQuestion) -> tuple[float, str]:
    return -asked.gain / (ROUND + asked.question.cost), asked.question.id


def open_questions(facts: Facts, complaint: str) -> Iterator[TicketQuestion]:
    """Those that fit the complaint, were not asked, and whose answer neither stands in the text nor in the facts."""
    text = "\n".join(log.text or "" for log in facts.logs)
    asked = {one.question for one in facts.asked}
    for question in questions().values():
        fits = not question.for_complaints or complaint in question.for_complaints
        if fits and question.id not in asked and not is_answered(question, facts, text):
            yield question


def is_answered(question: TicketQuestion, facts: Facts, text: str) -> bool:
    """Whether the text or the facts tell the answer already, or the question makes no sense of such a text."""
    if question.needs and not pattern(question.needs).search(text):
        return True
    return is_told(question, facts, text)


def is_told(question: TicketQuestion, facts: Facts, text: str) -> bool:
    """Whether the answer of a question stands in a text, or in the facts that it states."""
    return (
        bool(question.known and pattern(question.known).search(text))
        or any(choice.is_in(text) for choice in question.answer)
        or any(is_known(name, facts) for name in question.known_when)
    )


def _worth(question: TicketQuestion, belief: Shares, remedies: Mapping[str, str]) -> NextQuestion:
    now = by_remedy(belief, remedies)
    outcomes = [(chance, after, by_remedy(after, remedies)) for chance, after in _outcomes(question, belief)]
    others = sum(chance for chance, _, served in outcomes if _is_other(served, now))
    if others < LEAST_CHANGE:
        return NextQuestion(question, 0.0, ())
    then = sum(chance * certainty(served) for chance, _, served in outcomes)
    gain = (then - certainty(now)) * (1.0 - question.refused)
    parts = _parts(((chance, after) for chance, after, _ in outcomes), remedies)
    return NextQuestion(question, round(max(gain, 0.0), 4), tuple(parts))


def _is_other(then: Mapping[str, float], now: Mapping[str, float]) -> bool:
    """Whether something else would be done: another remedy, or one of which it was not likely that it serves."""
    best = _best(then)
    return best != _best(now) or then.get(best, 0.0) >= EVEN > now.get(best, 0.0)


def _best(served: Mapping[str, float]) -> str:
    return max(served, key=lambda remedy: served[remedy], default="")


def certainty(served: Mapping[str, float]) -> float:
    """How certain the remedy is, from the shares of the causes that each serves: 0 to 1."""
    return math.hypot(*served.values())


def _outcomes(question: TicketQuestion, belief: Shares) -> Iterator[tuple[float, Shares]]:
    """Each answer that may come: how likely it is, and the belief after it."""
    if question.paste:
        shows = shown_shares(question.id)
        for cause, share in shows.items():
            if belief.get(cause, 0.0) > 0.0:
                yield belief[cause] * share, {cause: 1.0}
        left = {cause: share * (1.0 - shows.get(cause, 0.0)) for cause, share in belief.items()}
        whole = sum(left.values()) or 1.0
        yield whole, {cause: share / whole for cause, share in left.items()}
        return
    for choice, table in choice_shares(question.id).items():
        yield sum(share * table.get(cause, 0.0) for cause, share in belief.items()), moved(belief, question.id, choice)


def by_remedy(belief: Shares, remedies: Mapping[str, str]) -> dict[str, float]:
    """The share of the causes that each remedy serves; what is unknown has none. ``remedies``: the first of a cause."""
    served: dict[str, float] = defaultdict(float)
    for cause, share in belief.items():
        if cause != UNKNOWN and (remedy := _remedy_of(cause, remedies)):
            served[remedy] += share
    return served


def _remedy_of(cause: str, remedies: Mapping[str, str]) -> str:
    return remedies[cause] if cause in remedies else next(iter(cause_of(cause).remedies), "")


def _parts(outcomes: Iterable[tuple[float, Shares]], remedies: Mapping[str, str]) -> Iterator[str]:
    """The likeliest cause of each remedy that is the best one after some answer."""
    best: dict[str, float] = {}
    for chance, after in outcomes:
        likely = max((cause for cause in after if cause != UNKNOWN), key=lambda cause: after[cause], default="")
        if likely:
            best[likely] = best.get(likely, 0.0) + chance
    seen: set[str] = set()
    for cause in sorted(best, key=lambda cause: -best[cause]):
        remedy = _remedy_of(cause, remedies)
        if remedy not in seen:
            seen.add(remedy)
            yield cause
