"""What was measured, in every print. The sections are made here; those of real measurements have tests of their own."""

import dataclasses
import re
import subprocess
from collections.abc import Callable

import msgspec
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import Qt

from checks.facts import Facts, Repeat
from checks.facts.case import Case
from wizard.plots.look import hatching
from wizard.report.content.blocks import (
    FEW_ROWS,
    MeasuredSection,
    Plot,
    Row,
    Series,
    Table,
    in_full,
    trimmed,
)
from wizard.report.content.measured.sections import measured_sections
from wizard.report.content.report import Report, build
from wizard.report.pdf.document import to_pdf
from wizard.report.prints.json_report import to_json
from wizard.report.prints.markdown import to_markdown
from wizard.report.prints.terminal import to_terminal
from wizard.words import words

pytestmark = pytest.mark.usefixtures("qapp")

SUMS = Plot(
    "二乗和 | Sums",
    "lines",
    "run",
    "sum",
    (Series("cpu", (1, 2, 3), (1e-7, 2e-7, None)), Series("cuda:0", (1, 2, 3), (0.0, 1e-5, 1e-4))),
    "They differ by 1e-07.",
    log_y=True,
)
COST = Plot(
    "Cost",
    "bars",
    "",
    "times",
    (Series("x", (0, 1), (1.0, 4.2)),),
    "At most 4.2.",
    categories=("m" * 60, "scatter_add"),
)
ULP = Plot("Far apart", "bars", "ULP", "elements", (Series("x", (0, 1), (9.0, 1.0)),), "Few.", categories=("0", "1"))
SHORT = Table(
    "Errors",
    ("run", "error"),
    (Row(("1", "9.10")), Row(("2 <b>", "10.25"), "warning")),
    numeric=(1,),
    note="300 repetitions.",
)
LONG = Table(
    "All operations",
    ("operation", "result"),
    (
        *(Row((f"fine_{number}", "same bits"), "clear") for number in range(FEW_ROWS)),
        Row(("scatter_add", "changes"), "warning"),
        Row(("sort", "left out"), "absent"),
    ),
)
SECTION = MeasuredSection("repeat", "Twice the same?", ("One of 14 changes.",), (SHORT, LONG), (SUMS, COST, ULP))


@pytest.fixture(scope="module")
def report(case: Case) -> Report:
    return dataclasses.replace(build(case, "en"), measured=(SECTION,))


@pytest.fixture(scope="module")
def printed(report: Report, qapp: object) -> bytes:
    return to_pdf(report, b"{}")


def text_of(data: bytes) -> str:
    done = subprocess.run(["pdftotext", "-layout", "-", "-"], input=data, capture_output=True, check=True)
    return done.stdout.decode()


def test_terminal_shows_short_tables_and_of_long_ones_the_trouble(report: Report) -> None:
    lines = to_terminal(report).splitlines()
    begin = lines.index("Twice the same?")
    assert lines[begin : begin + 14] == [
        "Twice the same?",
        "  One of 14 changes.",
        "  二乗和 | Sums: They differ by 1e-07.",
        "  Cost: At most 4.2.",
        "  Far apart: Few.",
        "  Errors:",
        "       run    error",
        "       1       9.10",
        "    !  2 <b>  10.25",
        "    300 repetitions.",
        "  All operations:",
        "       operation    result",
        "    !  scatter_add  changes",
        "    … 13 more rows; they are in the other forms of the report.",
    ]


def test_markdown_has_every_row_and_folds_long_tables(report: Report) -> None:
    text = to_markdown(report)
    found, fine = (words(f"report.heading-{key}", "en") for key in ("findings", "fine"))
    assert text.index(f"## {found}") < text.index("## What was measured") < text.index(f"<summary>{fine}")
    assert "| ! | 2 \\<b\\> | 10.25 |" in text
    assert "|  --- | --- | ---: |".replace("  ", " ") in text
    assert "<details><summary>All operations (14 rows)</summary>" in text
    assert text.count("fine\\_") == FEW_ROWS
    assert "**二乗和 \\| Sums**: They differ by 1e-07." in text


def test_pdf_has_the_plots_as_text_and_the_tables_whole(printed: bytes) -> None:
    text = text_of(printed)
    for expected in (
        "What was measured",
        "二乗和 | Sums",
        "They differ by 1e-07.",
        "cuda:0",
        "scatter_add",
        "300 repetitions.",
    ):
        assert expected in text
    flat = "".join(text.split())
    assert "10−7" in flat  # an exponent, raised on the page
    assert len(set(re.findall(r"fine_\d+", flat))) == FEW_ROWS
    assert "m" * 15 in flat  # a long name beside its bar, cut where it is too long


def test_pdf_draws_vectors_and_no_pictures(printed: bytes) -> None:
    pictures = subprocess.run(["pdfimages", "-list", "-"], input=printed, capture_output=True, check=True)
    assert len(pictures.stdout.splitlines()) <= 2  # its head alone


@pytest.mark.parametrize("language", ["en", "ja"])
def test_nothing_measured_is_not_mentioned(case: Case, language: str) -> None:
    report = build(case, language)
    assert report.measured == ()
    heading = words("report.heading-measured", language)
    assert heading not in to_terminal(report)
    assert heading not in to_markdown(report)
    assert heading not in text_of(to_pdf(report, b"{}"))


def test_json_has_facts_alone(case: Case) -> None:
    assert b'"measured"' not in to_json(case, "en")


def test_hostile_sizes_make_pages_not_errors(case: Case) -> None:
    wide = Table("W" * 9000, tuple("ABCDEFGHIJ"), (Row(tuple("x" * 900 for _ in range(10)), "blocking"),))
    many = Plot(
        "P",
        "bars",
        "",
        "",
        tuple(Series(str(n), (), (1.0,) * 400) for n in range(90)),
        "",
        categories=("c" * 900,) * 400,
    )
    section = MeasuredSection("x", "X", (), (wide,), (many, Plot("", "lines", "", "", (), "")))
    report = dataclasses.replace(build(case, "en"), measured=(section,))
    pdf = to_pdf(report, b"{}")
    assert pdf.startswith(b"%PDF")
    assert "more" in text_of(pdf)


@pytest.mark.parametrize(
    ("style", "count"),
    [(Qt.BrushStyle.SolidPattern, 0), (Qt.BrushStyle.BDiagPattern, 5), (Qt.BrushStyle.HorPattern, 2)],
)
def test_hatching(style: Qt.BrushStyle, count: int) -> None:
    assert len(hatching(QRectF(0, 0, 20, 20), style, 10)) == count


def test_makers_of_sections_are_asked_only_where_something_was_measured(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def section(of: Case, language: str) -> MeasuredSection | None:
        asked.append(language)
        return None

    makers: tuple[Callable[[Case, str], MeasuredSection | None], ...] = (section,)
    monkeypatch.setattr("wizard.report.content.measured.sections.SECTIONS", makers)
    build(case, "en")
    assert asked == []


def test_what_was_left_out_takes_a_sentence_and_no_pages(case: Case) -> None:
    absent = tuple(Row((f"waiting_{number}", "no time"), "absent") for number in range(50))
    table = Table("All", ("what", "result"), (Row(("done", "same"), "clear"), *absent))
    report = dataclasses.replace(build(case, "en"), measured=(MeasuredSection("x", "X", tables=(table,)),))
    flat = " ".join(text_of(to_pdf(report, b"{}")).split())
    assert "Not measured (50): waiting_0, waiting_1," in flat
    assert "waiting_19 and others." in flat
    assert "waiting_20" not in flat
    assert "no time" not in flat
    assert "Not measured (50): `waiting_0`" in to_markdown(report)
    terminal = to_terminal(report)
    assert "done" in terminal
    assert "50 more rows" in terminal


def test_a_row_that_is_too_high_for_the_rest_of_a_page_begins_on_the_next(case: Case) -> None:
    """And none is cut by the page's lower edge, however narrow its columns are."""
    columns = tuple(f"Column {number} documentation" for number in range(8))
    rows = tuple(Row(tuple(f"cell {row} of {column} with words" for column in range(8))) for row in range(60))
    table = Table("Wide", columns, rows)
    report = dataclasses.replace(build(case, "en"), measured=(MeasuredSection("x", "X", tables=(table,)),))
    pages = to_pdf(report, b"{}")
    boxes = subprocess.run(
        ["pdftotext", "-bbox", "-", "-"], input=pages, capture_output=True, check=True
    ).stdout.decode()
    assert max(float(found) for found in re.findall(r'yMax="([\d.]+)">(?:cell|words)<', boxes)) < 842 - 42
    assert set(re.findall(r">(\d+)</word>", boxes)) >= {str(row) for row in range(60)}  # every row is there


def test_a_column_without_anything_tells_nothing_in_a_long_table() -> None:
    rows = tuple(Row((str(number), "–", f"{number}.5"), "clear") for number in range(4))
    table = Table("All", ("what", "apart", "figure"), rows, numeric=(1, 2))
    short = trimmed(table)
    assert (short.columns, short.numeric) == (("what", "figure"), (1,))
    assert [row.cells for row in short.rows] == [(str(number), f"{number}.5") for number in range(4)]
    few = dataclasses.replace(table, rows=rows[:3])
    assert trimmed(few) == few
    filled = dataclasses.replace(table, rows=(*rows, Row(("5", "1e-07", "6"))))
    assert trimmed(filled) == filled


def test_a_case_that_was_sent_is_not_set_without_end(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = tuple(Row((str(number), "x"), "clear") for number in range(5000))
    endless = MeasuredSection("x", "X", ("s",) * 5000, (Table("T", ("a", "b"), rows),) * 5000, (ULP,) * 5000)
    monkeypatch.setattr("wizard.report.content.measured.sections.SECTIONS", (lambda of, language: endless,))
    (section,) = measured_sections(msgspec.structs.replace(case, facts=Facts(measurements=(Repeat(),))), "en")
    (table, *_) = section.tables
    assert table.note == "4700 more rows are not shown; the saved case has all of them."
    assert len(table.rows) == 300
    assert max(len(section.sentences), len(section.tables), len(section.plots)) < 100


def test_rows_that_tell_nothing_unusual_take_a_line_and_are_all_there(case: Case) -> None:
    plain = tuple(
        Row((f"fine_{n}", "same"), "clear", brief=f"fine_{n} ({n})", group="Seen from 1 %") for n in range(40)
    )
    odd = Row(("scatter_add", "changes"), "warning")
    table = Table("All", ("operation", "result"), (odd, *plain))
    report = dataclasses.replace(build(case, "en"), measured=(MeasuredSection("x", "X", tables=(table,)),))
    flat = " ".join(text_of(to_pdf(report, b"{}")).split())
    assert "Seen from 1 %: fine_0 (0) · fine_1 (1) · " in flat
    assert all(f"fine_{n} ({n})" in flat for n in range(40))
    assert "same fine" not in flat  # the cells of the table are not printed
    assert "scatter_add changes" in flat
    markdown = to_markdown(report)
    assert markdown.count("| same |") == 40  # there is room


def test_a_few_plain_rows_stay_in_the_table() -> None:
    rows = tuple(Row((str(n),), "clear", brief=str(n), group="g") for n in range(3))
    table = Table("T", ("n",), rows)
    assert table.in_brief == {}
    assert in_full(table) == table


def test_what_is_full_is_trimmed_by_itself() -> None:
    plain = tuple(Row((str(n), "5 %"), "clear", brief=str(n), group="g") for n in range(9))
    odd = tuple(Row((str(n), "–"), "note") for n in range(5))
    table = in_full(Table("T", ("n", "seen"), (*plain, *odd)))
    assert table.columns == ("n",)
    assert len(table.rows) == 5
