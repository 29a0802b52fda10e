"""Which texts are nearly the same, and which only look so."""

from checks.desk.likeness import NEARLY_THE_SAME, likeness_of, shape_of_line, share_in_common, wording_in_common

TEXT = """Training stops after an hour on our cluster, and only where the new driver is installed.
Traceback (most recent call last):
  File "/home/alice/project/train.py", line 31, in <module>
    loss.backward()
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.64 GiB of
which 1.10 GiB is free. Of the allocated memory 20.11 GiB is allocated by PyTorch"""


def shared(one: str, other: str) -> float:
    return float(share_in_common(likeness_of(one).marks, [likeness_of(other).marks])[0])


def test_the_same_with_other_numbers_and_a_greeting() -> None:
    other = "Hello,\n" + TEXT.replace("2.00", "4.50").replace("line 31", "line 77") + "\nThanks"
    assert shared(TEXT, TEXT) == 1.0
    assert shared(TEXT, other) >= NEARLY_THE_SAME
    assert set(likeness_of(TEXT).bands) & set(likeness_of(other).bands)


def test_another_trouble_in_the_same_frame_is_another() -> None:
    first, *frame, _, _ = TEXT.split("\n")
    other = "\n".join(
        ("The first step of our notebook does not begin, whatever the driver.", *frame, "ValueError: bad")
    )
    assert first not in other
    assert shared(TEXT, other) < NEARLY_THE_SAME


def test_nothing_is_like_a_text_without_words() -> None:
    assert likeness_of("--- !!!").bands == ()
    assert share_in_common(b"", [likeness_of(TEXT).marks]).tolist() == [0.0]
    assert likeness_of("GPU").bands  # one word is a text, too


def test_a_line_has_the_same_shape_on_every_machine() -> None:
    one = "OSError: /home/alice/venv/lib/libcudart.so.12: cannot open at 0x7f31aa, device 3f9a77bc21"
    other = "OSError: C:\\Users\\bob\\venv\\lib\\libcudart.so.11: cannot open at 0x11, device 0011aabb22"
    assert shape_of_line(one) == shape_of_line(other)
    assert shape_of_line("CUDA error: out of memory") != shape_of_line("CUDA error: invalid device")


def test_of_several_lines_only_what_all_say_is_quoted() -> None:
    lines = ["OSError: cannot open /home/alice/x.so at once", "OSError: cannot open /home/bob/x.so at once"]
    assert wording_in_common(lines) == "OSError: cannot open … at once"
    assert wording_in_common([lines[0], "OSError: cannot open anything"]) == "OSError: cannot open …"
    assert wording_in_common([lines[0], "ValueError: bad"]) == ""
    assert wording_in_common([lines[0]]) == lines[0]
    assert wording_in_common([]) == ""


def test_what_lines_share_is_found_behind_other_words() -> None:
    lines = ("I get RuntimeError: no kernel image", "[rank0]: RuntimeError: no kernel image")
    assert wording_in_common(lines) == "RuntimeError: no kernel image"
