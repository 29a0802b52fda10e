"""Every recorded machine has a report that can be read, in both languages and in every print."""

import dataclasses
import functools
import html
import re
from pathlib import Path

import msgspec
import pytest
from support.extent import some
from support.walk import for_each

from checks.facts.case import Case
from checks.facts.finding import Severity
from checks.sharing.case import decode
from wizard.report.content.report import build
from wizard.report.export import render

pytestmark = pytest.mark.usefixtures("qapp")

CASES = sorted((Path(__file__).parents[1] / "cases").glob("*.json"))
OPEN_PLACEHOLDER = re.compile(r"\{[a-z_]+\}")


PRINTED = 8  # a PDF of every one takes longer than all other tests of reports; before a release all are made


@functools.cache
def recorded(path: Path) -> Case:
    return decode(path.read_bytes())


def without_marks(markdown: str) -> str:
    return re.sub(r"\W", "", html.unescape(markdown))


def stem(path: Path) -> str:
    return path.stem


@pytest.mark.parametrize("language", ["en", "ja"])
@for_each(CASES, stem)
def test_is_whole(path: Path, language: str) -> None:
    case = recorded(path)
    report = build(case, language)
    assert [text for text in texts(report) if OPEN_PLACEHOLDER.search(text)] == []
    assert len(report.findings) == len(case.findings)
    for view, finding in zip(report.findings, case.findings, strict=True):
        assert view.remedies or finding.severity is Severity.NOTE, f"no remedy for {finding.cause} on this machine"


@for_each(some(CASES, 5 * PRINTED), stem)
def test_can_be_printed_as_text(path: Path) -> None:
    case = recorded(path)
    printed = without_marks(render(case, "markdown", "ja", "a4").decode())
    risks = {remedy.risk for finding in build(case, "ja").findings for remedy in finding.remedies}
    assert [risk for risk in risks if without_marks(risk) not in printed] == []


@for_each(some(CASES, PRINTED), stem)
def test_can_be_printed_as_pdf(path: Path) -> None:
    assert render(recorded(path), "pdf", "ja", "a4")


def texts(value: object) -> list[str]:
    """Every text of a report."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, tuple):
        return [text for each in value for text in texts(each)]
    if isinstance(value, msgspec.Struct):
        return [text for each in value.__struct_fields__ for text in texts(getattr(value, each))]
    if dataclasses.is_dataclass(value):
        return [text for field in dataclasses.fields(value) for text in texts(getattr(value, field.name))]
    return []
