# ruff: noqa: E501 - what programs printed stays as it is
"""AI programs with a runtime of their own in the report: what was seen of them, in both languages."""

from __future__ import annotations

import pytest

from checks.facts import LocalProgram
from checks.facts.case import Answers, Case
from checks.judgement.judge import judged
from checks.readers.tickets.read import TICKET, pasted, read_ticket
from wizard.report.content.programs.local import told
from wizard.report.content.report import build

LOG = """\
msg="inference compute" id=GPU-1 library=cuda variant=v12 compute=8.6 driver=12.8 name="NVIDIA GeForce RTX 3060" total="11.8 GiB"
level=INFO source=ggml.go:494 msg="offloaded {}/33 layers to GPU"
"""


def ticket(text: str) -> Case:
    return judged(read_ticket(pasted(text)), Answers(symptom=TICKET))


@pytest.mark.parametrize(("language", "words"), [("en", "put all 33 layers"), ("ja", "33層すべてをGPUに置きました")])
def test_a_log_that_shows_the_gpu_at_work_is_said_to_be_fine(language: str, words: str) -> None:
    report = build(ticket(LOG.format(33)), language)
    assert report.verdict.state == "clear"
    assert any(words in line for line in report.verdict.scope)


@pytest.mark.parametrize(("language", "words"), [("en", "from 2026-10-20"), ("ja", "2026-10-20のログ")])
def test_of_an_old_log_its_day_is_told(language: str, words: str) -> None:
    program = LocalProgram(name="Ollama", log="/l", backend="cpu", written="2026-10-20T08:00:00+00:00", is_old=True)
    assert words in told(program, language)


def test_a_part_of_the_model_is_told_with_its_number() -> None:
    report = build(ticket(LOG.format(20)), "en")
    assert report.findings[0].cause == "gpu-out-of-memory"
    assert "only a part of the model's layers fit" in report.findings[0].why
    assert any("put 20 of the 33 layers" in line for line in report.verdict.scope)


def test_what_was_seen_is_among_the_facts() -> None:
    sections = {section.title: section for section in build(ticket(LOG.format(33)), "en").facts}
    (row,) = sections["AI programs with their own runtime"].rows
    assert row.label == "Ollama"


def test_a_text_about_something_else_has_no_such_section() -> None:
    report = build(ticket("RuntimeError: CUDA out of memory. I use ollama, too."), "en")
    assert not any(section.title == "AI programs with their own runtime" for section in report.facts)
