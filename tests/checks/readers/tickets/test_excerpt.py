"""Of a long log the beginning, the end, what stands around signs of trouble and every kind of complaint is read."""

from __future__ import annotations

from checks.readers.tickets.excerpt import COMPLAINTS, ENDS, LONG, MOST_SIGNS, NEARBY, excerpt
from checks.readers.tickets.lines import Line, lines_of

STEP = "step and loss and time of the epoch, and nothing that matters, of the same length again and again"
HALF = LONG // len(STEP)


def _log(*between: str) -> tuple[Line, ...]:
    return lines_of("\n".join(["the first", *[STEP] * HALF, *between, *[STEP] * HALF, "the last"]))


def _texts(lines: tuple[Line, ...]) -> list[str]:
    return [line.text for line in excerpt(lines)]


def test_short_text_is_read_whole() -> None:
    lines = lines_of("one\n\ntwo")
    assert excerpt(lines) is lines


def test_ends_are_read() -> None:
    read = _texts(_log())
    assert (read[0], read[-1]) == ("the first", "the last")
    assert sum(map(len, read)) < LONG


def test_what_stands_around_a_sign_is_read() -> None:
    read = _texts(_log("just before", "RuntimeError: x", "just after"))
    assert {"just before", "RuntimeError: x", "just after"} <= set(read)


def test_of_a_log_in_one_line_no_more_is_read_than_of_another() -> None:
    text = " ".join(f"Error: {number} {STEP}" for number in range(100_000))
    assert sum(map(len, _texts(lines_of(text)))) <= 2 * ENDS + 2 * NEARBY * MOST_SIGNS + COMPLAINTS


def test_of_empty_lines_no_more_are_read_than_of_others() -> None:
    assert len(_texts(lines_of("\n" * (2 * LONG)))) <= 2 * ENDS


def test_complaint_anywhere_is_read_alone() -> None:
    read = _texts(_log("beside it", "the GPU has fallen off the bus"))
    assert "the GPU has fallen off the bus" in read
    assert "beside it" not in read


def test_complaints_that_differ_in_numbers_are_one_kind() -> None:
    read = _texts(_log(*(f"warned {number} times" for number in range(1000))))
    assert [text for text in read if text.startswith("warned")] == ["warned 0 times"]


def test_no_more_complaints_than_there_is_room_for() -> None:
    read = _texts(_log(*(f"warned {'x' * number}" for number in range(5000))))
    assert sum(len(text) for text in read if text.startswith("warned")) <= COMPLAINTS
