"""Learn which words are usual for which cause: ``python -m tests.tools.learn``, in a checkout.

Run it after what it learns from has changed; a test says so. That is: what each cause's file says (in both languages),
how people tell of it (``said``, and tests/tools/said.jsonl: one object per line with ``cause`` and ``text``, all in
words of our own), how programs word it (``speaks`` of its signatures), and the real tickets of tests/tickets/known,
which count more. Those of tests/tickets/held_back are never learned from: they measure. The method is a linear
support vector machine with squared hinge loss for each cause against all others (Hsieh et al. 2008), by
scikit-learn, which only this module needs. It takes a minute.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import scipy.sparse
from sklearn.svm import LinearSVC

from checks.knowledge.catalogue import Cause, cause_files, cause_of
from checks.knowledge.tickets.phrases import ticket_phrases
from checks.readers.tickets.wording.features import KINDS, SLOTS, features, shared_phrases
from checks.readers.tickets.wording.resemblance import LEARNED, Floats, Learned, vector
from checks.readers.tickets.wording.signatures import wordings
from checks.readers.tickets.wording.wordings import FIXED_WORDS

COST = 0.3  # of a text on the wrong side; chosen, as REAL, by leaving out a quarter of the real tickets, 2026-11-21
REAL = 2.5  # a real ticket counts as so many texts that were written for the purpose
LEVELS = 127  # the weights are stored as whole numbers from -127 to 127

# A text whose features change with the making of features.
ONE_OF_EACH = "Each of two runs with the same seed=1 on an RTX 3090 ended differently, it_was 0.73. 結果が毎回違います"

SAID = Path(__file__).with_name("said.jsonl")
TICKETS = Path(__file__).parents[1] / "tickets" / "known"


@dataclass(frozen=True)
class Example:
    """A text, its causes (more than one where more are right), and as how many texts it counts.

    ``plausible``: causes that would be no wrong answer either; of these it is an example neither for nor against.
    """

    text: str
    causes: tuple[str, ...]
    counts: float = 1.0
    plausible: tuple[str, ...] = ()


class _Said(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    cause: str
    text: str


class _Ticket(msgspec.Struct, frozen=True):
    text: str
    expected: tuple[str, ...]
    also_plausible: tuple[str, ...]


def examples() -> tuple[Example, ...]:
    """Every text to learn from."""
    of_files = (Example(text, (cause,)) for cause in cause_files() for text in _texts(cause_of(cause)))
    said = msgspec.json.Decoder(_Said).decode_lines(SAID.read_bytes())
    tickets = msgspec.json.Decoder(_Ticket)
    real = (
        decode_line
        for file in sorted(TICKETS.glob("*.jsonl"))
        for decode_line in tickets.decode_lines(file.read_bytes())
    )
    return (
        *of_files,
        *(Example(each.text, (each.cause,)) for each in said),
        *(Example(each.text, each.expected, REAL, each.also_plausible) for each in real),
    )


def learn(known: Sequence[Example]) -> Learned:
    """The weights for these examples."""
    found = [features(each.text) for each in known]
    rarity: Floats = np.empty((KINDS, SLOTS), np.float32)
    for kind in range(KINDS):
        count = np.zeros(SLOTS)
        for each in found:
            count[list(each[kind])] += 1
        rarity[kind] = (np.log((1 + len(found)) / (1 + count)) + 1).astype(np.float16)  # so exact is enough
    vectors = [vector(each, rarity) for each in found]
    rows = np.repeat(np.arange(len(found)), [len(present) for present, _ in vectors])
    columns, numbers = (np.concatenate(each) for each in zip(*vectors, strict=True))
    texts = scipy.sparse.csr_matrix((numbers, (rows, columns)), shape=(len(found), SLOTS))
    counts = np.array([each.counts for each in known])
    causes = tuple(sorted({cause for each in known for cause in each.causes}))
    weights: Floats = np.empty((SLOTS, len(causes)), np.float32)
    bias: Floats = np.empty(len(causes), np.float32)
    for place, cause in enumerate(causes):
        machine = LinearSVC(C=COST, tol=0.01, random_state=0)
        says = np.array([cause not in each.plausible for each in known])
        machine.fit(texts, [cause in each.causes for each in known], sample_weight=counts * says)
        weights[:, place], bias[place] = machine.coef_[0], machine.intercept_[0]
    scale = np.abs(weights).max(axis=0) / LEVELS
    return Learned(causes, rarity, np.rint(weights / scale).astype(np.int8), scale, bias)


def digest(known: Sequence[Example]) -> str:
    """Tells whether the stored weights are of these examples, phrases and features."""
    phrases = "\n".join(f"{row.id}\t{row.pattern}" for row in ticket_phrases().row)
    learned_from = (known, phrases, features(ONE_OF_EACH), COST, REAL)
    return hashlib.sha256(repr(learned_from).encode("utf-8", "replace")).hexdigest()


def save(learned: Learned, digest_of_texts: str, path: Path = LEARNED) -> None:
    """Write what was learned, with the digest of what it was learned from."""
    _write(
        path,
        causes=np.array(learned.causes),
        rarity=learned.rarity,
        weights=learned.weights,
        scale=learned.scale,
        bias=learned.bias,
        digest=np.array(digest_of_texts),
    )


def save_fixed_words(path: Path = FIXED_WORDS) -> None:
    """Write which words the patterns of the signatures and the shared phrases need."""
    _write(path, **wordings().to_store(), **shared_phrases().to_store())


def _write(path: Path, **arrays: Any) -> None:
    """Whole, or not at all: whoever reads meanwhile finds the file of before."""
    whole = io.BytesIO()
    np.savez_compressed(whole, **arrays)
    part = path.with_suffix(".part")
    part.write_bytes(whole.getvalue())
    part.replace(path)


def _texts(cause: Cause) -> tuple[str, ...]:
    words = tuple(f"{text.title} {text.why} {text.explanation}" for text in (cause.text.en, cause.text.ja))
    spoken = tuple(text for signature in cause.signature for text in signature.matches)
    return (*words, *cause.phrases, *spoken)


if __name__ == "__main__":
    save_fixed_words()
    everything = examples()
    save(learn(everything), digest(everything))
