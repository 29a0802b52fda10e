"""Signatures in a text: where they are found, and what hostile text can do to them."""

import random
import re

import pytest
import re2
from hypothesis import given
from hypothesis import strategies as st
from support.extent import some
from support.walk import for_each

from checks.facts import Facts
from checks.facts.quotation import CLUE_SHOWN
from checks.knowledge.catalogue import cause_files, cause_of
from checks.knowledge.tickets.phrases import expand
from checks.readers.tickets.lines import lines_of
from checks.readers.tickets.wording import signatures
from checks.readers.tickets.wording.signatures import hits

OUT_OF_MEMORY = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB"

PATTERNS = sorted(
    {
        pattern
        for cause in cause_files()
        for signature in cause_of(cause).signature
        for pattern in (*signature.any, *signature.all, *signature.none)
    }
)


def causes(text: str) -> set[str]:
    return {hit.cause for hit in hits(lines_of(text), (Facts(),))}


def test_the_line_that_shows_it() -> None:
    (hit, *_) = (
        h for h in hits(lines_of(f"hello\n\n  {OUT_OF_MEMORY}\nbye"), (Facts(),)) if h.cause == "gpu-out-of-memory"
    )
    assert 3 in hit.lines
    assert hit.clue == OUT_OF_MEMORY


def test_case_and_quoting_do_not_matter() -> None:
    assert "gpu-out-of-memory" in causes(f"> {OUT_OF_MEMORY.upper()}")


def test_a_wrapped_sentence_is_found() -> None:
    assert "gpu-out-of-memory" in causes("torch.OutOfMemoryError: CUDA\nout of memory. Tried to\nallocate 2.00 GiB")


def test_lines_behind_japanese_are_counted_right() -> None:
    found = hits(lines_of(f"学習中に次のエラーが出ます。\n助けてください。\n{OUT_OF_MEMORY}"), (Facts(),))
    assert {3} == {line for each in found if each.cause == "gpu-out-of-memory" for line in each.lines}


def test_every_line_of_a_wrapped_sentence_shows_it() -> None:
    text = "hello\ntorch.OutOfMemoryError: CUDA\n\nout of memory. Tried to\nallocate 2.00 GiB\nbye"
    found = [hit for hit in hits(lines_of(text), (Facts(),)) if hit.cause == "gpu-out-of-memory"]
    assert any({2, 4} <= set(each.lines) for each in found)
    assert not {1, 3, 6} & {line for each in found for line in each.lines}


def test_the_end_of_a_text_does_not_go_on_at_its_beginning() -> None:
    """Both shapes of a text are searched as one, with a gap between that no pattern bridges."""
    text = "No such file or directory: '/usr/local/cuda/bin/{}nvcc is a compiler"
    assert "cuda-toolkit-mismatch-build" in causes(text.format(""))
    end, beginning = text.split("{}")
    assert "cuda-toolkit-mismatch-build" not in causes(f"{beginning}\nhello\n{end}")


def test_of_a_long_line_the_part_is_quoted_that_shows_it() -> None:
    (hit, *_) = (
        each
        for each in hits(lines_of(f"{'あ' * 3000} {OUT_OF_MEMORY} {'x' * 900}"), (Facts(),))
        if each.cause == "gpu-out-of-memory"
    )
    assert "CUDA out of memory" in hit.clue
    assert len(hit.clue) <= CLUE_SHOWN


@pytest.mark.parametrize("text", ["", "\n\n", "hello", "こんにちは"])
def test_nothing_is_found_in_nothing(text: str) -> None:
    assert {hit.signature.certainty for hit in hits(lines_of(text), (Facts(),))} <= {0.0}


# --- hostile text ----------------------------------------------------------------------------------------------------
# RE2 promises time that grows with the length of the text alone; what can still be wrong is a pattern that it refuses,
# or one so large that its memory ends.


@for_each(PATTERNS)
def test_a_pattern_is_one_of_re2_and_of_a_sane_size(pattern: str) -> None:
    options = re2.Options()
    options.max_mem = 4 << 20  # half of what is allowed while searching
    compiled = re2.compile(f"(?im){expand(pattern)}", options)
    assert compiled.search(b"") is None, "it matches nothing at all"


def hostile() -> list[bytes]:
    """Texts that make a backtracking engine try everything: long runs, near misses, pieces of our own patterns."""
    dice = random.Random(7)
    words = sorted({word for pattern in PATTERNS for word in re.findall(r"[A-Za-z_]{4,}", pattern)})
    return [
        b"a" * 100_000,
        b" " * 100_000,
        b"((((" * 20_000,
        b"error " * 15_000 + b"!",
        b'File "' * 15_000,
        b"0" * 100_000 + b"x",
        ("\u3042\U0001f600" * 15_000).encode(),
        " ".join(dice.choices(words, k=12_000)).encode(),
        "\n".join(" ".join(dice.choices(words, k=12)) for _ in range(1_000)).encode(),
    ]


def test_every_pattern_survives_hostile_text() -> None:
    texts = hostile()
    for pattern in some(PATTERNS, 300):
        compiled = re2.compile(f"(?im){expand(pattern)}")
        for text in texts:
            compiled.search(text)


def test_hostile_text_as_a_ticket() -> None:
    for text in some(hostile(), 4):
        hits(lines_of(text.decode()), (Facts(),))


@given(st.text(max_size=1500))
def test_any_text(text: str) -> None:
    for hit in hits(lines_of(text), (Facts(),)):
        assert all(1 <= line <= text.count("\n") + 1 for line in hit.lines)


def test_of_many_logs_none_is_searched_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Judgement asks of each log several times, one log after the other."""
    made: list[int] = []
    new = signatures._Text
    monkeypatch.setattr(signatures, "_texts", {})
    monkeypatch.setattr(signatures, "_Text", lambda lines: made.append(len(lines)) or new(lines))
    logs = [lines_of(f"log {number}\n{OUT_OF_MEMORY}") for number in range(12)]
    found = [[hits(log, (Facts(),)) for log in logs] for _ in range(3)]
    assert len(made) == 12
    assert found[0] == found[1] == found[2]
    assert all(found[0])


def test_what_was_searched_is_forgotten_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signatures, "_texts", {})
    monkeypatch.setattr(signatures, "_MOST_TEXTS", 3)
    for number in range(5):
        hits(lines_of(f"log {number}"), (Facts(),))
    assert [lines[0].text for lines in signatures._texts] == ["log 2", "log 3", "log 4"]
    monkeypatch.setattr(signatures, "_MOST_BYTES", 10)
    hits(lines_of("a long one"), (Facts(),))
    assert len(signatures._texts) == 1
