"""Which causes a text resembles: for what people tell in their own words, where no signature decides.

resources/resemblance.npz holds a weight per feature and cause (see learn.py).
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from checks.readers.ticket.features import KINDS, LONGEST, SLOTS, features, holds_phrase, words
from checks.readers.ticket.lines import Line
from checks.resources import ROOT

LEARNED = ROOT / "resemblance.npz"
TROUBLE = "trouble"  # the phrase of a complaint

_LISTED = re.compile(
    r"\s*\||[\W_]*[\w/().#,-]{1,30}(?: [\w/().#,-]{1,30}){0,4} ?[:=|]"
)  # "key: value", rows of a table
_CONNECTING = re.compile(
    r"\b(?:the|an?|is|are|but|and|i|my|we|not|if|when|than|same|from|only|with|it)\b", re.IGNORECASE
)
_COURTESY = re.compile(  # says nothing of any trouble
    r"(?:どうぞ)?よろしく(?:お願い)?(?:いた|致)?し?(?:ます)?|お願い(?:いた|致)?します|お世話になって(?:おり|い)ます|"
    r"ありがとうございま(?:す|した)|こんにちは|はじめまして|初めまして|失礼します|です|谢谢|您好|你好|麻烦了|请多关照"
)
_UNSPACED = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")  # written without spaces between words
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Learned:
    """``rarity``: weight of each slot, one row per kind of feature. ``weights``: slot x cause. ``bias``: per cause."""

    causes: tuple[str, ...]
    rarity: Floats
    weights: Floats
    bias: Floats


def resembled(lines: Sequence[Line]) -> Mapping[str, float]:
    """How much the text resembles each cause, from about -1 to 1; nothing where it is a mere list of versions."""
    text = "\n".join(line.text for line in lines)[:LONGEST]
    found = features(text)
    if not holds_phrase(found, TROUBLE) and not any(_is_told(line.text) for line in lines):
        return {}
    learned = _learned()
    whole = vector(found, learned.rarity)
    present = np.flatnonzero(whole)  # a text has a fiftieth of the features
    scores = whole[present] @ learned.weights[present] + learned.bias
    return dict(zip(learned.causes, scores.tolist(), strict=True))


def vector(found: Sequence[Sequence[int]], rarity: Floats) -> Floats:
    """A text as one vector of SLOTS numbers; words, phrases and pieces weigh the same, whatever their count."""
    whole: Floats = np.zeros(SLOTS, np.float32)
    for kind in range(KINDS):
        slots = list(found[kind])
        if slots:
            weights = rarity[kind, slots]
            whole[slots] += weights / np.linalg.norm(weights)
    return whole


def _is_told(line: str) -> bool:
    """Whether a person wrote the line: several words in a row, or Japanese or Chinese, and no mere "key: value"."""
    is_sentence = _LISTED.match(line) is None or len(_CONNECTING.findall(line)) >= 3
    return is_sentence and (len(words(line.lower())) >= 5 or len(_UNSPACED.findall(_COURTESY.sub("", line))) >= 6)


@functools.cache
def _learned() -> Learned:
    with np.load(LEARNED, allow_pickle=False) as file:
        stored: dict[str, Any] = dict(file)
    weights = stored["weights"].astype(np.float32) * stored["scale"]
    return Learned(tuple(stored["causes"].tolist()), stored["rarity"], weights, stored["bias"])
