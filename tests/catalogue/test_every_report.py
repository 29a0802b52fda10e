"""Every recorded machine has a report that can be read, in both languages and in every print."""

import dataclasses
import re
from pathlib import Path

import msgspec
import pytest

from checks.facts.case import Case
from checks.facts.finding import Severity
from checks.sharing.case import decode
from wizard.report.content.report import build
from wizard.report.export import render

pytestmark = pytest.mark.usefixtures("qapp")

CASES = sorted((Path(__file__).parents[1] / "cases").glob("*.json"))
OPEN_PLACEHOLDER = re.compile(r"\{[a-z_]+\}")


@pytest.fixture(params=CASES, ids=lambda path: path.stem)
def recorded(request: pytest.FixtureRequest) -> Case:
    return decode(request.param.read_bytes())


@pytest.mark.parametrize("language", ["en", "ja"])
def test_is_whole(recorded: Case, language: str) -> None:
    report = build(recorded, language)
    assert [text for text in texts(report) if OPEN_PLACEHOLDER.search(text)] == []
    assert len(report.findings) == len(recorded.findings)
    for view, finding in zip(report.findings, recorded.findings, strict=True):
        assert view.remedies or finding.severity is Severity.NOTE, f"no remedy for {finding.cause} on this machine"


@pytest.mark.parametrize("kind", ["pdf", "markdown"])
def test_can_be_printed(recorded: Case, kind: str) -> None:
    assert render(recorded, kind, "ja", "a4")


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
