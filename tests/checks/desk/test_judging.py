"""What is remembered of a ticket: verdict, product, driver, language, and nothing that names people."""

from pathlib import Path

import pytest

from checks.desk.judging import Judged, judge
from checks.desk.tickets import Ticket
from checks.facts.case import Case
from checks.sharing.case import CaseError, decode

CASE = Path(__file__).parents[2] / "cases" / "driver-library-mismatch.json"
MISMATCH = "Failed to initialize NVML: Driver/library version mismatch\nDriver Version: 550.54.14"


def opened(data: bytes) -> Case:
    return decode(data)


def of(text: str, **fields: object) -> Judged:
    return judge(Ticket(key="k", source="s", text=text, **fields), opened)  # type: ignore[arg-type]


def test_a_ticket_with_an_error_line() -> None:
    judged = of(f"PyTorch 2.5.1\n{MISMATCH}", title="No GPU", created="2024-05-01T10:00:00")
    assert judged.cause == "driver-library-mismatch"
    assert judged.is_decided
    assert judged.state == "blocking"
    assert judged.lines == ("Failed to initialize NVML: Driver/library version mismatch",)
    assert (judged.product, judged.driver, judged.language) == ("torch", "550.54.14", "en")
    assert judged.alike


def test_the_same_trouble_elsewhere_is_alike_and_another_is_not() -> None:
    assert of(MISMATCH).alike == of(f"Ubuntuで動きません。\n{MISMATCH}").alike
    assert of(MISMATCH).alike != of("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.").alike


def test_a_text_that_tells_nothing_is_undecided() -> None:
    judged = of("Hello, could you please send me an invoice?")
    assert not judged.is_decided
    assert judged.state == "incomplete"
    assert judged.lines == ()
    assert judged.alike == 0


def test_what_words_alone_tell_is_no_group() -> None:
    judged = of(
        "I converted ckpt.t7 to onnx and found that the output feature is different between torch and onnxruntime. The "
        "extractor of the repository never switches the network, should the inference not be in another mode?"
    )
    assert judged.is_decided
    assert judged.lines == ()
    assert judged.alike == 0


def test_names_are_hidden_in_what_is_kept() -> None:
    text = "/home/alice/train.py fails: OSError: /home/alice/x/libcudart.so.12: cannot open shared object file"
    judged = judge(Ticket(key="k", source="s", title="alice: libcudart", text=text), opened, ("Vision",))
    kept = repr((judged.title, judged.lines))
    assert "alice" not in kept
    assert judged.title.startswith("<user-1>")
    plain = judge(Ticket(key="k", source="s", title="alice: libcudart", text=text), opened, None)
    assert plain.title == "alice: libcudart"
    assert plain.alike == judged.alike


def test_a_case_is_judged_again_and_a_broken_one_is_named() -> None:
    judged = judge(Ticket(key="k", source="s", case=CASE.read_bytes()), opened)
    assert judged.cause == "driver-library-mismatch"
    assert judged.created
    broken = judge(Ticket(key="k", source="s", case=b'{"format": 1}'), opened)
    assert (broken.state, broken.is_decided) == ("unread", False)
    assert broken.problem


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("GPUが認識されません。RuntimeError: CUDA error", "ja"),
        ("Ich habe das Problem, dass die GPU nicht gefunden wird, wenn ich das Skript starte.\nCUDA error", "de"),
        ("显卡无法使用,请帮忙看看。CUDA error", "zh"),
        ("Bonjour, mon script ne marche pas avec la carte et je suis perdu.", "fr"),
        ("RuntimeError: CUDA error: no kernel image is available", "en"),
        ("It does not work with my GPU.", "en"),
    ],
)
def test_the_language_of_the_person_counts(text: str, language: str) -> None:
    assert of(text).language == language


def test_what_cannot_be_opened_raises_nothing_else() -> None:
    with pytest.raises(CaseError):
        opened(b"{}")


def test_no_name_is_kept_in_what_a_ticket_is_called() -> None:
    called = {
        "source": "box of kim.lee@example.org.mbox",
        "number": "kim.lee@example.org-7",
        "product": "kim.lee@example.org",
    }
    ticket = Ticket(key="mail:kim.lee@example.org", text=MISMATCH, **called)
    assert "kim.lee" not in repr(judge(ticket, opened))
    broken = Ticket(key="k", case=b'{"format": 1}', **called)
    assert "kim.lee" not in repr(judge(broken, opened))
    chosen = Ticket(key="k", text=MISMATCH, is_number_chosen=True, **called)
    assert judge(chosen, opened).number == "kim.lee@example.org-7"
    assert judge(Ticket(key="k", source="export.csv", number="ACME-12", text=MISMATCH), opened).number == "ACME-12"


@pytest.mark.parametrize("before", ["I get this: ", "[rank0]: ", "2024-05-01 10:00:00 ERROR  ", "エラーは "])
def test_words_before_an_error_line_part_no_group(before: str) -> None:
    line = "RuntimeError: CUDA error: no kernel image is available for execution on the device"
    assert of(before + line).alike == of(line).alike != 0
