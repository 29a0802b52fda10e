"""The answers of two servers, or of one before and after a restart, beside each other."""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from checks.analysis.served.variation import Variation, has_effect
from checks.facts import ServedAnswer, ServedAspect, ServedFacts, ServedPair, ServedParting, ServedTrial
from checks.facts.phrase import Phrase
from checks.knowledge.frameworks.served import server_name
from checks.knowledge.phrases import phrase

_SHOWN = 40  # characters behind a parting that are shown


@dataclass(frozen=True)
class Compared:
    """One prompt on both sides. ``parting``: where the texts part; None: the same, as far as both go.

    ``is_hidden``: something in a text was hidden or left out, so that equal texts prove nothing. ``drift``: the largest
    distance between the logprobs of the tokens that both begin with. ``tokens``: of the prompt, on each side.
    ``is_steady``: whether each side was asked often enough, and never parted from itself before the place where the two
    part: then they are apart also where one of them varies by itself.
    """

    prompt: str
    parting: ServedParting | None
    is_hidden: bool
    drift: float | None
    tokens: tuple[int | None, int | None]
    is_steady: bool

    @property
    def is_same(self) -> bool:
        """Whether the texts are the same, and nothing of them is hidden."""
        return self.parting is None and not self.is_hidden

    @property
    def is_prompt_other(self) -> bool:
        """Whether the servers make another number of tokens of the prompt: another template or vocabulary."""
        return None not in self.tokens and self.tokens[0] != self.tokens[1]


@dataclass(frozen=True)
class Different:
    """What is known of both servers and differs: an id of fields.toml, and its value on each side."""

    name: str
    first: str
    second: str


def compared(pair: ServedPair) -> tuple[Compared, ...]:
    """Each prompt that both were asked, in the same words."""
    theirs = {trial.prompt: trial for trial in pair.second.of(ServedAspect.ALONE)}
    found = []
    for mine in pair.first.of(ServedAspect.ALONE):
        match = theirs.get(mine.prompt)
        if match is not None and match.text == mine.text and mine.answer is not None and match.answer is not None:
            found.append(_compared(mine, match, mine.answer, match.answer))
    return tuple(found)


def unanswered(pair: ServedPair) -> tuple[str, ...]:
    """The sides that never answered what both were asked in the same words, by name."""
    asked = [{(trial.prompt, trial.text): trial for trial in one.trials if _is_asked(trial)} for one in _sides(pair)]
    common = asked[0].keys() & asked[1].keys()
    return tuple(
        name
        for name, trials in zip(pair.names, asked, strict=True)
        if common and not any(trials[key].repetitions for key in common)
    )


def _is_asked(trial: ServedTrial) -> bool:
    return trial.aspect == ServedAspect.ALONE


def varying(pair: ServedPair) -> tuple[tuple[str, Variation], ...]:
    """The sides that gave other answers to one prompt alone, by name; a colder cache is no such variation."""
    sides = ((name, Variation(one.of(ServedAspect.ALONE))) for name, one in zip(pair.names, _sides(pair), strict=True))
    return tuple((name, alone) for name, alone in sides if alone.new_others)


def varying_phrases(pair: ServedPair) -> tuple[Phrase, ...]:
    """Which side does not repeat itself, and how often."""
    return tuple(
        phrase("served-side-varies", name=name, others=str(alone.new_others), calls=str(alone.calls))
        for name, alone in varying(pair)
    )


def _sides(pair: ServedPair) -> tuple[ServedFacts, ServedFacts]:
    return pair.first, pair.second


def differences(pair: ServedPair) -> tuple[Different, ...]:
    """What the two servers tell of themselves and is not the same."""
    first, second = _told(pair.first), _told(pair.second)
    return tuple(
        Different(name, first[name], second[name])
        for name in first
        if name in second and first[name] != second[name] and first[name] and second[name]
    )


def told_by_one(pair: ServedPair) -> bool:
    """Whether one of them tells of itself what the other does not."""
    first, second = ({name for name, value in _told(one).items() if value} for one in _sides(pair))
    return first != second


def _told(served: ServedFacts) -> dict[str, str]:
    builds = sorted({name for trial in served.trials for name in trial.fingerprints})
    settings = {f"setting {name}": value for name, value in sorted(served.settings.items())}
    return {
        "server": server_name(served.kind),
        "server_version": served.version,
        "served_model": served.answered_as or served.model,
        "system_fingerprint": ", ".join(builds),
        **settings,
    }


def _compared(mine: ServedTrial, theirs: ServedTrial, first: ServedAnswer, second: ServedAnswer) -> Compared:
    place = _common(first.text, second.text)
    drift = _drift(first, second, place)
    is_cut = place == min(len(first.text), len(second.text)) and _goes_on(first, second)
    parting = None if place == len(first.text) == len(second.text) or is_cut else _parting(first, second, place, drift)
    return Compared(
        prompt=mine.prompt,
        parting=parting,
        is_hidden=not (first.is_whole and second.is_whole),
        drift=drift,
        tokens=(mine.prompt_tokens, theirs.prompt_tokens),
        is_steady=parting is not None and _is_steady(mine, theirs, place),
    )


def _is_steady(mine: ServedTrial, theirs: ServedTrial, place: int) -> bool:
    """Whether all answers of each side were the same up to the place, and enough of them to rule out chance."""
    for trial in (mine, theirs):
        is_whole = trial.distinct - 1 <= len(trial.partings)  # of each other answer it is kept where it parts
        if trial.others and not (is_whole and all(parting.character > place for parting in trial.partings)):
            return False
    return has_effect(theirs.repetitions, theirs.repetitions, mine.repetitions)


def _goes_on(first: ServedAnswer, second: ServedAnswer) -> bool:
    """Whether the shorter of two texts was only cut off by the number of tokens that was asked for."""
    shorter = min(first, second, key=lambda answer: len(answer.text))
    return len(first.text) != len(second.text) and shorter.finish == "length"


def _parting(first: ServedAnswer, second: ServedAnswer, place: int, drift: float | None) -> ServedParting:
    token = _token_at(first, place)
    return ServedParting(
        character=place,
        before=first.text[max(0, place - _SHOWN) : place],
        token=token,
        usual=first.text[place : place + _SHOWN],
        other=second.text[place : place + _SHOWN],
        gap=_at(first.gaps, token),
        other_gap=_at(second.gaps, _token_at(second, place)),
        drift=drift,
    )


def _token_at(answer: ServedAnswer, place: int) -> int | None:
    """The token that holds a character; None where the tokens are not told, or are not those of this text."""
    if not answer.ends or not answer.is_whole:
        return None
    return bisect.bisect_right(answer.ends, place)


def _at(gaps: Sequence[float | None], token: int | None) -> float | None:
    return gaps[token] if token is not None and token < len(gaps) else None


def _drift(first: ServedAnswer, second: ServedAnswer, place: int) -> float | None:
    """Over the tokens before the place that end at the same characters; of one text over all."""
    if first.text == second.text and len(first.logprobs) == len(second.logprobs):
        sides = zip(first.logprobs, second.logprobs, strict=True)
        return max((abs(mine - theirs) for mine, theirs in sides), default=None)
    return max(_distances(first, second, place), default=None)


def _distances(first: ServedAnswer, second: ServedAnswer, place: int) -> Iterator[float]:
    if not (first.is_whole and second.is_whole):
        return
    sides = zip(first.ends, second.ends, first.logprobs, second.logprobs, strict=False)
    for end, other_end, logprob, other in sides:
        if end != other_end or end > place:
            return
        yield abs(logprob - other)


def _common(first: str, second: str) -> int:
    shorter = min(len(first), len(second))
    return next((place for place in range(shorter) if first[place] != second[place]), shorter)
