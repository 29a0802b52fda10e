"""What a reader of the PDF meets first, how long it is, and that no page is ugly."""

import dataclasses
import functools
import io
import re
import subprocess

import pytest
from pypdf import PdfReader
from pypdf.generic import Destination
from support.recorded_repeats import frameworks, recorded

from checks.facts import Facts
from checks.facts.case import Answers, Case
from checks.judgement.judge import judged
from wizard.report.content.blocks import FactRow
from wizard.report.content.fact_sheet import FactSection
from wizard.report.content.report import Report, build
from wizard.report.pdf.document import to_pdf
from wizard.report.prints.json_report import to_json
from wizard.words import words

pytestmark = pytest.mark.usefixtures("qapp")
RECORDED = ("torch-2.13.0-cpu-repeat", "torch-2.13.0-cpu-portraits", "numpy-2.4.6-portraits", "torch-2.13.0-cpu-digits")
MOST_PAGES = 12


@functools.cache
def examined() -> Case:
    """All that was measured in a long run here, in one case."""
    made = tuple(number for name in RECORDED for number in recorded(name))
    facts = Facts(frameworks=frameworks(), measurements=made)
    return judged(facts, Answers(symptom="results-change", effort="standard"))


@pytest.fixture(scope="module", params=["en", "ja"])
def printed(request: pytest.FixtureRequest, qapp: object) -> tuple[Report, bytes]:
    case = examined()
    report = build(case, request.param)
    return report, to_pdf(report, to_json(case, request.param))


@functools.cache
def flat(pdf: bytes) -> str:
    """The text column by column, without the heads and feet of pages."""
    inside = ("-x", "0", "-y", "45", "-W", "595", "-H", "755")
    done = subprocess.run(["pdftotext", "-raw", *inside, "-", "-"], input=pdf, capture_output=True, check=True)
    return "".join(done.stdout.decode().split())


@functools.cache
def read(pdf: bytes) -> PdfReader:
    return PdfReader(io.BytesIO(pdf))


def headings(pdf: bytes) -> list[Destination]:
    """The outline, from the first page to the last."""
    found: list[Destination] = []
    for entry in read(pdf).outline:
        found += [inner for inner in entry if isinstance(inner, Destination)] if isinstance(entry, list) else [entry]
    return found


def squeezed(text: str) -> str:
    return "".join(text.split())


def test_it_is_short(printed: tuple[Report, bytes]) -> None:
    assert len(read(printed[1]).pages) <= MOST_PAGES


def test_cause_remedy_and_verification_come_first_and_the_appendix_last(printed: tuple[Report, bytes]) -> None:
    report, pdf = printed
    text = flat(pdf)
    best = report.findings[0]
    parts = [
        report.verdict.sentence,
        best.why,
        best.remedies[0].title,
        words("report.verify", report.language, expect=best.remedies[0].verify.expect),
    ]
    places = [text.find(squeezed(part)) for part in parts]
    assert -1 not in places
    assert places == sorted(places)
    titles = [heading.title for heading in headings(pdf)]
    behind = [
        best.title,
        words("report.heading-measured", report.language),
        words("report.heading-appendix", report.language),
        words("report.evidence-of", report.language, title=best.title),
        words("report.heading-fine", report.language),
        words("report.heading-about", report.language),
    ]
    assert [title for title in titles if title in behind] == behind


def test_a_remedy_of_several_findings_is_described_once(printed: tuple[Report, bytes]) -> None:
    report, pdf = printed
    remedies = [remedy for finding in report.shown for remedy in finding.remedies]
    twice = next(remedy for remedy in remedies if remedies.count(remedy) > 1)
    alike = [remedy for remedy in remedies if remedy.id == twice.id]  # with the code of another framework, perhaps
    different = [row for number, row in enumerate(alike) if row not in alike[:number]]
    text = flat(pdf)
    assert text.count(squeezed(twice.title)) >= len(alike)
    assert text.count(squeezed(words("report.verify", report.language, expect=twice.verify.expect))) == len(different)


def test_no_operation_is_lost(printed: tuple[Report, bytes]) -> None:
    report, pdf = printed
    text = flat(pdf)
    tables = [table for section in report.measured if section.id == "repeat" for table in section.tables]
    names = [row.cells[0] for table in tables for row in table.rows]
    assert len(names) > 90
    assert [name for name in names if squeezed(name) not in text] == []
    for section in report.measured:
        for row in (row for table in section.tables for row in table.rows):
            told = row.brief or row.cells[0]
            assert squeezed(told) in text or squeezed(row.cells[0]) in text, told


def test_nothing_stands_on_the_foot_of_a_page_or_is_cut_by_it(printed: tuple[Report, bytes]) -> None:
    boxes = subprocess.run(["pdftotext", "-bbox", "-", "-"], input=printed[1], capture_output=True, check=True)
    for page in boxes.stdout.decode().split("<page ")[1:]:
        lines = sorted({float(found) for found in re.findall(r'yMax="([\d.]+)"', page)})
        assert lines[-1] < 842 - 15  # the number of the page
        assert lines[-2] < 842 - 36


def test_every_heading_has_something_below_it_on_its_page(printed: tuple[Report, bytes]) -> None:
    tops = [float(heading.top) for heading in headings(printed[1]) if heading.top is not None]
    assert len(tops) > 10
    assert min(tops) > 42 + 20  # from the lower edge: the margin, and two lines


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("are_settings", [False, True])
def test_a_label_stands_before_its_value_but_settings_are_listed_by_it(case: Case, are_settings: bool) -> None:
    rows = tuple(FactRow(f"label{number}", "yes" if number % 2 else "no") for number in range(14))
    facts = (FactSection("A thing", rows, are_settings=are_settings),)
    text = flat(to_pdf(dataclasses.replace(build(case, "en"), facts=facts), to_json(case, "en")))
    assert ("nolabel0,label2,label4" in text) is are_settings
    assert ("label0no" in text) is not are_settings
