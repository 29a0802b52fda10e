"""A quoted line is cut between words, and says where something is left out."""

import pytest

from checks.facts.quotation import CLUE_SHOWN, quotation

WORDS = "one two three four five six seven eight nine ten " * 20


@pytest.mark.parametrize("line", ["", "  CUDA out of memory.  ", "x" * CLUE_SHOWN])
def test_what_is_short_stays(line: str) -> None:
    assert quotation(line) == line.strip()


def test_the_end_is_cut_after_a_word() -> None:
    quoted = quotation(WORDS)
    assert len(quoted) <= CLUE_SHOWN
    assert quoted.endswith("…")
    assert quoted[:-1].split() == WORDS.split()[: len(quoted.split())]


def test_the_middle_is_cut_on_both_sides_before_and_after_words() -> None:
    line = f"{WORDS}CUDA out of memory {WORDS}"
    quoted = quotation(line, line.index("CUDA"), len("CUDA out of memory"))
    assert len(quoted) <= CLUE_SHOWN
    assert "CUDA out of memory" in quoted
    assert quoted[0] == quoted[-1] == "…"
    assert set(quoted.strip("…").split()) <= set(line.split())


@pytest.mark.parametrize("letter", ["x", "あ", "\U0001f600"])
def test_what_has_no_words_is_cut_all_the_same(letter: str) -> None:
    line = letter * 1000
    assert len(quotation(line)) == CLUE_SHOWN
    assert len(quotation(line, 700, 10)) <= CLUE_SHOWN


def test_a_wording_longer_than_a_quotation_shows_its_beginning() -> None:
    assert "CUDA" in quotation(f"{WORDS}CUDA {'y' * 900}", len(WORDS), 905)
