"""Two errors in one ticket that have nothing to do with each other: the second is told as well, and only then."""

import pytest

from checks.facts.case import Answers
from checks.facts.finding import Finding
from checks.judgement.judge import judged
from checks.readers.tickets.read import TICKET, pasted, read_ticket
from wizard.report.content.findings.marked_lines import marked_lines
from wizard.report.content.report import build
from wizard.report.prints.markdown import to_markdown
from wizard.report.prints.reply import to_reply
from wizard.report.prints.terminal import to_terminal

NUMPY = """\
first I got this when importing:

A module that was compiled using NumPy 1.x cannot be run in
NumPy 2.1.3 as it may crash. To support both 1.x and 2.x
versions of NumPy, modules must be compiled with NumPy 2.0.
Traceback (most recent call last):
  File "infer.py", line 2, in <module>
    import torch
AttributeError: _ARRAY_API not found
"""
PROVIDER = """\
[E:onnxruntime:Default, provider_bridge_ort.cc:1992 TryGetProviderInfo_CUDA] /onnxruntime_src/onnxruntime/core/session/\
provider_bridge_ort.cc:1637 onnxruntime::Provider& onnxruntime::ProviderLibrary::Get() [ONNXRuntimeError] : 1 : FAIL : \
Failed to load library libonnxruntime_providers_cuda.so with error: libcublasLt.so.11: cannot open shared object file: \
No such file or directory
"""
BOTH = f"{NUMPY}\nI ignored it, then later in my ort script:\n\n{PROVIDER}"
COMPANION = """\
Traceback (most recent call last):
  File "train.py", line 10, in <module>
    import torchvision
  File "/home/u/venv/lib/python3.10/site-packages/torchvision/__init__.py", line 6, in <module>
RuntimeError: operator torchvision::nms does not exist
"""
NOT_ENOUGH = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 8 GiB\n"
)


def findings(text: str) -> tuple[Finding, ...]:
    return judged(read_ticket(pasted(text)), Answers(symptom=TICKET)).findings


def test_a_second_error_is_weighed_by_itself() -> None:
    first, second, *_ = findings(BOTH)
    assert (first.cause, second.cause) == ("numpy-abi-mismatch", "cuda-library-missing")
    assert first.apart == 0
    assert second.confidence < 0.2
    assert second.apart > 0.85


def test_of_two_troubles_the_first_is_weighed_without_the_second() -> None:
    """What speaks for the one does not make the other less likely."""
    first, second, *_ = findings(f"{COMPANION}\n{NOT_ENOUGH}")
    assert {first.cause, second.cause} == {"gpu-out-of-memory", "framework-companion-mismatch"}
    assert first.confidence > 0.85
    assert second.apart > 0.85


def test_the_lines_of_both_are_marked_in_the_text() -> None:
    report = build(judged(read_ticket(pasted(BOTH)), Answers(symptom=TICKET)), "en")
    (section,) = (fact for fact in report.facts if fact.text)
    lines = {number for finding in report.shown for row in finding.evidence for number in row.lines}
    assert set(marked_lines(report, section)) == lines


def test_outcomes_and_findings_tell_the_same() -> None:
    case = judged(read_ticket(pasted(BOTH)), Answers(symptom=TICKET))
    told = [finding for outcome in case.outcomes for finding in outcome.findings]
    assert all(finding in told for finding in case.findings)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_report_and_answer_tell_of_both(language: str) -> None:
    report = build(judged(read_ticket(pasted(BOTH)), Answers(symptom=TICKET)), language)
    first, second = report.shown
    assert first.confidence_words != second.confidence_words
    assert second.remedies
    for text in (to_reply(report), to_terminal(report), to_markdown(report)):
        assert first.title in text
        assert second.title in text
        assert "libcublasLt.so.11" in text


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(NUMPY, id="one"),
        pytest.param(PROVIDER, id="the-other"),
        pytest.param(f"{NOT_ENOUGH}{NOT_ENOUGH}", id="twice-the-same"),
        pytest.param(f"{PROVIDER}EP Error: falling back to ['CPUExecutionProvider'] and retrying.", id="consequence"),
        pytest.param("It does not work.", id="nothing"),
    ],
)
def test_one_trouble_is_not_told_as_two(text: str) -> None:
    assert not any(finding.apart for finding in findings(text))
