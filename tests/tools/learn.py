"""Learn which words are usual for which cause: ``python -m tests.tools.learn --check|--write``, in a checkout.

Learning is a step of a release, not of a change of words: each run commits some 1.5 MB anew, which no pack makes
smaller. Until then a changed text counts as it was worded when it was learned, and a new cause is found by its
signatures alone. ``--check`` says whether the stored weights are of the texts that are here (a release must end with
status 0) and which share of the texts has changed; a test fails once a twentieth has. What changes no meaning does not
count: the order of texts and files, comments, the names of keys and of placeholders.

It learns from what each cause's file says (in both languages), how people tell of it (``phrases``, and
tests/tools/said.jsonl: one object per line with ``cause`` and ``text``, all in words of our own), how programs word it
(``matches`` of its signatures), and the real tickets of tests/tickets/known, which count more. Those of
tests/tickets/held_back are never learned from: they measure. The method is a linear support vector machine with squared
hinge loss for each cause against all others (Hsieh et al. 2008), by scikit-learn, which only this module needs. Of the
weights most are dropped: those that change the scores of the texts least. It takes some minutes.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from checks.knowledge.catalogue import Cause, cause_files, cause_of
from checks.readers.tickets.wording.features import KINDS, SLOTS, features, shared_phrases
from checks.readers.tickets.wording.number_sets import Numbers
from checks.readers.tickets.wording.resemblance import LEARNED, Floats, Learned, vector
from checks.readers.tickets.wording.signatures import wordings
from checks.readers.tickets.wording.wordings import FIXED_WORDS

COST = 0.3  # of a text on the wrong side; chosen, as REAL, by leaving out a quarter of the real tickets, 2026-11-21
REAL = 2.5  # a real ticket counts as so many texts that were written for the purpose
LEVELS = 63  # the weights are stored as whole numbers from -63 to 63
KEPT = 1_100_000  # weights; with fewer first answers change, with more the file is larger than 1.5 MB (2026-11-23)
SKETCH = 1000  # checksums of texts by which the share of changed ones is estimated, within some 2 %

# A text whose features change with the making of features.
ONE_OF_EACH = "Each of two runs with the same seed=1 on an RTX 3090 ended differently, it_was 0.73. 結果が毎回違います"

_PLACEHOLDER = re.compile(r"\{\w*\}")  # of the words of a cause; its name is nobody's wording

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
        *(Example(line.text, (line.cause,)) for line in said),
        *(Example(ticket.text, ticket.expected, REAL, ticket.also_plausible) for ticket in real),
    )


def learn(known: Sequence[Example]) -> Learned:
    """The weights for these examples."""
    # Loaded where it is needed: both take seconds, and every process of the tests reads this module.
    import scipy.sparse
    from sklearn.svm import LinearSVC

    found = [features(example.text) for example in known]
    often = np.zeros((KINDS, SLOTS), np.uint16)
    for slots_by_kind in found:
        for kind, slots in enumerate(slots_by_kind):
            often[kind, list(slots)] += 1
    causes = tuple(sorted({cause for example in known for cause in example.causes}))
    none: Floats = np.empty(0, np.float32)
    rarity = Learned(causes, len(known), often, none.astype(np.int8), none, none).rarity
    vectors = [vector(slots_by_kind, rarity) for slots_by_kind in found]
    rows = np.repeat(np.arange(len(found)), [len(present) for present, _ in vectors])
    columns, numbers = (np.concatenate(parts) for parts in zip(*vectors, strict=True))
    texts = scipy.sparse.csr_matrix((numbers, (rows, columns)), shape=(len(found), SLOTS))
    counts = np.array([example.counts for example in known])
    weights: Floats = np.empty((SLOTS, len(causes)), np.float32)
    bias: Floats = np.empty(len(causes), np.float32)
    for place, cause in enumerate(causes):
        machine = LinearSVC(C=COST, tol=0.01, random_state=0)
        says = np.array([cause not in example.plausible for example in known])
        machine.fit(texts, [cause in example.causes for example in known], sample_weight=counts * says)
        weights[:, place], bias[place] = machine.coef_[0], machine.intercept_[0]
    scale = np.abs(weights).max(axis=0) / LEVELS
    levels, bias = pruned(weights / scale, bias, scale, texts)
    return Learned(causes, len(known), often, levels, scale, bias)


def pruned(levels: Floats, bias: Floats, scale: Floats, texts: Any) -> tuple[Any, Floats]:
    """The KEPT weights that change the scores of these texts most, as whole numbers, and the bias with them.

    What the others add to a score on average over the texts goes into the bias.
    """
    effect = np.abs(levels) * scale * np.sqrt(np.asarray(texts.multiply(texts).mean(axis=0))).reshape(-1, 1)
    most = min(KEPT, effect.size)
    kept = np.where(effect < np.partition(effect, -most, axis=None)[-most], 0, np.rint(levels)).astype(np.int8)
    dropped = np.asarray(texts.mean(axis=0)).ravel() @ ((levels - kept) * scale)
    return kept, (bias + dropped).astype(np.float32)


def checksums(known: Sequence[Example]) -> Numbers:
    """One number per text to learn from (with its causes and its weight), in ascending order."""
    learned_from = {
        "\0".join((example.text, *sorted(example.causes), str(example.counts), "", *sorted(example.plausible)))
        for example in known
    }
    hashes = (hashlib.sha256(text.encode("utf-8", "replace")).digest()[:7] for text in learned_from)
    return np.array(sorted(int.from_bytes(first) for first in hashes))


def digest_of_features() -> str:
    """Weights that were learned from other features than these mean nothing."""
    return hashlib.sha256(repr((SLOTS, KINDS, features(ONE_OF_EACH))).encode()).hexdigest()


def save(learned: Learned, known: Sequence[Example], path: Path = LEARNED) -> None:
    """Write what was learned, with what tells what it was learned from."""
    sums = checksums(known)
    _write(
        path,
        **_stored(learned),
        features=np.array(digest_of_features()),
        digest=np.array(hashlib.sha256(sums.tobytes()).hexdigest()),
        sketch=sums[:SKETCH],
    )


def _stored(learned: Learned) -> dict[str, Any]:
    """The arrays of the file, as they compress best: of each weight whether it is 0, and those that are not."""
    return {
        "causes": np.array(learned.causes),
        "texts": np.array(learned.texts),
        "often": np.stack((learned.often & 255, learned.often >> 8)).astype(np.uint8),
        "is_kept": np.packbits(learned.weights != 0),
        "kept": learned.weights[learned.weights != 0],
        "scale": learned.scale,
        "bias": learned.bias,
    }


def share_changed(known: Sequence[Example], path: Path = LEARNED) -> float:
    """Which share of the texts is not, or no longer, among those that were learned from; 0 only if none is.

    Estimated by the smallest checksums of both (Broder 1997), so that the file need not hold those of all texts.
    """
    sums = checksums(known)
    with np.load(path, allow_pickle=False) as stored:
        if str(stored["digest"]) == hashlib.sha256(sums.tobytes()).hexdigest():
            return 0.0
        before = stored["sketch"]
    smallest = np.union1d(before, sums[:SKETCH])[:SKETCH]
    return max(1 - np.isin(smallest, np.intersect1d(before, sums)).mean(), 1 / len(sums))


def save_fixed_words(path: Path = FIXED_WORDS) -> None:
    """Write which words the patterns of the signatures and the shared phrases need.

    Patterns that are younger than the file are read when the program starts, a second for some thousand of them.
    """
    _write(path, **wordings().to_store(), **shared_phrases().to_store())


def _write(path: Path, **arrays: Any) -> None:
    """Whole, or not at all: whoever reads meanwhile finds the file of before."""
    whole = io.BytesIO()
    np.savez_compressed(whole, **arrays)
    part = path.with_suffix(".part")
    part.write_bytes(whole.getvalue())
    part.replace(path)


def _texts(cause: Cause) -> tuple[str, ...]:
    words = (f"{text.title} {text.why} {text.explanation}" for text in (cause.text.en, cause.text.ja))
    spoken = tuple(text for signature in cause.signature for text in signature.matches)
    return (*(_PLACEHOLDER.sub("", text) for text in words), *cause.phrases, *spoken)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    acts = parser.add_mutually_exclusive_group(required=True)
    acts.add_argument("--check", action="store_true", help="print which share of the texts has changed since then")
    acts.add_argument("--write", action="store_true", help="learn, and write resources/learned: the act of a release")
    chosen = parser.parse_args()
    everything = examples()
    if chosen.check:
        changed = share_changed(everything)
        print(f"{changed:.1%} of the texts have changed since they were learned from")
        sys.exit(changed > 0)
    save_fixed_words()
    save(learn(everything), everything)
