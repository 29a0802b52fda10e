"""The structure of the PDF: what a screen reader reads, in which order, and as what."""

import functools
import io
import itertools
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import pytest
from pypdf import PdfReader
from pypdf.generic import ArrayObject, DictionaryObject
from support.recorded_repeats import frameworks, recorded

from checks.facts import Facts
from checks.facts.case import Answers, Case
from checks.judgement.judge import judged
from wizard.report.content.report import Report, build
from wizard.report.pdf.attached_case import read_pdf
from wizard.report.pdf.document import to_pdf
from wizard.report.pdf.structure import Content, Part, Structure
from wizard.report.prints.json_report import to_json

pytestmark = pytest.mark.usefixtures("qapp")
MEASURED = ("torch-2.13.0-cpu-digits",)


@functools.cache
def examined() -> Case:
    made = tuple(number for name in MEASURED for number in recorded(name))
    facts = Facts(frameworks=frameworks(), measurements=made)
    return judged(facts, Answers(symptom="results-change", effort="standard"))


@pytest.fixture(scope="module", params=["en", "ja"])
def printed(request: pytest.FixtureRequest, qapp: object) -> tuple[Report, bytes]:
    report = build(examined(), request.param)
    return report, to_pdf(report, to_json(examined(), request.param))


class Element(NamedTuple):
    """``text``: of its own content, without that of the elements in it."""

    kind: str
    text: str
    written: DictionaryObject


_CODES = re.compile(r"^<([0-9A-F]{4})> <([0-9A-F]{4})> (\[.*\]|<[0-9A-F]+>)$", re.MULTILINE)
_SHOWN = re.compile(r"/MCID (\d+)>> BDC|EMC|/(F\d+) [\d.]+ Tf|<([0-9A-F]+)> Tj")


def letters(font: DictionaryObject) -> dict[str, str]:
    """What the glyphs of a font stand for, as its table says it in Qt's way of writing one."""
    known = {}
    for first, last, there in _CODES.findall(font["/ToUnicode"].get_object().get_data().decode("latin-1")):  # type: ignore[attr-defined]
        codes = re.findall(r"<(\w+)>", there)
        for at, glyph in enumerate(range(int(first, 16), int(last, 16) + 1)):
            known[f"{glyph:04X}"] = bytes.fromhex(codes[at if len(codes) > 1 else 0]).decode("utf-16-be")
    return known


@functools.cache
def contents(pdf: bytes) -> tuple[dict[tuple[int, int], str], str]:
    """The text of each piece of content by page and number, and all text that is decoration."""
    told: dict[tuple[int, int], str] = defaultdict(str)
    for number, page in enumerate(tree(pdf)[0].pages):
        fonts = {name[1:]: letters(font.get_object()) for name, font in page["/Resources"]["/Font"].items()}  # type: ignore[index]
        content, open_, font = page["/Contents"].get_object().get_data().decode("latin-1"), -1, {}  # type: ignore[attr-defined]
        for piece, named, glyph in (found.groups() for found in _SHOWN.finditer(content)):
            if named:
                font = fonts[named]
            elif glyph:
                told[number, open_] += font[glyph]
            else:
                open_ = int(piece) if piece else -1
    decoration = "".join(text for (_, open_), text in told.items() if open_ < 0)
    return told, decoration


@functools.cache
def elements(pdf: bytes) -> list[Element]:
    """The structure with its text, in reading order."""
    told = contents(pdf)[0]
    reader, written = tree(pdf)
    pages = {page.indirect_reference.idnum: number for number, page in enumerate(reader.pages)}  # type: ignore[union-attr]
    found = []
    for element in written:
        own = pages[element.raw_get("/Pg").idnum] if "/Pg" in element else 0
        text = ""
        for kid in (kid.get_object() for kid in element.get("/K", ArrayObject())):
            if not isinstance(kid, DictionaryObject):
                text += told[own, kid]
            elif "/MCID" in kid:
                text += told[pages[kid.raw_get("/Pg").idnum], kid["/MCID"]]
        found.append(Element(element["/S"][1:], text, element))
    return found


def squeezed(text: str) -> str:
    return "".join(text.split())


@functools.cache
def tree(pdf: bytes) -> tuple[PdfReader, list[DictionaryObject]]:
    """The elements as they are written, each before those in it."""
    reader = PdfReader(io.BytesIO(pdf))

    def below(element: DictionaryObject) -> Iterator[DictionaryObject]:
        yield element
        for kid in (kid.get_object() for kid in element.get("/K", ArrayObject())):
            if isinstance(kid, DictionaryObject) and "/S" in kid:
                assert kid["/P"] == element
                yield from below(kid)

    root = reader.trailer["/Root"]["/StructTreeRoot"]["/K"]  # type: ignore[index]
    return reader, list(below(root.get_object()))


def test_it_reads_in_the_order_of_the_report(printed: tuple[Report, bytes]) -> None:
    report, pdf = printed
    text = squeezed("".join(text for _, text, _ in elements(pdf)))
    best = report.findings[0]
    parts = [report.title, report.verdict.word, report.verdict.sentence, *report.verdict.scope]
    parts += [*report.notes, best.title, best.why, best.explanation, best.remedies[0].title]
    at = 0
    for part in map(squeezed, parts):
        assert part in text[at:], part
        at = text.index(part, at) + len(part)


def test_headings_are_those_of_the_outline_and_nest(printed: tuple[Report, bytes]) -> None:
    report, pdf = printed
    reader = tree(pdf)[0]
    outlined = [entry.title for group in reader.outline for entry in (group if isinstance(group, list) else [group])]
    heads = [(int(kind[1]), text) for kind, text, _ in elements(pdf) if re.fullmatch(r"H\d", kind)]
    assert [level for level, _ in heads].count(1) == 1
    assert heads[0][1] == report.title
    assert all(after <= before + 1 for (before, _), (after, _) in itertools.pairwise(heads))
    titles = [squeezed(text) for _, text in heads]
    assert [title for title in map(squeezed, outlined) if title not in titles] == []


def test_tables_have_head_cells_and_rows_of_one_length(printed: tuple[Report, bytes]) -> None:
    _, all_elements = tree(printed[1])
    tables = [element for element in all_elements if element["/S"] == "/Table"]
    assert tables
    for table in tables:
        kids = [kid.get_object() for kid in table["/K"]]
        rows = [[cell.get_object() for cell in kid["/K"]] for kid in kids if kid["/S"] == "/TR"]
        assert {kid["/S"] for kid in kids[1:]} == {"/TR"}
        assert kids[0]["/S"] in ("/TR", "/Caption")
        assert all(cell["/S"] in ("/TH", "/TD") for row in rows for cell in row)
        assert any(cell["/S"] == "/TH" for row in rows for cell in row)
        assert all("/Scope" in cell["/A"] for row in rows for cell in row if cell["/S"] == "/TH")
        assert len({sum(cell.get("/A", {}).get("/ColSpan", 1) for cell in row) for row in rows}) == 1


def test_lists_figures_and_links(printed: tuple[Report, bytes]) -> None:
    reader, all_elements = tree(printed[1])
    for element in all_elements:
        if element["/S"] == "/L":
            assert {kid.get_object()["/S"] for kid in element["/K"]} == {"/LI"}
        if element["/S"] == "/LI":
            assert {kid.get_object()["/S"] for kid in element["/K"]} <= {"/Lbl", "/LBody"}
    assert all(element["/Alt"] for element in all_elements if element["/S"] == "/Figure")
    assert any(element["/S"] == "/Figure" for element in all_elements)
    kids = [kid.get_object() for element in all_elements if element["/S"] == "/Link" for kid in element["/K"]]
    places = [kid["/Obj"] for kid in kids if isinstance(kid, DictionaryObject) and "/Obj" in kid]
    links = [link.get_object() for page in reader.pages for link in page.get("/Annots", ())]
    assert len(places) == len(links) > 0
    assert all(link["/Contents"] for link in links)


def test_what_a_page_says_of_its_content_is_what_the_tree_says(printed: tuple[Report, bytes]) -> None:
    """Every piece of text lies in one piece of content, and each of those in the element that the page names."""
    reader = tree(printed[1])[0]
    root = reader.trailer["/Root"]
    assert root["/MarkInfo"]["/Marked"].value is True  # type: ignore[index]
    numbers = root["/StructTreeRoot"]["/ParentTree"]["/Nums"]  # type: ignore[index]
    parents = {int(numbers[at]): numbers[at + 1].get_object() for at in range(0, len(numbers), 2)}
    for page in reader.pages:
        assert page["/Tabs"] == "/S"
        owners = parents[page["/StructParents"]]
        content = page["/Contents"].get_object().get_data().decode("latin-1")  # type: ignore[attr-defined]
        depth, seen = 0, []
        for found in re.finditer(r"/MCID (\d+)>> BDC|\bB(?:DC|MC)\b|\bEMC\b|\b(BT|re|l|c)\b", content):
            if found[2]:
                assert depth == 1 or found[2] != "BT", content[found.start() - 80 : found.end()]
            elif found[0] == "EMC":
                depth -= 1
            else:
                depth += 1
                assert depth == 1
                seen += [int(found[1])] if found[1] else []
        assert depth == 0
        assert seen == list(range(len(owners)))
        for number, owner in enumerate(owners):
            kids = [kid.get_object() for kid in owner.get_object()["/K"]]
            assert number in [kid.get("/MCID") if isinstance(kid, DictionaryObject) else kid for kid in kids]


def test_only_heads_and_feet_of_pages_and_signs_are_decoration(printed: tuple[Report, bytes]) -> None:
    report, pdf = printed
    decoration = contents(pdf)[1]
    heads = {text for kind, text, _ in elements(pdf) if kind == "TH"}  # said again where a table goes on
    known = sorted({report.title, report.created, "Naosu", *heads}, key=len, reverse=True)
    for told in known:
        decoration = decoration.replace(told, "")
    assert re.fullmatch(r"[\d/ ×!i✓?–]*", decoration)


def test_another_program_reads_the_same() -> None:
    """As poppler gives the structure to a screen reader: it looks through a page anew for each element."""
    case = judged(Facts(), Answers())
    pdf = to_pdf(build(case, "en"), to_json(case, "en"))
    done = subprocess.run(["pdfinfo", "-struct-text", "-"], input=pdf, capture_output=True, check=True)
    assert not done.stderr
    lines = [line.strip() for line in done.stdout.decode().splitlines()]
    told = "".join(line[1:-1] for line in lines if line.startswith('"'))
    assert squeezed(told) == squeezed("".join(text for _, text, _ in elements(pdf)))
    kinds = [line.split()[0] for line in lines if re.match(r"[A-Z]\w*( |$)", line) and not line.startswith("Object ")]
    assert kinds == [kind for kind, _, _ in elements(pdf)]


def test_it_names_its_language_and_title_and_still_holds_the_case(printed: tuple[Report, bytes]) -> None:
    report, pdf = printed
    root = tree(pdf)[0].trailer["/Root"]
    metadata = root["/Metadata"].get_object().get_data().decode()  # type: ignore[index]
    assert f"{report.title}, {report.created}" in metadata
    assert root["/Lang"] == report.language  # type: ignore[index]
    assert read_pdf(pdf).created == examined().created


def test_a_part_split_over_pages_is_one_and_headings_leave_no_level_out() -> None:
    structure, paragraph = Structure(), Part("P")
    structure.begin_page()
    assert structure.begin(Part("H3"))
    assert structure.begin(paragraph)
    assert not structure.begin(paragraph)
    structure.begin_page()
    assert not structure.begin(None)
    assert structure.begin(paragraph)
    assert [part.kind for part in structure] == ["Document", "H1", "P"]
    assert paragraph.kids == [Content(0, 1), Content(1, 0)]
