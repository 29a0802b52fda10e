"""What a text resembles, and whether the weights were learned from what is here."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tools.learn import Example, digest, examples, learn, save

from checks.knowledge.catalogue import cause_files, cause_of
from checks.readers.tickets.lines import lines_of
from checks.readers.tickets.wording.features import KINDS, SLOTS, features
from checks.readers.tickets.wording.resemblance import LEARNED, NOT_AT_ALL, RULED_OUT, resembled

VERSIONS = """PyTorch version: 2.6.0+cu124
Is debug build: False
CUDA used to build PyTorch: 12.4
OS: Ubuntu 22.04.5 LTS (x86_64)
GPU models and configuration: GPU 0: NVIDIA GeForce RTX 4090
"""
TABLE = "|   0  NVIDIA GeForce RTX 3090        Off | 00000000:01:00.0 Off |                  N/A |\n" * 3


def test_the_weights_were_learned_from_what_is_here() -> None:
    with np.load(LEARNED, allow_pickle=False) as stored:
        assert str(stored["digest"]) == digest(examples()), "run: python -m tools.learn"
        assert set(stored["causes"]) <= set(cause_files())
        assert np.isfinite(stored["scale"]).all()


@pytest.mark.parametrize("text", ["", " \n", "error", "x y error " * 9999, VERSIONS, TABLE])
def test_a_mere_list_resembles_nothing(text: str) -> None:
    assert resembled(lines_of(text)) == {}


def test_a_complaint_does() -> None:
    found = resembled(lines_of("Each time I start the notebook the vocabulary built from a set has another order."))
    assert max(found, key=found.__getitem__) == "hash-or-order-dependence"
    assert set(found) == set(cause_files())
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
    known = [(cause, text) for cause in cause_files() for text in cause_of(cause).phrases]
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
    save(learned, digest(known), path)
    with np.load(path, allow_pickle=False) as stored:
        assert stored["weights"].shape == (SLOTS, 2)
        assert np.array_equal(stored["weights"], learned.weights)
        assert stored["weights"].dtype == np.int8
