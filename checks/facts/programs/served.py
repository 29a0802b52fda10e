"""A served model: the server that answers prompts, and what came of asking it the same again."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from checks.facts.base import Fact


class ServedAspect(StrEnum):
    """Under which conditions a prompt was asked again (checks/probes/served/trials.py)."""

    ALONE = "alone"  # nothing of ours beside it
    COMPANY = "company"  # with other prompts at the same time; beside the usual answer alone
    CACHE = "cache"  # a beginning that the server never saw, beside the same again
    SHARED = "shared"  # a beginning that another prompt had before, beside the same again
    BYPASS = "bypass"  # as CACHE, with the cache switched off in the request
    SEED = "seed"  # with a seed at a temperature at which it decides


class ServedAnswer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An answer that is kept, to be compared with another server's. Logprobs are natural logarithms.

    ``length``: characters of the whole text; where ``text`` has others, something in it was hidden or left out.
    ``ends``: the place behind each token, in characters; () where the tokens are not those of the text. ``gaps``: how
    far the second likeliest token is behind the likeliest; None: not told. ``finish``: why it ended ("stop", "length").
    """

    text: str = ""
    length: int = 0
    ends: tuple[int, ...] = ()
    logprobs: tuple[float, ...] = ()
    gaps: tuple[float | None, ...] = ()
    finish: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether nothing of the text is hidden or left out."""
        return len(self.text) == self.length


class ServedParting(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where another answer parts from the usual one. Logprobs are natural logarithms; None: the server tells none.

    ``token``: the place, counted from 0; ``usual``, ``other``: what stands there. ``gap``, ``other_gap``: how far the
    second likeliest token is behind the likeliest there, in each answer. ``below``: how far a token that was taken is
    behind the likeliest, the larger of both. ``drift``: the largest distance between the logprobs of the tokens
    before. ``count``: answers that are this one.
    """

    character: int = 0
    before: str = ""
    token: int | None = None
    usual: str = ""
    other: str = ""
    gap: float | None = None
    other_gap: float | None = None
    below: float | None = None
    drift: float | None = None
    count: int = 1


class ServedTrial(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One prompt under one condition. Of CACHE, SHARED and BYPASS one repetition is a group of three answers.

    ``prompt``: its name; ``text``: what was asked. ``others``: answers of another text than the usual one alone; of
    groups those whose first is not like the second. ``as_first``: of the others those that are like the very first
    answer, or of which the server says to have taken less from its cache. ``control``: groups whose third is not like
    the second. ``compared``: answers of the same text of which the logprobs were compared, ``drifted`` those that
    differ (and are none of these), ``control_drifted`` the same of second and third; ``drift``: the largest distance.
    ``cached_cold``, ``cached_warm``: tokens of the prompt that the server says to have taken from its cache, of the
    first and second of a group. ``first_differs``: the very first answer was another. ``unlikely``: tokens of the usual
    answer that are not the likeliest. ``fingerprints``, ``models``: as the server names itself and the model in its
    answers, with their number. ``other_seeds``: answers with other seeds, ``other_texts`` those with another text.
    ``seconds``: of one answer, the median. ``reason``: why it ended early (a problem of resources/words/served.toml, or
    "no-time"), ``status``, ``detail``: the server's number and words. ``failed``: requests that a fault of the server
    answered, behind which the trial went on.
    """

    aspect: str
    prompt: str
    planned: int = 0
    text: str = ""
    repetitions: int = 0
    others: int = 0
    distinct: int = 0
    as_first: int = 0
    control: int = 0
    compared: int = 0
    drifted: int = 0
    control_drifted: int = 0
    drift: float | None = None
    partings: tuple[ServedParting, ...] = ()
    first_differs: bool = False
    at_once: int = 1
    cached_cold: int | None = None
    cached_warm: int | None = None
    unlikely: int = 0
    tokens: int = 0
    prompt_tokens: int | None = None
    temperature: float = 0.0
    other_seeds: int = 0
    other_texts: int = 0
    fingerprints: dict[str, int] = {}
    models: dict[str, int] = {}
    seconds: float | None = None
    answer: ServedAnswer | None = None
    failed: int = 0
    reason: str = ""
    status: str = ""
    detail: str = ""


class ServedFacts(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """A server with an OpenAI-compatible API, as it was seen from outside, and its trials.

    ``kind``: an id of resources/knowledge/frameworks/served.toml; "": not known. ``answered_as``: the model's name in
    its answers. ``endpoint``: below the API's address. ``has_tokens``, ``has_tops``: whether it tells the tokens with
    their logprobs, and the likeliest ones beside these. ``is_promised``: whether the server says that a deterministic
    mode is on; None: it does not say. ``is_claimed``: its user says so. ``problem``: why it could not be asked, an id
    [problem-...] of resources/words/served.toml; then there are no trials. ``requests``: the most that were announced.
    """

    url: str = ""
    kind: str = ""
    version: str = ""
    model: str = ""
    models: tuple[str, ...] = ()
    answered_as: str = ""
    endpoint: str = ""
    settings: dict[str, str] = {}
    has_tokens: bool = False
    has_tops: bool = False
    is_promised: bool | None = None
    is_claimed: bool = False
    max_tokens: int = 0
    requests: int = 0
    trials: tuple[ServedTrial, ...] = ()
    problem: str = ""
    problem_values: dict[str, str] = {}

    def of(self, aspect: ServedAspect) -> tuple[ServedTrial, ...]:
        """The trials of one aspect in which anything was asked."""
        return tuple(trial for trial in self.trials if trial.aspect == aspect and trial.repetitions)


class ServedPair(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """Two examinations of served models beside each other: of two servers, or of one before and after a restart."""

    first: ServedFacts
    second: ServedFacts
    names: tuple[str, str] = ("", "")
