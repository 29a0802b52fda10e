"""The PDF: pages that hold, text that can be searched, and the case inside."""

import functools
import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from pypdf import PdfReader

from checks.facts import Facts, Package, SentFile
from checks.facts.case import Answers, Case
from checks.facts.finding import Evidence, Finding, Severity
from checks.judgement.judge import judged
from checks.readers.tickets.lines import PASTED
from checks.readers.tickets.read import TICKET, pasted, read_ticket
from wizard.report.content.findings.marked_lines import marked_lines
from wizard.report.content.report import build
from wizard.report.pdf.attached_case import read_pdf
from wizard.report.pdf.document import to_pdf
from wizard.report.pdf.file import _RANGE, _mended_range
from wizard.report.pdf.sent_text import LOG_LINES
from wizard.report.prints.json_report import to_json
from wizard.words import words

pytestmark = pytest.mark.usefixtures("qapp")

A4, LETTER = (595, 842), (612, 792)


Printed = Callable[..., bytes]


@pytest.fixture(scope="module")
def printed(case: Case, qapp: object) -> Printed:
    """The usual case in a language on a paper, each set once."""
    return functools.cache(functools.partial(pdf_of, case))


def pdf_of(case: Case, language: str = "en", paper: str = "a4") -> bytes:
    return to_pdf(build(case, language), to_json(case, language), paper)


def text_of(data: bytes) -> str:
    """The text as poppler gives it to a reader who copies it."""
    done = subprocess.run(["pdftotext", "-layout", "-", "-"], input=data, capture_output=True, check=True)
    return done.stdout.decode()


def text_in_order(data: bytes) -> str:
    """The text in the order in which it was written: column by column."""
    done = subprocess.run(["pdftotext", "-raw", "-", "-"], input=data, capture_output=True, check=True)
    return "".join(done.stdout.decode().split())


@pytest.mark.parametrize(("paper", "size"), [("a4", A4), ("letter", LETTER)])
@pytest.mark.parametrize("language", ["en", "ja"])
def test_pages(case: Case, printed: Printed, language: str, paper: str, size: tuple[int, int]) -> None:
    data = printed(language, paper)
    reader = PdfReader(io.BytesIO(data))
    assert {(round(page.mediabox.width), round(page.mediabox.height)) for page in reader.pages} == {size}
    report = build(case, language)
    flat = text_in_order(data)
    for number in range(1, len(reader.pages) + 1):
        assert f"Naosu{number}/{len(reader.pages)}" in flat
    for expected in (report.title, report.verdict.sentence, report.findings[0].explanation[:30], *report.fine):
        assert "".join(expected.split()) in flat
    for remedy in report.findings[0].remedies:
        for step in remedy.steps:
            assert "".join(step.code.split()) in flat


@pytest.mark.parametrize("language", ["en", "ja"])
def test_metadata_outline_and_links(case: Case, printed: Printed, language: str) -> None:
    report = build(case, language)
    reader = PdfReader(io.BytesIO(printed(language, "a4")))
    assert reader.metadata is not None
    assert reader.metadata.title == f"{report.title}, {report.created}"
    assert reader.trailer["/Root"]["/Lang"] == language  # type: ignore[index]
    titles = [entry.title for entry in reader.outline if not isinstance(entry, list)]
    assert titles[0] == report.title
    nested = [entry.title for group in reader.outline if isinstance(group, list) for entry in group]
    assert report.findings[0].title in nested
    links = {
        annotation.get_object()["/A"]["/URI"]
        for page in reader.pages
        for annotation in page.get("/Annots", ())
        if "/A" in annotation.get_object()
    }
    assert set(report.findings[0].sources) <= links


def test_fonts_are_inside(printed: Printed) -> None:
    fonts = subprocess.run(
        ["pdffonts", "-"], input=printed("ja", "a4"), capture_output=True, check=True
    ).stdout.decode()
    rows = fonts.splitlines()[2:]
    assert rows
    assert all(row.split()[-5:-2] == ["yes", row.split()[-4], "yes"] for row in rows), fonts


def test_copied_text_is_the_text_that_was_written(make_case: Callable[..., Case]) -> None:
    """Ligatures, kanji that share their glyph with a radical, digits and spaces survive."""
    written = "first office waffle 実行 自分用 比較 0123456789 (95 %)"
    assert written in text_of(pdf_of(make_case(log=written), "ja"))


@pytest.mark.parametrize(
    ("line", "mended"),
    [
        (b"<0001> <0003> [<0009> <2F8F> <0041> ]", b"<0001> <0003> [<0020> <884C> <0041> ]"),
        (b"<2F8F> <2F8F> <2F8F>", b"<2F8F> <2F8F> <884C>"),
        (b"<0007> <0007> <D867DE3D>", b"<0007> <0007> <D867DE3D>"),
        (b"endbfrange", b"endbfrange"),
    ],
)
def test_tables_of_characters_are_mended(line: bytes, mended: bytes) -> None:
    assert _RANGE.sub(_mended_range, line) == mended


def test_the_case_comes_back(case: Case, printed: Printed) -> None:
    again = read_pdf(printed("en", "a4"))
    assert again.facts == case.facts
    assert again.findings == case.findings
    assert again.created == case.created


def test_values_from_outside_are_only_text(make_case: Callable[..., Case]) -> None:
    log = SentFile(name="<b>x</b>", kind="log", text="\x1b[31mred \u202egnp.exe\x00 <img src='file:///etc/passwd'>\n")
    text = text_of(pdf_of(make_case(only=Facts(logs=(log,)))))
    assert "<b>x</b>" in text
    assert "<img src='file:///etc/passwd'>" in text
    assert "\x1b" not in text


def test_a_long_log_is_shortened_and_whole_inside(make_case: Callable[..., Case]) -> None:
    case = make_case(log="".join(f"line-{number}\n" for number in range(2000)))
    data = pdf_of(case)
    text = text_of(data)
    assert "line-1999" in text
    assert f"line-{2000 - LOG_LINES - 1}\n" not in text
    assert f"The first {2000 - LOG_LINES} lines are left out" in text
    assert read_pdf(data).facts.logs == case.facts.logs


def ticket(text: str) -> Case:
    return judged(read_ticket(pasted(text)), Answers(symptom=TICKET))


@pytest.mark.parametrize("language", ["en", "ja"])
def test_of_a_ticket_what_to_ask_stands_before_the_findings_and_its_lines_with_them(language: str) -> None:
    line = "torch.cuda.is_available() is False"
    evidence = Evidence("clue", line, PASTED, lines=(2,))
    cause, severity = "framework-cpu-only-build", Severity.BLOCKING
    found = Finding(cause=cause, severity=severity, confidence=0.6, evidence=(evidence,))
    case = msgspec.structs.replace(ticket(f"Since yesterday:\n{line}"), findings=(found,))
    report = build(case, language)
    flat = text_in_order(pdf_of(case, language))
    best = report.findings[0]
    assert report.questions
    parts = [report.verdict.sentence, report.questions[0], best.why, best.quoted[0], best.explanation[:30]]
    places = [0]
    for part in parts:
        places.append(flat.index("".join(part.split()), places[-1]))
    assert all(flat.count("".join(question.split())) == 1 for question in report.questions)


def test_of_a_long_text_the_lines_that_show_the_cause_are_printed_and_marked() -> None:
    error = "Failed to initialize NVML: Driver/library version mismatch"
    before, behind = ("".join(f"{word}-{number}\n" for number in range(100)) for word in ("early", "late"))
    case = ticket(f"{before}{error}\n{behind}")
    flat = text_in_order(pdf_of(case))
    printed = flat[flat.index("early-95") :]
    assert "early-94" not in flat
    assert printed.index("Failedtoinitialize") < printed.index("late-0") < printed.index("late-33")
    assert "late-34" not in flat
    assert "Thefirst95linesareleftout" in flat
    assert "Thelast66linesareleftout" in flat
    (section,) = (fact for fact in build(case, "en").facts if fact.text)
    assert marked_lines(build(case, "en"), section) == (101,)


def test_monstrous_values_make_pages_not_errors(make_case: Callable[..., Case]) -> None:
    case = make_case(log="A" * 100_000)
    known = case.facts
    assert known.interpreters
    packages = tuple(Package(name=f"torch-{number}", version="1" * 3000) for number in range(30))
    interpreter = type(known.interpreters[0])(path=known.target or "", packages=packages)
    swollen = make_case(only=Facts(interpreters=(interpreter,), target=known.target, logs=known.logs))
    assert len(PdfReader(io.BytesIO(pdf_of(swollen))).pages) < 40


def fonts_of(folder: Path, *pattern: str) -> dict[str, str]:
    """Variables under which a program has only these of this machine's fonts."""
    listed = subprocess.run(["fc-list", "--format=%{file}\\n", *pattern], capture_output=True, text=True, check=True)
    for font in set(listed.stdout.split()) if pattern else ():
        (folder / Path(font).name).symlink_to(font)
    config = folder / "fonts.conf"
    config.write_text(f"<fontconfig><dir>{folder}</dir><cachedir>{folder}/cache</cachedir></fontconfig>")
    return {**os.environ, "FONTCONFIG_FILE": str(config), "QT_QPA_PLATFORM": "offscreen"}


@pytest.mark.skipif(sys.platform != "linux", reason="fontconfig says which fonts there are")
@pytest.mark.parametrize(
    ("fonts", "language", "reason"),
    [
        ((), "en", "no-font"),
        ((), "ja", "no-japanese-font"),
        (("DejaVu Sans",), "ja", "no-japanese-font"),
        (("DejaVu Sans",), "en", ""),
        (("BIZ UDPGothic",), "ja", ""),
    ],
)
def test_no_font_is_said(
    case: Case, tmp_path: Path, naosu_python: str, fonts: tuple[str, ...], language: str, reason: str
) -> None:
    """A PDF of empty boxes is no success."""
    source, made = tmp_path / "case.json", tmp_path / "made.pdf"
    source.write_bytes(to_json(case, "en"))
    command = [naosu_python, "-m", "wizard", "--lang", language, "show", str(source), "--pdf", str(made), "--quiet"]
    root = Path(__file__).resolve().parents[4]
    done = subprocess.run(command, env=fonts_of(tmp_path, *fonts), capture_output=True, text=True, cwd=root)
    if reason:
        assert words(f"errors.export-{reason}", language) in done.stderr
        assert done.returncode == 2
        assert not made.exists()
    else:
        assert made.exists(), done.stderr
        assert len(text_of(made.read_bytes())) > 500


def test_without_an_application_and_without_a_display(tmp_path: Path, naosu_python: str) -> None:
    """As a server does it: no Qt application, no display."""
    script = (
        "from checks.sharing.case import *; from checks.facts import Facts; from pathlib import Path;"
        "from wizard.report.export import export; import sys;"
        "export(judged(Facts(), Answers()), Path(sys.argv[1]), 'pdf', 'en', 'a4')"
    )
    of_a_display = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    environment = {key: value for key, value in os.environ.items() if key not in of_a_display}
    target = tmp_path / "r.pdf"
    root = Path(__file__).resolve().parents[4]
    subprocess.run([naosu_python, "-c", script, str(target)], env=environment, check=True, cwd=root)
    assert target.read_bytes().startswith(b"%PDF")
