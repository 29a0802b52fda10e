"""The report as a PDF: A4 or Letter, selectable text, outline, links, and the case attached inside.

Works without a display: where no Qt application runs, one without a window system is made.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from PySide6.QtCore import QBuffer, QIODevice, QMarginsF
from PySide6.QtGui import (
    QFontDatabase,
    QGuiApplication,
    QPagedPaintDevice,
    QPageSize,
    QPainter,
    QPdfWriter,
)

from wizard.report.content.advice import AdviceView
from wizard.report.content.model_files import ModelView
from wizard.report.content.report import Report
from wizard.report.pdf.appendix import Appendix
from wizard.report.pdf.columns import Columns
from wizard.report.pdf.facts import FactParts
from wizard.report.pdf.file import Heading, LinkArea, finished
from wizard.report.pdf.findings import FindingParts
from wizard.report.pdf.measured import measured_blocks, section_blocks
from wizard.report.pdf.models import MODEL_PAGES, ModelParts
from wizard.report.pdf.parts import COLORS, Parts, sign
from wizard.report.pdf.typeset import (
    DOTS,
    SOFT,
    Block,
    Code,
    Drawn,
    Paragraph,
    Placed,
    Run,
    SetText,
    Sheet,
    Style,
    paginate,
    visible,
    visible_lines,
)
from wizard.words import words

PAPERS = {"a4": QPageSize.PageSizeId.A4, "letter": QPageSize.PageSizeId.Letter}

_MARGIN, _TOP, _BOTTOM = 46.0, 50.0, 42.0


class NoJapaneseFontError(Exception):
    """No font of this machine has Japanese characters, so a Japanese PDF would show empty boxes."""


def to_pdf(report: Report, case_json: bytes, paper: str = "a4") -> bytes:
    """The PDF, with ``case_json`` attached as naosu-case.json. ``paper``: "a4" or "letter".

    Raises:
        NoJapaneseFontError: a Japanese report on a machine without a Japanese font.
    """
    _application()
    if report.language == "ja" and not QFontDatabase.families(QFontDatabase.WritingSystem.Japanese):
        raise NoJapaneseFontError
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(int(72 * DOTS))
    writer.setPageSize(QPageSize(PAPERS[paper]))
    writer.setPageMargins(QMarginsF(0, 0, 0, 0))
    width, height = writer.width() / DOTS, writer.height() / DOTS
    inner = width - 2 * _MARGIN
    pages = paginate(list(_Composer(report, writer).blocks()), inner, height - _TOP - _BOTTOM)
    painter = QPainter(writer)
    links: list[LinkArea] = []
    headings: list[Heading] = []
    for number, page in enumerate(pages):
        if number:
            writer.newPage()
        sheet = Sheet(painter)
        _margins(sheet, report, writer, number, len(pages), width, height)
        for placed in page:
            placed.block.draw(sheet, _MARGIN, _TOP + placed.y, inner)
            headings.extend(_headings(placed, number, inner, height))
        links.extend(
            LinkArea(number, (each.left(), height - each.bottom(), each.right(), height - each.top()), url)
            for each, url in sheet.links
        )
    painter.end()
    return finished(bytes(buffer.data().data()), report, case_json, headings, links)


def _application() -> None:
    if QGuiApplication.instance() is None:
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
        _application.made = QGuiApplication([])  # type: ignore[attr-defined]  # kept as long as Python runs


def _headings(placed: Placed, page: int, width: float, height: float) -> Iterator[Heading]:
    """The headings of a block: it may be one, or have some in its columns."""
    block = placed.block
    anchor = getattr(block, "anchor", None)
    found = block.anchors(width) if isinstance(block, Columns) else [(0.0, anchor)] if anchor is not None else []
    for y, (level, title) in found:
        yield Heading(title, level, page, height - _TOP - placed.y - y + 12)


def _margins(
    sheet: Sheet, report: Report, device: QPagedPaintDevice, number: int, count: int, width: float, height: float
) -> None:
    """The head (from the second page on) and the foot of a page."""
    small = Style(size=8, color=SOFT)
    inner = width - 2 * _MARGIN

    def right(text: str, y: float) -> None:
        made = SetText([Run(text, small)], inner, device)
        made.draw(sheet, _MARGIN + inner - made.natural_width, y)

    if number:
        SetText([Run(report.title, small)], inner, device).draw(sheet, _MARGIN, 27)
        right(report.created, 27)
        sheet.rule(_MARGIN, 41, inner)
    SetText([Run("Naosu", small)], inner, device).draw(sheet, _MARGIN, height - 31)
    right(words("report.page", report.language, page=number + 1, pages=count), height - 31)


# --- what stands on the pages ----------------------------------------------------------------------------------------


class _Composer(Parts):
    """The blocks of a report, in the order of reading: the answer, what to do, what was found; then the appendix."""

    def __init__(self, report: Report, device: QPagedPaintDevice) -> None:
        super().__init__(device, report.language)
        self._report = report
        self._findings = FindingParts(device, report.language)

    def blocks(self) -> Iterator[Block]:
        report = self._report
        yield from self._title()
        yield self._verdict()
        for note in report.notes:
            yield self.paragraph(note, Style(color=SOFT), mark="–", indent=12)
        if report.questions:
            yield self.heading("questions")
            yield from (self.item(question, "?", SOFT) for question in report.questions)
        if report.exactness:
            yield self.heading("exactness")
            yield self.paragraph(report.exactness)
        yield from ModelParts(self.device, self.language).models(report.models, report.comparisons)
        yield from self._found()
        if report.undecided:
            yield self.heading("undecided")
            yield self.paragraph(self.said("intro-undecided"), keep=True)
            yield from (self.item(each.statement, "?", SOFT, each.reason) for each in report.undecided)
        if report.crashed:
            yield self.heading("crashed")
            yield self.paragraph(self.said("intro-crashed"), keep=True)
            yield from (self.item(each.cause, "×", COLORS["blocking"][0], each.reason) for each in report.crashed)
        for model in report.models[:MODEL_PAGES]:
            yield from self._model_page(model)
        yield from Appendix(self.device, self.language, self._findings).blocks(report)

    def _found(self) -> Iterator[Block]:
        """What was asked for, the findings, what to set, what else was measured."""
        report = self._report
        for section in report.asked:
            yield from section_blocks(section, self.device, report.language)
        if report.findings:
            yield self.heading("findings")
        for finding in report.shown:
            yield from self._findings.finding(finding)
        if report.advice is not None:
            yield from self._advice(report.advice)
        yield from measured_blocks(report.measured, self.device, report.language)

    def _model_page(self, model: ModelView) -> Iterator[Block]:
        """All that is known of one file."""
        title = words("models.heading-file", self.language, name=model.name, format=model.format)
        yield self.heading_of(title, level=0)
        facts = FactParts(self.device, self.language)
        for section in model.sections:
            yield from facts.section(section)

    def _title(self) -> Iterator[Block]:
        report = self._report
        style = Style(size=20, bold=True, leading=1.3)
        yield Paragraph([Run(report.title, style)], self.device, after=2, anchor=(0, report.title))
        line = "  ·  ".join([report.created, *(value for _, value in report.meta[:1])])
        yield self.paragraph(line, Style(size=9, color=SOFT), after=12)

    def _verdict(self) -> Block:
        """The verdict in a tinted box with a bar and a round sign: colour is never the only sign."""
        verdict = self._report.verdict
        color, tint = COLORS[verdict.state]
        left, padding, disc = 46.0, 12.0, 24.0

        def texts(width: float) -> list[SetText]:
            inner = width - left - padding
            return [
                SetText([Run(verdict.word, Style(size=9.5, bold=True, color=color))], inner, self.device),
                SetText([Run(visible(verdict.sentence), Style(size=13, bold=True, leading=1.45))], inner, self.device),
                *(
                    SetText([Run(visible(line), Style(size=8.5, color=SOFT, leading=1.7))], inner, self.device)
                    for line in verdict.scope
                ),
            ]

        def height(width: float) -> float:
            return sum(text.height for text in texts(width)) + 2 * padding

        def paint(sheet: Sheet, x: float, y: float, width: float) -> None:
            sheet.fill(x, y, width, height(width), tint)
            sheet.fill(x, y, 4, height(width), color)
            sign(sheet, self.device, verdict.state, verdict.symbol, x + 15, y + padding + 1, disc)
            top = y + padding
            for text in texts(width):
                text.draw(sheet, x + left, top)
                top += text.height

        return Drawn(height, paint, after=10)

    def _advice(self, advice: AdviceView) -> Iterator[Block]:
        yield self.heading_of(advice.title, level=0)
        for sentence in advice.sentences:
            yield self.paragraph(sentence, keep=bool(advice.blocks))
        for block in advice.blocks:
            yield self.heading_of(block.title, level=1)
            yield Code(visible_lines(block.code), self.device, after=8)
            for note in block.notes:
                yield self.paragraph(note, Style(size=8.5, color=SOFT), mark="–", indent=12, after=2)
