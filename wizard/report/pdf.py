"""The report as a PDF: A4 or Letter, selectable text, outline, links, and the case attached inside.

Works without a display: where no Qt application runs, one without a window system is made.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace

from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QPointF, Qt
from PySide6.QtGui import (
    QColor,
    QFontDatabase,
    QGuiApplication,
    QPagedPaintDevice,
    QPageSize,
    QPainter,
    QPdfWriter,
    QPen,
    QPolygonF,
)

from checks.remedy import PlannedStep, RemedyPlan
from wizard.report.advice import AdviceView
from wizard.report.comparison import ComparisonRow, ComparisonView
from wizard.report.fact_sheet import FactRow, FactSection
from wizard.report.measured_pages import measured_blocks, section_blocks
from wizard.report.model import FindingView, NotRun, ProbeRow, Report
from wizard.report.models import ModelView, table_notes
from wizard.report.pdf_file import ATTACHMENT, Heading, LinkArea, finished
from wizard.report.steps import is_address, step_label, step_text
from wizard.report.typeset import (
    DOTS,
    INK,
    SOFT,
    Block,
    Cell,
    Code,
    Drawn,
    Paragraph,
    Placed,
    Run,
    SetText,
    Sheet,
    Style,
    Table,
    paginate,
    visible,
    visible_lines,
)
from wizard.words import words

PAPERS = {"a4": QPageSize.PageSizeId.A4, "letter": QPageSize.PageSizeId.Letter}
COLORS = {
    "blocking": ("#b3261e", "#fdf1f0"),
    "warning": ("#8a5a00", "#fdf6e7"),
    "note": ("#0b57a4", "#eef5fc"),
    "clear": ("#1b7f3b", "#eef8f1"),
    "incomplete": ("#57606a", "#f4f6f8"),
    "nothing-run": ("#57606a", "#f4f6f8"),
}
LINK = "#0b57a4"
LOG_LINES = 40  # the end of a log is printed; all of it is in the attached case
CELL_LIMIT = 600  # characters of one value that are printed

MODEL_PAGES = 40  # files that have a page of their own; all of them are in the attached case
_STATE_COLORS = {
    "blocking": COLORS["blocking"][0],
    "warning": COLORS["warning"][0],
    "clear": COLORS["clear"][0],
    "note": INK,
    "open": SOFT,
    "absent": SOFT,
}

BODY = Style()
_PAIRED = 4  # so many short facts at least stand in two pairs beside each other
_LONG_LABEL = 34  # characters; a section with a longer one gives the labels the larger part
_MARGIN, _TOP, _BOTTOM = 54.0, 60.0, 56.0


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
            headings.extend(_headings(placed, number, height))
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


def _headings(placed: Placed, page: int, height: float) -> Iterator[Heading]:
    anchor = getattr(placed.block, "anchor", None)
    if anchor is not None:
        level, title = anchor
        yield Heading(title, level, page, height - _TOP - placed.y + 12)


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
        SetText([Run(report.title, small)], inner, device).draw(sheet, _MARGIN, 30)
        right(report.created, 30)
        sheet.rule(_MARGIN, 45, inner)
    SetText([Run("Naosu", small)], inner, device).draw(sheet, _MARGIN, height - 38)
    right(words("report.page", report.language, page=number + 1, pages=count), height - 38)


# --- what stands on the pages ----------------------------------------------------------------------------------------


class _Composer:
    """The blocks of a report, in the order of reading."""

    def __init__(self, report: Report, device: QPagedPaintDevice) -> None:
        self._report = report
        self._device = device

    def blocks(self) -> Iterator[Block]:
        report = self._report
        yield from self._title()
        yield self._verdict()
        for note in report.notes:
            yield self._paragraph(note, Style(color=SOFT), mark="–", indent=12)
        if report.exactness:
            yield self._heading("exactness")
            yield self._paragraph(report.exactness)
        yield from self._models(report.models)
        yield from self._found()
        if report.fine:
            yield self._heading("fine")
            yield from (self._item(each, "✓", COLORS["clear"][0]) for each in report.fine)
        if report.undecided:
            yield self._heading("undecided")
            yield self._paragraph(words("report.intro-undecided", report.language), keep=True)
            yield from (self._item(each.statement, "?", SOFT, each.reason) for each in report.undecided)
        for applies, key in ((True, "not-run"), (False, "no-need")):
            yield from self._not_run([each for each in report.not_run if each.applies is applies], key)
        if report.crashed:
            yield self._heading("crashed")
            yield self._paragraph(words("report.intro-crashed", report.language), keep=True)
            yield from (self._item(each.cause, "×", COLORS["blocking"][0], each.reason) for each in report.crashed)
        if report.probes:
            yield self._heading("probes")
            yield self._probes(report.probes)
        yield self._heading("facts")
        for section in report.facts:
            yield from self._section(section)
        for model in report.models[:MODEL_PAGES]:
            yield from self._model_page(model)
        yield self._heading("about")
        yield from self._pairs([FactRow(label, value) for label, value in report.meta])
        attached = words("report.attachment", report.language, name=ATTACHMENT)
        yield self._paragraph(attached, Style(size=8.5, color=SOFT))

    def _found(self) -> Iterator[Block]:
        """What was asked for, the findings, what to set, what else was measured."""
        report = self._report
        for section in report.asked:
            yield from section_blocks(section, self._device, report.language)
        if report.findings:
            yield self._heading("findings")
        for finding in report.shown:
            yield from self._finding(finding)
        if report.advice is not None:
            yield from self._advice(report.advice)
        yield from measured_blocks(report.measured, self._device, report.language)

    def _words(self, key: str) -> str:
        return words(f"report.{key}", self._report.language)

    def _paragraph(
        self,
        text: str,
        style: Style = BODY,
        *,
        mark: str = "",
        indent: float = 0,
        keep: bool = False,
        after: float = 4,
    ) -> Paragraph:
        return Paragraph(
            [Run(visible(text), style)],
            self._device,
            indent=indent,
            mark=Run(mark, replace(style, bold=True)) if mark else None,
            keep_with_next=keep,
            after=after,
        )

    def _heading(self, key: str) -> Block:
        return self._heading_of(self._words(f"heading-{key}"), level=0)

    def _heading_of(self, title: str, level: int) -> Paragraph:
        size, before = ((14.0, 16.0), (10.5, 10.0))[min(level, 1)]
        style = Style(size=size, bold=True, leading=1.35)
        return Paragraph(
            [Run(visible(title), style)],
            self._device,
            before=before,
            after=5.0 if level == 0 else 3.0,
            keep_with_next=True,
            anchor=(level, visible(title)),
        )

    def _item(self, text: str, mark: str, color: str, detail: str = "") -> Paragraph:
        runs = [Run(visible(text))]
        if detail:
            runs.append(Run(f"  {visible(detail)[:CELL_LIMIT]}", Style(size=8.5, color=SOFT)))
        return Paragraph(runs, self._device, indent=15, mark=Run(mark, Style(bold=True, color=color)), after=1.5)

    def _title(self) -> Iterator[Block]:
        report = self._report
        style = Style(size=20, bold=True, leading=1.3)
        yield Paragraph([Run(report.title, style)], self._device, after=2, anchor=(0, report.title))
        line = "  ·  ".join([report.created, *(value for _, value in report.meta[:1])])
        yield self._paragraph(line, Style(size=9, color=SOFT), after=12)

    def _verdict(self) -> Block:
        """The verdict in a tinted box with a bar and a round sign: colour is never the only sign."""
        verdict = self._report.verdict
        color, tint = COLORS[verdict.state]
        left, padding, sign = 46.0, 12.0, 24.0

        def texts(width: float) -> list[SetText]:
            inner = width - left - padding
            return [
                SetText([Run(verdict.word, Style(size=9.5, bold=True, color=color))], inner, self._device),
                SetText([Run(visible(verdict.sentence), Style(size=13, bold=True, leading=1.45))], inner, self._device),
                *(
                    SetText([Run(visible(line), Style(size=8.5, color=SOFT, leading=1.7))], inner, self._device)
                    for line in verdict.scope
                ),
            ]

        def height(width: float) -> float:
            return sum(each.height for each in texts(width)) + 2 * padding

        def paint(sheet: Sheet, x: float, y: float, width: float) -> None:
            sheet.fill(x, y, width, height(width), tint)
            sheet.fill(x, y, 4, height(width), color)
            _sign(sheet, self._device, verdict.state, verdict.symbol, x + 15, y + padding + 1, sign)
            top = y + padding
            for each in texts(width):
                each.draw(sheet, x + left, top)
                top += each.height

        return Drawn(height, paint, after=10)

    def _finding(self, finding: FindingView) -> Iterator[Block]:
        color, tint = COLORS[finding.severity]
        yield self._finding_head(finding, color, tint)
        yield self._paragraph(finding.why, Style(size=10), keep=True)
        yield self._paragraph(finding.explanation)
        confidence = f"{self._words('confidence-label')}: {finding.confidence_words}"
        yield self._paragraph(confidence, Style(size=8.5, color=SOFT), after=6)
        for number, remedy in enumerate(finding.remedies):
            yield from self._remedy(remedy, "remedy-other" if number else "remedy")
        if not finding.remedies:
            yield self._paragraph(self._words("no-remedy"), Style(bold=True))
        if finding.evidence:
            yield self._label("heading-evidence")
            yield self._evidence(finding)
        if finding.questions:
            yield self._label("heading-questions")
            yield from (self._item(each, "?", SOFT) for each in finding.questions)
        if finding.sources:
            yield self._sources(finding.sources)

    def _finding_head(self, finding: FindingView, color: str, tint: str) -> Block:
        """A badge with the severity in words, the title beside it."""
        title = Style(size=12, bold=True, leading=1.35)
        badge = SetText([Run(finding.severity_word, Style(size=8.5, bold=True, color=color))], 200, self._device)
        wide = badge.natural_width + 26

        def text(width: float) -> SetText:
            return SetText([Run(visible(finding.title), title)], width, self._device)

        def height(width: float) -> float:
            return 19 + text(width).height

        def paint(sheet: Sheet, x: float, y: float, width: float) -> None:
            sheet.fill(x, y, wide, 16, tint, radius=8)
            _sign(sheet, self._device, finding.severity, finding.symbol, x + 3.5, y + 3, 10)
            badge.draw(sheet, x + 17, y + (16 - badge.height) / 2)
            text(width).draw(sheet, x, y + 19)

        return Drawn(height, paint, before=12, after=3, keep_with_next=True, anchor=(1, visible(finding.title)))

    def _label(self, key: str) -> Paragraph:
        style = Style(size=9, bold=True, color=SOFT)
        return Paragraph([Run(self._words(key), style)], self._device, before=5, after=2, keep_with_next=True)

    def _remedy(self, remedy: RemedyPlan, heading: str) -> Iterator[Block]:
        color = COLORS["clear"][0]
        runs = [
            Run(f"{self._words(f'heading-{heading}')}  ", Style(size=9, bold=True, color=color)),
            Run(visible(remedy.title), Style(size=10.5, bold=True)),
        ]
        yield Paragraph(runs, self._device, before=6, after=3, keep_with_next=True)
        if remedy.risk:
            runs = [Run(f"{self._words('heading-risk')}: ", Style(bold=True)), Run(visible(remedy.risk))]
            mark = Run("!", Style(bold=True, color=COLORS["warning"][0]))
            yield Paragraph(runs, self._device, indent=15, mark=mark, keep_with_next=True)
        for number, step in enumerate(remedy.steps, 1):
            yield from self._step(step, f"{number}." if len(remedy.steps) > 1 else "")
        text = words("report.verify", self._report.language, expect=remedy.verify.expect)
        has_code = bool(remedy.verify.code)
        mark = Run("✓", Style(bold=True, color=color))
        yield Paragraph(
            [Run(visible(text))],
            self._device,
            indent=15,
            mark=mark,
            keep_with_next=has_code,
            after=3 if has_code else 8,
        )
        if has_code:
            yield Code(visible_lines(remedy.verify.code), self._device, indent=15, after=8)

    def _advice(self, advice: AdviceView) -> Iterator[Block]:
        yield self._heading_of(advice.title, level=0)
        for sentence in advice.sentences:
            yield self._paragraph(sentence, keep=bool(advice.blocks))
        for block in advice.blocks:
            yield self._heading_of(block.title, level=1)
            yield Code(visible_lines(block.code), self._device, after=8)
            for note in block.notes:
                yield self._paragraph(note, Style(size=8.5, color=SOFT), mark="–", indent=12, after=2)

    def _step(self, step: PlannedStep, number: str) -> Iterator[Block]:
        where = step_label(step, self._report.language)
        runs = [Run(f"{where}  ", Style(bold=True, color=SOFT))] if where else []
        text = step_text(step, self._report.language)
        runs += [Run(visible(text))] if text else []
        mark = Run(number, Style(bold=True)) if number else None
        if runs or (mark and not step.code):
            yield Paragraph(runs, self._device, indent=15, mark=mark, keep_with_next=bool(step.code), after=3)
        if step.code:
            yield Code(visible_lines(step.code), self._device, indent=15, mark=None if runs else mark)

    def _evidence(self, finding: FindingView) -> Block:
        soft = Style(size=8.5, color=SOFT)
        rows: list[list[Cell]] = []
        for each in finding.evidence:
            origin = [Run(_short(each.origin), soft)]
            if each.source:
                gap = [Run("  ", soft)] if each.origin else []
                origin += [*gap, self._source(each.source)]
            rows.append([[Run(visible(each.label), Style(size=8.5))], _value(each.value), origin])
        return Table(rows, (3, 3, 4), self._device, head=self._head("what", "value", "origin"))

    def _source(self, source: str) -> Run:
        """A table's row names an address, or a document in words."""
        return (
            _link(self._words("source"), source) if is_address(source) else Run(visible(source), Style(8.5, color=SOFT))
        )

    def _head(self, *columns: str) -> list[Cell]:
        style = Style(size=8, bold=True, color=SOFT)
        return [[Run(self._words(f"column-{each}"), style)] for each in columns]

    def _sources(self, sources: tuple[str, ...]) -> Block:
        runs = [Run(f"{self._words('sources')}:  ", Style(size=8.5, color=SOFT))]
        for number, each in enumerate(sources):
            runs += [Run("  ", Style(size=8.5))] if number else []
            runs.append(_link(each, each))
        return Paragraph(runs, self._device, after=6)

    def _models(self, models: tuple[ModelView, ...]) -> Iterator[Block]:
        """The table of the model files, and what each program makes of them."""
        if not models:
            return
        yield self._heading_of(self._of_models("heading"), level=0)
        plain, soft = Style(size=8.5), Style(size=8.5, color=SOFT)
        rows: list[list[Cell]] = [
            [
                [Run(_short(each.name), plain)],
                [Run(visible(" ".join(filter(None, (each.format, each.version)))), plain)],
                [Run(visible(each.writer), soft)],
                [Run(each.size, plain)],
                [Run(each.dependence, plain)],
                [
                    Run(
                        f"{each.symbol} {_short(each.word)}",
                        Style(size=8.5, bold=True, color=_STATE_COLORS[each.state]),
                    )
                ],
            ]
            for each in models
        ]
        keys = ("name", "format", "writer", "size", "dependence", "verdict")
        head: list[Cell] = [
            [Run(self._of_models(f"column-{key}"), Style(size=8, bold=True, color=SOFT))] for key in keys
        ]
        yield Table(rows, (26, 18, 15, 11, 13, 17), self._device, head=head)
        if len(models) > 1:
            for note in table_notes(models, self._report.language):
                yield self._paragraph(visible(note), Style(size=8.5, color=SOFT))
        for model in models:
            if model.problem:
                yield self._item(model.name, "×", COLORS["blocking"][0], model.problem)
        for model in models[:MODEL_PAGES]:
            yield from self._verdicts(model)
        if len(models) > MODEL_PAGES:
            left_out = words("models.left-out", self._report.language, count=len(models) - MODEL_PAGES)
            yield self._paragraph(left_out, Style(size=8.5, color=SOFT))
        for comparison in self._report.comparisons:
            yield from self._compared(comparison)

    def _verdicts(self, model: ModelView) -> Iterator[Block]:
        if not model.verdicts:
            return
        yield self._heading_of(f"{model.name}: {self._of_models('heading-verdicts')}", level=1)
        rows: list[list[Cell]] = [
            [
                [Run(visible(each.runtime), Style(size=8.5))],
                [Run(f"{each.symbol} {each.word}", Style(size=8.5, bold=True, color=_STATE_COLORS[each.state]))],
                _value(each.detail),
            ]
            for each in model.verdicts
        ]
        yield Table(rows, (24, 22, 54), self._device)

    def _model_page(self, model: ModelView) -> Iterator[Block]:
        """All that is known of one file."""
        yield self._heading_of(
            words("models.heading-file", self._report.language, name=model.name, format=model.format), level=0
        )
        for section in model.sections:
            yield from self._section(section)

    def _compared(self, comparison: ComparisonView) -> Iterator[Block]:
        """Two model files side by side."""
        names = {"first": comparison.first, "second": comparison.second}
        yield self._heading_of(words("models.heading-compared", self._report.language, **names), level=0)
        yield self._paragraph(comparison.sentence)
        yield from self._side_by_side(comparison.rows, (self._of_models("column-what"), *names.values()))
        yield self._paragraph(comparison.weights)
        keys = ("column-tensor", "column-difference", "column-face")
        yield from self._side_by_side(comparison.tensors, tuple(map(self._of_models, keys)))

    def _side_by_side(self, rows: Sequence[ComparisonRow], columns: Sequence[str]) -> Iterator[Block]:
        if rows:
            head: list[Cell] = [[Run(visible(each), Style(size=8, bold=True, color=SOFT))] for each in columns]
            cells: list[list[Cell]] = [[_value(each.what), _value(each.first), _value(each.second)] for each in rows]
            yield Table(cells, (30, 35, 35), self._device, head=head)

    def _of_models(self, key: str) -> str:
        return words(f"models.{key}", self._report.language)

    def _not_run(self, groups: list[NotRun], key: str) -> Iterator[Block]:
        if not groups:
            return
        yield self._heading(key)
        if key == "not-run":
            yield self._paragraph(self._words("intro-not-run"), keep=True)
        for group in groups:
            yield self._paragraph(group.reason, Style(bold=True), keep=True, after=1.5)
            yield from (self._item(each, "–", SOFT) for each in group.statements)

    def _probes(self, probes: tuple[ProbeRow, ...]) -> Block:
        plain, trouble = Style(size=8.5), Style(size=8.5, bold=True, color=COLORS["blocking"][0])
        rows: list[list[Cell]] = []
        for row in probes:
            slow = f" ({self._words('probe-slow')})" if row.is_slow else ""
            mark = "× " if row.is_trouble else ""
            rows.append(
                [
                    [Run(row.name, plain)],
                    [Run(mark + row.status, trouble if row.is_trouble else plain)],
                    [Run(row.seconds + slow, plain)],
                    _value(row.detail),
                ]
            )
        return Table(rows, (3, 3, 2, 4), self._device, head=self._head("probe", "status", "seconds", "detail"))

    def _section(self, section: FactSection) -> Iterator[Block]:
        yield self._heading_of(section.title, level=1)
        if section.rows:
            yield from self._pairs(section.rows)
        if section.text:
            lines = visible_lines(section.text)
            if len(lines) > LOG_LINES:
                left_out = words("report.log-shortened", self._report.language, count=len(lines) - LOG_LINES)
                yield self._paragraph(left_out, Style(size=8.5, color=SOFT), keep=True)
            yield Code(lines[-LOG_LINES:], self._device)

    def _pairs(self, rows: Sequence[FactRow]) -> Iterator[Block]:
        """Labels with values: short ones in two pairs beside each other, then those that need the whole width."""
        if any(len(row.label) > _LONG_LABEL for row in rows):
            yield Table([self._pair(row) for row in rows], (58, 42), self._device)
            return
        short = [row for row in rows if len(row.label) <= 26 and len(row.value) <= 18]
        if len(short) < _PAIRED:
            short = []
        alone = [row for row in rows if row not in short]
        if short:
            yield self._beside(short, after=0 if alone else 8)
        if alone:
            yield Table([self._pair(row) for row in alone], (28, 72), self._device)

    def _beside(self, rows: list[FactRow], after: float) -> Block:
        cells = [self._pair(row) for row in rows]
        half = (len(cells) + 1) // 2
        empty: list[Cell] = [[Run("")], [Run("")]]
        right = cells[half:] + [empty] * (2 * half - len(cells))
        return Table(
            [[*a, *b] for a, b in zip(cells[:half], right, strict=True)], (28, 23, 26, 23), self._device, after=after
        )

    def _pair(self, row: FactRow) -> list[Cell]:
        style = Style(size=8.5, color=SOFT if row.is_unread else INK)
        return [
            [Run(visible(row.label), Style(size=8.5, color=SOFT))],
            [Run(_short(row.value.replace("\n", " ; ")), style)],
        ]


def _link(text: str, address: str) -> Run:
    return Run(visible(text), Style(size=8.5, color=LINK), link=address if is_address(address) else "")


def _short(text: str) -> str:
    shown = visible(text)
    return shown if len(shown) <= CELL_LIMIT else f"{shown[:CELL_LIMIT]} …"


def _value(text: str) -> Cell:
    return [Run(_short(text), Style(size=8.5))]


def _sign(sheet: Sheet, device: QPagedPaintDevice, state: str, symbol: str, x: float, y: float, size: float) -> None:
    """A disc with its sign in white: drawn for the cross and the tick, so that no font can lack them."""
    sheet.fill(x, y, size, size, COLORS[state][0], radius=size / 2)
    shapes = {
        "×": (((0.33, 0.33), (0.67, 0.67)), ((0.67, 0.33), (0.33, 0.67))),
        "✓": (((0.28, 0.52), (0.44, 0.68), (0.73, 0.35)),),
        "–": (((0.3, 0.5), (0.7, 0.5)),),
    }
    if symbol in shapes:
        pen = QPen(QColor("#ffffff"), size * 0.1 * DOTS)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        sheet.painter.setPen(pen)
        sheet.painter.setBrush(Qt.BrushStyle.NoBrush)
        for points in shapes[symbol]:
            sheet.painter.drawPolyline(
                QPolygonF([QPointF((x + a * size) * DOTS, (y + b * size) * DOTS) for a, b in points])
            )
        return
    text = SetText([Run(symbol, Style(size=size * 0.68, bold=True, color="#ffffff", leading=1.0))], size, device)
    text.draw(sheet, x + (size - text.natural_width) / 2, y + (size - text.height) / 2)
