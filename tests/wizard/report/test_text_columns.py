"""Text in lines, in places that Japanese takes two of."""

import pytest

from wizard.report.text_columns import width, wrapped

JAPANESE = "必ずプログラムの先頭に置いてください。これより前のimportや計算には効きません。"
ENGLISH = "the same number of threads everywhere: sums are split among them"


@pytest.mark.parametrize("text", [JAPANESE, ENGLISH])
@pytest.mark.parametrize("columns", [20, 40, 74])
def test_as_few_lines_as_it_takes_and_nothing_lost(text: str, columns: int) -> None:
    lines = wrapped(text, columns)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert all(width(line) <= columns for line in lines)
    assert len(lines) <= width(text) // columns + 2


def test_a_word_that_is_longer_has_a_line_of_its_own() -> None:
    assert wrapped(f"see {'a' * 90} there", 74) == ["see", "a" * 90, "there"]


def test_no_line_is_left_with_a_character_or_two() -> None:
    first, second = wrapped(JAPANESE, 74)
    assert width(first) - width(second) < 16
    assert wrapped("short", 74) == ["short"]
    assert wrapped("", 74) == []


def test_japanese_is_broken_between_phrases() -> None:
    assert wrapped(JAPANESE, 40) == [
        "必ずプログラムの先頭に置いてください。",
        "これより前のimportや計算には効きません。",
    ]
    assert all(width(line) <= 4 for line in wrapped("乱数生成器", 4))  # a phrase that no line holds
