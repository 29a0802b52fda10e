"""Logs and tickets as text, of any size and encoding."""

import io
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.extent import some

import checks.readers.text
from checks.readers.text import PIECE, WHOLE, NotText, kept, read_text

ERROR = "RuntimeError: CUDA error: no kernel image is available for execution on the device"
# What Windows prints where its language is not English: the loader's own sentence behind the number.
JAPANESE = "OSError: [WinError 126] 指定されたモジュールが見つかりません。 Error loading c10.dll"
CHINESE = "OSError: [WinError 126] 找不到指定的模块。 Error loading c10.dll"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        pytest.param(JAPANESE, "utf-8", id="utf-8"),
        pytest.param(JAPANESE, "utf-8-sig", id="utf-8-with-mark"),
        pytest.param(JAPANESE, "utf-16", id="powershell-5"),
        pytest.param(ERROR, "utf-16-le", id="a-piece-of-powershell-5"),
        pytest.param(ERROR, "utf-16-be", id="utf-16-be"),
        pytest.param(JAPANESE, "utf-32", id="utf-32"),
        pytest.param(JAPANESE, "cp932", id="japanese-windows"),
        pytest.param(JAPANESE, "euc_jp", id="old-japanese-linux"),
        pytest.param(CHINESE, "gb18030", id="chinese-windows"),
        pytest.param("OSError: die angegebene Prozedur wurde nicht gefunden: für Größe", "cp1252", id="german-windows"),
    ],
)
def test_encodings(text: str, encoding: str) -> None:
    read = read_text(io.BytesIO(text.encode(encoding)))
    assert "WinError 126" in read or "error" in read.casefold()
    if encoding != "gb18030":  # a short Chinese text can be taken for Korean; the error itself is ASCII
        assert read == text


def test_one_bad_byte_does_not_turn_utf_8_into_another_script() -> None:
    line = f"{JAPANESE}\n"
    data = (line * 40).encode() + b"\xff\n" + line.encode()
    assert read_text(io.BytesIO(data)).count(JAPANESE) == 41


def test_nothing() -> None:
    assert read_text(io.BytesIO(b"")) == ""


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(bytes(range(256)) * 20, id="any-bytes"),
        pytest.param(b"\x89PNG\r\n\x1a\n" + bytes(5000), id="picture"),
        pytest.param(b"\x00" * 1000, id="zeros"),
    ],
)
def test_what_is_no_text_is_refused(data: bytes) -> None:
    with pytest.raises(NotText):
        read_text(io.BytesIO(data))


def test_a_short_text_is_kept_as_it_is() -> None:
    text = "a\r\nb\n\n  c\n"
    assert read_text(io.BytesIO(text.encode())) == text
    assert kept(text) == text


# --- large -----------------------------------------------------------------------------------------------------------


class Log(io.RawIOBase):
    """A log of many lines that is made while it is read, so that no test holds it whole."""

    def __init__(self, lines: Iterator[bytes]) -> None:
        self._lines = lines
        self._rest = b""
        self.most = 0  # bytes that were asked for at once

    def read(self, size: int = -1) -> bytes:
        self.most = max(self.most, size)
        made = bytearray(self._rest)
        while len(made) < size and (line := next(self._lines, None)) is not None:
            made += line
        self._rest = bytes(made[size:])
        return bytes(made[:size])


def lines(count: int, wanted: int, text: str) -> Iterator[bytes]:
    for number in range(count):
        yield f"{text}\n".encode() if number == wanted else b"2026-01-01 12:00:00 INFO step %d loss 0.1\n" % number


def test_the_first_error_of_a_long_log_is_found_in_bounded_memory() -> None:
    log = Log(lines(60_000, wanted=30_000, text=ERROR))
    text = read_text(log)
    assert ERROR in text
    assert text.startswith("2026-01-01 12:00:00 INFO step 0 ")
    assert text.endswith("step 59999 loss 0.1\n")
    assert len(text) <= WHOLE + PIECE // 10
    assert log.most == PIECE


def test_what_was_left_out_is_told() -> None:
    text = read_text(Log(lines(60_000, wanted=30_000, text=ERROR)))
    before, after = text.split(ERROR)
    assert before.rstrip().endswith("...]")
    assert "\n[... " in after


def test_an_error_that_repeats_is_kept_once() -> None:
    repeated = (b"2026-01-01 ERROR worker %d: connection refused to 10.0.0.%d\n" % (n, n % 255) for n in range(50_000))
    text = read_text(Log(repeated))
    assert len(text) <= WHOLE


def test_ten_megabytes_on_one_line() -> None:
    data = b"x " * 2_500_000 + ERROR.encode() + b" y" * 2_500_000
    text = read_text(io.BytesIO(data))
    assert ERROR in text
    assert len(text) <= 2 * WHOLE


def test_one_line_without_any_space() -> None:
    assert len(read_text(io.BytesIO(b"x" * 5_000_000))) <= 2 * WHOLE


def test_characters_are_not_cut() -> None:
    assert "\ufffd" not in kept("あ" * WHOLE)


@given(st.binary(max_size=3000))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        text = read_text(io.BytesIO(data))
    except NotText:
        return
    assert isinstance(text, str)
    text.encode("utf-8", "strict")


class Counting:
    """Stands in for a compiled pattern and counts how often it is asked."""

    def __init__(self, pattern: Any) -> None:
        self._pattern = pattern
        self.asked = 0

    def search(self, text: bytes) -> Any:
        self.asked += 1
        return self._pattern.search(text)


@pytest.mark.parametrize("line", [b"\n", b"x\n", b"2026-01-01 12:00:00 INFO step 5 loss 0.1\n"])
def test_lines_without_a_sign_are_passed_over_in_blocks(monkeypatch: pytest.MonkeyPatch, line: bytes) -> None:
    """Fifty million empty lines would cost minutes, if each were searched by itself."""
    counting = Counting(checks.readers.text._trouble())
    monkeypatch.setattr(checks.readers.text, "_trouble", lambda: counting)
    data = line * (3_000_000 // len(line))
    read_text(io.BytesIO(data))
    assert 0 < counting.asked < len(data) / 1000


@pytest.mark.parametrize("distance", [1, 2, 9, 200])
def test_what_was_kept_is_kept_again(distance: int) -> None:
    """A text is cut when it is pasted, and once more when it is judged."""
    words = ["ERROR", "noise", "torch version"]
    text = "\n".join(f"{words[n % distance % 3]} {'abcdefghij'[n % 10] * (n % 37)}{n:x}" for n in range(60_000))
    once = kept(text)
    assert len(once) < len(text)
    assert kept(once) == once


def test_a_sign_at_the_edge_of_a_block_is_found() -> None:
    for before in some(range(9_000, 9_300), 75):
        if ERROR not in kept("\n".join(["."] * before + [ERROR] + ["." * 50] * 12_000)):
            raise AssertionError(before)
