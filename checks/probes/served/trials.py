"""The same prompt again: alone, in company, behind a cold and a warm cache, and with a seed.

Every trial yields what it has so far, so that a cancel or a limit keeps it; the last of one aspect and prompt counts.
"""

import os
import threading
import time

from .answers import Tally, drift_of, parting_of, portrait_of
from .connection import Refused

ALONE, COMPANY, CACHE, SHARED, BYPASS, SEED = "alone", "company", "cache", "shared", "bypass", "seed"
NO_TIME = Refused("no-time")
_MOST_FAULTS = 5  # faults of the server in a row, behind which no more is asked
_BEAT = 2.0  # seconds between two reports of a trial that goes on
_HOT = 1.0  # temperature at which a seed has something to decide
_SEED = 20260101
_SHARES = {ALONE: 0.4, COMPANY: 0.5, CACHE: 0.6, SEED: 1.0}  # of the time that is left when it begins


class Session:
    """One server, the protocol that it speaks, and the time that is left."""

    def __init__(self, server, protocol, argument):
        self.server = server
        self.protocol = protocol
        self.argument = argument
        self.first = {}  # of each prompt the very first answer
        self.usual = {}  # and that which came next, alone
        self._end = time.monotonic() + argument["seconds"]
        self._until = self._end
        self._faults = 0  # in a row

    def begin(self, aspect):
        """Give a part of the measurements its share of the time that is left."""
        self._until = time.monotonic() + (self._end - time.monotonic()) * _SHARES[aspect]

    @property
    def is_over(self):
        """Whether the time of this part is up."""
        return time.monotonic() >= self._until

    def ask(self, prompt, **more):
        """One answer, with the seconds that it took."""
        body = self.protocol.body(prompt, more.pop("most_tokens", self.argument["max_tokens"]), **more)
        began = time.monotonic()
        try:
            reply = self.protocol.ask(self.server, body, self.argument["request_seconds"])
        except Refused as refused:
            self._faults += refused.problem == "fault"
            raise
        self._faults = 0
        reply.seconds = time.monotonic() - began
        return reply

    def goes_on(self, refused):
        """Whether the next request may be answered all the same: one that failed by a fault of the server is no end."""
        return refused.problem == "fault" and self._faults < _MOST_FAULTS


class Trial:
    """One aspect of one prompt, as a fact that grows."""

    def __init__(self, aspect, prompt, planned, **more):
        self._fixed = dict(more, aspect=aspect, prompt=prompt, planned=planned)
        self._reported = time.monotonic()
        self._fault = None

    def failed(self, refused):
        """Count a request that a fault of the server answered."""
        if refused.problem == "fault":
            self._fixed["failed"] = self._fixed.get("failed", 0) + 1
            self._fault = refused

    def facts(self, found, ended=None):
        """What is known now, as a line of the answer. ``ended``: why it ended early, a Refused."""
        self._reported = time.monotonic()
        fact = dict(found, **self._fixed)
        why = self._fault or ended
        if why is not None:
            values = why.values
            fact.update(reason=why.problem, status=values.get("status", ""), detail=values.get("words", ""))
        return {"trials+": [fact]}

    @property
    def is_due(self):
        """Whether it is time to say how far it is."""
        return time.monotonic() - self._reported > _BEAT


def alone(session):
    """Each prompt again and again, with nothing beside it, in turns: what changes with time hits all of them."""
    session.begin(ALONE)
    times = session.argument["times"]
    prompts = session.argument["prompts"]
    tallies = {prompt["name"]: Tally() for prompt in prompts}
    trials = {prompt["name"]: Trial(ALONE, prompt["name"], times, text=prompt["text"][:4000]) for prompt in prompts}
    ended = None
    for turn in range(times + 1):
        for prompt in prompts:
            name = prompt["name"]
            if not turn and name in session.first:
                tallies[name].first = session.first[name]
                continue
            if session.is_over and turn > 1:
                ended = NO_TIME
                break
            try:
                reply = session.ask(prompt["text"])
            except Refused as refused:
                trials[name].failed(refused)
                if session.goes_on(refused):
                    continue
                ended = refused
                break
            if turn and name in session.first:
                tallies[name].add(reply)
            else:
                session.first[name] = tallies[name].first = reply
            if trials[name].is_due:
                yield trials[name].facts(tallies[name].facts)
        if ended is not None:
            break
    for name, tally in tallies.items():
        facts = tally.facts
        if tally.usual is not None:
            session.usual[name] = tally.usual
            facts["answer"] = portrait_of(tally.usual)
            first = session.first.get(name)
            facts["first_differs"] = first is not None and first.text != tally.usual.text
        yield trials[name].facts(facts, ended)


def company(session):
    """The prompts at the same time as others: in each round as many at once as planned, in another mixture."""
    session.begin(COMPANY)
    argument = session.argument
    prompts = [prompt for prompt in argument["prompts"] if prompt["name"] in session.usual]
    others = prompts + argument["companions"]
    if not prompts:
        return
    tallies = {
        prompt["name"]: Tally(session.usual[prompt["name"]], session.first.get(prompt["name"])) for prompt in prompts
    }
    at_once, ended = argument["at_once"], None
    trials = {prompt["name"]: Trial(COMPANY, prompt["name"], argument["rounds"], at_once=at_once) for prompt in prompts}
    for turn in range(argument["rounds"] * len(prompts)):
        if session.is_over:
            ended = NO_TIME
            break
        subject = prompts[turn % len(prompts)]
        beside = [others[(turn + place) % len(others)] for place in range(1, at_once - turn % 2)]
        replies = _together(session, [subject, *beside])
        mine = replies[0]
        for failed in replies:
            if isinstance(failed, Refused):
                trials[subject["name"]].failed(failed)
        if isinstance(mine, Refused):
            if session.goes_on(mine):
                continue
            ended = mine
            break
        tallies[subject["name"]].add(mine)
        if trials[subject["name"]].is_due:
            yield trials[subject["name"]].facts(tallies[subject["name"]].facts)
    for name, tally in tallies.items():
        yield trials[name].facts(tally.facts, ended)


def _together(session, prompts):
    """The answers to several prompts that are sent at once; in the place of one that failed why it did."""
    replies = [None] * len(prompts)

    def ask(place, prompt):
        try:
            replies[place] = session.ask(prompt["text"])
        except Refused as refused:
            replies[place] = refused

    threads = [threading.Thread(target=ask, args=pair, daemon=True) for pair in enumerate(prompts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return replies


def cache(session):
    """Prompts whose beginning the server has never seen, and the same again: once it may have kept what it computed.

    Each group begins with a number of its own. ``others``: groups whose first answer is another than the second, of
    which the whole beginning is known; ``control``: groups whose third is another than the second.
    """
    session.begin(CACHE)
    argument = session.argument
    depends = False
    for aspect, name, beginning in (
        (CACHE, "short", ""),
        (CACHE, "long", argument["prefix"]),
        (SHARED, "long", argument["prefix"]),
    ):
        group = _Groups()
        yield from _groups(session, aspect, name, beginning, group)
        depends = depends or group.depends
    if depends and argument["bypass"]:
        yield from _groups(session, BYPASS, "long", argument["prefix"], _Groups(), argument["bypass"])


def _groups(session, aspect, name, beginning, group, extra=None):
    planned, tail = session.argument["groups"], session.argument["prompts"][0]["text"]
    trial, ended = Trial(aspect, name, planned), None
    for _ in range(planned):
        if session.is_over:
            ended = NO_TIME
            break
        start = "[%s] %s\n\n" % (os.urandom(4).hex(), beginning)
        try:
            if aspect == SHARED:  # another prompt with the same beginning: then a part of the next is known
                session.ask(start + session.argument["companions"][0]["text"], most_tokens=1)
            replies = [session.ask(start + tail, extra=_fresh(extra)) for _ in range(3)]
        except Refused as refused:
            trial.failed(refused)
            if session.goes_on(refused):
                continue
            ended = refused
            break
        group.add(*replies)
        if trial.is_due:
            yield trial.facts(group.facts)
    yield trial.facts(group.facts, ended)


class _Groups:
    """Groups of three answers to one prompt: of a cache that is cold (or partly warm), warm, and warm."""

    def __init__(self):
        self._tally = {"repetitions": 0, "others": 0, "control": 0, "compared": 0, "drifted": 0, "control_drifted": 0}
        self._partings = []
        self._drift = None
        self._cached = [[], []]
        self._prompt_tokens = None

    def add(self, cold, warm, again):
        tally = self._tally
        tally["repetitions"] += 1
        tally["control"] += again.text != warm.text
        drift, control = drift_of(warm, cold), drift_of(warm, again)
        if drift is not None:
            self._drift = max(self._drift or 0.0, drift)
        if cold.text != warm.text:
            tally["others"] += 1
            if len(self._partings) < 10:
                self._partings.append(dict(parting_of(warm, cold), count=1))
        elif drift is not None:
            tally["compared"] += 1
            tally["drifted"] += drift > 0
            tally["control_drifted"] += bool(control)
        self._prompt_tokens = warm.prompt_tokens
        for kept, reply in zip(self._cached, (cold, warm)):
            if reply.cached is not None:
                kept.append(reply.cached)

    @property
    def depends(self):
        """Whether the first answer was seen to be another, in text or in numbers."""
        return bool(self._tally["others"] or self._tally["drifted"])

    @property
    def facts(self):
        facts = dict(self._tally, partings=self._partings)
        for name, kept in zip(("cached_cold", "cached_warm"), self._cached):
            if kept:
                facts[name] = sorted(kept)[len(kept) // 2]
        if self._drift is not None:
            facts["drift"] = self._drift
        if self._prompt_tokens is not None:
            facts["prompt_tokens"] = self._prompt_tokens
        return facts


def _fresh(extra):
    """Fields of a request that keep it from a cache; "{fresh}" is another word each time."""
    if extra is None:
        return None
    return {name: os.urandom(8).hex() if value == "{fresh}" else value for name, value in extra.items()}


def seed(session):
    """A seed at a temperature at which it decides: the same again, then others."""
    session.begin(SEED)
    argument = session.argument
    prompt = argument["prompts"][0]
    same, others, ended = Tally(), [], None
    trial = Trial(SEED, prompt["name"], argument["seeds"], temperature=_HOT)
    for turn in range(argument["seeds"]):
        if session.is_over and turn > 1:
            ended = NO_TIME
            break
        try:
            same.add(session.ask(prompt["text"], temperature=_HOT, seed=_SEED))
            if turn < argument["other_seeds"]:
                others.append(session.ask(prompt["text"], temperature=_HOT, seed=_SEED + 1 + turn).text)
        except Refused as refused:
            trial.failed(refused)
            if session.goes_on(refused):
                continue
            ended = refused
            break
        if trial.is_due:
            yield trial.facts(dict(same.facts, other_seeds=len(others), other_texts=0))
    usual = same.usual.text if same.usual is not None else None
    apart = sum(text != usual for text in others)
    yield trial.facts(dict(same.facts, other_seeds=len(others), other_texts=apart), ended)
