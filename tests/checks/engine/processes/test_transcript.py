"""The answer of a host, read as it grows, from a process that may write anything."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.engine.processes.transcript import LIMIT, MOST_STAGES, MOST_VALUES, Transcript
from checks.facts import ErrorText, StageRun

ANSWER = b"""{"python": "3.8.18"}
{"begin": "build"}
{"end": "build", "seconds": 0.5, "facts": {"version": "2.1.0", "unread": {"a": "why"}}}
{"begin": "imported"}
{"facts": {"warnings": ["first"]}}
{"end": "imported", "seconds": 2, "error": {"type": "ImportError", "message": "m", "traceback": "t"}, "essential": true}
{"done": true}
"""


def read(*parts: bytes) -> Transcript:
    transcript = Transcript()
    for part in parts:
        transcript.feed(part)
    return transcript


def test_a_list_grows_by_what_is_told_with_a_plus_and_everything_is_told_as_it_comes() -> None:
    told: list[dict[str, Any]] = []
    transcript = Transcript(on_facts=told.append)
    for line in ({"a+": [1], "b": 1}, {"a+": [2, 3]}, {"a+": "no list"}, {"b": 2}):
        transcript.feed(json.dumps({"facts": line}).encode() + b"\n")
    assert transcript.facts == {"a": [1, 2, 3], "b": 2, "a+": "no list"}
    assert [each.get("b") for each in told] == [1, None, None, 2]


def test_a_list_that_grows_replaces_what_is_no_list() -> None:
    assert read(b'{"facts": {"a": 1}}\n', b'{"facts": {"a+": [2]}}\n').facts == {"a": [2]}


def test_whole_answer() -> None:
    begun: list[str] = []
    transcript = Transcript(begun.append)
    transcript.feed(ANSWER)
    assert begun == ["build", "imported"]
    assert transcript.greeting == "3.8.18"
    assert transcript.facts == {"version": "2.1.0", "unread": {"a": "why"}, "warnings": ["first"]}
    assert transcript.stages == (
        StageRun(name="build", ended=True, seconds=0.5),
        StageRun(
            name="imported", ended=True, seconds=2.0, error=ErrorText(type="ImportError", message="m", traceback="t")
        ),
    )
    assert transcript.done
    assert transcript.failed
    assert transcript.unreadable == 0


@given(st.integers(0, len(ANSWER)))
def test_it_does_not_matter_where_the_parts_end(cut: int) -> None:
    parts, whole = read(ANSWER[:cut], ANSWER[cut:]), read(ANSWER)
    assert (parts.facts, parts.stages, parts.done) == (whole.facts, whole.stages, whole.done)


def test_a_last_line_that_was_not_finished_says_nothing() -> None:
    transcript = read(ANSWER[:-2])
    assert not transcript.done
    assert transcript.unreadable == 0


def test_a_later_stage_knows_more_but_keeps_the_reasons() -> None:
    transcript = read(
        b'{"begin": "a"}\n{"end": "a", "facts": {"x": 1, "unread": {"p": "1"}}}\n',
        b'{"begin": "b"}\n{"end": "b", "facts": {"x": 2, "unread": {"q": "2"}}}\n',
    )
    assert transcript.facts == {"x": 2, "unread": {"p": "1", "q": "2"}}


def test_half_characters_are_replaced() -> None:
    transcript = read(b'{"begin": "a"}\n{"end": "a", "facts": {"path": "\\udcff/\\ud83d\\ude00"}}\n')
    assert transcript.facts == {"path": "?/😀"}


def test_the_end_of_a_stage_that_did_not_begin_is_no_answer() -> None:
    transcript = read(b'{"end": "a", "facts": {"x": 1}}\n{"begin": "b"}\n{"end": "a"}\n')
    assert transcript.facts == {}
    assert transcript.stages == (StageRun(name="b"),)
    assert transcript.unreadable == 2


def test_too_much_is_not_read() -> None:
    transcript = read(b'{"begin": "a"}\n', b"x" * LIMIT, b'\n{"done": true}\n')
    assert transcript.overflown
    assert not transcript.done


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["begin", "end", "facts", "error", "unread"]), inner)
    ),
    max_leaves=12,
)


@given(st.lists(st.binary() | st.builds(lambda value: json.dumps(value).encode(), _json), max_size=6))
def test_anything_can_be_fed_and_what_comes_out_can_be_saved(lines: list[bytes]) -> None:
    transcript = read(b'{"begin": "a"}\n', b"\n".join(lines) + b"\n")
    result: tuple[Any, ...] = (transcript.facts, transcript.stages)
    msgspec.json.encode(result)


@pytest.mark.parametrize(
    "line",
    [
        b'{"begin": "a"}',
        b'{"begin": "a"}\n{"end": "a"}',
        b'{"facts": {"a+": [1]}}',
        b'{"facts": {"unread": {"%d": ""}}}',
        b'{"facts": {"a": [' + b"[]," * 1000 + b"[]]}}",
        b"",
        b"{}",
    ],
    ids=["stages", "ended stages", "a list that grows", "reasons", "lists", "empty lines", "strange lines"],
)
def test_an_answer_without_end_takes_neither_time_nor_memory(line: bytes) -> None:
    transcript = Transcript()
    count = min(LIMIT // (len(line) + 1), MOST_VALUES) + 1
    if b"%d" in line:
        transcript.feed(b"\n".join(line.replace(b"%d", b"%d" % number) for number in range(count)))
    else:
        transcript.feed((line + b"\n") * count)
    assert transcript.overflown
    assert len(transcript.stages) <= MOST_STAGES + 1
    assert sum(map(len, transcript.facts.values())) <= MOST_VALUES


@pytest.mark.parametrize("digits", ["1" + "0" * 400, "-" + "9" * 30, str(1 << 64)])
def test_a_number_that_no_file_can_hold_is_nearly_that(digits: str) -> None:
    """It ended the whole examination, or kept its case from being written."""
    lines = f'{{"begin": "a"}}\n{{"end": "a", "seconds": {digits}, "facts": {{"bytes": {digits}}}}}\n'
    transcript = read(lines.encode())
    assert transcript.stages[0].seconds == transcript.facts["bytes"] == float(digits)
    msgspec.json.encode(transcript.facts)


def test_a_number_of_64_bits_is_whole() -> None:
    assert read(b'{"facts": {"a": 18446744073709551615, "b": -9223372036854775808, "c": 0}}\n').facts == {
        "a": (1 << 64) - 1,
        "b": -(1 << 63),
        "c": 0,
    }
