"""What a pattern needs is found, and what its alternatives are."""

from __future__ import annotations

import pytest
import re2

from checks.readers.tickets.wording.literals import Filter, alternatives_of, clauses_of


def _needed(pattern: str) -> list[set[str]]:
    return [set(clause) for clause in clauses_of(pattern)]


@pytest.mark.parametrize(
    ("pattern", "needed"),
    [
        (r"CUDA error: (?P<what>\w+)", [{"cuda error: "}]),
        (r"no kernel.{0,40}sm_\d+", [{"no kernel"}, {"sm_"}]),
        (r"\bout of (?:memory|space)\b", [{"out of memory", "out of space"}]),
        (r"results? differ", [{"result differ", "results differ"}]),
        (r"could[ _]not", [{"could not", "could_not"}]),
        (r"(?:seeds?|random.{0,5}state)", [{"seed", "seeds", "random"}]),
        (r"\b(?:lr|learning rate)\b", [{"lr", "learning rate"}]),
        (r"driver\.so(?:\.\d+)+", [{"driver.so"}]),
    ],
)
def test_needed(pattern: str, needed: list[set[str]]) -> None:
    assert _needed(pattern) == needed


@pytest.mark.parametrize(
    "pattern", [r"\d+", r"a|CUDA", r"(?:CUDA)?", r"(?:CUDA){0,3}", r"C", r"abc\p{L}|def", r"[^abc]"]
)
def test_nothing_is_needed(pattern: str) -> None:
    assert _needed(pattern) == []


def test_filter_tells_apart() -> None:
    made = Filter.of([r"CUDA error", r"no kernel.{0,40}image", r"\d", r"missing|absent", "lr"])
    assert made.possible(b"a cuda error, no image").tolist() == [0, 2]
    assert made.possible(b"no kernel and no image: absent").tolist() == [1, 2, 3]
    assert made.possible(b"the lr").tolist() == [2, 4]
    assert made.possible(b"").tolist() == [2]


def test_words_across_the_pieces_of_a_long_text_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("checks.readers.tickets.wording.literals.AT_ONCE", 4)
    assert Filter.of(["CUDA error"]).possible(b"xxx cuda error").tolist() == [0]


def test_what_counts_as_a_letter_is_found_as_that_letter() -> None:
    """RE2 takes two characters beyond ASCII for capitals of "s" and "k"."""
    assert Filter.of(["mask"]).possible("ma\u017f\u212a".encode().lower()).tolist() == [0]
    assert re2.search("(?i)mask", "ma\u017f\u212a") is not None


@pytest.mark.parametrize(
    ("pattern", "alternatives"),
    [
        (r"CUDA error", [r"CUDA error"]),
        (r"a|b(?:c|d)|e", ["a", "b(?:c|d)", "e"]),
        (r"(?:a|(?:b|c))", ["a", "b", "c"]),
        (r"(?:a|b)(?:c|d)", ["(?:a|b)(?:c|d)"]),
        (r"(?:a|b)?|c", ["(?:a|b)?", "c"]),
        (r"(?:a|b)+", ["(?:a|b)+"]),
        (r"(?P<a>b|c)", ["(?P<a>b|c)"]),
        (r"(?-i:a|b)", ["(?-i:a|b)"]),
        (r"a(?-i)b|c", ["a(?-i)b|c"]),
        (r"\(|[)|]|[]|]|[^]|(]", [r"\(", "[)|]", "[]|]", "[^]|(]"]),
        (r"a|", ["a", ""]),
    ],
)
def test_alternatives(pattern: str, alternatives: list[str]) -> None:
    assert list(alternatives_of(pattern)) == alternatives
