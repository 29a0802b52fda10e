"""What a text resembles, and whether the weights were learned from what is here."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.extent import some
from tools.learn import KEPT, Example, checksums, digest_of_features, examples, learn, pruned, save, share_changed

from checks.knowledge.catalogue import cause_files, cause_of
from checks.readers.tickets.lines import lines_of
from checks.readers.tickets.wording.features import KINDS, SLOTS, features
from checks.readers.tickets.wording.resemblance import LEARNED, NOT_AT_ALL, RULED_OUT, Learned, resembled

VERSIONS = """PyTorch version: 2.6.0+cu124
Is debug build: False
CUDA used to build PyTorch: 12.4
OS: Ubuntu 22.04.5 LTS (x86_64)
GPU models and configuration: GPU 0: NVIDIA GeForce RTX 4090
"""
TWO_CAUSES = (Example("the card is hot", ("gpu-throttled",)), Example("another result", ("rng-unseeded",)))
TABLE = "|   0  NVIDIA GeForce RTX 3090        Off | 00000000:01:00.0 Off |                  N/A |\n" * 3


def test_the_weights_are_of_these_features_and_causes() -> None:
    with np.load(LEARNED, allow_pickle=False) as stored:
        assert str(stored["features"]) == digest_of_features(), "run: python -m tests.tools.learn --write"
        learned = Learned.from_store(stored)
    assert set(learned.causes) <= set(cause_files())
    assert np.isfinite(learned.scale).all()


def test_the_weights_were_learned_from_nearly_what_is_here() -> None:
    assert share_changed(examples()) < 0.05, "run: python -m tests.tools.learn --write"


def test_the_file_is_small() -> None:
    assert LEARNED.stat().st_size < 1_500_000


def test_what_changes_no_meaning_is_no_change(tmp_path: Path) -> None:
    known = [Example(f"text {number}", ("gpu-throttled", "rng-unseeded"), 2.5, ("a", "b")) for number in range(400)]
    path = tmp_path / "learned.npz"
    save(learn(TWO_CAUSES), known, path)
    turned = [Example(text.text, text.causes[::-1], text.counts, text.plausible[::-1]) for text in known[::-1]]
    assert share_changed([*turned, *turned[:9]], path) == 0
    other = [Example("another", ("gpu-throttled",))]
    assert share_changed([*known, *other], path) == pytest.approx(1 / 401)
    assert share_changed(known[100:], path) == pytest.approx(0.25)
    assert 0 < share_changed([*known[1:], Example(known[0].text, ("rng-unseeded",))], path) < 0.01


def test_many_texts_are_compared_by_a_sample(tmp_path: Path) -> None:
    known = [Example(f"text {number}", ("gpu-throttled",)) for number in range(9000)]
    path = tmp_path / "learned.npz"
    save(learn(TWO_CAUSES), known, path)
    assert share_changed(known[900:], path) == pytest.approx(0.1, abs=0.03)
    assert len(checksums(known)) == 9000


def test_pruning_keeps_what_moves_the_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    import scipy.sparse

    monkeypatch.setattr("tools.learn.KEPT", 3)
    texts = scipy.sparse.csr_matrix([[1.0, 0.5, 0.1], [1.0, 0.5, 0.1]])
    levels = np.array([[3.2, -60], [-20, 4], [63, 5]], np.float32)
    kept, bias = pruned(levels, np.zeros(2, np.float32), np.array([1.0, 0.5], np.float32), texts)
    assert kept.tolist() == [[0, -60], [-20, 0], [63, 0]]
    assert bias.tolist() == pytest.approx([3.2, 0.5 * (0.5 * 4 + 0.1 * 5)])
    assert KEPT > 1_000_000


def test_a_cause_younger_than_the_weights_resembles_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "checks.readers.tickets.wording.resemblance._ruling_out", lambda: {"a-new-cause": ("trouble", "nan")}
    )
    assert "a-new-cause" not in resembled(lines_of("Each time the training is started the loss is nan, an error."))


@pytest.mark.parametrize("text", ["", " \n", "error", "x y error " * 9999, VERSIONS, TABLE])
def test_a_mere_list_resembles_nothing(text: str) -> None:
    assert resembled(lines_of(text)) == {}


def test_a_complaint_does() -> None:
    found = resembled(lines_of("Each time I start the notebook the vocabulary built from a set has another order."))
    assert max(found, key=found.__getitem__) == "hash-or-order-dependence"
    with np.load(LEARNED, allow_pickle=False) as stored:
        learned = set(stored["causes"].tolist())
    assert set(found) == learned & set(cause_files())  # a younger cause resembles nothing until a release learns it
    assert len(learned & set(cause_files())) > 0.85 * len(cause_files()), "run: python -m tests.tools.learn --write"
    assert all(NOT_AT_ALL <= each < 2 for each in found.values())


@pytest.mark.parametrize("steps", [0, 400, 40_000])
@pytest.mark.parametrize(
    "line", ["step {} is done, the loss of this one was fine", "2026-11-21 03:04:05 INFO we do {}"]
)
def test_a_long_log_is_compared_by_what_it_complains_of(steps: int, line: str) -> None:
    log = "".join(f"{line.format(number)}\n" for number in range(steps))
    error = "RuntimeError: CUDA error: no kernel image is available for execution on the device\n"
    found = resembled(lines_of(f"{log}{error}It fails since we exchanged the card for an RTX 5070 Ti.\n{log}"))
    assert max(found, key=found.__getitem__) == "build-lacks-newer-gpu-arch"


@pytest.mark.parametrize(
    "told",
    [
        "4090 was exchanged for a 5090 and since then no kernel image is available for it",
        "2026-03-01 we exchanged the card for an RTX 5090 and since then no kernel image is available",
    ],
)
def test_a_sentence_may_begin_with_a_number(told: str) -> None:
    noise = "".join(f"the batch {number} is done and all is as it should be\n" for number in range(400))
    found = resembled(lines_of(f"{noise}{told}\n"))
    assert max(found, key=found.__getitem__) == "build-lacks-newer-gpu-arch"


def test_a_complaint_far_inside_a_long_line_is_seen() -> None:
    line = (
        '{"a": ' + "1, " * 300 + '"log": "ValueError: numpy.dtype size changed, may indicate binary incompatibility"}'
    )
    found = resembled(lines_of("".join(f"step {number} was done and it is fine\n" for number in range(400)) + line))
    assert max(found, key=found.__getitem__) == "numpy-abi-mismatch"


def test_what_a_text_rules_out_is_less_like_it(monkeypatch: pytest.MonkeyPatch) -> None:
    told = "All seeds are fixed, cudnn.benchmark = {}, and two trainings on the same card end with another loss."
    with_it = {value: resembled(lines_of(told.format(value)))["cudnn-autotune"] for value in ("True", "False")}
    monkeypatch.setattr("checks.readers.tickets.wording.resemblance._ruling_out", dict)
    without = {value: resembled(lines_of(told.format(value)))["cudnn-autotune"] for value in ("True", "False")}
    assert with_it["True"] == without["True"]
    assert with_it["False"] == pytest.approx(max(without["False"] - RULED_OUT, NOT_AT_ALL))


def test_what_a_file_says_resembles_its_cause() -> None:
    known = some([(cause, text) for cause in cause_files() for text in cause_of(cause).phrases], 500)
    likeness = [(cause, resembled(lines_of(text))) for cause, text in known]
    right = sum(max(found, key=found.__getitem__) == cause for cause, found in likeness if found)
    assert right > 0.85 * len(known)


@given(st.text(max_size=500))
def test_any_text_has_features(text: str) -> None:
    found = features(text)
    assert len(found) == KINDS
    assert all(0 <= slot < SLOTS for kind in found for slot in kind)
    assert found == features(text)


def test_learning_finds_what_it_was_told(tmp_path: Path) -> None:
    known = (
        Example("the card is hot and slow", ("gpu-throttled",)),
        Example("another result with each run", ("rng-unseeded",)),
        Example("hot, and another result", ("gpu-throttled", "rng-unseeded"), 2.5),
    )
    learned = learn(known)
    assert learned.causes == ("gpu-throttled", "rng-unseeded")
    path = tmp_path / "learned.npz"
    save(learned, known, path)
    with np.load(path, allow_pickle=False) as stored:
        read = Learned.from_store(stored)
    assert (read.causes, read.texts, read.weights.shape) == (learned.causes, 3, (SLOTS, 2))
    assert read.weights.dtype == np.int8
    for name in ("often", "weights", "scale", "bias", "rarity"):
        assert np.array_equal(getattr(read, name), getattr(learned, name)), name
