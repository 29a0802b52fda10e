"""Which causes a text resembles: for what people tell in their own words, where no signature stands in the text.

Each cause has a profile: the words, pairs of words and shared phrases (resources/knowledge/ticket_phrases.toml) of
what its file says and of how people tell it (``said``), weighed by how few causes they belong to (tf-idf, Sparck Jones
1972). A text is compared with every profile by the cosine of the angle between them: 0 nothing in common, 1 the same.
"""

from __future__ import annotations

import functools
import itertools
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import re2

from checks.causes import Cause, cause_files, cause_of
from checks.knowledge.ticket_phrases import expand, ticket_phrases
from checks.readers.ticket.lines import Line

LONGEST = 20_000  # characters of a text that are compared; what people say stands at its beginning
TROUBLE = "trouble"  # the phrase without which a text is a mere list
PHRASE = 2.0  # a shared phrase says more than a word
_WORD = re.compile(r"[a-z_]{2,}[a-z0-9_]*|[\u3040-\u30ff]{2,}|[\u4e00-\u9fff]{2}")


# Share of a cause = exp(SHARPNESS * cosine) over the sum of these of all causes named, and NONE for all others: fitted
# by maximum likelihood, 2026-11-21, on texts that were no part of the profiles.
SHARPNESS, NONE = 30.0, 4.0


@dataclass(frozen=True)
class Likeness:
    """A cause that a text resembles. ``cosine``: 0 to 1; ``share``: how likely it is the cause, from that alone."""

    cause: str
    cosine: float
    share: float


def resembled(lines: Sequence[Line], most: int = 8) -> tuple[Likeness, ...]:
    """The causes that the text resembles, the most alike first; none where nobody complains of anything."""
    profiles = _profiles()
    features = _features(_text(lines))
    if f"@{TROUBLE}" not in features:
        return ()
    weights = {name: factor * profiles.rarity.get(name, profiles.unseen) for name, factor in features.items()}
    length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
    likeness: dict[str, float] = defaultdict(float)
    for name, weight in weights.items():
        for cause, share in profiles.causes_of.get(name, ()):
            likeness[cause] += weight * share
    found = sorted(likeness.items(), key=lambda each: (-each[1], each[0]))[:most]
    powers = [math.exp(SHARPNESS * cosine / length) for _, cosine in found]
    whole = sum(powers) + NONE
    return tuple(
        Likeness(cause, cosine / length, power / whole) for (cause, cosine), power in zip(found, powers, strict=True)
    )


@dataclass(frozen=True)
class _Profiles:
    rarity: dict[str, float]  # feature -> weight
    unseen: float  # weight of a feature that no profile has
    causes_of: dict[str, tuple[tuple[str, float], ...]]  # feature -> (cause, its share in the cause's profile)


@functools.cache
def _profiles() -> _Profiles:
    documents = [(cause, _features(text)) for cause in cause_files() for text in _documents(cause_of(cause))]
    count = Counter(name for _, features in documents for name in features)
    rarity = {name: math.log(len(documents) / seen) for name, seen in count.items()}
    sums: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for cause, features in documents:
        weights = {name: factor * rarity[name] for name, factor in features.items()}
        length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        for name, weight in weights.items():
            sums[cause][name] += weight / length
    causes_of: dict[str, list[tuple[str, float]]] = defaultdict(list)
    for cause, profile in sums.items():
        length = math.sqrt(sum(weight * weight for weight in profile.values())) or 1.0
        for name, weight in profile.items():
            causes_of[name].append((cause, weight / length))
    shares = {name: tuple(causes) for name, causes in causes_of.items()}
    return _Profiles(rarity, math.log(len(documents)), shares)


def _documents(cause: Cause) -> Iterator[str]:
    for text in (cause.text.en, cause.text.ja):
        yield f"{text.title} {text.why} {text.explanation}"
    yield from cause.said
    for signature in cause.signature:
        yield from signature.speaks


def _text(lines: Sequence[Line]) -> str:
    return "\n".join(line.text for line in lines)[:LONGEST]


def _features(text: str) -> dict[str, float]:
    lowered = text.lower()
    words = _WORD.findall(lowered)
    features = dict.fromkeys(words, 1.0) | {f"{one} {two}": 1.0 for one, two in itertools.pairwise(words)}
    phrases = _phrases()
    present = phrases.Match(lowered.encode("utf-8", "replace"), False) or ()
    rows = ticket_phrases().row
    return features | dict.fromkeys((f"@{rows[number].id}" for number in present), PHRASE)


@functools.cache
def _phrases() -> Any:
    options = re2.Options()
    options.never_capture = True
    filter_ = re2.Filter()
    for row in ticket_phrases().row:
        filter_.Add(f"(?im){expand(row.pattern)}", options)
    filter_.Compile()
    return filter_
