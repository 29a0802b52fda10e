"""Learn which words are usual for which cause, from the catalogue alone: ``python -m checks.readers.ticket.learn``.

Run it after texts of the catalogue have changed; a test says so. Learned from: what each cause's file says (in both
languages), how people tell of it (``said``, and resources/said.jsonl: one object per line with ``cause`` and ``text``,
all in words of our own) and how programs word it (``speaks`` of its signatures). Tickets are never learned from, so
that they can test. The method is ridge regression on the features of each text, with the cause as target (Hoerl and
Kennard 1970), solved in its dual form: texts x texts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from checks.causes import Cause, cause_files, cause_of
from checks.knowledge.ticket_phrases import ticket_phrases
from checks.readers.ticket.features import KINDS, SLOTS, features
from checks.readers.ticket.resemblance import LEARNED, Floats, Learned, vector
from checks.resources import ROOT

RIDGE = 0.5  # the penalty; chosen by leaving out a fifth of the texts at a time, 2026-11-21
LEVELS = 127  # the weights are stored as whole numbers from -127 to 127

SAID = ROOT / "said.jsonl"

Example = tuple[str, str]  # a text and its cause


class _Said(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    cause: str
    text: str


def examples() -> tuple[Example, ...]:
    """Every text of the catalogue with its cause."""
    of_files = tuple((text, cause) for cause in cause_files() for text in _texts(cause_of(cause)))
    said = msgspec.json.Decoder(_Said).decode_lines(SAID.read_bytes())
    return (*of_files, *((each.text, each.cause) for each in said))


def learn(known: Sequence[Example]) -> Learned:
    """The weights for these examples."""
    found = [features(text) for text, _ in known]
    rarity: Floats = np.empty((KINDS, SLOTS), np.float32)
    for kind in range(KINDS):
        count = np.zeros(SLOTS)
        for each in found:
            count[list(each[kind])] += 1
        rarity[kind] = np.log((1 + len(found)) / (1 + count)) + 1
    causes = tuple(sorted({cause for _, cause in known}))
    place = {cause: index for index, cause in enumerate(causes)}
    target = -np.ones((len(known), len(causes)), np.float32)
    for row, (_, cause) in enumerate(known):
        target[row, place[cause]] = 1
    bias = target.mean(axis=0)
    texts = np.stack([vector(each, rarity) for each in found])
    alike = texts @ texts.T + RIDGE * np.eye(len(known), dtype=np.float32)
    weights = texts.T @ np.linalg.solve(alike, target - bias)
    return Learned(causes, rarity, weights, bias)


def digest(known: Sequence[Example]) -> str:
    """Tells whether the stored weights are of these examples and phrases."""
    phrases = "\n".join(f"{row.id}\t{row.pattern}" for row in ticket_phrases().row)
    return hashlib.sha256(repr((known, phrases)).encode("utf-8", "replace")).hexdigest()


def save(learned: Learned, digest_of_texts: str, path: Path = LEARNED) -> None:
    """Write the weights, rounded to LEVELS, with the digest of what they were learned from."""
    scale = np.abs(learned.weights).max(axis=0) / LEVELS
    np.savez_compressed(
        path,
        causes=np.array(learned.causes),
        rarity=learned.rarity.astype(np.float16).astype(np.float32),
        weights=np.rint(learned.weights / scale).astype(np.int8),
        scale=scale.astype(np.float32),
        bias=learned.bias.astype(np.float32),
        digest=np.array(digest_of_texts),
    )


def _texts(cause: Cause) -> tuple[str, ...]:
    words = tuple(f"{text.title} {text.why} {text.explanation}" for text in (cause.text.en, cause.text.ja))
    spoken = tuple(text for signature in cause.signature for text in signature.speaks)
    return (*words, *cause.said, *spoken)


if __name__ == "__main__":
    everything = examples()
    save(learn(everything), digest(everything))
