"""Which causes a text resembles: for what people write in their own words, beside what the signatures find.

resources/learned/resemblance.npz holds a weight per feature and cause (see learn.py). It is learned anew for a release,
not for a wording; a cause that is younger than the file resembles nothing yet.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from checks.knowledge.catalogue import cause_files, cause_of
from checks.paths import ROOT
from checks.readers.tickets.excerpt import excerpt
from checks.readers.tickets.lines import Line
from checks.readers.tickets.wording.features import LONGEST, SLOTS, features, holds_phrase, words
from checks.readers.tickets.wording.number_sets import Numbers, distinct

LEARNED = ROOT / "learned" / "resemblance.npz"
RULED_OUT = 0.2  # so much less like a cause is a text that says that it is not this
NOT_AT_ALL = -1.0
FEWEST_WORDS = 3  # different ones, that a text can be compared by
LONGEST_LINE = 400  # characters of one line of a long text
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
_COMPLAINT = re.compile(
    r"error|exception|fail|fatal|abort|crash|warn|cannot|could ?n[o']t|unable|unsupported|not (?:found|supported)|"
    r"mismatch|invalid|missing|refused|denied|\bnan\b|\bXid\b|エラー|失敗|できません|错误|失败",
    re.IGNORECASE,
)
# A time or a level stands before the line.
_LOGGED = re.compile(r"\W{0,3}(?:[\d/.-]{5,10}[T ])?\W{0,3}(?:\d\d:\d\d|(?:TRACE|DEBUG|INFO|NOTICE|I\d{4}|V\d{4})\b)")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")  # written without spaces between words
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Learned:
    """What learn.py found.

    ``texts``: how many it learned from. ``often``: in how many of them each slot stands, one row per kind of feature.
    ``weights``: slot x cause, whole numbers, most of them 0, to be multiplied by the ``scale`` of the cause. ``bias``:
    per cause.
    """

    causes: tuple[str, ...]
    texts: int
    often: npt.NDArray[np.uint16]
    weights: npt.NDArray[np.int8]
    scale: Floats
    bias: Floats

    @functools.cached_property
    def rarity(self) -> Floats:
        """The weight of each slot in a text, one row per kind of feature: its inverse document frequency.

        Rounded to half precision, which is exact enough, so that every machine computes with the same numbers.
        """
        frequency = (np.log((1 + self.texts) / (1 + self.often)) + 1).astype(np.float16)
        return frequency.astype(np.float32)

    @classmethod
    def from_store(cls, stored: Mapping[str, Any]) -> Learned:
        """What learn.py stored, as it compresses best: of each weight whether it is 0, and those that are not."""
        causes = tuple(stored["causes"].tolist())
        low, high = stored["often"].astype(np.uint16)
        often = low + (high << 8)
        shape = (often.shape[1], len(causes))
        weights = np.zeros(shape, np.int8)
        weights[np.unpackbits(stored["is_kept"], count=weights.size).view(bool).reshape(shape)] = stored["kept"]
        return cls(causes, int(stored["texts"]), often, weights, stored["scale"], stored["bias"])


def resembled(lines: Sequence[Line]) -> Mapping[str, float]:
    """How much the text resembles each cause: 1 as its own texts do, -1 (never less) not at all.

    Nothing where it is a mere list of versions, or too little to compare.
    """
    compared = _compared([line.text for line in excerpt(lines)])
    found = features("\n".join(compared))
    is_complaint = holds_phrase(found, TROUBLE) and len(found[0]) >= FEWEST_WORDS
    if not is_complaint and not any(map(_is_prose, compared)):
        return {}
    learned = _learned()
    present, numbers = vector(found, learned.rarity)
    scores = numbers @ learned.weights[present].astype(np.float32) * learned.scale + learned.bias
    alike = dict(zip(learned.causes, np.maximum(scores, NOT_AT_ALL).tolist(), strict=True))
    for cause, phrases in _ruling_out().items():
        if cause in alike and any(holds_phrase(found, phrase) for phrase in phrases):
            alike[cause] = max(alike[cause] - RULED_OUT, NOT_AT_ALL)
    return alike


def vector(found: Sequence[Sequence[int]], rarity: Floats) -> tuple[Numbers, Floats]:
    """A text as one vector of SLOTS numbers: the slots whose numbers are not 0 (a text has a fiftieth), and these.

    Each kind of feature weighs the same, however many there are of it.
    """
    kinds = [np.fromiter(slots, np.intp, len(slots)) for slots in found]
    present = distinct(np.concatenate(kinds), SLOTS)
    numbers: Floats = np.zeros(len(present), np.float32)
    for kind, slots in enumerate(kinds):
        if len(slots):
            weights = rarity[kind, slots]
            numbers[np.searchsorted(present, slots)] += weights / np.linalg.norm(weights)
    return present, numbers


def _compared(lines: Sequence[str]) -> list[str]:
    """All lines of an ordinary text; of a long one the prose first, and the first and last complaints.

    Lines that differ in their numbers alone, as those of a progress, are one.
    """
    if sum(map(len, lines)) + len(lines) <= LONGEST:
        return list(lines)
    reported = [line for line in lines if not _LOGGED.match(line) and _is_prose(line)]
    complaints = [_around(line, found) for line in lines if (found := _COMPLAINT.search(line))]
    room = LONGEST // 3
    first, last = _first(_distinct(complaints), room), _first(_distinct(complaints[::-1]), room)
    return list(dict.fromkeys([*_first(_distinct(reported), room), *first, *last[::-1]]))


def _distinct(lines: Sequence[str]) -> list[str]:
    """The lines, of those that differ in their numbers alone the first."""
    kept: dict[str, str] = {}
    for line in lines:
        kept.setdefault(_NUMBER.sub("0", line), line[:LONGEST_LINE])
    return list(kept.values())


def _around(line: str, found: re.Match[str]) -> str:
    """As much of a long line as is compared, with the complaint in it."""
    start = max(0, found.start() - LONGEST_LINE // 4)
    return line if len(line) <= LONGEST_LINE else line[start : start + LONGEST_LINE]


def _first(lines: Sequence[str], room: int) -> Sequence[str]:
    """As many of the first lines as fit into so many characters."""
    ends = itertools.accumulate(len(line) + 1 for line in lines)
    return lines[: sum(1 for _ in itertools.takewhile(lambda end: end <= room, ends))]


def _is_prose(line: str) -> bool:
    """Whether a person wrote the line: several words in a row, or Japanese or Chinese, and no mere "key: value"."""
    is_sentence = _LISTED.match(line) is None or len(_CONNECTING.findall(line)) >= 3
    return is_sentence and (len(words(line.lower())) >= 5 or len(_UNSPACED.findall(_COURTESY.sub("", line))) >= 6)


@functools.cache
def _ruling_out() -> dict[str, tuple[str, ...]]:
    return {cause: cause_of(cause).ruled_out for cause in cause_files() if cause_of(cause).ruled_out}


@functools.cache
def _learned() -> Learned:
    with np.load(LEARNED, allow_pickle=False) as file:
        return Learned.from_store(file)
