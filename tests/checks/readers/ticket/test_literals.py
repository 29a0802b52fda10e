"""What a pattern needs is found, and no pattern that matches a text is left out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import re2

from checks.causes import cause_files, cause_of
from checks.knowledge.ticket_phrases import expand
from checks.readers.ticket.literals import Filter, clauses_of

KNOWN = Path(__file__).parents[3] / "tickets" / "known"
EVERY = 60  # so manieth ticket is searched for every pattern of the catalogue


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
        (r"driver\.so(?:\.\d+)+", [{"driver.so"}]),
    ],
)
def test_needed(pattern: str, needed: list[set[str]]) -> None:
    assert _needed(pattern) == needed


@pytest.mark.parametrize(
    "pattern", [r"\d+", r"a|CUDA", r"(?:CUDA)?", r"(?:CUDA){0,3}", r"CU", r"abc\p{L}|def", r"[^abc]"]
)
def test_nothing_is_needed(pattern: str) -> None:
    assert _needed(pattern) == []


def test_filter_tells_apart() -> None:
    made = Filter.of([r"CUDA error", r"no kernel.{0,40}image", r"\d", r"missing|absent"])
    assert made.possible(b"a cuda error, no image") == {0, 2}
    assert made.possible(b"no kernel and no image: absent") == {1, 2, 3}
    assert made.possible(b"") == {2}


def test_words_across_the_pieces_of_a_long_text_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("checks.readers.ticket.literals.AT_ONCE", 4)
    assert Filter.of(["CUDA error"]).possible(b"xxx cuda error") == {0}


def test_no_pattern_of_the_catalogue_is_left_out() -> None:
    signatures = [each for cause in cause_files() for each in cause_of(cause).signature]
    written = {pattern for each in signatures for pattern in (*each.any, *each.all, *each.none)}
    patterns = [expand(pattern) for pattern in sorted(written)]
    compiled = [re2.compile(f"(?im){pattern}") for pattern in patterns]
    made = Filter.of(patterns)
    lines = [line for file in sorted(KNOWN.glob("*.jsonl")) for line in file.read_text("utf-8").splitlines()]
    for text in (json.loads(line)["text"].encode() for line in lines[::EVERY]):
        possible = made.possible(text.lower())
        missed = {patterns[n] for n, each in enumerate(compiled) if n not in possible and each.search(text)}
        assert missed == set()
