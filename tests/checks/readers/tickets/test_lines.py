"""A pasted text as lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.readers.tickets.lines import LONGEST, Line, flat, lines_of

ERROR = "RuntimeError: CUDA error: out of memory"


@pytest.mark.parametrize(
    "written",
    [
        pytest.param(f"\x1b[31m{ERROR}\x1b[0m", id="colours"),
        pytest.param(f"\x1b]8;;https://example.org\x07{ERROR}\x1b]8;;\x07", id="link-of-a-terminal"),
        pytest.param(f"> > {ERROR}", id="quoted-twice"),
        pytest.param(f"E       {ERROR}", id="pytest"),
        pytest.param(f"[rank0]: {ERROR}", id="torchrun"),
        pytest.param(f"(EngineCore pid=1234) {ERROR}", id="vllm"),
        pytest.param(f"(RayWorkerWrapper pid=77, ip=10.0.0.7) {ERROR}", id="ray"),
        pytest.param(f"engine-1  | {ERROR}", id="docker-compose"),
        pytest.param(f"2025-01-01T10:00:00.123456789Z stderr F {ERROR}", id="kubernetes"),
        pytest.param(f"May 01 12:00:00 node python3[812]: {ERROR}", id="journald"),
        pytest.param(f"engine-1  | 2025-01-01 10:00:00,123 (Worker pid=7) {ERROR}", id="stacked"),
        pytest.param(f"{ERROR}\r", id="windows-line-end"),
        pytest.param("RuntimeError: CUDA error: out\u00a0of memory", id="hard-space"),
        pytest.param(f"\u2067\u061c{ERROR}\u2069\u202e", id="direction-of-writing"),
        pytest.param(f"\x85{ERROR}\x9c", id="control-characters-of-latin-1"),
    ],
)
def test_what_stands_around_a_line_is_taken_off(written: str) -> None:
    assert lines_of(written)[0] == Line(1, ERROR)


@pytest.mark.parametrize(
    "written",
    [
        pytest.param('  File "train.py", line 3, in <module>', id="indented"),
        pytest.param("Error in model(x)", id="a-word-and-a-bracket"),
        pytest.param("| 30%   40C    P8    20W / 350W |", id="nvidia-smi"),
    ],
)
def test_what_belongs_to_a_line_stays(written: str) -> None:
    assert lines_of(written) == (Line(1, written),)


def test_numbers_are_those_of_what_was_pasted() -> None:
    found = lines_of("a\n\n> b\r\nc")
    assert [(each.number, each.text) for each in found] == [(1, "a"), (2, ""), (3, "b"), (4, "c")]


def test_a_progress_bar_writes_over_its_line() -> None:
    assert [each.text for each in lines_of("  1%|\r 99%|\rdone")] == ["  1%|", " 99%|", "done"]


def test_a_log_in_one_json_string_has_lines() -> None:
    written = '{"log": "' + "x" * 300 + r'\nTraceback\nRuntimeError: CUDA error"}'
    assert 'RuntimeError: CUDA error"}' in [each.text for each in lines_of(written)]


def test_html_of_a_form_is_read() -> None:
    assert (
        lines_of("File &quot;train.py&quot;, line 3, in &lt;module&gt;")[0].text
        == 'File "train.py", line 3, in <module>'
    )


def test_a_very_long_line_is_split_under_one_number() -> None:
    found = lines_of("x" * (3 * LONGEST) + "\nend")
    assert {each.number for each in found[:-1]} == {1}
    assert all(len(each.text) <= LONGEST for each in found)
    assert found[-1] == Line(2, "end")


def test_a_sentence_that_a_form_has_wrapped_is_whole() -> None:
    text, starts = flat(lines_of("  CUDA error: no kernel image\nis available for\n  execution"))
    assert text == "CUDA error: no kernel image is available for execution "
    assert [number for _, number in starts] == [1, 2, 3]


def test_a_word_that_a_terminal_has_cut_is_whole() -> None:
    whole = "RuntimeError: scatter_add_cuda_kernel does not have a deterministic implementation, but you set it"
    cut = "\n".join(whole[start : start + 70] for start in range(0, 70, 70)) + "\n" + whole[70:].ljust(70, "!")
    assert "deterministic implementation" in flat(lines_of(cut))[0]


@given(st.text(max_size=2000))
def test_any_text(text: str) -> None:
    lines = lines_of(text)
    assert [line.number for line in lines] == sorted(line.number for line in lines)
    whole, starts = flat(lines)
    assert len(starts) == len(lines)
    assert all(offset <= len(whole) for offset, _ in starts)
