"""Protocol Buffers as text."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.readers.containers.protobuf import text as protobuf_text
from checks.readers.containers.protobuf.text import fields, read_text
from checks.readers.containers.source import Damaged, of_bytes


def read(text: str) -> list[tuple[str, str, str]]:
    return [("/".join(field.path), field.key, field.value) for field in fields(text)]


def test_blocks_lists_and_texts() -> None:
    text = """
    # a comment
    name: "a \\"b\\" \\n\\x41\\101"
    dim: [1, -2, 0x3]
    node { op: 'Const' attr < key: "T" value { type: DT_FLOAT } > }
    last: true;
    """
    assert read(text) == [
        ("", "name", 'a "b" \nAA'),
        ("", "dim", "1"),
        ("", "dim", "-2"),
        ("", "dim", "0x3"),
        ("node", "", ""),
        ("node", "op", "Const"),
        ("node/attr", "", ""),
        ("node/attr", "key", "T"),
        ("node/attr/value", "", ""),
        ("node/attr/value", "type", "DT_FLOAT"),
        ("", "last", "true"),
    ]


def test_blocks_in_a_list() -> None:
    assert read("a: [{b: 1}, {b: 2}]") == [("a", "", ""), ("a", "b", "1"), ("a", "", ""), ("a", "b", "2")]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param("node { op: 1", "truncated", id="a-block-without-end"),
        pytest.param('name: "abc', "truncated", id="a-text-without-end"),
        pytest.param("}", "text-damaged", id="an-end-without-beginning"),
        pytest.param("a {" * 100, "text-damaged", id="too-deep"),
        pytest.param("a: \x00", "text-damaged", id="no-text"),
        pytest.param("{ a: 1 }", "text-damaged", id="a-block-without-name"),
    ],
)
def test_damage(text: str, reason: str) -> None:
    with pytest.raises(Damaged) as damage:
        read(text)
    assert damage.value.reason == reason


def test_words_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protobuf_text, "MOST_WORDS", 10)
    with pytest.raises(Damaged, match="more than 10"):
        read("a: 1 " * 10)


def test_a_long_file_is_read_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protobuf_text, "MOST_READ", 4)
    assert read_text(of_bytes(b"abc")) == ("abc", True)
    assert read_text(of_bytes(b"abcdef\xff")) == ("abcd", False)


@given(st.text(alphabet="ab{}<>[]:,;\"\\'# \n1.-", max_size=60))
def test_damage_is_all_that_comes_out(text: str) -> None:
    with contextlib.suppress(Damaged):
        read(text)
