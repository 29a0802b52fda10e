"""Patterns that are searched by their alternatives stand where they stand as a whole, and what is stored is of them."""

import json
from pathlib import Path

import numpy as np
import pytest
import re2
from support.extent import some

from checks.knowledge.catalogue import cause_files, cause_of
from checks.knowledge.tickets.phrases import TicketPhrases, expand
from checks.readers.tickets.wording.features import shared_phrases
from checks.readers.tickets.wording.signatures import wordings
from checks.readers.tickets.wording.wordings import Searched, Wordings, filters

KNOWN = Path(__file__).parents[4] / "tickets" / "known"
SEARCHED = 5  # tickets in which so many patterns of the catalogue are searched; before a release all in all
PATTERNS = 800


def found(patterns: list[str], text: str) -> list[tuple[str, dict[str, bytes | None]] | None]:
    searched = Searched(Wordings("of this test", patterns), text.encode(), text.lower().encode())
    matches = [searched.find(number) for number in range(len(patterns))]
    return [match and (match.group().decode(), match.groupdict()) for match in matches]


@pytest.mark.parametrize(
    ("pattern", "text", "wanted"),
    [
        ("image|no kernel", "there is no kernel image", "no kernel"),
        ("kernel|kernel image", "no kernel image", "kernel"),
        ("kernel image|kernel", "no kernel image", "kernel image"),
        ("(?:kernel )?image|no kernel", "no kernel image", "no kernel"),
        ("(?:driver|{nan})", "The Loss is NaN", "NaN"),
    ],
)
def test_the_first_that_stands_there(pattern: str, text: str, wanted: str) -> None:
    assert found([pattern], text) == [(wanted, {})]


def test_values_are_those_of_the_alternative() -> None:
    pattern = r"CUDA error: (?P<error>\w+)|driver (?P<driver>\d+)"
    assert found([pattern], "driver 570") == [("driver 570", {"driver": b"570"})]


def test_nothing_stands_in_nothing() -> None:
    searched = Searched(Wordings("of this test", ["CUDA error", r"\d"]), b"", b"")
    assert searched.possible.tolist() == [1]
    assert (searched.can_stand([1]), searched.can_stand([0, 1])) == (True, False)
    assert not searched.stands(1)
    assert searched.find(1) is None


def test_a_pattern_of_the_catalogue_stands_where_it_stands_as_a_whole() -> None:
    signatures = [each for cause in cause_files() for each in cause_of(cause).signature]
    patterns = sorted(
        {pattern for signature in signatures for pattern in (*signature.any, *signature.all, *signature.none)}
    )
    patterns = some([*patterns, *(row.pattern for row in TicketPhrases.read().row)], PATTERNS)
    whole = [re2.compile(f"(?im){expand(pattern)}") for pattern in patterns]
    wordings = Wordings("of this test", patterns)
    lines = [line for file in sorted(KNOWN.glob("*.jsonl")) for line in file.read_text("utf-8").splitlines()]
    for text in (json.loads(line)["text"].encode() for line in some(lines, SEARCHED)):
        searched = Searched(wordings, text, text.lower())
        for number, pattern in enumerate(whole):
            wanted, here = pattern.search(text), searched.find(number)
            assert searched.stands(number) == (wanted is not None)
            if wanted is not None:
                values = {name: value for name, value in wanted.groupdict().items() if value is not None}
                assert (here.span(), {n: v for n, v in here.groupdict().items() if v is not None}) == (
                    wanted.span(),
                    values,
                )


def test_the_stored_fixed_words_are_those_of_nearly_all_patterns() -> None:
    for wanted in (wordings(), shared_phrases()):
        young = sum(len(numbers) for _, numbers in wanted.filters[1:])
        assert young < 0.1 * len(wanted.texts), f"{wanted.name} start slowly; run: python -m tests.tools.learn --write"


def test_of_stored_fixed_words_those_of_patterns_that_are_here_count(tmp_path: Path) -> None:
    path = tmp_path / "fixed_words.npz"
    before = Wordings("mine", ["no kernel image", "driver (?:570|580)", "nvcc"])
    np.savez_compressed(path, **before.to_store())
    text = b"no kernel image for driver 580, and nvcc is missing"

    def possible(name: str, patterns: list[str]) -> tuple[int, list[int]]:
        parts = filters(name, patterns, path)
        found = [numbers[part.possible(text)] for part, numbers in parts]
        return len(parts), sorted(number for number in np.concatenate(found).tolist() if number >= 0)

    assert possible("mine", ["no kernel image", "driver (?:570|580)", "nvcc"]) == (1, [0, 1, 2])
    assert possible("mine", ["nvcc", "a newer one", "is missing", "no kernel image"]) == (2, [0, 2, 3])
    assert possible("mine", ["a newer one"]) == (2, [])
    assert possible("another", ["nvcc", "a newer one"]) == (1, [0])


def test_fixed_words_are_as_before(tmp_path: Path) -> None:
    path = tmp_path / "fixed_words.npz"
    mine = Wordings("mine", ["no kernel image", "driver (?:570|580)", "[0-9]"])
    np.savez_compressed(path, **mine.to_store())
    ((read, _),) = filters("mine", mine.texts, path)
    assert {name: table.tolist() for name, table in read.tables.items()} == {
        name: table.tolist() for name, table in mine.filters[0][0].tables.items()
    }
