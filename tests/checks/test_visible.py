"""What a terminal would obey is made visible, and nothing else is changed."""

import json
import sys
import unicodedata

import pytest

from checks.visible import is_visible, visible, visible_json, visible_markdown, visible_text

OBEYED = [
    "\x1b[2J",
    "\x1b]0;title\x07",
    "\x1b]8;;https://evil.example\x1b\\",
    "\x9b31m",
    "\x90q",
    "\u202e",
    "\u2066",
    "\u200f",
    "\u2028",
    "\x7f",
    "\x08",
    "\r",
    "\udc9b",
    "\U000e0041",
    "\xad",
    "\ufeff",
]


def test_it_is_exactly_what_unicode_calls_control_format_surrogate_and_separator_of_lines() -> None:
    hidden = {code: unicodedata.category(chr(code)) for code in range(sys.maxunicode + 1) if not is_visible(chr(code))}
    assert set(hidden.values()) <= {"Cc", "Cf", "Cs", "Zl", "Zp", "Cn"}  # Cn: a newer Unicode than this Python's has it
    shown = {unicodedata.category(chr(code)) for code in range(sys.maxunicode + 1) if code not in hidden}
    assert not shown & {"Cc", "Cf", "Cs", "Zl", "Zp"}


@pytest.mark.parametrize("text", OBEYED)
def test_nothing_that_a_terminal_obeys_comes_through(text: str) -> None:
    for shown in (visible(f"a{text}b"), visible_text(f"a{text}b"), visible_markdown(f"a{text}b")):
        assert is_visible(shown)
        assert shown.startswith("a\ufffd")
        assert shown.endswith("b")


def test_lines_and_tabs_stay_in_a_text_and_not_in_a_line() -> None:
    assert visible_text("a\n\tb\r\nc") == "a\n\tb\nc"
    assert visible("a\n\tb") == "a\ufffd\ufffdb"
    assert visible_markdown("@\u200bname") == "@\u200bname"
    assert visible("日本語 é 👩 (1)") == "日本語 é 👩 (1)"


def test_json_means_the_same() -> None:
    given = {"a": "".join(text for text in OBEYED if "\udc9b" not in text), "b": "日本\n"}
    encoded = visible_json(json.dumps(given, ensure_ascii=False, indent=2).encode())
    assert json.loads(encoded) == given
    assert all(map(is_visible, encoded.decode().split("\n")))
