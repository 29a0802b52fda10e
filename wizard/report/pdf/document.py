"""The report as a PDF: A4 or Letter, selectable text, outline, links, and the case attached inside.

Works without a display: where no Qt application runs, one without a window system is made.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from PySide6.QtCore import QBuffer, QIODevice, QMarginsF
from PySide6.QtGui import QFontMetricsF, QGuiApplication, QPagedPaintDevice, QPageSize, QPainter, QPdfWriter

from checks.languages import languages
from wizard.report.content.blocks import Document
from wizard.report.content.document import document_of
from wizard.report.content.report import Report
from wizard.report.pdf.columns import Columns
from wizard.report.pdf.file import ATTACHMENT, Heading, LinkArea, finished
from wizard.report.pdf.pages import Placed, paginate
from wizard.report.pdf.setting import Setter
from wizard.report.pdf.signs import COLORS, sign
from wizard.report.pdf.small_setting import SmallSetter
from wizard.report.pdf.structure import Part, Structure
from wizard.report.pdf.text import DOTS, SOFT, Run, SetText, Sheet, Style, set_text, visible
from wizard.report.pdf.typeset import Block, Drawn, Paragraph
from wizard.words import words

PAPERS = {"a4": QPageSize.PageSizeId.A4, "letter": QPageSize.PageSizeId.Letter}

_MARGIN, _TOP, _BOTTOM = 46.0, 50.0, 42.0


class NoFontError(Exception):
    """No font of this machine has the characters of the language, so a PDF would show empty boxes or nothing."""


def to_pdf(report: Report, case_json: bytes, paper: str = "a4") -> bytes:
    """The PDF, with ``case_json`` attached as naosu-case.json. ``paper``: "a4" or "letter".

    Raises:
        NoFontError: no font of this machine has the characters of the report's language.
    """
    return document_to_pdf(document_of(report), case_json, paper)


def document_to_pdf(document: Document, case_json: bytes | None = None, paper: str = "a4") -> bytes:
    """Any document as a PDF. ``case_json``: the case to attach, if it is the report of one.

    Raises:
        NoFontError: no font of this machine has the characters of the document's language.
    """
    _application()
    faces = [QFontMetricsF(Style(mono=mono).font()) for mono in (False, True)]  # with what Qt puts in for them
    if not all(face.inFontUcs4(ord(letter)) for face in faces for letter in languages()[document.language].letters):
        raise NoFontError
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setTitle(f"{document.title}, {document.created}")
    writer.setCreator("Naosu")
    writer.setResolution(int(72 * DOTS))
    writer.setPageSize(QPageSize(PAPERS[paper]))
    writer.setPageMargins(QMarginsF(0, 0, 0, 0))
    width, height = writer.width() / DOTS, writer.height() / DOTS
    inner = width - 2 * _MARGIN
    blocks = list(_blocks(document, writer, has_case=case_json is not None))
    pages = paginate(blocks, inner, height - _TOP - _BOTTOM)
    painter = QPainter(writer)
    structure = Structure()
    links: list[LinkArea] = []
    headings: list[Heading] = []
    for number, page in enumerate(pages):
        if number:
            writer.newPage()
        sheet = Sheet(painter, structure)
        _margins(sheet, document, writer, number, len(pages), width, height)
        for placed in page:
            placed.block.draw(sheet, _MARGIN, _TOP + placed.y, inner)
            headings.extend(_headings(placed, number, inner, height))
        links.extend(
            LinkArea(number, (area.left(), height - area.bottom(), area.right(), height - area.top()), url)
            for area, url in sheet.links
        )
    painter.end()
    return finished(bytes(buffer.data().data()), document, case_json, headings, links, structure)


def _application() -> None:
    if QGuiApplication.instance() is None:
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
        _application.made = QGuiApplication([])  # type: ignore[attr-defined]  # kept as long as Python runs


def _headings(placed: Placed, page: int, width: float, height: float) -> Iterator[Heading]:
    """The headings of a block: it may be one, or have some in its columns."""
    block = placed.block
    found = block.anchors(width) if isinstance(block, Columns) else [(0.0, block.anchor)] if block.anchor else []
    for y, (level, title) in found:
        yield Heading(title, level, page, height - _TOP - placed.y - y + 12)


def _margins(
    sheet: Sheet, document: Document, device: QPagedPaintDevice, number: int, count: int, width: float, height: float
) -> None:
    small = Style(size=8, color=SOFT)
    inner = width - 2 * _MARGIN

    def right(text: str, y: float) -> None:
        made = set_text([Run(text, small)], inner, device)
        made.draw(sheet, _MARGIN + inner - made.natural_width, y)

    if number:
        set_text([Run(document.title, small)], inner, device).draw(sheet, _MARGIN, 27)
        right(document.created, 27)
        sheet.rule(_MARGIN, 41, inner)
    set_text([Run("Naosu", small)], inner, device).draw(sheet, _MARGIN, height - 31)
    right(words("report.page", document.language, page=number + 1, pages=count), height - 31)


# --- what stands on the pages ----------------------------------------------------------------------------------------


def _blocks(document: Document, device: QPagedPaintDevice, *, has_case: bool) -> Iterator[Block]:
    """The title, the verdict, the sections; then the pages of their own, and the appendix in two columns."""
    setter = Setter(device, document.language)
    style = Style(size=20, bold=True, leading=1.3)
    title = visible(document.title)
    yield Paragraph([Run(title, style)], device, after=2, anchor=(0, title), part=Part("H1"))
    yield setter.paragraph(document.subtitle, Style(size=9, color=SOFT), after=12)
    yield _verdict(document, device)
    notes = Part("L")
    for note in document.notes:
        yield setter.paragraph(note, Style(color=SOFT), mark="–", indent=12, entries=notes)
    yield from setter.sections((*document.questions, *document.sections))
    for page in setter.pages:
        yield setter.heading(page.title_apart or page.title, 0 if page.title_apart else 1)
        yield from setter.sections(page.blocks, level=1)
    small = SmallSetter(device, document.language)
    looked_up = list(small.appendix(setter.looked_up))
    if has_case:
        attached = words("report.attachment", document.language, name=ATTACHMENT)
        looked_up.append(Paragraph([Run(attached, small.soft)], device, before=3))
    if looked_up:
        yield setter.heading(words("report.heading-appendix", document.language), 0)
        yield Columns(looked_up)


def _verdict(document: Document, device: QPagedPaintDevice) -> Block:
    """The verdict in a tinted box with a bar and a round sign: colour is never the only sign."""
    verdict = document.verdict
    color, tint = COLORS[verdict.state]
    left, padding, disc = 46.0, 12.0, 24.0

    def texts(width: float) -> list[SetText]:
        inner = width - left - padding
        return [
            set_text([Run(verdict.word, Style(size=9.5, bold=True, color=color))], inner, device),
            set_text([Run(visible(verdict.sentence), Style(size=13, bold=True, leading=1.45))], inner, device),
            *(
                set_text([Run(visible(line), Style(size=8.5, color=SOFT, leading=1.7))], inner, device)
                for line in verdict.scope
            ),
        ]

    def height(width: float) -> float:
        return sum(text.height for text in texts(width)) + 2 * padding

    def paint(sheet: Sheet, x: float, y: float, width: float) -> None:
        sheet.fill(x, y, width, height(width), tint)
        sheet.fill(x, y, 4, height(width), color)
        sign(sheet, device, verdict.state, verdict.symbol, x + 15, y + padding + 1, disc)
        top = y + padding
        for text in texts(width):
            with sheet.inside(Part("P")):
                text.draw(sheet, x + left, top)
            top += text.height

    return Drawn(height, paint, after=10)
