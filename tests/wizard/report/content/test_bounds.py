"""A report of thousands of files or packages stays readable, and says what it leaves out."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import pytest
from support.extent import ALL

from checks.facts import Facts, ModelFacts, ProbeRun, ProbeRuns, SentFile
from checks.facts.case import Answers, Case
from checks.judgement.judge import judged
from wizard.report.content.blocks import Files
from wizard.report.content.bounds import LONGEST, MOST_ENTRIES, MOST_FINDINGS, first_of_each
from wizard.report.content.document import document_of
from wizard.report.content.report import build
from wizard.report.export import render
from wizard.report.pdf.document import to_pdf
from wizard.report.prints.json_report import to_json
from wizard.report.prints.markdown import to_markdown
from wizard.words import words

pytestmark = pytest.mark.usefixtures("qapp")


def case_of(**facts: Any) -> Case:
    return judged(Facts(**facts), Answers())


@pytest.fixture(scope="module")
def folder() -> Case:
    """More damaged models than are shown."""
    return case_of(models=damaged(MOST_ENTRIES + 20))


def damaged(count: int) -> tuple[ModelFacts, ...]:
    names = (f"{number}.onnx" for number in range(count))
    return tuple(ModelFacts(path=f"/m/{name}", name=name, format="onnx", problem="truncated") for name in names)


def parts(value: Any, kind: type) -> Iterator[Any]:
    if isinstance(value, kind):
        yield value
    if isinstance(value, tuple):
        for inner in value:
            yield from parts(inner, kind)
    elif is_dataclass(value):
        for each in fields(value):
            yield from parts(getattr(value, each.name), kind)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_many_damaged_models(folder: Case, language: str) -> None:
    report = build(folder, language)
    document = document_of(report)
    (files,) = parts(document, Files)
    assert len(files.pages) == len(files.table.rows) == MOST_ENTRIES
    assert words("report.more-in-json", language, count=20) in files.table.note
    left_out = words("report.more-in-json", language, count=len(folder.findings) - MOST_FINDINGS)
    assert left_out in {text for section in document.sections for text in parts(section, str)}
    assert len(to_markdown(report).encode()) < 3_000_000
    if ALL:  # whose document is the same
        assert len(to_pdf(report, b"{}")) < 3_000_000


def test_the_json_has_all_of_them(folder: Case) -> None:
    assert to_json(folder, "en").count(b'"cause": "checkpoint-corrupt"') >= MOST_ENTRIES + 20


def test_many_of_one_cause_crowd_no_other_out() -> None:
    log = SentFile(name="log", kind="log", text="torch.OutOfMemoryError: CUDA out of memory.\n", examined=True)
    case = case_of(models=damaged(MOST_FINDINGS + 20), logs=(log,))
    report = build(case, "en")
    titles = {text for section in document_of(report).sections for text in parts(section, str)}
    shown = {view.cause for view in report.findings if view.title in titles}
    assert shown == {finding.cause for finding in case.findings}
    assert len(shown) > 1
    for findings in (report.findings, report.findings[::-1]):  # the rare one last
        assert {view.cause for view in first_of_each(findings)} == shown


@pytest.mark.parametrize("language", ["en", "ja"])
def test_probes_and_texts_without_end(language: str) -> None:
    runs = tuple(ProbeRun(probe=f"p{number}", interpreter="x", status="crashed") for number in range(MOST_ENTRIES + 30))
    log = SentFile(name="x" * 50_000, kind="log", text="RuntimeError: CUDA error\n")
    case = case_of(probes=ProbeRuns(runs=runs), logs=(log,))
    found = {text for section in document_of(build(case, language)).sections for text in parts(section, str)}
    assert words("report.more-in-json", language, count=30) in found
    assert max(map(len, found)) <= LONGEST + 2


def test_an_ordinary_report_is_whole() -> None:
    case = case_of(models=damaged(5))
    assert words("report.more-in-json", "en", count=1)[2:] not in render(case, "markdown", "en").decode()
